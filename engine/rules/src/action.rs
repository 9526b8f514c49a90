//! Actions: what a side does in one ply.

use std::fmt;
use std::str::FromStr;

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::square::{ParseSquareError, Square};

/// What a side does in one ply.
///
/// ```
/// use seega_rules::Action;
///
/// for text in ["c2", "d4-c3", "stop"] {
///     assert_eq!(text.parse::<Action>()?.to_string(), text);
/// }
/// # Ok::<(), seega_rules::ParseActionError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Puts a stone on an empty square.
    Place(Square),
    /// Moves a stone: a step to an adjacent square or, where the rules have them, a jump. What it captures follows
    /// from the position.
    Step {
        /// Where the stone stands.
        from: Square,
        /// Where it goes.
        to: Square,
    },
    /// Ends the turn within a chain.
    Stop,
}

/// The most actions that a position has. A stone has 16 ways to move at most (8 steps, 8 jumps), an empty square is the
/// goal of as many, so there are at most 16 × min(own stones, empty squares),
/// and the smaller of the two is at most 40 of 81 squares.
/// One more is `stop`. (Placements are 80 at most.)
pub const MAX_ACTIONS: usize = 40 * 16 + 1;

/// The legal actions of a position, kept in place: filling it allocates nothing.
pub type ActionList = ArrayVec<Action, MAX_ACTIONS>;

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Place(square) => write!(f, "{square}"),
            Action::Step { from, to } => write!(f, "{from}-{to}"),
            Action::Stop => f.write_str("stop"),
        }
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an action is a square to place on (c2), a step or jump (d4-c3), or stop")]
pub struct ParseActionError;

impl From<ParseSquareError> for ParseActionError {
    fn from(_: ParseSquareError) -> ParseActionError {
        ParseActionError
    }
}

impl FromStr for Action {
    type Err = ParseActionError;

    fn from_str(text: &str) -> Result<Action, ParseActionError> {
        if text == "stop" {
            return Ok(Action::Stop);
        }
        Ok(match text.split_once('-') {
            None => Action::Place(text.parse()?),
            Some((from, to)) => Action::Step { from: from.parse()?, to: to.parse()? },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_no_action_is_refused() {
        for text in ["", "-", "c2-", "-c2", "c2-d3-e4", "c2 d3", "Stop", "c2-d3 (b2)", "p", "c10"] {
            assert_eq!(text.parse::<Action>(), Err(ParseActionError), "{text:?}");
        }
    }
}
