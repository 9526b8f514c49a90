//! Playing one match or many: workers play, the calling thread looks on and decides when to stop.
//!
//! What the results say is left to [`crate::Tally`].

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;

use seega_players::{Player, PlayerError};
use seega_rules::Rules;
use seega_rules::record::GameRecord;
use thiserror::Error;

use crate::game::PlayedGame;
use crate::opening::{Opening, OpeningError};
use crate::tally::Tally;
use crate::worker::{Event, Share, Worker};

/// What is played.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// The rules.
    pub rules: Rules,
    /// The rules as records name them; records are made only where this is given.
    pub records: Option<String>,
    /// Pairs of games: one opening each, played twice with colours swapped.
    pub pairs: u32,
    /// How the games begin.
    pub opening: Opening,
    /// From this come the openings, and each game's own chance.
    pub seed: u64,
    /// The most games that a worker runs at once, at least 1. More make larger batches for networks, need more memory,
    /// and leave more behind when the match is stopped.
    pub at_once: usize,
}

impl MatchSettings {
    /// A match of so many pairs by these rules: four random plies, seed 0, no records, 64 games at once.
    pub fn new(rules: Rules, pairs: u32) -> MatchSettings {
        MatchSettings { rules, records: None, pairs, opening: Opening::default(), seed: 0, at_once: 64 }
    }
}

/// Looks on while games are played. All methods do nothing unless they are written.
pub trait Observer {
    /// A worker's players have made their plies. `running` counts the games of all workers that run, `plies` those made
    /// so far, without openings.
    fn round(&mut self, running: usize, plies: u64) {
        let _ = (running, plies);
    }

    /// A game of a table came to its end; with its record, where records are made. `Break` ends all play; games that
    /// end before all workers know are told still.
    fn game_over(&mut self, table: usize, game: &PlayedGame, record: Option<GameRecord>) -> ControlFlow<()> {
        let _ = (table, game, record);
        ControlFlow::Continue(())
    }

    /// A sequential test has counted more pairs: all that count so far.
    fn pair_counted(&mut self, tally: &Tally) {
        let _ = tally;
    }

    /// A player broke down, which costs it a game.
    fn crashed(&mut self, seat: usize, error: &PlayerError) {
        let _ = (seat, error);
    }
}

/// Looks away.
impl Observer for () {}

/// Why nothing can be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MatchError {
    /// There are no openings, or not enough.
    #[error(transparent)]
    Openings(#[from] OpeningError),
    /// A table names a seat that there is not.
    #[error("no player sits at seat {0}")]
    Seat(usize),
    /// A player can't go on; the games that are over stand.
    #[error("{0}")]
    Player(String),
    /// A worker broke down.
    #[error("a worker broke down")]
    Worker,
}

/// What workers may have told that nobody has heard yet.
const EVENTS: usize = 64;

/// The players of a worker. All workers have the same ones in the same order.
pub type Seats = Vec<Box<dyn Player>>;

/// A match of several that are played side by side.
#[derive(Clone, Debug)]
pub struct Table {
    /// What is played.
    pub settings: MatchSettings,
    /// The seat of its player A.
    pub a: usize,
    /// The seat of its player B.
    pub b: usize,
    /// Games that were played before: they stand among the results and are not played again.
    pub known: Vec<PlayedGame>,
}

/// Plays a match of seat 0 (A) against seat 1 (B): see [`run_tables`].
///
/// # Errors
/// As there.
pub fn run_match(
    settings: &MatchSettings,
    workers: &mut [Seats],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Vec<PlayedGame>, MatchError> {
    let table = Table { settings: settings.clone(), a: 0, b: 1, known: Vec::new() };
    let mut games = run_tables(&[table], workers, stop, observer)?;
    Ok(games.pop().unwrap_or_default())
}

/// Plays several matches side by side, all on boards of one size, and gives the games of each by pair, within a pair
/// that with A as White first. Each worker has a thread and its own pairs: pair p of table t belongs to worker p − t
/// modulo their number. A player gets its turns of all games of its worker in one call.
///
/// Each game's chance comes from its match's seed, its pair and A's side, so that with players whose choices depend on
/// nothing but their turn the games depend neither on each other nor on the number of workers. When `stop` is set, the
/// games that are over are given.
///
/// # Errors
/// The openings run out, a table's player is missing, or one can't go on in any game. A player that breaks down or does
/// what is not legal is no error: it loses that game.
pub fn run_tables(
    tables: &[Table],
    workers: &mut [Seats],
    stop: &AtomicBool,
    observer: &mut dyn Observer,
) -> Result<Vec<Vec<PlayedGame>>, MatchError> {
    let seats = workers.iter().map(Vec::len).min().unwrap_or(0);
    if let Some(missing) = tables.iter().flat_map(|table| [table.a, table.b]).find(|&seat| seat >= seats) {
        return Err(MatchError::Seat(missing));
    }
    let mut starts = Vec::new();
    for Table { settings, .. } in tables {
        starts.push(settings.opening.draw(&settings.rules, settings.seed, settings.pairs)?);
    }
    let mut over: Vec<Vec<PlayedGame>> = tables.iter().map(|table| table.known.clone()).collect();
    let halted = AtomicBool::new(false);
    let stopped = || stop.load(Ordering::Relaxed) || halted.load(Ordering::Relaxed);
    let count = workers.len();
    let mut rounds = vec![(0, 0); count];
    let mut gone = None;
    let ended_well = std::thread::scope(|scope| {
        // Where the one that looks on is slow, the workers wait: what is over shall not be known to nobody.
        let (sender, events) = sync_channel(EVENTS);
        let handles: Vec<_> = workers
            .iter_mut()
            .enumerate()
            .map(|(number, seats)| {
                let (starts, stopped, sender) = (&starts, &stopped, sender.clone());
                scope.spawn(move || {
                    let share = Share { number, workers: count };
                    Worker::begin(tables, starts, share, seats, sender).play(stopped);
                })
            })
            .collect();
        drop(sender);
        for event in events {
            match event {
                Event::Over(table, game, record) => {
                    if observer.game_over(table, &game, record.map(|record| *record)).is_break() {
                        halted.store(true, Ordering::Relaxed);
                    }
                    over[table].push(game);
                }
                Event::Round { worker, running, plies } => {
                    rounds[worker] = (running, plies);
                    let sum = rounds.iter().fold((0, 0), |sum, round| (sum.0 + round.0, sum.1 + round.1));
                    observer.round(sum.0, sum.1);
                }
                Event::Crashed { seat, error } => observer.crashed(seat, &error),
                Event::Gone(error) => {
                    halted.store(true, Ordering::Relaxed);
                    gone = Some(error);
                }
            }
        }
        // All are joined: a scope passes on the panic of a thread that was not.
        let joined: Vec<bool> = handles.into_iter().map(|handle| handle.join().is_ok()).collect();
        !joined.contains(&false)
    });
    if !ended_well {
        return Err(MatchError::Worker);
    }
    if let Some(error) = gone {
        return Err(MatchError::Player(error.to_string()));
    }
    for games in &mut over {
        games.sort_by_key(|game| (game.pair, game.a_side));
    }
    Ok(over)
}
