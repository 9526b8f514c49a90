//! Boards as sets of numbered squares, and the quiet steps on them, forwards and backwards.
//!
//! Solving a class asks billions of times for steps that capture nothing, and for the boards before them. The rules
//! crate answers the first at the price of a whole position and not the second, so both are here, on tables made from the
//! rules. Everything else, chains and ends above all, is left to the rules crate; tests hold the two together.

use seega_rules::{Bitboard, BoardSize, Direction, Directions, Rules, Square};

/// A set of squares: bit `BoardSize::index_of(square)` stands for a square.
pub(crate) type Set = u128;

/// A way of a stone from a square.
#[derive(Clone, Copy, Debug)]
struct Hop {
    to: u8,
    /// A square that must be occupied for it, if any.
    over: Option<u8>,
}

/// A neighbour that can be clamped from a square, and the square beyond it.
#[derive(Clone, Copy, Debug)]
struct Clamp {
    prey: u8,
    beyond: u8,
}

/// Steps and captures on the board of a rule set.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    size: BoardSize,
    hops: Vec<Vec<Hop>>,
    clamps: Vec<Vec<Clamp>>,
}

pub(crate) const fn bit(square: u8) -> Set {
    1 << square
}

/// The squares of a set, the lowest first.
pub(crate) fn squares(mut set: Set) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let square = set.trailing_zeros() as u8;
            set &= set - 1;
            square
        })
    })
}

impl Geometry {
    pub(crate) fn new(rules: &Rules) -> Geometry {
        let size = rules.size;
        let number = |square: Square| size.index_of(square) as u8;
        let toward = |square: Square, direction: Direction, distance: i8| -> Option<Square> {
            let (east, north) = direction.vector();
            let file = square.file().checked_add_signed(east * distance)?;
            let rank = square.rank().checked_add_signed(north * distance)?;
            Square::new(file, rank).filter(|&square| size.contains(square))
        };
        let directions = |directions: Directions| {
            Direction::ALL.into_iter().filter(move |direction| match directions {
                Directions::All => true,
                Directions::Orthogonal => direction.vector().0 == 0 || direction.vector().1 == 0,
            })
        };
        let hops = |from: Square| {
            let mut hops = Vec::new();
            for direction in directions(rules.move_dirs) {
                let Some(next) = toward(from, direction, 1) else { continue };
                hops.push(Hop { to: number(next), over: None });
                let Some(beyond) = toward(from, direction, 2) else { continue };
                if rules.jumps.over_center() && next == size.center() {
                    hops.push(Hop { to: number(beyond), over: None });
                } else if rules.jumps.over_stones() {
                    hops.push(Hop { to: number(beyond), over: Some(number(next)) });
                }
            }
            hops
        };
        let clamps = |at: Square| {
            let clamp = |direction| {
                let (prey, beyond) = (toward(at, direction, 1)?, toward(at, direction, 2)?);
                let safe = rules.center_safe && prey == size.center();
                (!safe).then(|| Clamp { prey: number(prey), beyond: number(beyond) })
            };
            directions(rules.capture_dirs).filter_map(clamp).collect()
        };
        let board: Vec<Square> = size.board().iter().collect();
        debug_assert!(board.iter().enumerate().all(|(index, &square)| size.index_of(square) == index));
        Geometry {
            size,
            hops: board.iter().map(|&square| hops(square)).collect(),
            clamps: board.iter().map(|&square| clamps(square)).collect(),
        }
    }

    pub(crate) fn size(&self) -> BoardSize {
        self.size
    }

    /// The squares of a set as the rules crate has them.
    pub(crate) fn to_board(&self, set: Set) -> Bitboard {
        squares(set).filter_map(|square| self.size.square_at(usize::from(square))).collect()
    }

    /// The set of a board of the rules crate.
    pub(crate) fn of_board(&self, board: Bitboard) -> Set {
        board.iter().fold(0, |set, square| set | bit(self.size.index_of(square) as u8))
    }

    fn hops_from(&self, from: u8, occupied: Set) -> impl Iterator<Item = u8> {
        let open =
            move |hop: &&Hop| occupied & bit(hop.to) == 0 && hop.over.is_none_or(|over| occupied & bit(over) != 0);
        self.hops[usize::from(from)].iter().filter(open).map(|hop| hop.to)
    }

    /// Whether a side has a step.
    pub(crate) fn has_step(&self, own: Set, enemy: Set) -> bool {
        squares(own).any(|from| self.hops_from(from, own | enemy).next().is_some())
    }

    /// Every step of a side, from and to.
    pub(crate) fn steps(&self, own: Set, enemy: Set) -> impl Iterator<Item = (u8, u8)> {
        squares(own).flat_map(move |from| self.hops_from(from, own | enemy).map(move |to| (from, to)))
    }

    /// The stones that a stone captures by arriving, with the others of its side.
    pub(crate) fn captures(&self, others: Set, enemy: Set, to: u8) -> Set {
        let clamps = self.clamps[usize::from(to)].iter();
        clamps.filter(|clamp| others & bit(clamp.beyond) != 0).fold(0, |taken, clamp| taken | enemy & bit(clamp.prey))
    }

    /// The sets that a side may have had before a step that captured nothing and led to this board.
    pub(crate) fn before_quiet(&self, own: Set, enemy: Set) -> impl Iterator<Item = Set> {
        squares(own).flat_map(move |to| {
            let others = own & !bit(to);
            // Ways lead back as they lead forth: what was jumped over stands there still.
            let quiet = self.captures(others, enemy, to) == 0;
            let origins = quiet.then(|| self.hops_from(to, own | enemy));
            origins.into_iter().flatten().map(move |from| others | bit(from))
        })
    }
}
