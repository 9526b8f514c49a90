//! Two networks play each other.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use seega_arena::Seats;
use seega_arena::ladder::{LadderError, LadderSettings, climb};
use seega_players::{PlayerError, PlayerSpec};
use seega_rules::Rules;
use seega_search::baseline::Limit;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Which networks play, and how: what came of it holds as long as none of this changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// The first arm.
    pub a: String,
    /// Its seed.
    pub seed_a: u64,
    /// The second arm.
    pub b: String,
    /// Its seed.
    pub seed_b: u64,
    /// The rules of the games, by their text.
    pub rules: String,
    /// The SHA-256 of the first network.
    pub network_a: String,
    /// That of the second.
    pub network_b: String,
    /// Simulations of each move.
    pub simulations: u32,
    /// Pairs of games from each kind of opening.
    pub pairs: u32,
}

/// What came of two networks' games, all openings together, as the first one sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Games {
    /// Games that count.
    pub games: u64,
    /// Won by the first.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the first.
    pub losses: u64,
}

impl Games {
    /// (wins + draws / 2) / games.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + 0.5 * self.draws as f64) / self.games.max(1) as f64
    }
}

/// Why two networks can't play.
#[derive(Debug, Error)]
pub enum PlayPairError {
    /// A network can't be had.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// Nothing can be played, or a network breaks down.
    #[error(transparent)]
    Play(#[from] LadderError),
}

/// Plays the networks of two files on so many threads. Every pairing has openings of its own, from four random plies and
/// from random placements: what openings do to a score is no part of what two pairings have in common. `None` when
/// stopped.
///
/// # Errors
/// A network can't be read, does not know the rules, or breaks down.
pub fn play_pair(
    pairing: &Pairing,
    rules: &Rules,
    [a, b]: [&Path; 2],
    threads: usize,
    stop: &AtomicBool,
) -> Result<Option<Games>, PlayPairError> {
    let spec = |path: &Path| PlayerSpec::Net { path: path.to_owned(), limit: Limit::Work(pairing.simulations) };
    let mut workers: Vec<Seats> = Vec::new();
    for _ in 0..threads {
        workers.push([a, b].into_iter().map(|path| spec(path).build(rules, false)).collect::<Result<_, _>>()?);
    }
    let seed = pairing.seed_a.wrapping_mul(1_000_003).wrapping_add(pairing.seed_b);
    let settings = LadderSettings { rules: *rules, pairs: pairing.pairs, seed };
    let rows = climb(&settings, std::slice::from_ref(&pairing.b), &mut workers, stop, &mut ())?;
    let sum = |sum: Games, row: &seega_arena::ladder::LadderRow| Games {
        games: sum.games + row.games,
        wins: sum.wins + row.wins,
        draws: sum.draws + row.draws,
        losses: sum.losses + row.losses,
    };
    Ok((!rows.is_empty()).then(|| rows.iter().fold(Games::default(), sum)))
}
