//! Self-play: how much of the time is the network's.
//!
//! First the forward passes alone, by evaluator and batch: the same that self-play uses. Then self-play itself. An
//! evaluation counts when a search takes it, once; what the cache gives is a simulation and no evaluation.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::thread::{self, available_parallelism};
use std::time::{Duration, Instant};

use seega_models::evaluator::{Backend, Evaluators, Trial, fastest};
use seega_selfplay::{Counters, Generation, PlayedGame, Progress, Settings, Worker};
use serde_json::{Value, json};

use super::Arguments;
use super::network::Subject;

/// Batches whose forward passes are measured on one thread.
const BATCHES: [usize; 4] = [1, 16, 64, 256];

/// What self-play did in how much time.
struct Played {
    counters: Counters,
    games: u64,
    seconds: f64,
    /// Forward passes alone on as many threads.
    forward: Trial,
}

impl Played {
    fn per_s(&self, count: u64) -> f64 {
        count as f64 / self.seconds
    }

    fn evaluations_per_s(&self) -> f64 {
        self.per_s(self.counters.evaluations)
    }

    /// Simulations but for those whose evaluation was in the cache.
    fn uncached(&self) -> u64 {
        self.counters.simulations - self.counters.cached_simulations
    }

    fn ratio(&self) -> f64 {
        self.evaluations_per_s() / self.forward.per_s
    }

    /// What an evaluation takes beyond its forward pass, in µs of its worker.
    fn overhead_us(&self) -> f64 {
        1e6 * self.forward.threads as f64 * (1.0 / self.evaluations_per_s() - 1.0 / self.forward.per_s)
    }

    fn to_json(&self) -> Value {
        json!({
            "workers": self.forward.threads,
            "forward_per_s": self.forward.per_s.round(),
            "evaluations_per_s": self.evaluations_per_s().round(),
            "simulations_per_s": self.per_s(self.counters.simulations).round(),
            "simulations_without_cached_per_s": self.per_s(self.uncached()).round(),
            "ratio": self.ratio(),
            "overhead_us": self.overhead_us(),
            "positions_per_s": self.per_s(self.counters.searches),
            "games_per_s": self.per_s(self.games),
        })
    }
}

/// Measures, writes tables unless JSON is asked for, and gives the figures.
pub(super) fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<Value> {
    let subject = arguments.network.subject()?;
    let cores = available_parallelism().map_or(1, usize::from);
    let budget = Duration::from_secs_f64(arguments.seconds);
    let mut forward = Vec::new();
    if !arguments.json {
        writeln!(output, "Network {}, {} squares; forward passes", subject.network(), subject.rules.size.squares())?;
        let heads = ["batch", "threads", "passes/s", "differs by"];
        writeln!(output, "{:<12} {}", "evaluator", heads.map(|head| format!("{head:>10}")).join(" "))?;
    }
    let mut measure_forward = |backend: Backend, batch: usize, threads: usize, output: &mut dyn Write| {
        let trial = Trial::run(&subject.checkpoint, &subject.rules, backend, batch, threads, budget)?;
        if !arguments.json {
            let Trial { per_s, difference, .. } = trial;
            writeln!(output, "{backend:<12} {batch:>10} {threads:>10} {per_s:>10.0} {difference:>10.0e}")?;
            output.flush()?;
        }
        forward.push(json!({
            "evaluator": backend.name(),
            "batch": batch,
            "threads": threads,
            "per_s": trial.per_s.round(),
            "difference": trial.difference,
        }));
        anyhow::Ok(trial)
    };
    let mut trials = Vec::new();
    for backend in subject.recipe.evaluator.map_or_else(Backend::candidates, |backend| vec![backend]) {
        for batch in BATCHES {
            trials.push(measure_forward(backend, batch, 1, output)?);
        }
    }
    let best = fastest(&trials).copied();
    let backend = best.map_or(Backend::Native, |best| best.backend);
    // The native evaluator is as fast with any batch; with the others self-play takes that which is.
    let games = match (subject.recipe.numbers.games, best) {
        (0, Some(best)) if backend != Backend::Native => best.batch,
        _ => subject.recipe.selfplay(1).games,
    };
    let mut workers = vec![1, 2, cores];
    workers.retain(|&workers| workers <= cores);
    workers.dedup();
    let mut alone = Vec::new();
    for workers in workers {
        alone.push(measure_forward(backend, games, workers, output)?);
    }
    if !arguments.json {
        let simulations = subject.recipe.numbers.simulations;
        writeln!(output, "\nSelf-play on {backend}, {games} games a worker, {simulations} simulations")?;
        let heads = ["workers", "evaluations/s", "of forward", "overhead µs", "simulations/s", "uncached/s"];
        let heads = heads.into_iter().chain(["positions/s", "games/s"]);
        writeln!(output, "{}", heads.map(|head| format!("{head:>13}")).collect::<Vec<_>>().join(" "))?;
    }
    let mut by_workers = Vec::new();
    for forward in alone {
        let played = play(&subject, games, forward, budget)?;
        if !arguments.json {
            let cells = [
                played.forward.threads.to_string(),
                format!("{:.0}", played.evaluations_per_s()),
                format!("{:.2}", played.ratio()),
                format!("{:.1}", played.overhead_us()),
                format!("{:.0}", played.per_s(played.counters.simulations)),
                format!("{:.0}", played.per_s(played.uncached())),
                format!("{:.0}", played.per_s(played.counters.searches)),
                format!("{:.1}", played.per_s(played.games)),
            ];
            writeln!(output, "{}", cells.map(|cell| format!("{cell:>13}")).join(" "))?;
            output.flush()?;
        }
        by_workers.push(played.to_json());
    }
    // The figures at the top are those of all cores.
    let mut figures = by_workers.last().cloned().unwrap_or_default();
    figures["evaluator"] = backend.name().into();
    figures["forward"] = Value::Array(forward);
    figures["by_workers"] = Value::Array(by_workers);
    Ok(figures)
}

/// Plays on as many workers as forward passes had threads: a little first, from which follows how much fills the time.
fn play(subject: &Subject, games: usize, forward: Trial, budget: Duration) -> anyhow::Result<Played> {
    const TRIAL: u64 = 500;
    let settings = Settings { games, ..subject.recipe.selfplay(1) };
    let workers = forward.threads;
    let fresh = |worker: usize| Worker::new(settings, subject.rules, worker as u64, Vec::<PlayedGame>::new());
    let mut players: Vec<Worker> = (0..workers).map(fresh).collect();
    let mut run = |number: u32, plies: u64| -> anyhow::Result<Played> {
        let evaluators = Evaluators::new(&subject.checkpoint, forward.backend)?;
        let parts: Vec<anyhow::Result<(Vec<PlayedGame>, Counters, f64)>> = thread::scope(|scope| {
            let handles: Vec<_> = players
                .iter_mut()
                .enumerate()
                .map(|(worker, player)| {
                    let mut evaluator = evaluators.for_thread();
                    scope.spawn(move || {
                        evaluator.warm_up(&subject.rules, settings.games)?;
                        let (worker, workers) = (worker as u64, workers as u64);
                        let part = Generation { seed: 1, number, worker, workers, plies, games: None };
                        let start = Instant::now();
                        let (games, counters) =
                            player.play(part, &mut evaluator, &Progress::default(), &AtomicBool::new(false))?;
                        Ok((games, counters, start.elapsed().as_secs_f64()))
                    })
                })
                .collect();
            handles.into_iter().map(|handle| handle.join().expect("a measurement does not panic")).collect()
        });
        let mut played = Played { counters: Counters::default(), games: 0, seconds: 0.0, forward };
        for part in parts {
            let (games, counters, seconds) = part?;
            played.counters = played.counters.and(counters);
            played.games += games.len() as u64;
            played.seconds = played.seconds.max(seconds);
        }
        Ok(played)
    };
    let trial = run(1, TRIAL)?;
    let plies = trial.per_s(trial.counters.searches) / workers as f64 * budget.as_secs_f64() * PLAY_SHARE;
    run(2, plies.ceil().max(1.0) as u64)
}

/// Self-play is measured for so many times the seconds of a line: its batches and games take a while to become what they
/// are in a long run.
const PLAY_SHARE: f64 = 8.0;
