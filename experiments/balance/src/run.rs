//! Doing a study: training after training, then cell after cell.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use seega_files::sha256;
use seega_train::{GenerationReport, Observer, Phase, Run, RunError, Rung};

use crate::folder::{Cell, CellGames, Folder, StudyError};
use crate::play::{cell_seed, cut_pie, self_play};
use crate::statistics::bootstrap::Results;
use crate::study::{Study, Training};
use crate::tally::Tally;

/// Who is told how a study goes on.
pub trait Watch: Sync {
    /// A generation of a training is finished: the training by its number from 1, of so many, and generations of so many.
    fn trained(&self, training: (usize, usize), name: &str, generations: (u32, u32));

    /// Something is wrong that does not stop the study.
    fn warn(&self, warning: &str);

    /// The games of a cell are played: its number from 1, of so many, and White's results in it.
    fn played(&self, number: (usize, usize), cell: &Cell<'_>, white: Results);
}

/// Does what is missing of a study. A network plays as soon as it is trained, so that a study that is stopped has whole seeds.
///
/// # Errors
/// It was stopped, or something failed.
pub fn run(study: &Study, folder: &Folder, watch: &dyn Watch, stop: &AtomicBool) -> Result<(), StudyError> {
    let trainings = study.trainings();
    let cells = cells(study);
    let mut number = 0;
    for (index, training) in trainings.iter().enumerate() {
        let generations = train(study, folder, training, (index + 1, trainings.len()), watch, stop)?;
        let checkpoint = folder.network(training, generations)?;
        let bytes = checkpoint.to_bytes().map_err(|error| StudyError::Play(error.to_string()))?;
        let network = sha256(&bytes);
        for cell in cells.iter().filter(|cell| study.training_of(cell.variant, cell.seed) == *training) {
            number += 1;
            let rules = &cell.variant.rules.rules;
            let played = match folder.games(cell, study.games, Some(&network))? {
                Some(played) => played,
                None => {
                    if stop.load(Ordering::Relaxed) {
                        return Err(StudyError::Stopped);
                    }
                    let (pie, opening) = match cell.pie {
                        true => {
                            let (pie, opening) = cut_pie(rules, &checkpoint, cell.simulations)?;
                            (Some(pie), opening)
                        }
                        false => (None, Vec::new()),
                    };
                    let seed = cell_seed(cell.seed, rules, cell.simulations, cell.pie);
                    let games = self_play(study, rules, &checkpoint, &opening, cell.simulations, seed, stop)?;
                    let played = CellGames { games, pie };
                    folder.keep(cell, &network, seed, &played)?;
                    played
                }
            };
            watch.played((number, cells.len()), cell, tally(cell, &played.games)?.white);
        }
    }
    Ok(())
}

/// Everything that is played: each variant with each seed at all numbers of simulations, and with a pie at the last.
pub fn cells(study: &Study) -> Vec<Cell<'_>> {
    let mut cells = Vec::new();
    for seed in 1..=study.seeds {
        for variant in &study.variants {
            let plain = study.simulations.iter().map(|&simulations| Cell { variant, seed, simulations, pie: false });
            cells.extend(plain);
            if variant.pie {
                cells.push(Cell { variant, seed, simulations: study.judged_by(), pie: true });
            }
        }
    }
    cells
}

/// What the games of a cell have in common.
pub(crate) fn tally(cell: &Cell<'_>, games: &[seega_selfplay::PlayedGame]) -> Result<Tally, StudyError> {
    let mut tally = Tally::default();
    for game in games {
        tally.add(&cell.variant.rules.rules, game).map_err(|error| StudyError::Play(error.to_string()))?;
    }
    Ok(tally)
}

/// Trains what is missing, and gives how many generations there are.
fn train(
    study: &Study,
    folder: &Folder,
    training: &Training,
    number: (usize, usize),
    watch: &dyn Watch,
    stop: &AtomicBool,
) -> Result<u32, StudyError> {
    let recipe = training.recipe(study)?;
    let path = folder.run(training);
    let name = training.folder();
    let failed = |error| match error {
        RunError::Stopped => StudyError::Stopped,
        error => StudyError::Training { folder: path.display().to_string(), error },
    };
    let generations = recipe.numbers.generations;
    let mut run = Run::open(&path, Some(recipe), None).map_err(failed)?;
    let observer = Told { watch, number, name: &name, generations };
    let done = run.reports().map_err(failed)?.len() as u32;
    watch.trained(number, &name, (done, generations));
    if done < generations {
        run.train(&observer, stop).map_err(failed)?;
    }
    Ok(generations)
}

/// Tells of a training. The ladder is the study's own: nothing is measured at the end of a training.
struct Told<'a> {
    watch: &'a dyn Watch,
    number: (usize, usize),
    name: &'a str,
    generations: u32,
}

impl Observer for Told<'_> {
    fn phase(&self, _: u32, _: Phase) {}

    fn warn(&self, warning: &str) {
        self.watch.warn(warning);
    }

    fn played(&self, _: u64, _: Duration) {}

    fn finished(&self, report: &GenerationReport) -> ControlFlow<()> {
        self.watch.trained(self.number, self.name, (report.generation, self.generations));
        match report.generation {
            last if last >= self.generations => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn measured(&self, _: &[Rung]) {}
}
