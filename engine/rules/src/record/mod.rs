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

use serde::{Deserialize, Deserializer, Serialize};

use crate::action::{Action, ActionList};
use crate::outcome::EndReason;
use crate::position::Position;
use crate::rules::Rules;
use crate::side::Side;

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

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GameResult {
    /// White won.
    #[serde(rename = "w")]
    White,
    /// Black won.
    #[serde(rename = "b")]
    Black,
    /// A draw.
    #[serde(rename = "draw")]
    Draw,
}

impl GameResult {
    /// The result with that winner; `None` is a draw.
    pub const fn of_winner(winner: Option<Side>) -> GameResult {
        match winner {
            Some(Side::White) => GameResult::White,
            Some(Side::Black) => GameResult::Black,
            None => GameResult::Draw,
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

/// Why a game ended. The first four follow from the rules; the others are the players' or the referee's doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordReason {
    /// [`EndReason::Stones`].
    Stones,
    /// [`EndReason::Blocked`].
    Blocked,
    /// [`EndReason::Quiet`].
    Quiet,
    /// [`EndReason::Count`].
    Count,
    /// A side gave up.
    Resigned,
    /// A side broke down or did what is not legal.
    Forfeit,
    /// The result was awarded.
    Adjudicated,
    /// The game was broken off.
    Cut,
}

impl RecordReason {
    /// The reason that follows from the rules; `None` for the others.
    pub const fn by_rules(self) -> Option<EndReason> {
        match self {
            RecordReason::Stones => Some(EndReason::Stones),
            RecordReason::Blocked => Some(EndReason::Blocked),
            RecordReason::Quiet => Some(EndReason::Quiet),
            RecordReason::Count => Some(EndReason::Count),
            RecordReason::Resigned | RecordReason::Forfeit | RecordReason::Adjudicated | RecordReason::Cut => None,
        }
    }

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            RecordReason::Resigned => "resigned",
            RecordReason::Forfeit => "forfeit",
            RecordReason::Adjudicated => "adjudicated",
            RecordReason::Cut => "cut",
            RecordReason::Stones => EndReason::Stones.name(),
            RecordReason::Blocked => EndReason::Blocked.name(),
            RecordReason::Quiet => EndReason::Quiet.name(),
            RecordReason::Count => EndReason::Count.name(),
        }
    }
}

impl From<EndReason> for RecordReason {
    fn from(reason: EndReason) -> RecordReason {
        match reason {
            EndReason::Stones => RecordReason::Stones,
            EndReason::Blocked => RecordReason::Blocked,
            EndReason::Quiet => RecordReason::Quiet,
            EndReason::Count => RecordReason::Count,
        }
    }
}

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
        self.reason = Some(outcome.map_or(RecordReason::Cut, |outcome| outcome.reason.into()));
    }
}

fn required<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<GameResult>, D::Error> {
    Option::deserialize(deserializer)
}
