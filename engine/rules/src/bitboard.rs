//! Sets of squares, as bits of one integer.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign};

use crate::square::{Direction, Square};

/// A set of squares.
///
/// Bit 10 × rank + file stands for a square. Files 0 to 8 exist, the tenth is a guard: a step over the left or right
/// edge of any board lands on a bit that is on no board, or beyond the board's last rank, and goes when the set is cut
/// with squares of the board. Nine ranks take 90 bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Bitboard(u128);

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// One square.
    #[inline]
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1u128.wrapping_shl(square.bit() as u32))
    }

    /// This set and one more square.
    #[inline]
    #[must_use]
    pub const fn with(self, square: Square) -> Bitboard {
        Bitboard(self.0 | Bitboard::of(square).0)
    }

    /// The squares of this set that are not in the other.
    #[inline]
    #[must_use]
    pub const fn without(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }

    /// Whether the set holds the square.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 & Bitboard::of(square).0 != 0
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many squares the set holds.
    #[inline]
    pub const fn count(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// The squares of the set, from a1 along the ranks.
    #[inline]
    pub fn iter(self) -> Squares {
        self.into_iter()
    }
}

/// What generating actions asks of a set of squares, so that small boards can do with half the bits.
pub(crate) trait SquareSet: Copy + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// No square.
    const EMPTY: Self;

    fn from_board(squares: Bitboard) -> Self;
    fn of(square: Square) -> Self;
    fn into_board(self) -> Bitboard;
    fn without(self, other: Self) -> Self;
    fn is_empty(self) -> bool;
    fn count(self) -> u8;
    /// Every square of the set moved one step. What leaves the board is on no board's squares: cut the result with
    /// squares of the board.
    fn shifted(self, direction: Direction) -> Self;
    /// Every square of the set moved one step against the direction; else as [`shifted`](Self::shifted).
    fn shifted_back(self, direction: Direction) -> Self;
    /// The squares of the set, from a1 along the ranks.
    fn squares(self) -> Squares;
}

/// A set of squares of the 5 × 5 board, whose bits fit into one machine word.
#[derive(Clone, Copy)]
pub(crate) struct SmallBitboard(u64);

/// Implements [`SquareSet`] on the integer of a set.
macro_rules! square_set {
    ($set:ident, $integer:ty) => {
        impl SquareSet for $set {
            const EMPTY: $set = $set(0);

            #[inline(always)]
            fn from_board(squares: Bitboard) -> $set {
                $set(squares.0 as $integer)
            }

            #[inline(always)]
            fn of(square: Square) -> $set {
                let one: $integer = 1;
                $set(one.wrapping_shl(square.bit().into()))
            }

            #[inline(always)]
            fn into_board(self) -> Bitboard {
                Bitboard(self.0.into())
            }

            #[inline(always)]
            fn without(self, other: $set) -> $set {
                $set(self.0 & !other.0)
            }

            #[inline(always)]
            fn is_empty(self) -> bool {
                self.0 == 0
            }

            #[inline(always)]
            fn count(self) -> u8 {
                self.0.count_ones() as u8
            }

            #[inline(always)]
            fn shifted(self, direction: Direction) -> $set {
                let offset = direction.offset();
                $set(if offset > 0 { self.0 << offset } else { self.0 >> -offset })
            }

            #[inline(always)]
            fn shifted_back(self, direction: Direction) -> $set {
                let offset = direction.offset();
                $set(if offset > 0 { self.0 >> offset } else { self.0 << -offset })
            }

            #[inline(always)]
            fn squares(self) -> Squares {
                Squares::of(self.0.into())
            }
        }
    };
}

square_set!(Bitboard, u128);
square_set!(SmallBitboard, u64);

impl BitAnd for SmallBitboard {
    type Output = SmallBitboard;

    #[inline(always)]
    fn bitand(self, other: SmallBitboard) -> SmallBitboard {
        SmallBitboard(self.0 & other.0)
    }
}

impl BitOr for SmallBitboard {
    type Output = SmallBitboard;

    #[inline(always)]
    fn bitor(self, other: SmallBitboard) -> SmallBitboard {
        SmallBitboard(self.0 | other.0)
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;

    #[inline]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Bitboard) {
        self.0 ^= other.0;
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares::of(self.0)
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The squares of a [`Bitboard`], from a1 along the ranks.
///
/// The halves of the wide integer are walked one after the other, which is faster than walking it as one.
#[derive(Clone, Debug)]
pub struct Squares {
    low: u64,
    high: u64,
    first: u8,
}

impl Squares {
    #[inline(always)]
    fn of(bits: u128) -> Squares {
        Squares { low: bits as u64, high: (bits >> 64) as u64, first: 0 }
    }
}

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.low == 0 {
            if self.high == 0 {
                return None;
            }
            (self.low, self.high, self.first) = (self.high, 0, 64);
        }
        let bit = self.first + self.low.trailing_zeros() as u8;
        self.low &= self.low.wrapping_sub(1);
        Some(Square::from_bit(bit))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = (self.low.count_ones() + self.high.count_ones()) as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::square::BoardSize;

    /// Where a step leads, by arithmetic on file and rank.
    fn neighbour(size: BoardSize, square: Square, direction: Direction) -> Option<Square> {
        let (east, north) = direction.vector();
        let file = square.file().checked_add_signed(east)?;
        let rank = square.rank().checked_add_signed(north)?;
        Square::new(file, rank).filter(|&goal| size.contains(goal))
    }

    #[test]
    fn a_step_over_an_edge_leaves_the_board() {
        for size in BoardSize::ALL {
            for square in size.board() {
                for direction in Direction::ALL {
                    let expected: Bitboard = neighbour(size, square, direction).into_iter().collect();
                    let start = Bitboard::of(square);
                    assert_eq!(start.shifted(direction) & size.board(), expected, "{square} {direction:?}");
                    let back: Bitboard = size
                        .board()
                        .iter()
                        .filter(|&other| neighbour(size, other, direction) == Some(square))
                        .collect();
                    assert_eq!(start.shifted_back(direction) & size.board(), back, "{square} {direction:?}");
                }
            }
        }
    }
}
