//! How long generations took. It stands apart from everything else of a run, which is the same whenever it is made again.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::RunError;
use super::folder::Folder;

/// The file of a run folder.
const NAME: &str = "times.csv";

/// The wall time of a generation, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GenerationTimes {
    /// Its number.
    pub generation: u32,
    /// Self-play, but for what its workers waited.
    pub selfplay: f64,
    /// What workers of self-play waited for the last of them, on average.
    pub waiting: f64,
    /// Training.
    pub training: f64,
    /// Everything else: writing, above all.
    pub writing: f64,
}

impl GenerationTimes {
    /// The times of a run's generations, as far as its file tells them; of a generation that was made twice, those of
    /// the last time. Lines that can't be read are passed over: nothing but times is lost with them.
    pub fn read(run: &Path) -> Vec<GenerationTimes> {
        let Ok(mut reader) = csv::Reader::from_path(run.join(NAME)) else { return Vec::new() };
        let mut times: Vec<GenerationTimes> = Vec::new();
        for line in reader.deserialize().flatten() {
            let line: GenerationTimes = line;
            times.retain(|known| known.generation < line.generation);
            times.push(line);
        }
        times
    }

    /// All of it.
    pub fn total(&self) -> f64 {
        self.selfplay + self.waiting + self.training + self.writing
    }
}

/// Takes the time of a generation's parts.
pub(super) struct Stopwatch {
    times: GenerationTimes,
    last: Instant,
}

impl Stopwatch {
    pub(super) fn start(generation: u32) -> Stopwatch {
        Stopwatch { times: GenerationTimes { generation, ..GenerationTimes::default() }, last: Instant::now() }
    }

    fn lap(&mut self) -> f64 {
        let lap = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        lap
    }

    /// Self-play ends here; its workers waited that long.
    pub(super) fn played(&mut self, waited: Duration) {
        self.times.waiting = waited.as_secs_f64();
        self.times.selfplay = (self.lap() - self.times.waiting).max(0.0);
    }

    /// What came after self-play was no training.
    pub(super) fn wrote(&mut self) {
        self.times.writing += self.lap();
    }

    /// Training ends here.
    pub(super) fn trained(&mut self) {
        self.times.training = self.lap();
    }

    /// The generation ends here: its line is added to the file.
    pub(super) fn note(mut self, folder: &Folder) -> Result<(), RunError> {
        self.wrote();
        let path = folder.path().join(NAME);
        let headings = fs::metadata(&path).map_or(true, |file| file.len() == 0);
        let mut writer = csv::WriterBuilder::new().has_headers(headings).from_writer(Vec::new());
        writer.serialize(self.times).map_err(|error| folder.fault(NAME, error))?;
        let line = writer.into_inner().map_err(|error| folder.fault(NAME, error.to_string()))?;
        let added = OpenOptions::new().create(true).append(true).open(&path).and_then(|mut file| file.write_all(&line));
        added.map_err(|error| folder.fault(NAME, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_added_up_by_generation_and_what_is_torn_is_passed_over() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::lock(root.path()).unwrap();
        assert_eq!(GenerationTimes::read(root.path()), []);
        for generation in [1, 2, 2] {
            let mut watch = Stopwatch::start(generation);
            watch.played(Duration::ZERO);
            watch.trained();
            watch.note(&folder).unwrap();
        }
        let path = root.path().join(NAME);
        let torn = fs::read_to_string(&path).unwrap() + "3,0.5,";
        fs::write(&path, torn).unwrap();
        let times = GenerationTimes::read(root.path());
        assert_eq!(times.iter().map(|times| times.generation).collect::<Vec<_>>(), [1, 2]);
        assert!(times.iter().all(|times| times.total() > 0.0 && times.total() < 1.0), "{times:?}");
    }
}
