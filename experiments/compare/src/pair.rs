//! Two networks play each other.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use seega_arena::ladder::STARTS;
use seega_arena::{MatchError, MatchSettings, Seats, Table, Tally, run_tables};
use seega_players::{PlayerError, PlayerSpec};
use seega_rules::Rules;
use seega_search::baseline::Limit;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A line of the table of matches: the network of arm `a` with one seed against that of arm `b` with one, all openings
/// together, as `a` sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairScore {
    /// The first arm.
    pub a: String,
    /// Its seed.
    pub seed_a: u64,
    /// The second arm.
    pub b: String,
    /// Its seed.
    pub seed_b: u64,
    /// Games that count.
    pub games: u64,
    /// Won by `a`.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by `a`.
    pub losses: u64,
    /// (wins + draws / 2) / games.
    pub score: f64,
}

/// Why two networks can't play.
#[derive(Debug, Error)]
pub enum PlayPairError {
    /// A network can't be had.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// Nothing can be played.
    #[error(transparent)]
    Match(#[from] MatchError),
}

/// How two networks play.
#[derive(Clone, Copy, Debug)]
pub struct PairSettings {
    /// The rules.
    pub rules: Rules,
    /// Pairs of games from each kind of opening.
    pub pairs: u32,
    /// Simulations of each move.
    pub simulations: u32,
    /// Threads.
    pub workers: usize,
}

/// Plays the network of file `a` against that of file `b`, and gives games, wins, draws and losses of `a`. Every two
/// networks meet the same openings.
///
/// # Errors
/// A network can't be read or does not know the rules.
pub fn play_pair(
    settings: &PairSettings,
    [a, b]: [&Path; 2],
    stop: &AtomicBool,
) -> Result<Option<[u64; 4]>, PlayPairError> {
    let spec = |path: &Path| PlayerSpec::Net { path: path.to_owned(), limit: Limit::Work(settings.simulations) };
    let mut workers: Vec<Seats> = Vec::new();
    for _ in 0..settings.workers {
        let seats: Result<Seats, PlayerError> =
            [a, b].into_iter().map(|path| spec(path).build(&settings.rules, false)).collect();
        workers.push(seats?);
    }
    let table = |opening| {
        let settings = MatchSettings { opening, seed: 1, ..MatchSettings::new(settings.rules, settings.pairs) };
        Table { settings, a: 0, b: 1, known: Vec::new() }
    };
    let tables = STARTS.map(|(_, opening)| table(opening));
    let games = run_tables(&tables, &mut workers, stop, &mut ())?;
    if games.iter().any(|games| games.len() < 2 * settings.pairs as usize) {
        return Ok(None);
    }
    let sum = games.iter().map(|games| Tally::of(games)).fold([0; 4], |[games, wins, draws, losses], tally| {
        [games + tally.games, wins + tally.wins, draws + tally.draws, losses + tally.losses]
    });
    Ok(Some(sum))
}
