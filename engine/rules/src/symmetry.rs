//! The eight symmetries of the board.
//!
//! Steps, captures and the centre look the same from every side, so a symmetry of a position has the same symmetry of
//! its actions, and the same value. (Only the cross opening prefers a file to a rank, and that just decides where a
//! game begins.)

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::square::{BoardSize, Square};

/// A rotation or reflection of the board onto itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry {
    /// Swap file and rank first,
    transpose: bool,
    /// then mirror the files,
    mirror_files: bool,
    /// then mirror the ranks.
    mirror_ranks: bool,
}

impl Symmetry {
    /// All eight, the identity first.
    pub const ALL: [Symmetry; 8] = {
        let mut all = [Symmetry { transpose: false, mirror_files: false, mirror_ranks: false }; 8];
        let mut index = 0;
        while index < all.len() {
            all[index] =
                Symmetry { transpose: index & 4 != 0, mirror_files: index & 1 != 0, mirror_ranks: index & 2 != 0 };
            index += 1;
        }
        all
    };

    /// The symmetry that undoes this one.
    #[must_use]
    pub const fn inverse(self) -> Symmetry {
        if self.transpose {
            // Mirrored files, once transposed back, are mirrored ranks.
            Symmetry { transpose: true, mirror_files: self.mirror_ranks, mirror_ranks: self.mirror_files }
        } else {
            self
        }
    }

    /// Where a square of the board goes.
    ///
    /// # Panics
    /// If the square is not on a board of that size.
    #[must_use]
    pub fn square(self, size: BoardSize, square: Square) -> Square {
        let last = size.side() - 1;
        let (mut file, mut rank) = (square.file(), square.rank());
        if self.transpose {
            (file, rank) = (rank, file);
        }
        if self.mirror_files {
            file = last - file;
        }
        if self.mirror_ranks {
            rank = last - rank;
        }
        Square::new(file, rank).expect("the square is on the board")
    }

    /// Where a set of squares goes.
    #[must_use]
    pub fn squares(self, size: BoardSize, squares: Bitboard) -> Bitboard {
        squares.into_iter().map(|square| self.square(size, square)).collect()
    }

    /// The action that is in the transformed position what this one is in the original.
    #[must_use]
    pub fn action(self, size: BoardSize, action: Action) -> Action {
        match action {
            Action::Place(square) => Action::Place(self.square(size, square)),
            Action::Step { from, to } => Action::Step { from: self.square(size, from), to: self.square(size, to) },
            Action::Stop => Action::Stop,
        }
    }

    /// The transformed position.
    #[must_use]
    pub fn position(self, position: &Position) -> Position {
        position.mapped(|square| self.square(position.size(), square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eight_are_distinct_and_undone_by_their_inverses() {
        let size = BoardSize::Five;
        let seen: std::collections::HashSet<Vec<Square>> = Symmetry::ALL
            .iter()
            .map(|symmetry| {
                let images: Vec<Square> = size.board().iter().map(|square| symmetry.square(size, square)).collect();
                for (square, &image) in size.board().iter().zip(&images) {
                    assert_eq!(symmetry.inverse().square(size, image), square, "{symmetry:?}");
                }
                images
            })
            .collect();
        assert_eq!(seen.len(), 8);
        assert!(Symmetry::ALL.iter().all(|symmetry| symmetry.square(size, size.center()) == size.center()));
    }
}
