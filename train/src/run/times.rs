//! How long generations took. It stands apart from everything else of a run, which is the same whenever it is made again.

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
        let reader = csv::Reader::from_path(run.join(NAME));
        reader.map_or_else(|_| Vec::new(), |mut reader| reader.deserialize().flatten().collect())
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

    /// The generation ends here: its line stands in the file.
    pub(super) fn note(mut self, folder: &Folder) -> Result<(), RunError> {
        self.wrote();
        let mut times = GenerationTimes::read(folder.path());
        times.retain(|known| known.generation < self.times.generation);
        times.push(self.times);
        let mut writer = csv::Writer::from_writer(Vec::new());
        for line in &times {
            writer.serialize(line).map_err(|error| folder.fault(NAME, error))?;
        }
        let bytes = writer.into_inner().map_err(|error| folder.fault(NAME, error.to_string()))?;
        folder.write(NAME, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_has_one_line_and_what_is_damaged_is_passed_over() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::lock(root.path()).unwrap();
        let numbers = || -> Vec<u32> {
            let times = GenerationTimes::read(root.path());
            assert!(times.iter().all(|times| times.total() > 0.0 && times.total() < 1.0), "{times:?}");
            times.iter().map(|times| times.generation).collect()
        };
        let note = |generation| {
            let mut watch = Stopwatch::start(generation);
            watch.played(Duration::ZERO);
            watch.trained();
            watch.note(&folder).unwrap();
        };
        assert!(numbers().is_empty());
        [1, 2, 3, 2].into_iter().for_each(note);
        assert_eq!(numbers(), [1, 2]);
        let path = root.path().join(NAME);
        let torn = std::fs::read_to_string(&path).unwrap() + "3,0.5,";
        std::fs::write(&path, torn).unwrap();
        assert_eq!(numbers(), [1, 2]);
        note(3);
        assert_eq!(numbers(), [1, 2, 3]);
    }
}
