//! Training an arm until its CPU time is spent.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use seega_models::checkpoint::Checkpoint;
use seega_train::{GenerationReport, Observer, Phase, Recipe, Run, RunError, Rung};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::results::{Results, ResultsError};

/// What a training has used and made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Spent {
    /// The arm.
    pub arm: String,
    /// The seed.
    pub seed: u64,
    /// The fingerprint of the recipe that the study asked for.
    pub recipe: String,
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

impl Spent {
    /// Whether another generation would lead further away from the budget than this is.
    fn is_enough(&self, budget: f64) -> bool {
        let of_generation = self.cpu_seconds / f64::from(self.generations.max(1));
        self.cpu_seconds + 0.5 * of_generation >= budget
    }

    fn add(&mut self, report: &GenerationReport) {
        self.generations = report.generation;
        self.positions += report.positions;
        self.evaluations += report.evaluations;
        self.steps = report.step;
        self.network.clone_from(&report.network);
    }
}

/// Why an arm can't be trained.
#[derive(Debug, Error)]
pub enum TrainArmError {
    /// Training failed, or was stopped.
    #[error(transparent)]
    Run(#[from] RunError),
    /// What was spent can't be kept, or does not fit what is there.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// Who is told how a training goes on: what it has used, and what is wrong.
pub trait Told: Sync {
    /// Another generation is finished.
    fn spent(&self, spent: &Spent);

    /// Something is wrong that does not stop the training.
    fn warn(&self, warning: &str);
}

/// Trains an arm by a recipe, whose seed is its seed, until about that much CPU time is spent: to the end of the generation
/// that comes nearest. What was spent before counts, but for a generation that was cut short, which is made again. Gives
/// the newest network's path.
///
/// # Errors
/// Training failed, or was stopped; or what is there was made by another recipe, or in a time that nobody knows.
pub fn train_arm(
    results: &Results,
    arm: &str,
    recipe: Recipe,
    budget: Duration,
    stop: &AtomicBool,
    told: &dyn Told,
) -> Result<PathBuf, TrainArmError> {
    let (seed, fingerprint, budget) = (recipe.numbers.seed, recipe.fingerprint(), budget.as_secs_f64());
    let folder = results.run_folder(arm, seed);
    let advice = "remove the folder, so that it is trained afresh, or give the study another one";
    let known = results.spent(arm, seed);
    if known.as_ref().is_some_and(|known| known.recipe != fingerprint) {
        let why = format!("was trained by other settings than the study has now; {advice}");
        return Err(ResultsError::new(&folder, why).into());
    }
    let mut run = Run::open(&folder, Some(recipe), None::<Checkpoint>)?;
    let reports = run.reports()?;
    let mut spent = Spent { arm: arm.to_owned(), seed, recipe: fingerprint, ..Spent::default() };
    reports.iter().for_each(|report| spent.add(report));
    spent.cpu_seconds = match known {
        // A program that was killed may not have told its last generation: it took what the others took.
        Some(known) if known.generations > 0 && known.generations <= spent.generations => {
            known.cpu_seconds * f64::from(spent.generations) / f64::from(known.generations)
        }
        _ if reports.is_empty() => 0.0,
        _ => {
            let why = format!("nobody knows what CPU time its generations took; {advice}");
            return Err(ResultsError::new(&folder, why).into());
        }
    };
    if !reports.is_empty() && spent.is_enough(budget) {
        results.keep_spent(&spent)?;
        return Ok(run.latest());
    }
    let watch = Watch { results, budget, told, state: Mutex::new(State { spent, until: cpu_time(), failed: None }) };
    run.train(&watch, stop)?;
    let state = watch.state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.failed.map_or(Ok(run.latest()), |error| Err(error.into()))
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
    told: &'a dyn Told,
    state: Mutex<State>,
}

struct State {
    spent: Spent,
    /// The CPU time of the process up to which that is.
    until: Duration,
    /// Why it could not be kept.
    failed: Option<ResultsError>,
}

impl Observer for Watch<'_> {
    fn phase(&self, _: u32, _: Phase) {}

    fn warn(&self, warning: &str) {
        self.told.warn(warning);
    }

    fn played(&self, _: u64, _: Duration) {}

    fn measured(&self, _: &[Rung]) {}

    fn finished(&self, report: &GenerationReport) -> ControlFlow<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let now = cpu_time();
        state.spent.cpu_seconds += (now - state.until).as_secs_f64();
        state.until = now;
        state.spent.add(report);
        if let Err(error) = self.results.keep_spent(&state.spent) {
            state.failed = Some(error);
            return ControlFlow::Break(());
        }
        self.told.spent(&state.spent);
        if state.spent.is_enough(self.budget) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
