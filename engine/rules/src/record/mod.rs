//! Game records: one game as one line of JSON, written and read, and replayed against the rules.
//!
//! ```
//! use seega_rules::{Position, preset};
//! use seega_rules::record::GameRecord;
//!
//! let rules = preset::parse("sija")?;
//! let mut position = Position::start(&rules);
//! let mut record = GameRecord::begin("sija", rules);
//! for text in ["a1", "b1", "a2"] {
//!     let action = text.parse()?;
//!     record.add_ply(&position, action);
//!     position.play(&rules, action)?;
//! }
//! record.end(&position); // broken off: the result is null
//!
//! let again: GameRecord = serde_json::from_str(&serde_json::to_string(&record)?)?;
//! assert_eq!(again.verify()?.positions, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
mod verify;

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::action::{Action, ActionList};
use crate::outcome::EndReason;
use crate::position::Position;
use crate::rules::Rules;
use crate::side::Side;
use crate::text::shortened;

pub use file::{MAX_LINE_BYTES, ReadError, ReadErrorKind, RecordReader, RecordWriter};
pub use verify::{Disagreement, Verified, VerifyError, sorted_texts};

/// A game, as it stands in a record. Positions and actions are kept as the texts that were written, which
/// [`verify`](Self::verify) holds against the rules. Keys that are not listed here are passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameRecord {
    /// A label; the rules decide.
    pub rules_name: String,
    /// The rules of the game.
    pub rules: Rules,
    /// The plies. The first one's position is where the game began.
    pub plies: Vec<PlyRecord>,
    /// The final position; only its board counts.
    pub end: String,
    /// Who won; `None` (null) for a game broken off.
    // Without the attribute a record that lacks the key would read as a game broken off.
    #[serde(deserialize_with = "required")]
    pub result: Option<GameResult>,
    /// Why the game ended, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<RecordReason>,
}

/// A ply, as it stands in a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlyRecord {
    /// The position before the ply.
    pub position: String,
    /// The action.
    pub played: String,
    /// Every legal action, sorted as text, where that is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<String>>,
}

/// The result of a finished game: `w`, `b` or `draw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// White won.
    White,
    /// Black won.
    Black,
    /// A draw.
    Draw,
}

impl GameResult {
    const ALL: [GameResult; 3] = [GameResult::White, GameResult::Black, GameResult::Draw];

    /// The result with that winner; `None` is a draw.
    pub const fn of_winner(winner: Option<Side>) -> GameResult {
        match winner {
            Some(Side::White) => GameResult::White,
            Some(Side::Black) => GameResult::Black,
            None => GameResult::Draw,
        }
    }

    /// The winner; `None` is a draw.
    pub const fn winner(self) -> Option<Side> {
        match self {
            GameResult::White => Some(Side::White),
            GameResult::Black => Some(Side::Black),
            GameResult::Draw => None,
        }
    }

    /// The name in records: `w`, `b` or `draw`.
    pub const fn name(self) -> &'static str {
        match self {
            GameResult::White => "w",
            GameResult::Black => "b",
            GameResult::Draw => "draw",
        }
    }
}

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordReason {
    /// By the rules: `stones`, `blocked`, `quiet` or `count`.
    Rules(EndReason),
    /// A side gave up: `resigned`.
    Resigned,
    /// A side broke down or did what is not legal: `forfeit`.
    Forfeit,
    /// The result was awarded: `adjudicated`.
    Adjudicated,
    /// The game was broken off: `cut`.
    Cut,
}

impl RecordReason {
    const ALL: [RecordReason; 8] = [
        RecordReason::Rules(EndReason::Stones),
        RecordReason::Rules(EndReason::Blocked),
        RecordReason::Rules(EndReason::Quiet),
        RecordReason::Rules(EndReason::Count),
        RecordReason::Resigned,
        RecordReason::Forfeit,
        RecordReason::Adjudicated,
        RecordReason::Cut,
    ];

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            RecordReason::Rules(reason) => reason.name(),
            RecordReason::Resigned => "resigned",
            RecordReason::Forfeit => "forfeit",
            RecordReason::Adjudicated => "adjudicated",
            RecordReason::Cut => "cut",
        }
    }

    /// Whether a game that the rules have not ended can have that result for this reason. A game broken off has none.
    const fn allows(self, result: Option<GameResult>) -> bool {
        match self {
            RecordReason::Rules(_) => false,
            RecordReason::Resigned | RecordReason::Forfeit => {
                matches!(result, Some(GameResult::White | GameResult::Black))
            }
            RecordReason::Adjudicated => result.is_some(),
            RecordReason::Cut => result.is_none(),
        }
    }
}

/// Writes and reads a type by the names of its values.
macro_rules! serde_by_name {
    ($type:ident, $what:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let name = Cow::<str>::deserialize(deserializer)?;
                $type::ALL.into_iter().find(|value| value.name() == name).ok_or_else(|| {
                    let known = $type::ALL.map($type::name).join(", ");
                    let found = shortened(&name, 20);
                    serde::de::Error::custom(format!("{found:?} is no {}; it must be one of {known}", $what))
                })
            }
        }
    };
}

serde_by_name!(GameResult, "result");
serde_by_name!(RecordReason, "reason");

impl GameRecord {
    /// A record without plies yet.
    pub fn begin(rules_name: impl Into<String>, rules: Rules) -> GameRecord {
        GameRecord {
            rules_name: rules_name.into(),
            rules,
            plies: Vec::new(),
            end: Position::start(&rules).to_string(),
            result: None,
            reason: None,
        }
    }

    /// Adds a ply: the position before it, and the action.
    pub fn add_ply(&mut self, position: &Position, action: Action) {
        self.plies.push(PlyRecord { position: position.to_string(), played: action.to_string(), legal: None });
    }

    /// Adds a ply with its list of legal actions.
    pub fn add_ply_with_legal(&mut self, position: &Position, action: Action) {
        let mut actions = ActionList::new();
        position.legal_actions(&self.rules, &mut actions);
        self.add_ply(position, action);
        if let Some(ply) = self.plies.last_mut() {
            ply.legal = Some(sorted_texts(&actions));
        }
    }

    /// Ends the record in a position: with the result and reason of the rules if the game is over, else broken off.
    pub fn end(&mut self, position: &Position) {
        self.end = position.to_string();
        let outcome = position.outcome();
        self.result = outcome.map(|outcome| GameResult::of_winner(outcome.winner));
        self.reason = Some(outcome.map_or(RecordReason::Cut, |outcome| RecordReason::Rules(outcome.reason)));
    }
}

fn required<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<GameResult>, D::Error> {
    Option::deserialize(deserializer)
}
