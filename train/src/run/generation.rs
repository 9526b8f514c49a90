//! Making one generation: self-play with the last network, training, and everything that is written of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::{Evaluators, NetworkEvaluator};
use seega_rules::record::RecordWriter;
use seega_rules::{Position, Rules};
use seega_search::GameEnd;
use seega_selfplay::game_file::{self, Header};
use seega_selfplay::{Counters, Generation, PlayedGame, Progress, Purpose, Worker, WorkerError, random_for};

use super::exact::RunTables;
use super::folder::Folder;
use super::times::Stopwatch;
use super::{GenerationReport, Observer, Phase, RunError};
use crate::loss::Losses;
use crate::recipe::Recipe;
use crate::trainer::Trainer;
use crate::window::Window;

/// Games of a generation that are kept as records for people.
const RECORDS: usize = 10;

/// What each worker has begun by each rule set: a lane of a worker is one of both.
#[derive(Debug)]
pub(super) struct Lanes {
    /// By worker, then by rule set: the number of the next game, and the unfinished games.
    states: Vec<Vec<(u64, Vec<PlayedGame>)>>,
}

impl Lanes {
    /// As they stood after a generation.
    pub(super) fn read(folder: &Folder, recipe: &Recipe, last: u32) -> Result<Lanes, RunError> {
        let mut states = Vec::new();
        for worker in 0..recipe.numbers.workers {
            let mut lanes = Vec::new();
            for lane in 0..recipe.rules.len() {
                if last == 0 {
                    lanes.push((worker as u64, Vec::new()));
                    continue;
                }
                let path = folder.unfinished(last, lane, worker);
                let fault = |why: String| RunError::Folder { path: path.clone(), why };
                let (header, games) = game_file::read(&path, false).map_err(|error| fault(error.to_string()))?;
                let next = header.next_game.ok_or_else(|| fault("has no number of the next game".to_owned()))?;
                lanes.push((next, games));
            }
            states.push(lanes);
        }
        Ok(Lanes { states })
    }
}

/// What self-play made, by rule set.
#[derive(Debug, Default)]
struct Played {
    games: Vec<PlayedGame>,
    counters: Counters,
}

/// A generation in the making.
pub(super) struct Making<'a> {
    pub(super) folder: &'a Folder,
    pub(super) recipe: &'a Recipe,
    pub(super) tables: &'a RunTables,
    pub(super) number: u32,
    pub(super) observer: &'a dyn Observer,
    pub(super) stop: &'a AtomicBool,
}

impl Making<'_> {
    /// Makes the generation and writes it. The network of the last one becomes that of this one.
    pub(super) fn make(
        &mut self,
        lanes: &mut Lanes,
        window: &mut Window,
        trainer: &mut Trainer,
        checkpoint: &mut Checkpoint,
        played: &mut u64,
    ) -> Result<GenerationReport, RunError> {
        let mut watch = Stopwatch::start(self.number);
        let (made, waited) = self.play(lanes, checkpoint)?;
        watch.played(waited);
        let network = self.folder.hash_of(checkpoint)?;
        let mut positions = 0;
        for (lane, made) in made.iter().enumerate() {
            let rules = &self.recipe.rules[lane].named;
            self.write_games(&self.folder.samples(self.number, lane), lane, &made.games, Some(network.clone()), None)?;
            let mut samples = Vec::new();
            for game in &made.games {
                let from = game.samples(&rules.rules).map_err(|error| RunError::SelfPlay(error.to_string()))?;
                samples.extend(from);
            }
            positions += samples.len() as u64;
            window.add(rules.rules, samples);
        }
        *played += positions;
        window.shrink(self.recipe.window(*played as f64));
        self.write_records(&made)?;
        watch.wrote();

        let mut losses = Losses::default();
        // In a short first generation no game may have ended: then there is nothing to learn yet.
        if !window.is_empty() {
            losses = self.learn(window, trainer, positions)?;
            let mut random = random_for(self.recipe.numbers.seed, Purpose::Batches, self.number, 1);
            *checkpoint = trainer.averaged(window, &mut random, Some(network))?;
        }
        watch.trained();

        self.observer.phase(self.number, Phase::Writing);
        for (worker, states) in lanes.states.iter().enumerate() {
            for (lane, (next, games)) in states.iter().enumerate() {
                self.write_games(&self.folder.unfinished(self.number, lane, worker), lane, games, None, Some(*next))?;
            }
        }
        let state = trainer.write_state(&self.folder.trainer_state(self.number))?;
        let network = self.folder.write_checkpoint(checkpoint, self.number)?;
        let exact = self.tables.score(self.recipe, checkpoint)?;
        let report = self.report(&made, [network, state], positions, window.len(), trainer, losses);
        let report = GenerationReport { exact, ..report };
        watch.note(self.folder)?;
        self.folder.finish(&report)?;
        Ok(report)
    }

    /// Plays on all workers until each has its quota. Gives how long they waited for the last of them, too, on average.
    fn play(&self, lanes: &mut Lanes, checkpoint: &Checkpoint) -> Result<(Vec<Played>, Duration), RunError> {
        let progress = Arc::new(Progress::default());
        let numbers = &self.recipe.numbers;
        let phase = Phase::SelfPlay { plies: numbers.plies, games: numbers.games, progress: Arc::clone(&progress) };
        self.observer.phase(self.number, phase);
        let workers = lanes.states.len();
        let backend = self.recipe.evaluator.expect("a run that was begun has its evaluator");
        let evaluators = Evaluators::new(checkpoint, backend).map_err(|error| RunError::SelfPlay(error.to_string()))?;
        let results: Vec<Result<(Vec<Played>, Instant), RunError>> = std::thread::scope(|scope| {
            let handles: Vec<_> = lanes
                .states
                .iter_mut()
                .enumerate()
                .map(|(worker, states)| {
                    let progress = &*progress;
                    let evaluator = evaluators.for_thread();
                    scope.spawn(move || {
                        let played = self.play_worker(worker, workers, states, evaluator, progress)?;
                        Ok((played, Instant::now()))
                    })
                })
                .collect();
            let joined = |handle: std::thread::ScopedJoinHandle<'_, _>| {
                handle.join().unwrap_or_else(|_| Err(RunError::SelfPlay("a worker broke down".to_owned())))
            };
            handles.into_iter().map(joined).collect()
        });
        // The games of a lane, worker by worker: their order does not depend on who was first.
        let mut made: Vec<Played> = self.recipe.rules.iter().map(|_| Played::default()).collect();
        let end = Instant::now();
        let mut waited = Duration::ZERO;
        for result in results {
            let (lanes, ended) = result?;
            waited += end - ended;
            for (lane, played) in lanes.into_iter().enumerate() {
                made[lane].games.extend(played.games);
                made[lane].counters = made[lane].counters.and(played.counters);
            }
        }
        let evaluations = made.iter().map(|played| played.counters.evaluations).sum();
        let waited = waited / workers as u32;
        self.observer.played(evaluations, waited);
        Ok((made, waited))
    }

    /// Plays one worker's part: one rule set after the other.
    fn play_worker(
        &self,
        worker: usize,
        workers: usize,
        states: &mut [(u64, Vec<PlayedGame>)],
        mut evaluator: NetworkEvaluator,
        progress: &Progress,
    ) -> Result<Vec<Played>, RunError> {
        let settings = self.recipe.selfplay(self.number);
        let total: f64 = self.recipe.rules.iter().map(|rules| rules.weight).sum();
        let mut made = Vec::new();
        for (lane, state) in states.iter_mut().enumerate() {
            let rules = &self.recipe.rules[lane];
            let failed = |error: &dyn std::fmt::Display| RunError::SelfPlay(error.to_string());
            evaluator.warm_up(&rules.named.rules, settings.games).map_err(|error| failed(&error))?;
            let share = rules.weight / total / workers as f64;
            let part = Generation {
                // Lanes must not share their games' chance.
                seed: self.recipe.numbers.seed.wrapping_add((lane as u64) << 48),
                number: self.number,
                worker: worker as u64,
                workers: workers as u64,
                plies: (self.recipe.numbers.plies as f64 * share).ceil() as u64,
                games: None,
            };
            let mut player = Worker::new(settings, rules.named.rules, state.0, std::mem::take(&mut state.1))
                .with_tables(self.tables.of(lane));
            let (games, counters) =
                player.play(part, &mut evaluator, progress, self.stop).map_err(|error| match error {
                    WorkerError::Stopped => RunError::Stopped,
                    WorkerError::Evaluator(error) => failed(&error),
                    WorkerError::Tables(error) => error.into(),
                })?;
            let (next, unfinished) = player.state();
            *state = (next, unfinished.to_vec());
            made.push(Played { games, counters });
        }
        Ok(made)
    }

    /// Trains as much as the new positions are worth.
    fn learn(&self, window: &Window, trainer: &mut Trainer, positions: u64) -> Result<Losses, RunError> {
        let numbers = &self.recipe.numbers;
        let steps = (positions as f64 * numbers.reuse / numbers.batch as f64).ceil() as u64;
        let counter = Arc::new(AtomicU64::new(0));
        self.observer.phase(self.number, Phase::Training { steps, done: Arc::clone(&counter) });
        let mut random = random_for(numbers.seed, Purpose::Batches, self.number, 0);
        let losses = trainer.train(window, steps, &mut random, || {
            counter.fetch_add(1, Ordering::Relaxed);
            !self.stop.load(Ordering::Relaxed)
        })?;
        if self.stop.load(Ordering::Relaxed) {
            return Err(RunError::Stopped);
        }
        Ok(losses)
    }

    fn write_games(
        &self,
        path: &std::path::Path,
        lane: usize,
        games: &[PlayedGame],
        network: Option<String>,
        next_game: Option<u64>,
    ) -> Result<(), RunError> {
        let rules = &self.recipe.rules[lane].named;
        let header = Header {
            rules_name: rules.name.clone(),
            rules: rules.rules,
            seed: self.recipe.numbers.seed,
            generation: self.number,
            network,
            next_game,
        };
        game_file::write(path, &header, games)
            .map_err(|error| RunError::Folder { path: path.to_owned(), why: error.to_string() })
    }

    /// Writes the first games of each rule set as records.
    fn write_records(&self, made: &[Played]) -> Result<(), RunError> {
        let path = self.folder.records(self.number);
        let fault = |error: std::io::Error| RunError::Folder { path: path.clone(), why: error.to_string() };
        let mut writer = RecordWriter::gzip(Vec::new());
        for (lane, played) in made.iter().enumerate() {
            let rules = &self.recipe.rules[lane].named;
            for game in played.games.iter().take(RECORDS) {
                writer.write(&game.record(&rules.name, &rules.rules)).map_err(fault)?;
            }
        }
        let bytes = writer.finish().map_err(fault)?;
        self.folder.write(&format!("games/gen-{:04}.jsonl.gz", self.number), &bytes)
    }

    /// What is told of the generation, but for the score by endgame tables.
    fn report(
        &self,
        made: &[Played],
        [network, state]: [String; 2],
        positions: u64,
        window: usize,
        trainer: &Trainer,
        losses: Losses,
    ) -> GenerationReport {
        let counters = made.iter().fold(Counters::default(), |sum, played| sum.and(played.counters));
        let games: u64 = made.iter().map(|played| played.games.len() as u64).sum();
        let plies: usize = made.iter().flat_map(|played| &played.games).map(|game| game.plies.len()).sum();
        let mut ends = [0; 3];
        for (lane, played) in made.iter().enumerate() {
            let rules = &self.recipe.rules[lane].named.rules;
            for game in &played.games {
                ends[end_of(rules, game) as usize] += 1;
            }
        }
        GenerationReport {
            generation: self.number,
            network,
            state,
            recipe: self.recipe.fingerprint(),
            step: trainer.step_count(),
            learning_rate: trainer.learning_rate(),
            games,
            white: ends[GameEnd::WhiteWins as usize],
            draws: ends[GameEnd::Draw as usize],
            black: ends[GameEnd::BlackWins as usize],
            plies_per_game: plies as f64 / games.max(1) as f64,
            positions,
            window: window as u64,
            evaluations: counters.evaluations,
            cached: counters.cached,
            simulations: counters.simulations,
            batch_fill: counters.evaluations as f64
                / (counters.batches.max(1) * self.recipe.numbers.games as u64) as f64,
            losses: losses.parts().map(|(name, loss)| (name.to_owned(), loss)).to_vec(),
            known: counters.known,
            exact: None,
        }
    }
}

/// How a finished game ended.
fn end_of(rules: &Rules, game: &PlayedGame) -> GameEnd {
    let mut position = Position::start(rules);
    for ply in &game.plies {
        position.apply(rules, ply.action);
    }
    GameEnd::of_winner(position.outcome().and_then(|outcome| outcome.winner))
}
