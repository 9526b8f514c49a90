//! The trainer: positions it learns from in a second, on all cores.

use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use rand::SeedableRng;
use rand::rngs::SmallRng;
use seega_models::checkpoint::Checkpoint;
use seega_rules::Rules;
use seega_search::Uniform;
use seega_selfplay::{Generation, Progress, Settings, Worker};
use seega_train::{Recipe, Trainer, Window};
use serde_json::{Value, json};

use super::Arguments;

/// Measures, writes a line unless JSON is asked for, and gives the figures.
pub(super) fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<Value> {
    let mut subject = arguments.network.subject()?;
    let numbers = &mut subject.recipe.numbers;
    if numbers.train_threads == 0 {
        numbers.train_threads = available_parallelism().map_or(1, usize::from);
    }
    let (threads, batch) = (numbers.train_threads, numbers.batch);
    let time = Duration::from_secs_f64(arguments.seconds.max(1.0));
    let samples_per_s = samples_per_s(&subject.recipe, &subject.checkpoint, &subject.rules, time)?;
    if !arguments.json {
        let network = subject.network();
        writeln!(
            output,
            "Training, network {network}, batch {batch}, threads {threads}: {samples_per_s:.0} samples/s"
        )?;
    }
    Ok(json!({ "samples_per_s": samples_per_s.round(), "batch": batch, "threads": threads }))
}

/// Positions that the trainer learns from in a second by that recipe, whose threads are settled; measured for a time.
pub(in crate::commands) fn samples_per_s(
    recipe: &Recipe,
    checkpoint: &Checkpoint,
    rules: &Rules,
    time: Duration,
) -> anyhow::Result<f64> {
    let window = some_window(rules)?;
    let mut trainer = Trainer::new(recipe, checkpoint);
    let mut random = SmallRng::seed_from_u64(1);
    // libtorch takes its memory in the first steps.
    trainer.train(&window, 3, &mut random, || true)?;
    let (mut steps, start) = (0u64, Instant::now());
    trainer.train(&window, u64::MAX, &mut random, || {
        steps += 1;
        start.elapsed() < time
    })?;
    Ok((steps * recipe.numbers.batch as u64) as f64 / start.elapsed().as_secs_f64())
}

/// Positions of games that were hardly searched.
fn some_window(rules: &Rules) -> anyhow::Result<Window> {
    let settings = Settings { simulations: 2, games: 32, ..Settings::default() };
    let mut worker = Worker::new(settings, *rules, 0, Vec::new());
    let part = Generation { seed: 1, number: 1, worker: 0, workers: 1, plies: u64::MAX, games: Some(32) };
    let (games, _) = worker.play(part, &mut Uniform, &Progress::default(), &AtomicBool::new(false))?;
    let mut samples = Vec::new();
    for game in games {
        samples.extend(game.samples(rules)?);
    }
    let mut window = Window::default();
    window.add(*rules, samples);
    Ok(window)
}
