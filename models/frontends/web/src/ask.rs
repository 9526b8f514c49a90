//! Questions and answers, as JSON. What takes long (what a level would play) is in [`think`](crate::think).

use seega_rules::preset;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use thiserror::Error;

use crate::game::Game;
use crate::think::Level;
use crate::view::View;

/// What is wrong with a question.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct AskError(pub String);

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum Question {
    /// All presets.
    Presets,
    /// What there is to see of a game.
    View {
        /// The game.
        game: Game,
    },
    /// The game's record.
    Record {
        /// The game.
        game: Game,
    },
    /// The game of a record.
    Read {
        /// A file of records; of several games the first.
        record: String,
    },
    /// What a level would play. Whoever serves the page answers it by a [`Thinker`](crate::think::Thinker).
    Think {
        /// The game.
        game: Game,
        /// The level.
        level: Level,
        /// Where its chance comes from.
        seed: u32,
    },
}

/// Answers a question that takes no thinking. `None` for one that does.
///
/// # Errors
/// What is asked about can't be read.
pub fn answer(question: &Question) -> Option<Result<Value, AskError>> {
    Some(match question {
        Question::Presets => Ok(presets()),
        Question::View { game } => game.replay().map(|game| json!(View::of(&game))),
        Question::Record { game } => game.to_record().map(|record| json!({ "record": record })),
        Question::Read { record } => {
            Game::from_record(record).map(|(game, left)| json!({ "game": game, "result_left": left }))
        }
        Question::Think { .. } => return None,
    })
}

/// The presets: their name, sizes, and the value of each field, and which of these no source settles.
fn presets() -> Value {
    let of_preset = |preset: &preset::Preset| {
        let sizes: Vec<u8> = preset.sizes.iter().map(|size| size.side()).collect();
        let ours: Vec<&str> = preset.ours.iter().map(|(field, _)| field.name()).collect();
        json!({ "name": preset.name, "sizes": sizes, "fields": preset.rules, "ours": ours })
    };
    json!(preset::ALL.iter().map(of_preset).collect::<Vec<_>>())
}
