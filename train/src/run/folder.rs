//! The run folder: where everything stands, and reading and writing it.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use seega_files::{remove_unfinished, sha256, write_atomically};
use seega_models::checkpoint::Checkpoint;
use seega_rules::Rules;
use seega_selfplay::{Sample, game_file};

use super::RunError;
use super::ladder::Measurement;
use super::report::GenerationReport;
use crate::recipe::Recipe;
use crate::window::Window;

/// The newest network of a run folder.
pub fn latest_network(run: &Path) -> PathBuf {
    run.join("checkpoints/latest.safetensors")
}

/// A run folder that nobody else writes to while this value lives.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Makes the folder if it isn't there, and locks it.
    pub(super) fn lock(path: &Path) -> Result<Folder, RunError> {
        let fault = |why: String| RunError::Folder { path: path.to_owned(), why };
        fs::create_dir_all(path).map_err(|error| fault(error.to_string()))?;
        let lock = File::create(path.join(".lock")).map_err(|error| fault(error.to_string()))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|error| match error {
            Errno::WOULDBLOCK => fault("another program is training in this folder".to_owned()),
            error => fault(format!("the folder can't be locked against a second writer: {error}")),
        })?;
        let folder = Folder { path: path.to_owned(), _lock: lock };
        folder.sweep().map_err(|error| fault(error.to_string()))?;
        Ok(folder)
    }

    /// Removes the unfinished files of a run that was killed while it wrote.
    fn sweep(&self) -> std::io::Result<()> {
        remove_unfinished(&self.path)?;
        for entry in fs::read_dir(&self.path)?.flatten().filter(|entry| entry.path().is_dir()) {
            remove_unfinished(&entry.path())?;
        }
        Ok(())
    }

    /// Checks that a file is the one that a generation wrote.
    pub(super) fn check(&self, path: &Path, expected: &str, report: &GenerationReport) -> Result<(), RunError> {
        let fault = |why: String| RunError::Folder { path: path.to_owned(), why };
        let advice = format!(
            "remove generations/{:04}.json to make that generation again from the one before",
            report.generation
        );
        let bytes = fs::read(path).map_err(|error| fault(format!("{error}; {advice}")))?;
        match sha256(&bytes) == expected {
            true => Ok(()),
            false => Err(fault(format!("damaged: its SHA-256 is not the one in the generation's report; {advice}"))),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn fault(&self, name: &str, why: impl std::fmt::Display) -> RunError {
        RunError::Folder { path: self.path.join(name), why: why.to_string() }
    }

    pub(super) fn checkpoint(&self, generation: u32) -> PathBuf {
        self.path.join(format!("checkpoints/gen-{generation:04}.safetensors"))
    }

    pub(super) fn latest(&self) -> PathBuf {
        latest_network(&self.path)
    }

    pub(super) fn trainer_state(&self, generation: u32) -> PathBuf {
        self.path.join(format!("state/gen-{generation:04}-trainer.safetensors"))
    }

    /// The unfinished games of a worker's lane after a generation.
    pub(super) fn unfinished(&self, generation: u32, lane: usize, worker: usize) -> PathBuf {
        self.path.join(format!("state/gen-{generation:04}-lane-{lane}-worker-{worker}.games"))
    }

    pub(super) fn samples(&self, generation: u32, lane: usize) -> PathBuf {
        self.path.join(format!("samples/gen-{generation:04}-lane-{lane}.games"))
    }

    pub(super) fn records(&self, generation: u32) -> PathBuf {
        self.path.join(format!("games/gen-{generation:04}.jsonl.gz"))
    }

    fn report(&self, generation: u32) -> PathBuf {
        self.path.join(format!("generations/{generation:04}.json"))
    }

    pub(super) fn read_checkpoint(&self, generation: u32) -> Result<Checkpoint, RunError> {
        let path = self.checkpoint(generation);
        Checkpoint::read(&path).map_err(|error| RunError::Checkpoint { path, error })
    }

    /// Writes the network of a generation, which is the latest, and gives its SHA-256.
    pub(super) fn write_checkpoint(&self, checkpoint: &Checkpoint, generation: u32) -> Result<String, RunError> {
        let write = |path: PathBuf| checkpoint.write(&path).map_err(|error| RunError::Checkpoint { path, error });
        write(self.checkpoint(generation))?;
        write(self.latest())
    }

    /// The SHA-256 of a checkpoint's file.
    pub(super) fn hash_of(&self, checkpoint: &Checkpoint) -> Result<String, RunError> {
        let fault = |error| RunError::Checkpoint { path: self.path.clone(), error };
        Ok(sha256(&checkpoint.to_bytes().map_err(fault)?))
    }

    /// Whether a run has left something here.
    pub(super) fn holds_work(&self) -> bool {
        self.report(1).exists() || self.latest().exists()
    }

    pub(super) fn read_recipe(&self) -> Result<Option<Recipe>, RunError> {
        match fs::read_to_string(self.path.join("run.toml")) {
            Ok(text) => Ok(Some(Recipe::read(&text, &[])?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.fault("run.toml", error)),
        }
    }

    pub(super) fn write_recipe(&self, recipe: &Recipe) -> Result<(), RunError> {
        self.write("run.toml", recipe.to_toml().as_bytes())
    }

    /// Writes a file of the folder, which is the old or the new one whatever happens.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<(), RunError> {
        write_atomically(&self.path.join(name), |file| file.write_all(bytes)).map_err(|error| self.fault(name, error))
    }

    /// The reports of the finished generations, from the first without a gap.
    pub(super) fn read_reports(&self) -> Result<Vec<GenerationReport>, RunError> {
        let mut reports = Vec::new();
        loop {
            let path = self.report(reports.len() as u32 + 1);
            match fs::read(&path) {
                Ok(bytes) => {
                    let fault = |why: String| RunError::Folder { path, why };
                    reports.push(serde_json::from_slice(&bytes).map_err(|error| fault(error.to_string()))?);
                }
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(reports),
                Err(error) => return Err(RunError::Folder { path, why: error.to_string() }),
            }
        }
    }

    /// Writes a generation's report, which makes it finished, then the tables, and removes states no longer needed.
    pub(super) fn finish(&self, report: &GenerationReport) -> Result<(), RunError> {
        let bytes = serde_json::to_vec_pretty(report).map_err(|error| self.fault("generations", error))?;
        self.write(&format!("generations/{:04}.json", report.generation), &bytes)?;
        self.tidy()
    }

    /// Makes everything that follows from the reports and measurements fit them: the tables, and which states are kept.
    /// A run that was killed may have missed it.
    pub(super) fn tidy(&self) -> Result<(), RunError> {
        let reports = self.read_reports()?;
        let Some(last) = reports.last().map(|report| report.generation) else { return Ok(()) };
        self.write_metrics(&reports)?;
        self.write_ladder()?;
        // The state before the last stays, so that a damaged last generation can be made again.
        let keep = [last, last - 1].map(|generation| format!("gen-{generation:04}-"));
        for entry in fs::read_dir(self.path.join("state")).map_err(|error| self.fault("state", error))?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with("gen-") && *name < *keep[0] && !name.starts_with(&*keep[1]) {
                fs::remove_file(entry.path()).map_err(|error| self.fault("state", error))?;
            }
        }
        Ok(())
    }

    /// Writes `metrics.csv` afresh from the reports.
    fn write_metrics(&self, reports: &[GenerationReport]) -> Result<(), RunError> {
        let mut table = csv::Writer::from_writer(Vec::new());
        let fault = |error: csv::Error| self.fault("metrics.csv", error);
        for (index, report) in reports.iter().enumerate() {
            if index == 0 {
                table.write_record(report.headings()).map_err(fault)?;
            }
            table.write_record(report.line()).map_err(fault)?;
        }
        let bytes = table.into_inner().map_err(|error| self.fault("metrics.csv", error.to_string()))?;
        self.write("metrics.csv", &bytes)
    }

    /// The measurement in a file; `None` where there is none.
    pub(super) fn read_measurement(&self, name: &str) -> Result<Option<Measurement>, RunError> {
        match fs::read(self.path.join(name)) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| self.fault(name, error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.fault(name, error)),
        }
    }

    /// Writes `ladder.csv` afresh from the measurements, if there are any.
    pub(super) fn write_ladder(&self) -> Result<(), RunError> {
        let Ok(entries) = fs::read_dir(self.path.join("ladder")) else { return Ok(()) };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
        paths.sort();
        let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        let fault = |error: csv::Error| self.fault("ladder.csv", error);
        table
            .write_record([
                "generation",
                "rules",
                "opponent",
                "start",
                "games",
                "wins",
                "draws",
                "losses",
                "score",
                "low",
                "high",
                "distinct",
            ])
            .map_err(fault)?;
        for path in paths {
            let name = format!("ladder/{}", path.file_name().unwrap_or_default().to_string_lossy());
            for rung in self.read_measurement(&name)?.into_iter().flat_map(|measurement| measurement.rungs) {
                table.serialize((rung.generation, rung.rules, rung.row)).map_err(fault)?;
            }
        }
        let bytes = table.into_inner().map_err(|error| self.fault("ladder.csv", error.to_string()))?;
        self.write("ladder.csv", &bytes)
    }

    /// The window after a generation: the newest positions of the sample files, as many as it holds. A file that is
    /// damaged or gone is told to `warn`, set aside, and missing in the window.
    ///
    /// # Errors
    /// More than half of the files are damaged or gone.
    pub(super) fn read_window(
        &self,
        recipe: &Recipe,
        last: u32,
        played: u64,
        mut warn: impl FnMut(&str),
    ) -> Result<Window, RunError> {
        let size = recipe.window(played as f64);
        let mut newest_first = Vec::new();
        let (mut count, mut bad) = (0, 0);
        'generations: for generation in (1..=last).rev() {
            for lane in (0..recipe.rules.len()).rev() {
                if count >= size {
                    break 'generations;
                }
                match self.read_samples(generation, lane) {
                    Ok((rules, samples)) => {
                        count += samples.len();
                        newest_first.push((rules, samples));
                    }
                    Err(why) => {
                        let path = self.samples(generation, lane);
                        warn(&format!("{}: {why}; its positions are missing in the window", path.display()));
                        self.set_aside(&path, &why)?;
                        bad += 1;
                    }
                }
            }
        }
        if bad > newest_first.len() {
            let all = bad + newest_first.len();
            let why = format!("{bad} of {all} files are damaged or gone: too little is left to go on from");
            return Err(self.fault("samples", why));
        }
        let mut window = Window::default();
        for (rules, samples) in newest_first.into_iter().rev() {
            window.add(rules, samples);
        }
        window.shrink(size);
        Ok(window)
    }

    /// The positions of a sample file, or why it can't be used.
    fn read_samples(&self, generation: u32, lane: usize) -> Result<(Rules, Vec<Sample>), String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let (header, games) = game_file::read(&self.samples(generation, lane), true).map_err(|error| told(&error))?;
        let mut samples = Vec::new();
        for game in &games {
            samples.extend(game.samples(&header.rules).map_err(|error| told(&error))?);
        }
        Ok((header.rules, samples))
    }

    /// Moves a damaged file, if it is there, into `quarantine/`, with a note of what is wrong beside it.
    fn set_aside(&self, path: &Path, why: &str) -> Result<(), RunError> {
        let Some(name) = path.file_name().filter(|_| path.exists()) else { return Ok(()) };
        let folder = self.path.join("quarantine");
        let fault = |error: std::io::Error| self.fault("quarantine", error);
        fs::create_dir_all(&folder).map_err(fault)?;
        fs::rename(path, folder.join(name)).map_err(fault)?;
        self.write(&format!("quarantine/{}.txt", name.to_string_lossy()), format!("{why}\n").as_bytes())
    }
}
