//! Who played whom, and how it ended.

use std::collections::BTreeMap;

use seega_rules::Side;
use seega_rules::record::GameResult;

use crate::game::PlayedGame;

/// The result of a game, as the player sees it who played first (White).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForFirst {
    /// The first player won.
    Won = 0,
    /// A draw.
    Drawn = 1,
    /// The second player won.
    Lost = 2,
}

/// Who played whom, and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Crosstable {
    players: usize,
    /// Games won, drawn and lost by the first player, at `first * players + second`.
    results: Vec<[u64; 3]>,
    /// The games of each opening, where that is known: first and second player, and the result.
    openings: BTreeMap<u32, Vec<(usize, usize, ForFirst)>>,
}

impl Crosstable {
    /// An empty table for so many players.
    pub fn new(players: usize) -> Crosstable {
        Crosstable { players, results: vec![[0; 3]; players * players], openings: BTreeMap::new() }
    }

    /// Counts games of a player who was first against another.
    ///
    /// # Panics
    /// If there is no such player, or both are the same.
    pub fn add(&mut self, first: usize, second: usize, result: ForFirst, games: u64) {
        assert!(first != second && first < self.players && second < self.players, "two players of the table");
        self.results[first * self.players + second][result as usize] += games;
    }

    /// Counts a game of a match of two players, A and B. Games with the same number of a pair have the same opening,
    /// whoever played them.
    ///
    /// # Panics
    /// If there is no such player, or both are the same.
    pub fn add_game(&mut self, a: usize, b: usize, game: &PlayedGame) {
        let result = match game.result {
            GameResult::White => ForFirst::Won,
            GameResult::Draw => ForFirst::Drawn,
            GameResult::Black => ForFirst::Lost,
        };
        let (first, second) = if game.a_side == Side::White { (a, b) } else { (b, a) };
        self.add(first, second, result, 1);
        self.openings.entry(game.pair).or_default().push((first, second, result));
    }

    /// The number of players.
    pub fn players(&self) -> usize {
        self.players
    }

    /// Games between two players, won, drawn and lost by the one whatever their sides were.
    pub fn between(&self, player: usize, opponent: usize) -> [u64; 3] {
        let as_first = self.results[player * self.players + opponent];
        let as_second = self.results[opponent * self.players + player];
        std::array::from_fn(|index| as_first[index] + as_second[2 - index])
    }

    /// All of a player's games: won, drawn and lost.
    pub fn of(&self, player: usize) -> [u64; 3] {
        let others = (0..self.players).filter(|&other| other != player);
        others.fold([0; 3], |sum, other| {
            let more = self.between(player, other);
            std::array::from_fn(|index| sum[index] + more[index])
        })
    }

    /// Ordered pairs of players that met, and their results.
    pub(super) fn meetings(&self) -> impl Iterator<Item = (usize, usize, [f64; 3])> {
        let players = self.players;
        let met = self.results.iter().enumerate().filter(|(_, results)| results.iter().sum::<u64>() > 0);
        met.map(move |(index, results)| (index / players, index % players, results.map(|count| count as f64)))
    }

    /// For each player, whether there is a way to all others along games that were not lost, and one back.
    pub(super) fn is_connected(&self) -> bool {
        let reach = |forwards: bool| {
            let mut seen = vec![false; self.players];
            let mut waiting = vec![0];
            seen[0] = true;
            while let Some(player) = waiting.pop() {
                for (other, seen) in seen.iter_mut().enumerate().filter(|(_, seen)| !**seen) {
                    let [won, drawn, lost] = self.between(player, other);
                    if drawn + if forwards { won } else { lost } > 0 {
                        *seen = true;
                        waiting.push(other);
                    }
                }
            }
            seen.into_iter().all(|seen| seen)
        };
        self.players > 0 && reach(true) && reach(false)
    }

    /// The games of each opening; empty where openings are not known.
    pub(super) fn openings(&self) -> impl ExactSizeIterator<Item = &[(usize, usize, ForFirst)]> {
        self.openings.values().map(Vec::as_slice)
    }
}
