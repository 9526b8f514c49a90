//! Playing: all games of a worker side by side, so that a player gets its turns of all of them in one call.
//!
//! What the results say is left to [`crate::Tally`].

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use rand::rngs::SmallRng;
use seega_players::{Player, PlayerError, Turn};
use seega_rules::record::{GameRecord, GameResult, RecordReason};
use seega_rules::{Action, Position, Rules, Side};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::opening::{Opening, OpeningError, Start, generator, mixed};
use crate::tally::Tally;

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

/// How a player lost a game outside its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Forfeit {
    /// It did what is not legal.
    Illegal,
    /// It broke down.
    Crash,
}

/// A game of a match that came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    /// Its pair, from 0.
    pub pair: u32,
    /// The side of the match's first player, A.
    pub a_side: Side,
    /// The result. Whoever breaks down or does what is not legal has lost.
    pub result: GameResult,
    /// Why it ended: by the rules, or by forfeit.
    pub reason: RecordReason,
    /// How the loser forfeited it, if it did.
    pub forfeit: Option<Forfeit>,
    /// Its plies, those of the opening included.
    pub plies: u32,
    /// A hash of the opening's position and of all moves after it; the same on every machine. Rules and players are
    /// not in it.
    pub hash: u64,
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

    /// A sequential test has counted one more pair: all that count so far.
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
    /// A worker broke down.
    #[error("a worker broke down")]
    Worker,
}

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
/// that with A as White first. Each worker has a thread and its own pairs: pair p belongs to worker p mod their number.
/// A player gets its turns of all games of its worker in one call.
///
/// Each game's chance comes from its match's seed, its pair and A's side, so that with players whose choices depend on
/// nothing but their turn the games depend neither on each other nor on the number of workers. When `stop` is set, the
/// games that are over are given.
///
/// # Errors
/// The openings run out, or a table's player is missing. A player that breaks down or does what is not legal is no
/// error: it loses that game.
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
    let ended_well = std::thread::scope(|scope| {
        let (sender, events) = channel();
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
            }
        }
        // All are joined: a scope passes on the panic of a thread that was not.
        let joined: Vec<bool> = handles.into_iter().map(|handle| handle.join().is_ok()).collect();
        !joined.contains(&false)
    });
    if !ended_well {
        return Err(MatchError::Worker);
    }
    for games in &mut over {
        games.sort_by_key(|game| (game.pair, game.a_side));
    }
    Ok(over)
}

/// What a worker tells.
enum Event {
    Over(usize, PlayedGame, Option<Box<GameRecord>>),
    Round { worker: usize, running: usize, plies: u64 },
    Crashed { seat: usize, error: PlayerError },
}

/// Which pairs a worker plays.
#[derive(Clone, Copy)]
struct Share {
    number: usize,
    workers: usize,
}

/// A game that has not begun.
struct Waiting<'a> {
    pair: u32,
    a_side: Side,
    start: &'a Start,
}

struct Worker<'a> {
    tables: &'a [Table],
    share: Share,
    seats: &'a mut Seats,
    events: Sender<Event>,
    /// Games to come, for each table.
    waiting: Vec<VecDeque<Waiting<'a>>>,
    running: Vec<Game>,
    plies: u64,
}

impl<'a> Worker<'a> {
    fn begin(
        tables: &'a [Table],
        starts: &'a [Vec<Start>],
        share: Share,
        seats: &'a mut Seats,
        events: Sender<Event>,
    ) -> Worker<'a> {
        let waiting = tables.iter().zip(starts).map(|(table, starts)| {
            let known = |pair, side| table.known.iter().any(|game| (game.pair, game.a_side) == (pair, side));
            let mine = (0..).zip(starts).skip(share.number).step_by(share.workers);
            mine.flat_map(|(pair, start)| Side::BOTH.map(|a_side| Waiting { pair, a_side, start }))
                .filter(|game| !known(game.pair, game.a_side))
                .collect()
        });
        Worker { tables, share, seats, events, waiting: waiting.collect(), running: Vec::new(), plies: 0 }
    }

    fn play(mut self, stopped: &dyn Fn() -> bool) {
        while !stopped() {
            self.fill();
            if self.running.is_empty() {
                break;
            }
            for seat in 0..self.seats.len() {
                self.play_turns(seat);
                self.collect();
            }
            let (worker, running, plies) = (self.share.number, self.running.len(), self.plies);
            self.tell(Event::Round { worker, running, plies });
        }
    }

    /// Begins games up to what each table may run at once.
    fn fill(&mut self) {
        for (index, (table, waiting)) in self.tables.iter().zip(&mut self.waiting).enumerate() {
            let running = self.running.iter().filter(|game| game.table == index).count();
            let free = table.settings.at_once.max(1).saturating_sub(running).min(waiting.len());
            self.running.extend(waiting.drain(..free).map(|waiting| Game::begin(table, index, &waiting)));
        }
    }

    /// Takes out the games that are over.
    fn collect(&mut self) {
        let over: Vec<Game> = self.running.extract_if(.., |game| game.end.is_some()).collect();
        for game in over {
            let table = game.table;
            let (game, record) = game.played();
            self.tell(Event::Over(table, game, record.map(Box::new)));
        }
    }

    fn tell(&self, event: Event) {
        // Nobody listens once the match was given up.
        let _ = self.events.send(event);
    }

    /// Lets a player make a ply in each game in which it moves.
    fn play_turns(&mut self, seat: usize) {
        let tables = self.tables;
        let player = &mut *self.seats[seat];
        let mut games: Vec<&mut Game> =
            self.running.iter_mut().filter(|game| game.end.is_none() && game.seat_to_move() == seat).collect();
        if games.is_empty() {
            return;
        }
        self.plies += games.len() as u64;
        if let Ok(actions) = ask(player, tables, &mut games) {
            for (game, action) in games.iter_mut().zip(actions) {
                game.play(&tables[game.table].settings.rules, action);
            }
            return;
        }
        // Whose game it broke down over is seen when it is asked one by one.
        for game in games {
            match ask(player, tables, &mut [&mut *game]) {
                Ok(actions) => {
                    actions.into_iter().for_each(|action| game.play(&tables[game.table].settings.rules, action))
                }
                Err(error) => {
                    game.forfeit(Forfeit::Crash);
                    let _ = self.events.send(Event::Crashed { seat, error });
                }
            }
        }
    }
}

/// The actions that a player chooses in these games, one each. A player that panics has broken down like any other.
fn ask(player: &mut dyn Player, tables: &[Table], games: &mut [&mut Game]) -> Result<Vec<Action>, PlayerError> {
    let mut turns: Vec<Turn<'_>> = games
        .iter_mut()
        .map(|game| Turn {
            rules: &tables[game.table].settings.rules,
            position: game.position,
            random: &mut game.random,
        })
        .collect();
    let actions = catch_unwind(AssertUnwindSafe(|| player.choose(&mut turns))).unwrap_or(Err(PlayerError::Panicked))?;
    match actions.len() == turns.len() {
        true => Ok(actions),
        false => Err(PlayerError::Answers { given: actions.len(), turns: turns.len() }),
    }
}

/// A game that is running.
struct Game {
    table: usize,
    /// The seats of White and of Black.
    seats: [usize; 2],
    pair: u32,
    a_side: Side,
    position: Position,
    random: SmallRng,
    plies: u32,
    hash: u64,
    record: Option<GameRecord>,
    end: Option<End>,
}

struct End {
    result: GameResult,
    reason: RecordReason,
    forfeit: Option<Forfeit>,
}

impl Game {
    fn begin(table: &Table, index: usize, &Waiting { pair, a_side, start }: &Waiting<'_>) -> Game {
        let Table { settings, a, b, .. } = table;
        let record = settings.records.as_ref().map(|name| {
            let mut record = GameRecord::begin(name, settings.rules);
            let mut position = start.begun;
            for &action in &start.plies {
                record.add_ply(&position, action);
                position.apply(&settings.rules, action);
            }
            record
        });
        Game {
            table: index,
            seats: if a_side == Side::White { [*a, *b] } else { [*b, *a] },
            pair,
            a_side,
            position: start.position,
            random: generator([settings.seed, pair.into(), a_side as u64, 1]),
            plies: start.plies.len() as u32,
            hash: mixed(0, start.position.hash()),
            record,
            end: None,
        }
    }

    fn seat_to_move(&self) -> usize {
        self.seats[self.position.mover() as usize]
    }

    fn play(&mut self, rules: &Rules, action: Action) {
        let before = self.position;
        if self.position.play(rules, action).is_err() {
            return self.forfeit(Forfeit::Illegal);
        }
        self.plies += 1;
        self.hash = mixed(self.hash, self.position.hash());
        if let Some(record) = &mut self.record {
            record.add_ply(&before, action);
        }
        self.end = self.position.outcome().map(|outcome| End {
            result: GameResult::of_winner(outcome.winner),
            reason: RecordReason::Rules(outcome.reason),
            forfeit: None,
        });
    }

    /// The side to move loses.
    fn forfeit(&mut self, forfeit: Forfeit) {
        let result = GameResult::of_winner(Some(self.position.opponent()));
        self.end = Some(End { result, reason: RecordReason::Forfeit, forfeit: Some(forfeit) });
    }

    /// The game, which is over, and its record.
    fn played(mut self) -> (PlayedGame, Option<GameRecord>) {
        let End { result, reason, forfeit } = self.end.expect("only games that are over are taken out");
        if let Some(record) = &mut self.record {
            record.end(&self.position);
            (record.result, record.reason) = (Some(result), Some(reason));
        }
        let Game { pair, a_side, plies, hash, record, .. } = self;
        (PlayedGame { pair, a_side, result, reason, forfeit, plies, hash }, record)
    }
}
