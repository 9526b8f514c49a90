//! Boards of a class as numbers without gaps to speak of: combinations are counted, never hashed.
//!
//! The mover's stones are turned by the symmetry that brings them to the first of their eight images; what is left of a
//! board is its number among those of such firsts, and the opponent's stones' number among the squares that are left.
//! Where stones have symmetries of their own, several numbers stand for one board up to symmetry; the lowest counts, and the
//! others stay unused.

use seega_rules::{BoardSize, Symmetry};

use crate::geometry::{Set, bit, squares};

/// Numbers for boards with so many stones of the mover and of the opponent.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    squares: u8,
    opponents: u8,
    binomials: Binomials,
    symmetries: Symmetries,
    /// Of each combination of the mover's stones, by its number: which first it has, and by which symmetry.
    orbits: Vec<Orbit>,
    /// The firsts.
    firsts: Vec<First>,
    /// Boards for each first.
    per_first: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Orbit {
    first: u32,
    symmetry: u8,
}

/// The first of the images of some stones.
#[derive(Clone, Copy, Debug)]
struct First {
    set: Set,
    /// The symmetries that leave it as it is, the identity not among them, as a set of their numbers.
    own: u8,
}

/// C(n, k) up to the squares of the largest board.
#[derive(Clone, Debug)]
struct Binomials(Vec<Vec<u64>>);

impl Binomials {
    fn new(squares: u8, stones: u8) -> Binomials {
        let (rows, columns) = (usize::from(squares) + 1, usize::from(stones) + 1);
        let mut table = vec![vec![0u64; columns]; rows];
        for n in 0..rows {
            table[n][0] = 1;
            for k in 1..columns.min(n + 1) {
                // Beyond what fits nothing is built; it only has to be told.
                table[n][k] = table[n - 1][k - 1].saturating_add(table[n - 1][k]);
            }
        }
        Binomials(table)
    }

    fn get(&self, n: u8, k: u8) -> u64 {
        self.0[usize::from(n)][usize::from(k)]
    }

    /// The number of a combination of numbers that rise, among all of as many: the combinatorial number system.
    fn rank(&self, rising: impl Iterator<Item = u8>) -> u64 {
        (1..).zip(rising).map(|(k, n)| self.get(n, k)).sum()
    }

    /// The combination of `k` numbers that has a number, the highest first.
    fn unrank(&self, mut rank: u64, k: u8, below: u8, mut each: impl FnMut(u8)) {
        let mut n = below;
        for k in (1..=k).rev() {
            n -= 1;
            while self.get(n, k) > rank {
                n -= 1;
            }
            rank -= self.get(n, k);
            each(n);
        }
    }
}

/// Where each symmetry takes each square.
#[derive(Clone, Debug)]
struct Symmetries([Vec<u8>; 8]);

impl Symmetries {
    fn new(size: BoardSize) -> Symmetries {
        Symmetries(Symmetry::ALL.map(|symmetry| {
            size.board().iter().map(|square| size.index_of(symmetry.square(size, square)) as u8).collect()
        }))
    }

    fn turn(&self, symmetry: u8, set: Set) -> Set {
        let map = &self.0[usize::from(symmetry)];
        squares(set).fold(0, |turned, square| turned | bit(map[usize::from(square)]))
    }
}

/// How many boards have numbers, unused ones among them: as [`Ranking::len`] tells, without making one.
pub(crate) fn boards(size: BoardSize, movers: u8, opponents: u8) -> u64 {
    let board = size.squares();
    // Combinations that a symmetry leaves as they are have all or none of each of its cycles; the mean of their number over
    // the symmetries is the number of firsts (Burnside's lemma).
    let kept = |symmetry: &Vec<u8>| {
        let mut ways = vec![0u64; usize::from(movers) + 1];
        ways[0] = 1;
        let mut seen = 0;
        for square in 0..board {
            let (mut at, mut length) = (square, 0);
            while seen & bit(at) == 0 {
                seen |= bit(at);
                at = symmetry[usize::from(at)];
                length += 1;
            }
            if length > 0 {
                for stones in (length..ways.len()).rev() {
                    ways[stones] = ways[stones].saturating_add(ways[stones - length]);
                }
            }
        }
        ways[usize::from(movers)]
    };
    let firsts = Symmetries::new(size).0.iter().map(kept).fold(0, u64::saturating_add) / 8;
    firsts.saturating_mul(Binomials::new(board, opponents).get(board - movers, opponents))
}

impl Ranking {
    /// # Panics
    /// If there are more stones than squares.
    pub(crate) fn new(size: BoardSize, movers: u8, opponents: u8) -> Ranking {
        let board = size.squares();
        assert!(movers + opponents <= board, "stones fit on the board");
        let binomials = Binomials::new(board, movers.max(opponents));
        let symmetries = Symmetries::new(size);
        let combinations = binomials.get(board, movers);
        let mut orbits = vec![Orbit { first: u32::MAX, symmetry: 0 }; combinations as usize];
        let mut firsts: Vec<First> = Vec::new();
        for rank in 0..combinations {
            if orbits[rank as usize].first != u32::MAX {
                continue;
            }
            let mut set = 0;
            binomials.unrank(rank, movers, board, |square| set |= bit(square));
            let (first, mut own) = (firsts.len() as u32, 0u8);
            for symmetry in 0..8 {
                let image = symmetries.turn(symmetry, set);
                own |= u8::from(image == set) << symmetry;
                // What leads from the image back to the first is the inverse.
                let back = inverse(symmetry);
                let orbit = &mut orbits[binomials.rank(squares(image)) as usize];
                if orbit.first == u32::MAX {
                    *orbit = Orbit { first, symmetry: back };
                }
            }
            firsts.push(First { set, own: own & !1 });
        }
        let per_first = binomials.get(board - movers, opponents);
        Ranking { squares: board, opponents, binomials, symmetries, orbits, firsts, per_first }
    }

    /// How many numbers there are, unused ones among them.
    pub(crate) fn len(&self) -> u64 {
        self.firsts.len() as u64 * self.per_first
    }

    /// The number of a board.
    pub(crate) fn index(&self, mover: Set, opponent: Set) -> u64 {
        let orbit = self.orbits[self.binomials.rank(squares(mover)) as usize];
        let First { set, own } = self.firsts[orbit.first as usize];
        let opponent = self.symmetries.turn(orbit.symmetry, opponent);
        u64::from(orbit.first) * self.per_first + self.lowest(set, own, opponent).0
    }

    /// The lowest number of the opponent's stones beside a first, and in how many ways it is the lowest.
    fn lowest(&self, first: Set, own: u8, opponent: Set) -> (u64, u8) {
        let mut lowest = (self.rank_beside(first, opponent), 1);
        for symmetry in squares(own.into()) {
            let rank = self.rank_beside(first, self.symmetries.turn(symmetry, opponent));
            match rank.cmp(&lowest.0) {
                std::cmp::Ordering::Less => lowest = (rank, 1),
                std::cmp::Ordering::Equal => lowest.1 += 1,
                std::cmp::Ordering::Greater => {}
            }
        }
        lowest
    }

    /// The number of some stones among the squares that the others leave free.
    fn rank_beside(&self, others: Set, stones: Set) -> u64 {
        let among_free = |square: u8| square - (others & (bit(square) - 1)).count_ones() as u8;
        self.binomials.rank(squares(stones).map(among_free))
    }

    /// The board of a number, the mover's stones first, and how many boards it stands for: 1, 2, 4 or 8. `None` for
    /// a number that is unused.
    pub(crate) fn board(&self, index: u64) -> Option<(Set, Set, u8)> {
        let First { set, own } = self.firsts[(index / self.per_first) as usize];
        let rank = index % self.per_first;
        let free = !set & ((1 << self.squares) - 1);
        let mut opponent = 0;
        let mut numbers = [0u8; 128];
        let mut count = 0;
        self.binomials.unrank(rank, self.opponents, self.squares - set.count_ones() as u8, |number| {
            numbers[count] = number;
            count += 1;
        });
        // The numbers fall; the free squares are walked once as they rise.
        let mut wanted = numbers[..count].iter().rev();
        let mut next = wanted.next();
        for (number, square) in (0u8..).zip(squares(free)) {
            if next == Some(&number) {
                opponent |= bit(square);
                next = wanted.next();
            }
        }
        let (lowest, ways) = self.lowest(set, own, opponent);
        (lowest == rank).then_some((set, opponent, 8 / ways))
    }
}

fn inverse(symmetry: u8) -> u8 {
    let inverse = Symmetry::ALL[usize::from(symmetry)].inverse();
    Symmetry::ALL.iter().position(|&other| other == inverse).map_or(0, |number| number as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_and_numbers_are_one_to_one_up_to_symmetry() {
        for (size, movers, opponents) in
            [(BoardSize::Five, 1, 1), (BoardSize::Five, 2, 3), (BoardSize::Five, 3, 2), (BoardSize::Seven, 2, 1)]
        {
            let ranking = Ranking::new(size, movers, opponents);
            assert_eq!(ranking.len(), boards(size, movers, opponents));
            let mut all_boards = 0;
            for index in 0..ranking.len() {
                let Some((mover, opponent, images)) = ranking.board(index) else { continue };
                assert_eq!((mover.count_ones(), opponent.count_ones()), (movers.into(), opponents.into()));
                assert_eq!(mover & opponent, 0);
                let mut distinct = std::collections::HashSet::new();
                for symmetry in 0..8 {
                    let turned = [mover, opponent].map(|set| ranking.symmetries.turn(symmetry, set));
                    assert_eq!(ranking.index(turned[0], turned[1]), index);
                    distinct.insert(turned);
                }
                assert_eq!(distinct.len(), usize::from(images));
                all_boards += u64::from(images);
            }
            let squares = size.squares();
            let all = Binomials::new(squares, 5);
            assert_eq!(all_boards, all.get(squares, movers) * all.get(squares - movers, opponents));
        }
    }
}
