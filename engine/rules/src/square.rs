//! Squares, board sizes and directions.
//!
//! A square has the same number on every board: 10 × rank + file. The tenth file never exists; it is the guard column
//! that keeps a step over the edge from arriving on the other side (see [`Bitboard`]).

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::bitboard::Bitboard;

/// The distance between the numbers of a square and of the square above it.
pub(crate) const STRIDE: u8 = 10;

/// The most squares that a board has: 9 × 9.
pub(crate) const MAX_SIZE: u8 = 9;

/// A square, such as `c2`. Which squares a board has, its [`BoardSize`] tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// The square on a file (0 is `a`) and a rank (0 is `1`), both at most 8; `None` beyond.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Option<Square> {
        if file < MAX_SIZE && rank < MAX_SIZE { Some(Square(rank * STRIDE + file)) } else { None }
    }

    /// The square of a bit of a [`Bitboard`].
    #[inline]
    pub(crate) const fn from_bit(bit: u8) -> Square {
        Square(bit)
    }

    /// The bit of a [`Bitboard`] that stands for this square.
    #[inline]
    pub(crate) const fn bit(self) -> u8 {
        self.0
    }

    /// The square from which a step in that direction leads here; it must be on the board.
    #[inline(always)]
    pub(crate) const fn back(self, direction: Direction) -> Square {
        Square(self.0.wrapping_add_signed(-direction.offset()))
    }

    /// The file, 0 for `a`.
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 % STRIDE
    }

    /// The rank, 0 for `1`.
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 / STRIDE
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.file()) as char, self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a square is a letter a-i and a digit 1-9, such as c2")]
pub struct ParseSquareError;

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match *text.as_bytes() {
            [file @ b'a'..=b'i', rank @ b'1'..=b'9'] => Square::new(file - b'a', rank - b'1').ok_or(ParseSquareError),
            _ => Err(ParseSquareError),
        }
    }
}

/// The side of the board, in squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BoardSize {
    /// 5 × 5, 12 stones a side.
    Five,
    /// 7 × 7, 24 stones a side.
    Seven,
    /// 9 × 9, 40 stones a side.
    Nine,
}

impl BoardSize {
    /// All sizes, the smallest first.
    pub const ALL: [BoardSize; 3] = [BoardSize::Five, BoardSize::Seven, BoardSize::Nine];

    /// The size with that many squares a side: 5, 7 or 9.
    pub const fn from_side(side: u8) -> Option<BoardSize> {
        match side {
            5 => Some(BoardSize::Five),
            7 => Some(BoardSize::Seven),
            9 => Some(BoardSize::Nine),
            _ => None,
        }
    }

    /// Squares a side: 5, 7 or 9.
    #[inline]
    pub const fn side(self) -> u8 {
        match self {
            BoardSize::Five => 5,
            BoardSize::Seven => 7,
            BoardSize::Nine => 9,
        }
    }

    /// Squares on the board: 25, 49 or 81.
    #[inline]
    pub const fn squares(self) -> u8 {
        self.side() * self.side()
    }

    /// Stones that each side places: 12, 24 or 40.
    #[inline]
    pub const fn stones_per_side(self) -> u8 {
        (self.squares() - 1) / 2
    }

    /// The centre: c3, d4 or e5.
    #[inline]
    pub const fn center(self) -> Square {
        let middle = self.side() / 2;
        Square(middle * STRIDE + middle)
    }

    /// All squares of the board.
    #[inline]
    pub const fn board(self) -> Bitboard {
        const FIVE: Bitboard = board(5);
        const SEVEN: Bitboard = board(7);
        const NINE: Bitboard = board(9);
        match self {
            BoardSize::Five => FIVE,
            BoardSize::Seven => SEVEN,
            BoardSize::Nine => NINE,
        }
    }

    /// Whether the board has that square.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        square.file() < self.side() && square.rank() < self.side()
    }

    /// The place of a square in the board's own numbering: side × rank + file, below [`squares`](Self::squares).
    #[inline]
    pub const fn index_of(self, square: Square) -> usize {
        square.rank() as usize * self.side() as usize + square.file() as usize
    }

    /// The square with that place, the inverse of [`index_of`](Self::index_of); `None` off the board.
    #[inline]
    pub const fn square_at(self, index: usize) -> Option<Square> {
        let side = self.side() as usize;
        if index < side * side { Square::new((index % side) as u8, (index / side) as u8) } else { None }
    }
}

impl fmt::Display for BoardSize {
    /// `5×5`, `7×7` or `9×9`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}×{0}", self.side())
    }
}

const fn board(side: u8) -> Bitboard {
    let mut squares = Bitboard::EMPTY;
    let mut rank = 0;
    while rank < side {
        let mut file = 0;
        while file < side {
            squares = squares.with(Square(rank * STRIDE + file));
            file += 1;
        }
        rank += 1;
    }
    squares
}

/// One of the eight directions on the board; north is towards the higher ranks, east towards the later files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// A rank up.
    North,
    /// A file on.
    East,
    /// A rank down.
    South,
    /// A file back.
    West,
    /// A rank up and a file on.
    NorthEast,
    /// A rank down and a file on.
    SouthEast,
    /// A rank down and a file back.
    SouthWest,
    /// A rank up and a file back.
    NorthWest,
}

impl Direction {
    /// All eight, the orthogonal ones first.
    pub const ALL: [Direction; 8] = [
        Direction::North,
        Direction::East,
        Direction::South,
        Direction::West,
        Direction::NorthEast,
        Direction::SouthEast,
        Direction::SouthWest,
        Direction::NorthWest,
    ];

    /// Files on and ranks up: each -1, 0 or 1.
    pub const fn vector(self) -> (i8, i8) {
        match self {
            Direction::North => (0, 1),
            Direction::East => (1, 0),
            Direction::South => (0, -1),
            Direction::West => (-1, 0),
            Direction::NorthEast => (1, 1),
            Direction::SouthEast => (1, -1),
            Direction::SouthWest => (-1, -1),
            Direction::NorthWest => (-1, 1),
        }
    }

    /// The direction back.
    #[inline(always)]
    pub const fn opposite(self) -> Direction {
        match self {
            Direction::North => Direction::South,
            Direction::East => Direction::West,
            Direction::South => Direction::North,
            Direction::West => Direction::East,
            Direction::NorthEast => Direction::SouthWest,
            Direction::SouthEast => Direction::NorthWest,
            Direction::SouthWest => Direction::NorthEast,
            Direction::NorthWest => Direction::SouthEast,
        }
    }

    /// What a step in this direction adds to a square's number.
    #[inline]
    pub(crate) const fn offset(self) -> i8 {
        let (east, north) = self.vector();
        north * STRIDE as i8 + east
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_the_boards_numbering_round_trip() {
        for size in BoardSize::ALL {
            let squares: Vec<Square> = size.board().iter().collect();
            assert_eq!(squares.len(), usize::from(size.squares()));
            for (index, square) in squares.into_iter().enumerate() {
                assert!(size.contains(square));
                assert_eq!(size.index_of(square), index);
                assert_eq!(size.square_at(index), Some(square));
            }
            assert_eq!(size.square_at(usize::from(size.squares())), None);
        }
    }

    #[test]
    fn centers_are_c3_d4_e5() {
        let centers = BoardSize::ALL.map(|size| size.center().to_string());
        assert_eq!(centers, ["c3", "d4", "e5"]);
    }

    #[test]
    fn text_that_is_no_square_is_refused() {
        for text in ["", "a", "a0", "j1", "A1", "a10", "1a", "ä1", "a1 "] {
            assert_eq!(text.parse::<Square>(), Err(ParseSquareError), "{text:?}");
        }
    }
}
