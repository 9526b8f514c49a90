//! The data that tests across the crates share, and how to read it.
//!
//! `data/golden` holds the two sample games of the sources with every capture and board, and a table of every sentence
//! of the sources that states a rule. `data/vectors` holds games and counts of reference implementations that share
//! nothing with this project. Each folder's README tells its format.

pub mod games;
pub mod golden;

use std::fs;
use std::path::PathBuf;

use seega_rules::record::{GameRecord, RecordReader};

/// The path of a file of `tests/data`.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data").join(name)
}

/// A text file of `tests/data`.
///
/// # Panics
/// If it can't be read; so do the other functions here.
pub fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The game records of a file of `tests/data`.
pub fn records(name: &str) -> Vec<GameRecord> {
    let file = fs::File::open(path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    RecordReader::new(file)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
        .map(|read| read.unwrap_or_else(|error| panic!("{name}: {error}")).1)
        .collect()
}
