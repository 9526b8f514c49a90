//! How a game ended.

use std::fmt;

use crate::side::Side;

/// How a game ended by the rules: who won, and why it was over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// The winner; `None` is a draw.
    pub winner: Option<Side>,
    /// What ended the game.
    pub reason: EndReason,
}

/// What ended a game by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndReason {
    /// A capture left a side with `lose_at` stones or fewer.
    Stones,
    /// A side was to begin its turn without any step, and loses by that.
    Blocked,
    /// The quiet limit was reached, whether that is a draw or stones are counted.
    Quiet,
    /// Neither side had a step, and stones were counted.
    Count,
}

impl EndReason {
    /// The name in game records.
    pub const fn name(self) -> &'static str {
        match self {
            EndReason::Stones => "stones",
            EndReason::Blocked => "blocked",
            EndReason::Quiet => "quiet",
            EndReason::Count => "count",
        }
    }
}

impl fmt::Display for Outcome {
    /// In words, such as `White wins (stones)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner {
            Some(side) => write!(f, "{side} wins ({})", self.reason.name()),
            None => write!(f, "draw ({})", self.reason.name()),
        }
    }
}
