//! Positions: the board and the four other fields on which the rest of a game depends.
//!
//! This file holds the value. What may be done in it is in `actions`, what an action does in `apply`, its text in
//! `text`, its hash in `hash`.

mod actions;
mod apply;
mod ground;
mod hash;
mod text;

use crate::bitboard::Bitboard;
use crate::outcome::Outcome;
use crate::rules::Rules;
use crate::side::{BySide, Side};
use crate::square::{BoardSize, Square};

pub use apply::IllegalAction;
pub use hash::mix;
pub use text::ParsePositionError;
pub(crate) use text::parse_board_of;

/// A position: board, side to move, phase, running chain and quiet counter.
///
/// A position belongs to the rules under which it arose; it does not carry them, so each call that needs them takes
/// them. Its legal actions, what they do and whether it is over follow from the five fields and the rules alone.
///
/// ```
/// use seega_rules::{Action, ActionList, Position, preset};
///
/// let rules = preset::find("sija").unwrap().rules;
/// let mut position = Position::start(&rules);
/// let mut actions = ActionList::new();
/// let mut plies = 0;
/// while position.outcome().is_none() {
///     position.legal_actions(&rules, &mut actions);
///     position.apply(&rules, actions[plies % actions.len()]);
///     plies += 1;
/// }
/// println!("{} after {plies} plies", position.outcome().unwrap());
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Position {
    stones: BySide<Bitboard>,
    stones_hash: u64,
    quiet: u32,
    chain: Option<ChainState>,
    mover: Side,
    phase: Phase,
    size: BoardSize,
    outcome: Option<Outcome>,
}

/// What the mover's next ply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// A placement.
    Placement {
        /// Stones left to place in this turn, this one included: 1 or 2.
        left: u8,
    },
    /// A step (or, in a chain, perhaps a stop).
    Movement,
    /// The first step of a turn that follows a turn skipped under [`Blocked::MustOpen`](crate::Blocked::MustOpen).
    Opening,
}

/// A chain that is running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChainState {
    /// The stone that captured last in this turn.
    pub square: Square,
    /// Capturing steps made in this turn, at least 1.
    pub captures: u8,
}

impl Position {
    /// The position in which a game begins.
    pub fn start(rules: &Rules) -> Position {
        let mut stones = BySide::default();
        if rules.cross {
            stones = cross(rules.size);
        }
        Position {
            stones,
            stones_hash: hash::of_stones(&stones),
            quiet: 0,
            chain: None,
            mover: Side::White,
            phase: Phase::Placement { left: rules.per_turn.stones() },
            size: rules.size,
            outcome: None,
        }
    }

    /// The squares on which a side's stones stand.
    #[inline]
    pub fn stones(&self, side: Side) -> Bitboard {
        self.stones[side]
    }

    /// The squares on which any stone stands.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.stones.white | self.stones.black
    }

    /// The empty squares, the centre among them.
    #[inline]
    pub fn empty(&self) -> Bitboard {
        self.size.board().without(self.occupied())
    }

    /// The side whose stone stands on a square.
    pub fn stone_on(&self, square: Square) -> Option<Side> {
        Side::BOTH.into_iter().find(|&side| self.stones[side].contains(square))
    }

    /// The side that makes the next ply. Skipped turns are no plies: it really has one.
    ///
    /// Once the game is over: after a win by capture the side that captured, else the side whose turn would have
    /// begun.
    #[inline]
    pub fn mover(&self) -> Side {
        self.mover
    }

    /// The mover's opponent.
    #[inline]
    pub fn opponent(&self) -> Side {
        self.mover.other()
    }

    /// What the next ply is.
    #[inline]
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether stones are still being placed.
    #[inline]
    pub fn is_placement(&self) -> bool {
        matches!(self.phase, Phase::Placement { .. })
    }

    /// The chain that is running in this turn. A win by capture leaves it as it stood.
    #[inline]
    pub fn chain(&self) -> Option<ChainState> {
        self.chain
    }

    /// Whether the next ply is the first of a turn.
    pub fn begins_turn(&self, rules: &Rules) -> bool {
        match self.phase {
            Phase::Placement { left } => left == rules.per_turn.stones(),
            Phase::Movement | Phase::Opening => self.chain.is_none(),
        }
    }

    /// Turns of either side since the last capture, within movement.
    #[inline]
    pub fn quiet(&self) -> u32 {
        self.quiet
    }

    /// The side of the board.
    #[inline]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// The same position with another quiet counter.
    ///
    /// # Panics
    /// In placement and within a chain, where it is 0, and after the end.
    #[must_use]
    pub fn with_quiet(self, quiet: u32) -> Position {
        assert!(quiet == 0 || (!self.is_placement() && self.chain.is_none()), "the counter counts turns of movement");
        assert!(self.outcome.is_none(), "a game that is over has its counter");
        Position { quiet, ..self }
    }

    /// How the game ended; `None` while it goes on.
    #[inline]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The position with each square replaced; `map` must be one to one on the board.
    pub(crate) fn mapped(&self, map: impl Fn(Square) -> Square) -> Position {
        let map_all = |squares: Bitboard| squares.into_iter().map(&map).collect();
        let stones = BySide { white: map_all(self.stones.white), black: map_all(self.stones.black) };
        let chain = self.chain.map(|chain| ChainState { square: map(chain.square), ..chain });
        Position { stones, chain, stones_hash: hash::of_stones(&stones), ..*self }
    }
}

impl PartialEq for Position {
    /// Whether board size and all five fields are the same.
    fn eq(&self, other: &Position) -> bool {
        let fields = |position: &Position| {
            (position.stones, position.quiet, position.chain, position.mover, position.phase, position.size)
        };
        fields(self) == fields(other)
    }
}

impl Eq for Position {}

/// The stones of the cross: White on both ends of the central rank, Black on both ends of the central file.
fn cross(size: BoardSize) -> BySide<Bitboard> {
    let (middle, last) = (size.side() / 2, size.side() - 1);
    let set = |squares: [Option<Square>; 2]| squares.into_iter().flatten().collect();
    BySide {
        white: set([Square::new(0, middle), Square::new(last, middle)]),
        black: set([Square::new(middle, 0), Square::new(middle, last)]),
    }
}
