//! A worker: its games, its cache, and one batch after the other.
//!
//! Everything a worker does follows from the run's seed, the generation and its own games: game g belongs to worker
//! g mod W and is never handed on. A generation ends when the worker has its quota of plies; unfinished games go on in
//! the next, so that batches stay full.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;
use seega_exact::{ExactError, Tables};
use seega_rules::{Action, Position, Rules};
use seega_search::{Evaluations, Evaluator, Leaf, Seega};
use thiserror::Error;

use crate::cache::Cache;
use crate::game::PlayedGame;
use crate::progress::Progress;
use crate::seed::{Purpose, random_for};
use crate::settings::Settings;
use crate::slot::{Need, Slot, Terms};

/// What a worker did in a generation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Plies that were searched.
    pub searches: u64,
    /// Plies that were played by the tables.
    pub known: u64,
    /// Simulations.
    pub simulations: u64,
    /// Positions that the evaluator evaluated.
    pub evaluations: u64,
    /// Leaves whose evaluation was in the cache, or made for another leaf of the same batch.
    pub cached: u64,
    /// Of the simulations, those whose leaf was such a one.
    pub cached_simulations: u64,
    /// Batches.
    pub batches: u64,
}

impl Counters {
    /// The counts of both.
    #[must_use]
    pub fn and(self, other: Counters) -> Counters {
        Counters {
            searches: self.searches + other.searches,
            known: self.known + other.known,
            simulations: self.simulations + other.simulations,
            evaluations: self.evaluations + other.evaluations,
            cached: self.cached + other.cached,
            cached_simulations: self.cached_simulations + other.cached_simulations,
            batches: self.batches + other.batches,
        }
    }
}

/// Which part of a run a worker plays.
#[derive(Clone, Copy, Debug)]
pub struct Generation {
    /// The run's seed.
    pub seed: u64,
    /// The generation's number.
    pub number: u32,
    /// The worker's number, below `workers`.
    pub worker: u64,
    /// How many workers there are.
    pub workers: u64,
    /// Searched plies after which the generation ends.
    pub plies: u64,
    /// Games that there are in all: none with this number or a higher one is begun, and the generation ends when those
    /// that were are over. Without it there is always a next game.
    pub games: Option<u64>,
}

/// Why a worker ended before its quota.
#[derive(Debug, Error)]
pub enum WorkerError<E> {
    /// It was asked to stop.
    #[error("stopped")]
    Stopped,
    /// The evaluator failed.
    #[error(transparent)]
    Evaluator(E),
    /// A table is damaged.
    #[error(transparent)]
    Tables(#[from] ExactError),
}

/// A worker. It lives as long as its run and keeps its unfinished games.
#[derive(Debug)]
pub struct Worker {
    settings: Settings,
    rules: Rules,
    tables: Option<Arc<Tables>>,
    cache: Cache,
    /// The number of the next game, which is the worker's number modulo the workers.
    next_game: u64,
    unfinished: Vec<PlayedGame>,
}

impl Worker {
    /// A worker that has played nothing yet, or goes on where one was: with the games that it had begun and the number
    /// of its next.
    pub fn new(settings: Settings, rules: Rules, next_game: u64, unfinished: Vec<PlayedGame>) -> Worker {
        Worker { settings, rules, tables: None, cache: Cache::new(settings.cache), next_game, unfinished }
    }

    /// The worker with endgame tables of its rules; its settings say up to how many stones it plays by them.
    #[must_use]
    pub fn with_tables(self, tables: Option<Arc<Tables>>) -> Worker {
        Worker { tables, ..self }
    }

    /// The number of the next game, and the games that are not finished.
    pub fn state(&self) -> (u64, &[PlayedGame]) {
        (self.next_game, &self.unfinished)
    }

    /// Plays until the quota of plies is searched, with a freshly loaded evaluator, and gives the games that ended in
    /// the order in which they did. `progress` counts what is done; `stop` is looked at between batches.
    ///
    /// # Errors
    /// It was stopped, the evaluator failed, or a table is damaged: then the worker is as it was.
    pub fn play<E: Evaluator<Seega>>(
        &mut self,
        part: Generation,
        evaluator: &mut E,
        progress: &Progress,
        stop: &AtomicBool,
    ) -> Result<(Vec<PlayedGame>, Counters), WorkerError<E::Error>> {
        self.cache.clear();
        let random = |game: u64| random_for(part.seed, Purpose::Game, part.number, game);
        let terms = Terms { settings: &self.settings, rules: &self.rules, tables: self.tables.as_deref() };
        let mut next_game = self.next_game;
        let begun = self.unfinished.iter().map(|game| PlayedGame { generation: part.number, ..game.clone() });
        let mut slots: Vec<Slot> = begun.map(|game| Slot::new(terms, game, &random)).collect();
        while slots.len() < self.settings.games
            && let Some(game) = fresh_game(&mut next_game, part)
        {
            slots.push(Slot::new(terms, game, &random));
        }
        let mut batch = Batch::default();
        let mut counters = Counters::default();
        let mut finished = Vec::new();
        while counters.searches < part.plies && !slots.is_empty() {
            if stop.load(Ordering::Relaxed) {
                return Err(WorkerError::Stopped);
            }
            batch.clear();
            let (searched, ended) = (counters.searches, finished.len());
            let mut fault = None;
            slots.retain_mut(|slot| {
                loop {
                    match slot.advance(terms, &self.cache, &mut counters) {
                        Ok(Need::Evaluation) => return true,
                        Ok(Need::Game) => finished.push(slot.take_game()),
                        Err(error) => {
                            fault = Some(error);
                            return true;
                        }
                    }
                    match fresh_game(&mut next_game, part) {
                        Some(game) => slot.begin(terms, game, &random),
                        None => return false,
                    }
                }
            });
            if let Some(fault) = fault {
                return Err(fault.into());
            }
            slots.iter().enumerate().for_each(|(index, slot)| batch.add(index, slot));
            if batch.waiting.is_empty() {
                break;
            }
            batch.evaluate(&self.rules, evaluator).map_err(WorkerError::Evaluator)?;
            for &Waiting { slot, hash, place, first } in &batch.waiting {
                let evaluation = batch.evaluations.get(place);
                if first {
                    self.cache.insert(hash, evaluation);
                } else {
                    counters.cached += 1;
                    counters.cached_simulations += u64::from(!slots[slot].waits_for_its_root());
                }
                slots[slot].apply(evaluation, &mut counters);
            }
            let evaluations = batch.positions.len() as u64;
            counters.evaluations += evaluations;
            counters.batches += 1;
            progress.count(counters.searches - searched, (finished.len() - ended) as u64, evaluations);
        }
        self.next_game = next_game;
        self.unfinished = slots.iter_mut().map(Slot::take_game).collect();
        Ok((finished, counters))
    }
}

/// The worker's next game, without plies; `None` when there are no more.
fn fresh_game(next: &mut u64, part: Generation) -> Option<PlayedGame> {
    let number = *next;
    if part.games.is_some_and(|games| number >= games) {
        return None;
    }
    *next += part.workers;
    Some(PlayedGame { number, generation: part.number, plies: Vec::new() })
}

/// The leaves of a round: one of each game. A position that several games wait for is evaluated once.
#[derive(Debug, Default)]
struct Batch {
    waiting: Vec<Waiting>,
    /// The place of each position that is evaluated, by its hash before turning.
    places: FxHashMap<u64, usize>,
    positions: Vec<Position>,
    actions: Vec<Action>,
    /// Where each position's actions end.
    ends: Vec<usize>,
    evaluations: Evaluations,
}

/// A leaf that waits for its evaluation.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    slot: usize,
    /// The hash of its position before turning.
    hash: u64,
    /// The place of its position in the batch.
    place: usize,
    /// Whether it is the first that waits for that position.
    first: bool,
}

impl Batch {
    fn clear(&mut self) {
        self.waiting.clear();
        self.places.clear();
        self.positions.clear();
        self.actions.clear();
        self.ends.clear();
    }

    fn add(&mut self, slot: usize, from: &Slot) {
        let Some(hash) = from.leaf_hash() else { return };
        let next = self.positions.len();
        let place = *self.places.entry(hash).or_insert(next);
        let first = place == next;
        if first {
            self.positions.extend(from.leaf(&mut self.actions));
            self.ends.push(self.actions.len());
        }
        self.waiting.push(Waiting { slot, hash, place, first });
    }

    fn evaluate<E: Evaluator<Seega>>(&mut self, rules: &Rules, evaluator: &mut E) -> Result<(), E::Error> {
        let mut start = 0;
        let leaves: Vec<Leaf<'_, Seega>> = self
            .positions
            .iter()
            .zip(&self.ends)
            .map(|(position, &end)| {
                let actions = &self.actions[start..end];
                start = end;
                Leaf { rules, position, actions }
            })
            .collect();
        evaluator.evaluate(&leaves, &mut self.evaluations)
    }
}
