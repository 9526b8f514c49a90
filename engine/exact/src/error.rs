//! Why tables can't be made or read.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why tables can't be made or read.
#[derive(Debug, Error)]
pub enum ExactError {
    /// A file or folder can't be used.
    #[error("{path}: {why}")]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A folder has no tables of the rules.
    #[error("{}: holds no tables of these rules; make some by seega exact build", .0.display())]
    Empty(PathBuf),
    /// A table is of other rules.
    #[error("{}: is a table of other rules", .0.display())]
    OtherRules(PathBuf),
    /// No position of movement has so few stones.
    #[error("no position has {stones} stones or fewer by these rules: the smallest has {fewest} (--stones {fewest})")]
    TooFew {
        /// The stones that were asked for.
        stones: u8,
        /// The fewest that there are.
        fewest: u8,
    },
    /// It would take more memory than is allowed.
    #[error("classes of {stones} stones take {needed} of memory, and {allowed} are allowed (--memory)", needed = bytes(*.needed), allowed = bytes(*.allowed))]
    Memory {
        /// Stones of the class.
        stones: u8,
        /// Bytes that it takes.
        needed: u64,
        /// Bytes that are allowed.
        allowed: u64,
    },
    /// It was asked to stop; started again, it goes on with the next class.
    #[error("stopped; start it again to go on")]
    Stopped,
}

impl ExactError {
    pub(crate) fn file(path: &Path, why: impl ToString) -> ExactError {
        ExactError::File { path: path.to_owned(), why: why.to_string() }
    }

    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> ExactError {
        move |error| ExactError::file(path, error)
    }
}

/// A number of bytes for people.
pub fn bytes(count: u64) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|&(unit, _)| count >= unit) {
        Some((unit, name)) => format!("{:.1} {name}", count as f64 / unit as f64),
        None => format!("{count} bytes"),
    }
}
