//! Self-play: how much of the time is the network's.
//!
//! First the forward passes alone, by evaluator and batch: the same that self-play uses. Then self-play itself, in turns
//! with forward passes alone on as many threads, so that both see the same machine where its speed changes. An
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

/// Turns of forward passes and self-play, each for half the seconds of a line. What is told are medians over them.
const TURNS: u32 = 16;

/// What workers do in a second: the sum over them, each by its own time, as with the threads of forward passes.
#[derive(Default)]
struct Rates {
    workers: usize,
    /// Forward passes alone, on as many threads.
    forward: f64,
    evaluations: f64,
    simulations: f64,
    /// Simulations but for those whose evaluation was in the cache.
    uncached: f64,
    positions: f64,
    games: f64,
    /// Evaluations for each forward pass of the same turn: one that comes after another sees much the same machine.
    ratio: f64,
}

impl Rates {
    fn medians(workers: usize, turns: &[Rates]) -> Rates {
        let median = |rate: fn(&Rates) -> f64| {
            let mut rates: Vec<f64> = turns.iter().map(rate).collect();
            rates.sort_by(f64::total_cmp);
            rates[rates.len() / 2]
        };
        Rates {
            workers,
            forward: median(|turn| turn.forward),
            evaluations: median(|turn| turn.evaluations),
            simulations: median(|turn| turn.simulations),
            uncached: median(|turn| turn.uncached),
            positions: median(|turn| turn.positions),
            games: median(|turn| turn.games),
            ratio: median(|turn| turn.ratio),
        }
    }

    /// What an evaluation takes beyond its forward pass, in µs of its worker.
    fn overhead_us(&self) -> f64 {
        1e6 * self.workers as f64 * (1.0 - self.ratio) / self.evaluations
    }

    fn to_json(&self) -> Value {
        json!({
            "workers": self.workers,
            "forward_per_s": self.forward.round(),
            "evaluations_per_s": self.evaluations.round(),
            "simulations_per_s": self.simulations.round(),
            "simulations_without_cached_per_s": self.uncached.round(),
            "ratio": self.ratio,
            "overhead_us": self.overhead_us(),
            "positions_per_s": self.positions,
            "games_per_s": self.games,
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
        let (network, squares) = (subject.network(), subject.rules.size.squares());
        writeln!(output, "Network {network}, {squares} squares; forward passes on one thread")?;
        let heads = ["batch", "passes/s", "differs by"];
        writeln!(output, "{:<12} {}", "evaluator", heads.map(|head| format!("{head:>10}")).join(" "))?;
    }
    let mut trials = Vec::new();
    for backend in subject.recipe.evaluator.map_or_else(Backend::candidates, |backend| vec![backend]) {
        for batch in BATCHES {
            let trial = Trial::run(&subject.checkpoint, &subject.rules, backend, batch, 1, budget)?;
            let Trial { per_s, difference, .. } = trial;
            if !arguments.json {
                writeln!(output, "{backend:<12} {batch:>10} {per_s:>10.0} {difference:>10.0e}")?;
                output.flush()?;
            }
            let (evaluator, rounded) = (backend.name(), per_s.round());
            forward.push(json!({ "evaluator": evaluator, "batch": batch, "per_s": rounded, "difference": difference }));
            trials.push(trial);
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
    if !arguments.json {
        let simulations = subject.recipe.numbers.simulations;
        writeln!(output, "\nSelf-play on {backend}, {games} games a worker, {simulations} simulations")?;
        let heads =
            ["workers", "forward/s", "evaluations/s", "of forward", "overhead µs", "simulations/s", "uncached/s"];
        let heads = heads.into_iter().chain(["positions/s", "games/s"]);
        writeln!(output, "{}", heads.map(|head| format!("{head:>13}")).collect::<Vec<_>>().join(" "))?;
    }
    let mut by_workers = Vec::new();
    for workers in workers {
        let rates = measure(&subject, backend, games, workers, budget)?;
        if !arguments.json {
            let cells = [
                rates.workers.to_string(),
                format!("{:.0}", rates.forward),
                format!("{:.0}", rates.evaluations),
                format!("{:.2}", rates.ratio),
                format!("{:.1}", rates.overhead_us()),
                format!("{:.0}", rates.simulations),
                format!("{:.0}", rates.uncached),
                format!("{:.0}", rates.positions),
                format!("{:.1}", rates.games),
            ];
            writeln!(output, "{}", cells.map(|cell| format!("{cell:>13}")).join(" "))?;
            output.flush()?;
        }
        by_workers.push(rates.to_json());
    }
    // The figures at the top are those of all cores.
    let mut figures = by_workers.last().cloned().unwrap_or_default();
    figures["evaluator"] = backend.name().into();
    figures["forward"] = Value::Array(forward);
    figures["by_workers"] = Value::Array(by_workers);
    Ok(figures)
}

/// Forward passes alone and self-play in turns, after a little self-play from which follows how much fills a turn.
fn measure(
    subject: &Subject,
    backend: Backend,
    games: usize,
    workers: usize,
    budget: Duration,
) -> anyhow::Result<Rates> {
    const FIRST: u64 = 500;
    let budget = budget / 2;
    let settings = Settings { games, ..subject.recipe.selfplay(1) };
    let fresh = |worker: usize| Worker::new(settings, subject.rules, worker as u64, Vec::<PlayedGame>::new());
    let mut players: Vec<Worker> = (0..workers).map(fresh).collect();
    let mut turn = |number: u32, plies: u64| -> anyhow::Result<Rates> {
        let forward = Trial::run(&subject.checkpoint, &subject.rules, backend, games, workers, budget)?.per_s;
        let evaluators = Evaluators::new(&subject.checkpoint, backend)?;
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
        let mut rates = Rates { workers, forward, ..Rates::default() };
        for part in parts {
            let (games, counters, seconds) = part?;
            let rate = |count: u64| count as f64 / seconds;
            rates.evaluations += rate(counters.evaluations);
            rates.simulations += rate(counters.simulations);
            rates.uncached += rate(counters.simulations - counters.cached_simulations);
            rates.positions += rate(counters.searches);
            rates.games += rate(games.len() as u64);
        }
        rates.ratio = rates.evaluations / forward;
        Ok(rates)
    };
    let first = turn(1, FIRST)?;
    let plies = (first.positions / workers as f64 * budget.as_secs_f64()).ceil().max(1.0) as u64;
    let turns = (2..2 + TURNS).map(|number| turn(number, plies)).collect::<anyhow::Result<Vec<Rates>>>()?;
    Ok(Rates::medians(workers, &turns))
}
