//! A run folder, and the loop over its generations.
//!
//! A generation is finished when its report stands in `generations/`; everything else of it was written before. Until
//! then it is made again from its start, with the same bytes, whenever the run is started; finished ones are never
//! touched. So a run that was killed at any moment ends as one that was left alone.
//!
//! ```text
//! run.toml            the recipe, with what was chosen at the first start
//! metrics.csv         a line for each generation
//! ladder.csv          a line for each measurement against an opponent; ladder/ has them by generation
//! checkpoints/        the network of each generation; latest.safetensors
//! samples/            games with what the searches found
//! quarantine/         sample files that were damaged, each with the reason
//! games/              some games of each generation as records for people
//! state/              the trainer and the unfinished games after the last generations
//! generations/        a report for each finished generation
//! times.csv           how long each took: all that another run of the recipe would have otherwise
//! ```

mod choice;
mod exact;
mod folder;
mod generation;
mod ladder;
mod report;
mod times;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use seega_exact::ExactError;
use seega_models::checkpoint::{Checkpoint, CheckpointError};
use seega_models::evaluator::Backend;
use seega_selfplay::Progress;
use thiserror::Error;

use crate::recipe::Recipe;
use crate::settings::SettingsError;
use crate::trainer::{TrainError, Trainer};
pub use choice::Tried;
pub use exact::ExactScore;
use exact::RunTables;
use folder::Folder;
pub use folder::latest_network;
use generation::Lanes;
pub use ladder::Rung;
pub use report::GenerationReport;
pub use times::GenerationTimes;

/// Why a run can't begin or go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// It was asked to stop; started again, it goes on.
    #[error("stopped; start it again to go on")]
    Stopped,
    /// The folder can't be used.
    #[error("{path}: {why}")]
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The run was begun with other settings.
    #[error(
        "{path} was begun with other settings:\n{}\nGo on without a recipe, or begin a new run from its network: \
         --fork {path} --run NEW", .differences.join("\n")
    )]
    Differs {
        /// The folder.
        path: String,
        /// What differs.
        differences: Vec<String>,
    },
    /// The recipe is wrong.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A network does not fit the recipe.
    #[error("the network has {found}, the recipe asks for {asked}")]
    Architecture {
        /// What the network has.
        found: String,
        /// What the recipe asks for.
        asked: String,
    },
    /// A checkpoint can't be read or written.
    #[error("{path}: {error}")]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: CheckpointError,
    },
    /// The evaluator can't be used.
    #[error("evaluator {backend}: {why}")]
    Evaluator {
        /// The evaluator.
        backend: Backend,
        /// What is wrong.
        why: String,
    },
    /// Self-play failed.
    #[error("self-play: {0}")]
    SelfPlay(String),
    /// Endgame tables are missing or damaged.
    #[error(transparent)]
    Tables(#[from] ExactError),
    /// Scoring a network by endgame tables failed.
    #[error("score by endgame tables: {0}")]
    Score(String),
    /// Measuring failed.
    #[error("ladder: {0}")]
    Ladder(String),
    /// Training failed.
    #[error(transparent)]
    Train(#[from] TrainError),
}

/// What a run is doing, with counters that rise while it lasts.
#[derive(Clone, Debug)]
pub enum Phase {
    /// Playing itself.
    SelfPlay {
        /// The plies that will be searched, give or take a batch.
        plies: u64,
        /// The games that a batch has room for.
        games: usize,
        /// What is done.
        progress: Arc<Progress>,
    },
    /// Training.
    Training {
        /// The steps that there will be.
        steps: u64,
        /// Those that are done.
        done: Arc<AtomicU64>,
    },
    /// Writing what a generation made.
    Writing,
    /// Measuring the network on the ladder.
    Ladder {
        /// The games that there will be.
        games: u64,
        /// Those that are over.
        done: Arc<AtomicU64>,
    },
}

/// Who is told how a run goes on.
pub trait Observer: Sync {
    /// A phase of a generation begins, and with it the one before ends.
    fn phase(&self, generation: u32, phase: Phase);

    /// Something is wrong that does not stop the run.
    fn warn(&self, warning: &str);

    /// Self-play of a generation is over: how many evaluations it took, and how long its workers waited for the last of
    /// them, on average.
    fn played(&self, evaluations: u64, waited: Duration);

    /// A generation is finished. `Break` ends the training with it, before those that are missing still.
    fn finished(&self, report: &GenerationReport) -> ControlFlow<()>;

    /// A measurement is finished, or that of the run's last network stood there already.
    fn measured(&self, rungs: &[Rung]);
}

/// A run: its folder, which nobody else writes to meanwhile, and its recipe.
#[derive(Debug)]
pub struct Run {
    folder: Folder,
    recipe: Recipe,
    tried: Vec<Tried>,
    tables: RunTables,
}

impl Run {
    /// Begins a run in a folder, or goes on with the one there. `recipe` may be left out for a folder that has one.
    /// `init` is the network with which a new run begins.
    ///
    /// # Errors
    /// The folder is in use or can't be used; it was begun with other settings; the network does not fit.
    pub fn open(path: &Path, recipe: Option<Recipe>, init: Option<Checkpoint>) -> Result<Run, RunError> {
        let fault = |why: &str| RunError::Folder { path: path.to_owned(), why: why.to_owned() };
        if recipe.is_none() && !path.join("run.toml").exists() {
            return Err(fault("holds no run; give a recipe with --config"));
        }
        let folder = Folder::lock(path)?;
        let stored = folder.read_recipe()?;
        // Before anything is begun that can't go on without them.
        let asked = recipe.as_ref().or(stored.as_ref());
        let tables = asked.map(RunTables::open).transpose()?.unwrap_or_default();
        let mut tried = Vec::new();
        let recipe = match (stored, recipe) {
            (Some(_), _) if init.is_some() => {
                return Err(fault("holds a run already; a network to begin with is for a new folder"));
            }
            (None, _) if folder.holds_work() => {
                return Err(fault("holds a run whose run.toml is gone; put it back, or begin in another folder"));
            }
            (None, None) => return Err(fault("holds no run; give a recipe with --config")),
            (None, Some(recipe)) => {
                let (recipe, trials) = begin(&folder, recipe, init)?;
                tried = trials;
                recipe
            }
            (Some(stored), None) => stored,
            (Some(stored), Some(recipe)) => go_on(&folder, stored, recipe)?,
        };
        let numbers = &recipe.numbers;
        if [numbers.workers, numbers.train_threads, numbers.games].contains(&0) || recipe.evaluator.is_none() {
            let why = "workers, train_threads and games of a run that was begun are 1 or more, and evaluator is not auto; \
                       a run of an earlier version goes on by --fork";
            return Err(folder.fault("run.toml", why));
        }
        if let Some(last) = folder.read_reports()?.last()
            && last.recipe != recipe.fingerprint()
        {
            return Err(folder.fault(
                "run.toml",
                format!(
                    "was changed after generation {}; put it back, or begin a new run from its network: --fork {} \
                     --run NEW",
                    last.generation,
                    path.display()
                ),
            ));
        }
        folder.tidy()?;
        Ok(Run { folder, recipe, tried, tables })
    }

    /// The recipe, with what was chosen at the first start.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// The evaluators that were tried to choose that of the run; none for a run that was begun before.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }

    /// The run folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The newest network.
    pub fn latest(&self) -> PathBuf {
        self.folder.latest()
    }

    /// The reports of the generations that are finished, from the first.
    ///
    /// # Errors
    /// One can't be read.
    pub fn reports(&self) -> Result<Vec<GenerationReport>, RunError> {
        self.folder.read_reports()
    }

    /// Makes the generations that are missing, and measures the last network, unless the observer ends it before.
    ///
    /// # Errors
    /// It was stopped, or something failed.
    pub fn train(&mut self, observer: &dyn Observer, stop: &AtomicBool) -> Result<(), RunError> {
        let last = self.folder.read_reports()?.len() as u32;
        let ladder = ladder::Ladder { folder: &self.folder, recipe: &self.recipe, observer, stop };
        // Where measurements are asked for that were not before, those of earlier generations are made up for.
        for earlier in 1..=last {
            ladder.measure(earlier)?;
        }
        if last < self.recipe.numbers.generations && self.make_from(last, &ladder, observer, stop)?.is_break() {
            return Ok(());
        }
        ladder.measure_last(last.max(self.recipe.numbers.generations))
    }

    /// Makes the generations after `last`.
    fn make_from(
        &self,
        mut last: u32,
        ladder: &ladder::Ladder<'_>,
        observer: &dyn Observer,
        stop: &AtomicBool,
    ) -> Result<ControlFlow<()>, RunError> {
        let reports = self.folder.read_reports()?;
        let mut played: u64 = reports.iter().map(|report| report.positions).sum();
        let mut window = self.folder.read_window(&self.recipe, last, played, |warning| observer.warn(warning))?;
        let mut lanes = Lanes::read(&self.folder, &self.recipe, last)?;
        if let Some(report) = reports.last() {
            self.folder.check(&self.folder.checkpoint(last), &report.network, report)?;
            self.folder.check(&self.folder.trainer_state(last), &report.state, report)?;
        }
        let mut checkpoint = self.folder.read_checkpoint(last)?;
        let mut trainer = match last {
            0 => Trainer::new(&self.recipe, &checkpoint),
            _ => Trainer::read_state(&self.recipe, &self.folder.trainer_state(last))?,
        };
        while last < self.recipe.numbers.generations {
            if stop.load(Ordering::Relaxed) {
                return Err(RunError::Stopped);
            }
            ladder.measure(last)?;
            let mut making = generation::Making {
                folder: &self.folder,
                recipe: &self.recipe,
                tables: &self.tables,
                number: last + 1,
                observer,
                stop,
            };
            let report = making.make(&mut lanes, &mut window, &mut trainer, &mut checkpoint, &mut played)?;
            if observer.finished(&report).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            last += 1;
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Begins a new run in the folder. Gives what was tried for it, too.
fn begin(folder: &Folder, mut recipe: Recipe, init: Option<Checkpoint>) -> Result<(Recipe, Vec<Tried>), RunError> {
    choice::settle_threads(&mut recipe);
    let trained_on = recipe.rules.iter().map(|rules| rules.named.clone()).collect();
    let checkpoint = match init {
        None => Checkpoint::fresh(recipe.architecture(), trained_on, recipe.numbers.seed),
        Some(mut checkpoint) => {
            let (found, asked) = (checkpoint.about.architecture, recipe.architecture());
            if found != asked {
                let told = |size: seega_models::architecture::Architecture| {
                    format!("{} channels and {} blocks", size.channels, size.blocks)
                };
                return Err(RunError::Architecture { found: told(found), asked: told(asked) });
            }
            checkpoint.about.parent = Some(folder.hash_of(&checkpoint)?);
            checkpoint.about.trained_on = trained_on;
            checkpoint.about.seed = recipe.numbers.seed;
            checkpoint.about.step = 0;
            checkpoint
        }
    };
    let tried = choice::settle_evaluator(&mut recipe, &checkpoint)?;
    folder.write_checkpoint(&checkpoint, 0)?;
    // The recipe comes last: a folder with one has all that a run needs.
    folder.write_recipe(&recipe)?;
    Ok((recipe, tried))
}

/// Goes on with a run, for which more generations may be asked; fewer than once asked for change nothing.
fn go_on(folder: &Folder, stored: Recipe, mut recipe: Recipe) -> Result<Recipe, RunError> {
    recipe.numbers.generations = recipe.numbers.generations.max(stored.numbers.generations);
    recipe.evaluator = recipe.evaluator.or(stored.evaluator);
    for (asked, chosen) in [
        (&mut recipe.numbers.workers, stored.numbers.workers),
        (&mut recipe.numbers.games, stored.numbers.games),
        (&mut recipe.numbers.train_threads, stored.numbers.train_threads),
    ] {
        if *asked == 0 {
            *asked = chosen;
        }
    }
    let differences = stored.differences(&recipe);
    if !differences.is_empty() {
        return Err(RunError::Differs { path: folder.path().display().to_string(), differences });
    }
    if recipe != stored {
        folder.write_recipe(&recipe)?;
    }
    Ok(recipe)
}
