//! Self-play: how much of the time is the network's.
//!
//! First the forward passes alone, by batch: the same traced network that self-play uses. Then self-play itself. An
//! evaluation counts when a search takes it, once; what the cache gives is a simulation and no evaluation.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_models::evaluator::TorchEvaluator;
use seega_rules::{Position, Rules};
use seega_search::{Evaluations, Evaluator, Leaf};
use seega_selfplay::{Counters, Generation, PlayedGame, Progress, Worker};
use serde_json::{Value, json};

use super::Arguments;
use super::network::Subject;

/// Batches whose forward passes are measured, besides that of self-play.
const BATCHES: [usize; 5] = [1, 16, 32, 128, 256];

/// What self-play did, by how many workers, in how much time.
struct Played {
    workers: usize,
    counters: Counters,
    games: u64,
    plies: u64,
    seconds: f64,
    /// Forward passes a second of as many threads.
    forward_per_s: f64,
}

impl Played {
    fn per_s(&self, count: u64) -> f64 {
        count as f64 / self.seconds
    }

    fn evaluations_per_s(&self) -> f64 {
        self.per_s(self.counters.evaluations)
    }

    fn ratio(&self) -> f64 {
        self.evaluations_per_s() / self.forward_per_s
    }

    /// What an evaluation takes beyond its forward pass, in µs of its worker.
    fn overhead_us(&self) -> f64 {
        1e6 * self.workers as f64 * (1.0 / self.evaluations_per_s() - 1.0 / self.forward_per_s)
    }

    fn to_json(&self) -> Value {
        json!({
            "workers": self.workers,
            "forward_per_s": self.forward_per_s.round(),
            "evaluations_per_s": self.evaluations_per_s().round(),
            "simulations_per_s": self.per_s(self.counters.simulations).round(),
            "ratio": self.ratio(),
            "overhead_us": self.overhead_us(),
            "positions_per_s": self.per_s(self.plies),
            "games_per_s": self.per_s(self.games),
        })
    }
}

/// Measures, writes tables unless JSON is asked for, and gives the figures.
pub(super) fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<Value> {
    let subject = arguments.network.subject()?;
    let games = subject.recipe.numbers.games;
    let cores = available_parallelism().map_or(1, usize::from);
    let budget = Duration::from_secs_f64(arguments.seconds);
    let mut forward = Vec::new();
    if !arguments.json {
        writeln!(output, "Network {}, {} squares; forward passes/s", subject.network(), subject.rules.size.squares())?;
        writeln!(output, "{:>8} {:>9} {:>13}", "batch", "threads", "per thread")?;
    }
    let mut measure_forward = |batch: usize, threads: usize, output: &mut dyn Write| -> anyhow::Result<f64> {
        let per_s = forward_per_s(&subject, batch, threads, budget)?;
        if !arguments.json {
            writeln!(output, "{batch:>8} {threads:>9} {:>13.0}", per_s / threads as f64)?;
            output.flush()?;
        }
        forward.push(json!({ "batch": batch, "threads": threads, "per_s": per_s.round() }));
        Ok(per_s)
    };
    for batch in BATCHES.into_iter().filter(|&batch| batch != games) {
        measure_forward(batch, 1, output)?;
    }
    let mut threads: Vec<usize> = vec![1];
    threads.extend((cores > 1).then_some(cores));
    let mut alone = Vec::new();
    for &threads in &threads {
        alone.push((threads, measure_forward(games, threads, output)?));
    }
    if !arguments.json {
        let simulations = subject.recipe.numbers.simulations;
        writeln!(output, "\nSelf-play, {games} games a worker, {simulations} simulations")?;
        let heads =
            ["workers", "evaluations/s", "of forward", "overhead µs", "simulations/s", "positions/s", "games/s"];
        writeln!(output, "{}", heads.map(|head| format!("{head:>13}")).join(" "))?;
    }
    let mut by_workers = Vec::new();
    for (workers, forward_per_s) in alone {
        let played = play(&subject, workers, forward_per_s, budget)?;
        if !arguments.json {
            let cells = [
                played.workers.to_string(),
                format!("{:.0}", played.evaluations_per_s()),
                format!("{:.2}", played.ratio()),
                format!("{:.1}", played.overhead_us()),
                format!("{:.0}", played.per_s(played.counters.simulations)),
                format!("{:.0}", played.per_s(played.plies)),
                format!("{:.1}", played.per_s(played.games)),
            ];
            writeln!(output, "{}", cells.map(|cell| format!("{cell:>13}")).join(" "))?;
            output.flush()?;
        }
        by_workers.push(played.to_json());
    }
    // The figures at the top are those of all cores.
    let mut figures = by_workers.last().cloned().unwrap_or_default();
    figures["forward"] = Value::Array(forward);
    figures["by_workers"] = Value::Array(by_workers);
    Ok(figures)
}

/// Forward passes a second of so many threads, each with its own network.
fn forward_per_s(subject: &Subject, batch: usize, threads: usize, budget: Duration) -> anyhow::Result<f64> {
    let rates: Vec<anyhow::Result<f64>> = thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(|| forward_on_one(subject, batch, budget))).collect();
        handles.into_iter().map(|handle| handle.join().expect("a measurement does not panic")).collect()
    });
    rates.into_iter().sum()
}

fn forward_on_one(subject: &Subject, batch: usize, budget: Duration) -> anyhow::Result<f64> {
    let mut evaluator = TorchEvaluator::new(&subject.checkpoint);
    evaluator.warm_up(&subject.rules, batch)?;
    let positions = some_positions(&subject.rules, batch);
    let leaves: Vec<Leaf<'_, _>> =
        positions.iter().map(|position| Leaf { rules: &subject.rules, position, actions: &[] }).collect();
    evaluator.evaluate(&leaves, &mut Evaluations::default())?;
    let mut passes = 0;
    let start = Instant::now();
    loop {
        evaluator.repeat_forward(subject.rules.size)?;
        passes += 1;
        let elapsed = start.elapsed();
        if elapsed >= budget {
            return Ok((passes * batch) as f64 / elapsed.as_secs_f64());
        }
    }
}

/// Positions of random games.
fn some_positions(rules: &Rules, count: usize) -> Vec<Position> {
    let mut random = SmallRng::seed_from_u64(1);
    let mut positions = Vec::with_capacity(count);
    let mut position = Position::start(rules);
    while positions.len() < count {
        match position.choose_action(rules, |count| random.random_range(0..count)) {
            Some(action) => {
                positions.push(position);
                position.apply(rules, action);
            }
            None => position = Position::start(rules),
        }
    }
    positions
}

/// Plays on so many workers: a little first, from which follows how much fills the time.
fn play(subject: &Subject, workers: usize, forward_per_s: f64, budget: Duration) -> anyhow::Result<Played> {
    const TRIAL: u64 = 500;
    let settings = subject.recipe.selfplay(1);
    let fresh = |worker: usize| Worker::new(settings, subject.rules, worker as u64, Vec::<PlayedGame>::new());
    let mut players: Vec<Worker> = (0..workers).map(fresh).collect();
    let mut run = |number: u32, plies: u64| -> anyhow::Result<Played> {
        let start = Instant::now();
        let parts: Vec<anyhow::Result<(Vec<PlayedGame>, Counters, f64)>> = thread::scope(|scope| {
            let handles: Vec<_> = players
                .iter_mut()
                .enumerate()
                .map(|(worker, player)| {
                    scope.spawn(move || {
                        let mut evaluator = TorchEvaluator::new(&subject.checkpoint);
                        evaluator.warm_up(&subject.rules, settings.games)?;
                        let (worker, workers) = (worker as u64, workers as u64);
                        let part = Generation { seed: 1, number, worker, workers, plies, games: None };
                        // Tracing the network is no part of play.
                        let traced = start.elapsed().as_secs_f64();
                        let (games, counters) =
                            player.play(part, &mut evaluator, &Progress::default(), &AtomicBool::new(false))?;
                        Ok((games, counters, start.elapsed().as_secs_f64() - traced))
                    })
                })
                .collect();
            handles.into_iter().map(|handle| handle.join().expect("a measurement does not panic")).collect()
        });
        let mut played =
            Played { workers, counters: Counters::default(), games: 0, plies: 0, seconds: 0.0, forward_per_s };
        for part in parts {
            let (games, counters, seconds) = part?;
            played.counters = played.counters.and(counters);
            played.games += games.len() as u64;
            played.seconds = played.seconds.max(seconds);
        }
        played.plies = played.counters.searches;
        Ok(played)
    };
    let trial = run(1, TRIAL)?;
    let plies = trial.per_s(trial.plies) / workers as f64 * budget.as_secs_f64() * PLAY_SHARE;
    run(2, plies.ceil().max(1.0) as u64)
}

/// Self-play is measured for so many times the seconds of a line: its batches and games take a while to become what they
/// are in a long run.
const PLAY_SHARE: f64 = 8.0;
