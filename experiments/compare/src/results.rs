//! What is known of a study, on disk.
//!
//! ```text
//! trainings.csv     what each training has used and made
//! matches.csv       what came of each match of two networks
//! runs/ARM-sN/      the run folder of an arm with a seed
//! ```
//!
//! Nothing in it says what the study is: a study may grow, in seeds, time and questions. What is there counts as long as
//! it was made as the study has it now.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FlockOperation, flock};
use seega_files::write_atomically;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use crate::pair::{Games, Pairing};
use crate::training::Spent;

/// A file of a study that can't be read or written, or does not fit.
#[derive(Debug, Error)]
#[error("{path}: {why}")]
pub struct ResultsError {
    path: PathBuf,
    why: String,
}

/// The folder of a study, to which nobody else writes while this value lives.
#[derive(Debug)]
pub struct Results {
    folder: PathBuf,
    trainings: Mutex<Vec<Spent>>,
    matches: Mutex<Vec<Match>>,
    _lock: File,
}

/// A line of the table of matches. (`csv` writes no structs within structs.)
type Match = (Pairing, Games);

const TRAININGS: &str = "trainings.csv";
const MATCHES: &str = "matches.csv";

impl Results {
    /// Begins in a folder, or goes on with what is there.
    ///
    /// # Errors
    /// The folder can't be used, or is in use.
    pub fn open(folder: &Path) -> Result<Results, ResultsError> {
        let fault = |why: String| ResultsError { path: folder.to_owned(), why };
        fs::create_dir_all(folder).map_err(|error| fault(error.to_string()))?;
        let lock = File::create(folder.join(".lock")).map_err(|error| fault(error.to_string()))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| fault("another program is at work in this folder".to_owned()))?;
        let trainings = Mutex::new(read(&folder.join(TRAININGS))?);
        let matches = Mutex::new(read(&folder.join(MATCHES))?);
        Ok(Results { folder: folder.to_owned(), trainings, matches, _lock: lock })
    }

    /// The run folder of an arm with a seed.
    pub fn run_folder(&self, arm: &str, seed: u64) -> PathBuf {
        self.folder.join("runs").join(format!("{}-s{seed}", arm.replace(['/', '\\'], "_")))
    }

    /// What an arm with a seed has used, if it was begun.
    pub fn spent(&self, arm: &str, seed: u64) -> Option<Spent> {
        locked(&self.trainings).iter().find(|known| (&*known.arm, known.seed) == (arm, seed)).cloned()
    }

    /// Keeps what an arm with a seed has used.
    pub(crate) fn keep_spent(&self, spent: &Spent) -> Result<(), ResultsError> {
        let mut trainings = locked(&self.trainings);
        trainings.retain(|known| (&known.arm, known.seed) != (&spent.arm, spent.seed));
        trainings.push(spent.clone());
        write(&self.folder.join(TRAININGS), &trainings)
    }

    /// What came of a pairing, if it was played just so.
    pub fn games(&self, pairing: &Pairing) -> Option<Games> {
        locked(&self.matches).iter().find(|(known, _)| known == pairing).map(|&(_, games)| games)
    }

    /// Keeps what came of a pairing, in the place of what came of it otherwise.
    ///
    /// # Errors
    /// It can't be written.
    pub fn keep_games(&self, pairing: Pairing, games: Games) -> Result<(), ResultsError> {
        let mut matches = locked(&self.matches);
        let place = |pairing: &Pairing| {
            (pairing.a.clone(), pairing.seed_a, pairing.b.clone(), pairing.seed_b, pairing.rules.clone())
        };
        matches.retain(|(known, _)| place(known) != place(&pairing));
        matches.push((pairing, games));
        write(&self.folder.join(MATCHES), &matches)
    }
}

impl ResultsError {
    pub(crate) fn new(path: &Path, why: String) -> ResultsError {
        ResultsError { path: path.to_owned(), why }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, ResultsError> {
    let fault = |why: String| ResultsError { path: path.to_owned(), why };
    let mut reader = match File::open(path) {
        Ok(file) => csv::ReaderBuilder::new().has_headers(false).from_reader(file),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fault(error.to_string())),
    };
    // The headings are for people.
    reader
        .records()
        .skip(1)
        .map(|row| row.and_then(|row| row.deserialize(None)))
        .collect::<Result<_, _>>()
        .map_err(|error| fault(error.to_string()))
}

/// A table whose rows may be structs beside each other.
fn write<T: Serialize + Table>(path: &Path, rows: &[T]) -> Result<(), ResultsError> {
    let written = write_atomically(path, |file| {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(file);
        writer.write_record(T::HEADINGS).map_err(std::io::Error::from)?;
        rows.iter().try_for_each(|row| writer.serialize(row)).map_err(std::io::Error::from)?;
        writer.flush()
    });
    written.map_err(|error| ResultsError { path: path.to_owned(), why: error.to_string() })
}

/// The headings of a table.
trait Table {
    const HEADINGS: &'static [&'static str];
}

impl Table for Spent {
    const HEADINGS: &'static [&'static str] =
        &["arm", "seed", "recipe", "cpu_seconds", "generations", "positions", "evaluations", "steps", "network"];
}

impl Table for Match {
    const HEADINGS: &'static [&'static str] = &[
        "a",
        "seed_a",
        "b",
        "seed_b",
        "rules",
        "network_a",
        "network_b",
        "simulations",
        "pairs",
        "games",
        "wins",
        "draws",
        "losses",
    ];
}
