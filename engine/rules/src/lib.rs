//! The rules of the Seega family of board games: both sides fill an odd square board but for its centre, then capture
//! by clamping.
//!
//! The sources disagree on almost every detail, so the rules are a value: [`Rules`]. The rule sets of the sources are
//! [presets](preset); any mixture of their options is a legal game too.
//!
//! ```
//! use seega_rules::{Action, ActionList, Position, Side, preset};
//!
//! // Sudan's game on the usual board.
//! let rules = preset::parse("sija")?;
//! let mut position = Position::start(&rules);
//!
//! // White places two stones a turn, anywhere but on the centre. One action is one ply.
//! let mut actions = ActionList::new();
//! position.legal_actions(&rules, &mut actions);
//! assert_eq!(actions.len(), 24);
//! position.play(&rules, "b3".parse()?)?;
//! position.play(&rules, "b4".parse()?)?;
//! assert_eq!(position.mover(), Side::Black);
//! assert_eq!(position.to_string(), "5/1w3/1w3/5/5 b p2 - 0");
//!
//! // Positions are read from their text, and an illegal action says why it is.
//! let mut position = Position::from_text("bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0", &rules)?;
//! let refused = position.play(&rules, "a1-a2".parse()?).unwrap_err();
//! assert_eq!(refused.why, "the square is taken");
//!
//! // A step captures what it clamps, and White may go on or stop.
//! let captured = position.play(&rules, "d4-c3".parse()?)?;
//! assert_eq!(captured.count(), 2);
//! position.legal_actions(&rules, &mut actions);
//! assert!(actions.contains(&Action::Stop));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What else is here: the eight [symmetries](Symmetry), a [hash](Position::hash) of every field of a position,
//! games [while they are played](GameInPlay), [game records](record) both ways, and [`perft`] to check one engine against another. Searching and learning are
//! left to the crates above.

#![forbid(unsafe_code)]

mod action;
mod bitboard;
mod game;
mod outcome;
mod perft;
mod position;
pub mod record;
mod rules;
mod side;
mod square;
mod symmetry;
mod text;

pub use action::{Action, ActionList, MAX_ACTIONS, ParseActionError};
pub use bitboard::{Bitboard, Squares};
pub use game::{GameInPlay, MadePly};
pub use outcome::{EndReason, Outcome};
pub use perft::perft;
pub use position::{ChainState, IllegalAction, ParsePositionError, Phase, Position, mix};
pub use rules::{
    Blocked, Chain, Directions, Field, FieldValue, FirstMover, Jumps, LoseAt, PerTurn, Preset, QuietResult, Rules,
    RulesError, RulesProblem, preset,
};
pub use side::{BySide, Side};
pub use square::{BoardSize, Direction, ParseSquareError, Square};
pub use symmetry::Symmetry;
