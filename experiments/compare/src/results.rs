//! What is known of a study, on disk.
//!
//! ```text
//! study.toml        the study
//! trainings.csv     what each training has used and made
//! matches.csv       what came of each match of two networks
//! runs/ARM-sN/      the run folder of an arm with a seed
//! ```

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use seega_models::file::write_atomically;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::pair::PairScore;
use crate::training::Spent;

/// A file of a study that can't be read or written, or is of another study.
#[derive(Debug, Error)]
#[error("{path}: {why}")]
pub struct ResultsError {
    path: PathBuf,
    why: String,
}

/// The folder of a study.
#[derive(Debug)]
pub struct Results {
    folder: PathBuf,
    trainings: Mutex<Vec<Spent>>,
    matches: Mutex<Vec<PairScore>>,
}

const STUDY: &str = "study.toml";
const TRAININGS: &str = "trainings.csv";
const MATCHES: &str = "matches.csv";

impl Results {
    /// Begins with the study of that text in a folder, or goes on with it there.
    ///
    /// # Errors
    /// The folder can't be used, or has another study.
    pub fn open(folder: &Path, study: &str) -> Result<Results, ResultsError> {
        let path = folder.join(STUDY);
        let fault = |why: String| ResultsError { path: path.clone(), why };
        match std::fs::read_to_string(&path) {
            Ok(known) if known == study => {}
            Ok(_) => return Err(fault("is another study than the one asked for; give it another folder".to_owned())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                write_atomically(&path, |file| file.write_all(study.as_bytes()))
                    .map_err(|error| fault(error.to_string()))?;
            }
            Err(error) => return Err(fault(error.to_string())),
        }
        let trainings = Mutex::new(read(&folder.join(TRAININGS))?);
        let matches = Mutex::new(read(&folder.join(MATCHES))?);
        Ok(Results { folder: folder.to_owned(), trainings, matches })
    }

    /// The run folder of an arm with a seed.
    pub fn run_folder(&self, arm: &str, seed: u64) -> PathBuf {
        self.folder.join("runs").join(format!("{}-s{seed}", arm.replace(['/', '\\'], "_")))
    }

    /// What an arm with a seed has used.
    pub fn spent(&self, arm: &str, seed: u64) -> Spent {
        let trainings = self.trainings.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = trainings.iter().find(|known| (&*known.arm, known.seed) == (arm, seed));
        known.cloned().unwrap_or_else(|| Spent { arm: arm.to_owned(), seed, ..Spent::default() })
    }

    /// Keeps what an arm with a seed has used.
    pub(crate) fn keep_spent(&self, spent: &Spent) -> Result<(), ResultsError> {
        let mut trainings = self.trainings.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        trainings.retain(|known| (&known.arm, known.seed) != (&spent.arm, spent.seed));
        trainings.push(spent.clone());
        write(&self.folder.join(TRAININGS), &trainings)
    }

    /// What came of two networks' match, if it was played.
    pub fn score(&self, a: (&str, u64), b: (&str, u64)) -> Option<PairScore> {
        let matches = self.matches.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        matches.iter().find(|known| (&*known.a, known.seed_a) == a && (&*known.b, known.seed_b) == b).cloned()
    }

    /// Keeps what came of a match.
    ///
    /// # Errors
    /// It can't be written.
    pub fn keep_score(&self, score: PairScore) -> Result<(), ResultsError> {
        let mut matches = self.matches.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        matches.push(score);
        write(&self.folder.join(MATCHES), &matches)
    }
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, ResultsError> {
    let fault = |why: String| ResultsError { path: path.to_owned(), why };
    let mut reader = match std::fs::File::open(path) {
        Ok(file) => csv::Reader::from_reader(file),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fault(error.to_string())),
    };
    reader.deserialize().map(|row| row.map_err(|error| fault(error.to_string()))).collect()
}

fn write<T: Serialize>(path: &Path, rows: &[T]) -> Result<(), ResultsError> {
    let written = write_atomically(path, |file| {
        let mut writer = csv::Writer::from_writer(file);
        rows.iter().try_for_each(|row| writer.serialize(row)).map_err(std::io::Error::from)?;
        writer.flush()
    });
    written.map_err(|error| ResultsError { path: path.to_owned(), why: error.to_string() })
}
