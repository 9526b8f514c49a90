//! The rules of one game as a value.
//!
//! The sources of the family disagree on almost every detail, so a rule set is data: [`Rules`] has a field for each
//! point on which they differ, and every mixture is a legal game. What the fields do to a position stands in
//! `position`; this folder holds the value itself, the [presets](preset) that the sources give, and the reading and
//! writing of rules as text.

mod field;
pub mod preset;
mod text;

use std::num::NonZeroU32;

pub use field::{Field, FieldValue};
pub use preset::Preset;
pub use text::{RulesError, RulesProblem};

use crate::square::BoardSize;

/// An option of the rules: its values have names, in rules files and records.
macro_rules! named_values {
    ($(#[$doc:meta])* $name:ident { $($(#[$value_doc:meta])* $value:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$value_doc])* $value,)+ }

        impl $name {
            /// Every value.
            pub const ALL: &[$name] = &[$($name::$value,)+];

            /// The name in rules files and records.
            pub const fn name(self) -> &'static str {
                match self { $($name::$value => $text,)+ }
            }

            /// The value of a name.
            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|value| value.name() == name)
            }
        }
    };
}

/// The rules of a game.
///
/// Every value of this type is a playable game. Two rule sets are the same game exactly when they are equal, whatever
/// they are called.
///
/// ```
/// use seega_rules::{Blocked, Rules, preset};
///
/// let siga = preset::find("siga").unwrap().rules;
/// let strict = Rules { blocked: Blocked::Loses, ..siga };
/// assert_ne!(siga, strict);
/// assert_eq!(Rules::from_toml("base = \"siga\"\nblocked = \"loses\"")?, strict);
/// # Ok::<(), seega_rules::RulesError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// The side of the board.
    pub size: BoardSize,
    /// Stones placed in a turn of the placement phase.
    pub per_turn: PerTurn,
    /// Whether the first four stones stand already: White on both ends of the central rank, Black on both ends of the
    /// central file. Then White places.
    pub cross: bool,
    /// Who makes the first step of the movement phase.
    pub first_mover: FirstMover,
    /// The directions in which stones step (and jump).
    pub move_dirs: Directions,
    /// What a stone may jump over, besides stepping.
    pub jumps: Jumps,
    /// The directions of the lines on which stones are clamped.
    pub capture_dirs: Directions,
    /// Whether a stone on the centre can't be captured.
    pub center_safe: bool,
    /// What may follow a capturing step in the same turn.
    pub chain: Chain,
    /// Whether the side may stop within a chain. Does nothing under [`Chain::None`].
    pub chain_optional: bool,
    /// Capturing steps in a turn at most; the turn ends with the last of them. Does nothing under [`Chain::None`].
    pub chain_limit: Option<NonZeroU32>,
    /// What becomes of a side that is to begin its turn without any step.
    pub blocked: Blocked,
    /// Stones left at which a side has lost, tested in the movement phase after each capture.
    pub lose_at: LoseAt,
    /// That many turns in a row, of either side and without a capture, end the game. A skipped turn doesn't count.
    pub quiet_limit: NonZeroU32,
    /// The result when the quiet limit ends the game.
    pub quiet_result: QuietResult,
}

named_values! {
    /// Who makes the first step.
    FirstMover {
        /// White, who placed first.
        Starter = "starter",
        /// Black, who placed last.
        LastPlacer = "last_placer",
    }
}

named_values! {
    /// A set of directions.
    Directions {
        /// Along ranks and files: four.
        Orthogonal = "orthogonal",
        /// Along the diagonals too: eight.
        All = "all",
    }
}

named_values! {
    /// Over what a stone may go two squares straight, in a move direction, to an empty square. What it jumps over is
    /// not captured by that.
    Jumps {
        /// No jumps.
        None = "none",
        /// Over any one stone.
        Piece = "piece",
        /// Over the centre, empty or not.
        Center = "center",
        /// Over any one stone and over the centre.
        Both = "both",
    }
}

impl Jumps {
    /// Whether stones are jumped.
    #[inline]
    pub const fn over_stones(self) -> bool {
        matches!(self, Jumps::Piece | Jumps::Both)
    }

    /// Whether the centre is jumped.
    #[inline]
    pub const fn over_center(self) -> bool {
        matches!(self, Jumps::Center | Jumps::Both)
    }
}

named_values! {
    /// What may follow a capturing step in the same turn.
    Chain {
        /// Nothing: the turn is over.
        None = "none",
        /// A capturing step of the same stone.
        SamePiece = "same_piece",
        /// A capturing step of any stone.
        AnyPiece = "any_piece",
        /// Any step of any stone; the turn ends with the first that captures nothing.
        AnyMove = "any_move",
    }
}

named_values! {
    /// What becomes of a side that is to begin its turn without any step.
    Blocked {
        /// Its turn is skipped.
        Pass = "pass",
        /// It has lost.
        Loses = "loses",
        /// Its turn is skipped, and the opponent must make a step after which it has one again, if there is such a
        /// step.
        MustOpen = "must_open",
    }
}

named_values! {
    /// The result of a game that the quiet limit ended.
    QuietResult {
        /// A draw.
        Draw = "draw",
        /// Who has more stones wins; equal is a draw.
        Count = "count",
    }
}

/// Stones placed in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PerTurn {
    /// One.
    One,
    /// Two.
    Two,
}

impl PerTurn {
    /// The number of stones: 1 or 2.
    #[inline]
    pub const fn stones(self) -> u8 {
        match self {
            PerTurn::One => 1,
            PerTurn::Two => 2,
        }
    }
}

/// The number of stones, 0 to 3, at which a side has lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoseAt(u8);

impl LoseAt {
    /// The largest number: 3.
    pub const MAX: u8 = 3;

    /// That many stones; `None` beyond [`MAX`](Self::MAX).
    pub const fn new(stones: u8) -> Option<LoseAt> {
        if stones <= LoseAt::MAX { Some(LoseAt(stones)) } else { None }
    }

    /// The number of stones.
    #[inline]
    pub const fn stones(self) -> u8 {
        self.0
    }
}

impl Rules {
    /// The same rules on another board.
    #[must_use]
    pub const fn with_size(self, size: BoardSize) -> Rules {
        Rules { size, ..self }
    }

    /// No game under these rules, from any position, has more plies than this (saturating at `u64::MAX`).
    ///
    /// The bound counts the placements, a ply for each of the captures that can be made at most, one more to end each
    /// capturing turn (a `stop`, or the step that captures nothing), and as many quiet turns as fit between captures.
    pub fn max_plies(&self) -> u64 {
        let stones = u64::from(2 * self.size.stones_per_side());
        let quiet_turns = (stones + 1).saturating_mul(u64::from(self.quiet_limit.get()));
        (stones + stones + stones).saturating_add(quiet_turns)
    }
}
