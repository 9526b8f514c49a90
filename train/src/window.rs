//! The replay window: the newest positions, as many as the recipe says.

use std::collections::VecDeque;

use rand::RngExt;
use rand::rngs::SmallRng;
use seega_rules::{BoardSize, Rules};
use seega_selfplay::Sample;

/// The positions of a generation by one rule set.
#[derive(Debug)]
struct Chunk {
    rules: Rules,
    samples: Vec<Sample>,
}

/// The positions to learn from, oldest first. Whole chunks are dropped as the window moves on.
#[derive(Debug, Default)]
pub struct Window {
    chunks: VecDeque<Chunk>,
}

impl Window {
    /// Adds the positions of a generation by one rule set.
    pub fn add(&mut self, rules: Rules, samples: Vec<Sample>) {
        if !samples.is_empty() {
            self.chunks.push_back(Chunk { rules, samples });
        }
    }

    /// Drops the oldest chunks while what remains holds as many positions as asked for.
    pub fn shrink(&mut self, positions: usize) {
        while let Some(first) = self.chunks.front() {
            if self.len() - first.samples.len() < positions {
                break;
            }
            self.chunks.pop_front();
        }
    }

    /// Positions in the window.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.samples.len()).sum()
    }

    /// Whether the window is empty.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// Draws a batch with repetition: a board size first, by its share of the positions, then positions of that size
    /// evenly. `None` from an empty window.
    pub fn draw<'a>(
        &'a self,
        count: usize,
        random: &mut SmallRng,
    ) -> Option<(BoardSize, Vec<(&'a Rules, &'a Sample)>)> {
        let total = self.len();
        if total == 0 {
            return None;
        }
        let size = self.at(random.random_range(0..total), None).map(|(rules, _)| rules.size)?;
        let of_size: usize =
            self.chunks.iter().filter(|chunk| chunk.rules.size == size).map(|chunk| chunk.samples.len()).sum();
        let drawn = (0..count).filter_map(|_| self.at(random.random_range(0..of_size), Some(size))).collect();
        Some((size, drawn))
    }

    /// The position with that number, of those of a size if one is given.
    fn at(&self, number: usize, size: Option<BoardSize>) -> Option<(&Rules, &Sample)> {
        let mut rest = number;
        for chunk in self.chunks.iter().filter(|chunk| size.is_none_or(|size| chunk.rules.size == size)) {
            match chunk.samples.get(rest) {
                Some(sample) => return Some((&chunk.rules, sample)),
                None => rest -= chunk.samples.len(),
            }
        }
        None
    }
}
