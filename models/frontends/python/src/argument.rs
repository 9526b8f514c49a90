//! What callers pass, and how they are told that it is wrong: as `ValueError`, with the message that the project has for
//! it. A wrong type is left to PyO3, which raises `TypeError`.

use std::fmt::Display;
use std::io;
use std::path::Path;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use seega_models::checkpoint::{Checkpoint, CheckpointError};
use seega_rules::{BoardSize, Position};

/// A `ValueError`.
pub(crate) fn wrong(what: impl Display) -> PyErr {
    PyValueError::new_err(what.to_string())
}

/// A whole number as it came; `None` where it is negative or above 64 bits, which no argument may be.
///
/// Numbers that PyO3 reads by itself raise `OverflowError` then, although the caller has passed a wrong value.
#[derive(Clone, Copy)]
pub(crate) struct Whole(Option<u64>);

impl FromPyObject<'_, '_> for Whole {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Whole> {
        match object.extract::<u64>() {
            Ok(number) => Ok(Whole(Some(number))),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => Ok(Whole(None)),
            Err(error) => Err(error),
        }
    }
}

impl Whole {
    /// A default.
    pub(crate) const fn of(number: u64) -> Whole {
        Whole(Some(number))
    }

    /// The number, from `least` to `most`.
    pub(crate) fn within(self, name: &str, least: u64, most: u64) -> PyResult<u64> {
        let number = self.0.filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| wrong(format!("{name} must be a whole number from {least} to {most}")))
    }

    /// The number as the side of a board.
    pub(crate) fn size(self) -> PyResult<BoardSize> {
        let size = self.0.and_then(|side| u8::try_from(side).ok()).and_then(BoardSize::from_side);
        size.ok_or_else(|| wrong("a board's size is 5, 7 or 9"))
    }
}

/// Refuses a position whose game is over: nothing is to be chosen there.
pub(crate) fn check_goes_on(position: &Position) -> PyResult<()> {
    match position.outcome() {
        None => Ok(()),
        Some(outcome) => Err(wrong(format!("the game is over in {position}: {outcome}"))),
    }
}

/// Reads a checkpoint: a file that can't be read raises what Python's own `open` would, one that is no sound checkpoint
/// `ValueError`.
pub(crate) fn read_checkpoint(path: &Path) -> PyResult<Checkpoint> {
    Checkpoint::read(path).map_err(|error| match error {
        CheckpointError::Io(error) => io::Error::new(error.kind(), format!("{}: {error}", path.display())).into(),
        error => wrong(format!("{}: {error}", path.display())),
    })
}
