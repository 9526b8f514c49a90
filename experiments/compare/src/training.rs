//! Training an arm until its CPU time is spent.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use seega_models::checkpoint::Checkpoint;
use seega_train::{GenerationReport, Observer, Phase, Recipe, Run, RunError, Rung};
use thiserror::Error;

use crate::results::{Results, ResultsError};

/// What a training has used and made.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Spent {
    /// The arm.
    pub arm: String,
    /// The seed.
    pub seed: u64,
    /// CPU seconds of all threads, in generations that were finished.
    pub cpu_seconds: f64,
    /// Generations.
    pub generations: u32,
    /// Positions that were played.
    pub positions: u64,
    /// Evaluations of self-play.
    pub evaluations: u64,
    /// Steps of training.
    pub steps: u64,
    /// The SHA-256 of the last network's file.
    pub network: String,
}

/// Why an arm can't be trained.
#[derive(Debug, Error)]
pub enum TrainArmError {
    /// Training failed, or was stopped.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What was spent can't be kept.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// Trains in a folder by a recipe until that much CPU time is spent, counting what was spent before; each finished
/// generation is told. Gives the newest network's path.
///
/// Generations that are cut short by a stop are made again and so cost their time twice; only what was finished counts.
///
/// # Errors
/// Training failed, or was stopped.
pub fn train_arm(
    results: &Results,
    (arm, seed): (&str, u64),
    recipe: Recipe,
    budget: Duration,
    stop: &AtomicBool,
    told: &(dyn Fn(&Spent) + Sync),
) -> Result<PathBuf, TrainArmError> {
    let folder = results.run_folder(arm, seed);
    let before = results.spent(arm, seed);
    if before.cpu_seconds >= budget.as_secs_f64() {
        return Ok(newest(&folder));
    }
    let mut run = Run::open(&folder, Some(recipe), None::<Checkpoint>)?;
    let watch = Watch { results, budget: budget.as_secs_f64(), told, state: Mutex::new((before, cpu_time(), None)) };
    run.train(&watch, stop)?;
    match watch.state.into_inner() {
        Ok((_, _, Some(error))) => Err(error.into()),
        _ => Ok(run.latest()),
    }
}

fn newest(folder: &Path) -> PathBuf {
    folder.join("checkpoints/latest.safetensors")
}

/// CPU time of all threads of the process so far.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Counts CPU time, and ends the training when it is spent.
struct Watch<'a> {
    results: &'a Results,
    budget: f64,
    told: &'a (dyn Fn(&Spent) + Sync),
    /// What was spent, the CPU time up to which that is, and why it could not be kept.
    state: Mutex<(Spent, Duration, Option<ResultsError>)>,
}

impl Observer for Watch<'_> {
    fn phase(&self, _: u32, _: Phase) {}

    fn warn(&self, _: &str) {}

    fn played(&self, _: u64, _: Duration) {}

    fn measured(&self, _: &[Rung]) {}

    fn finished(&self, report: &GenerationReport) -> ControlFlow<()> {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (spent, until, failed) = &mut *state;
        let now = cpu_time();
        spent.cpu_seconds += (now - *until).as_secs_f64();
        *until = now;
        spent.generations = report.generation;
        spent.positions += report.positions;
        spent.evaluations += report.evaluations;
        spent.steps = report.step;
        spent.network.clone_from(&report.network);
        if let Err(error) = self.results.keep_spent(spent) {
            *failed = Some(error);
            return ControlFlow::Break(());
        }
        (self.told)(spent);
        if spent.cpu_seconds >= self.budget { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
