//! Exact values of movement, by retrograde analysis.
//!
//! [`build`] makes a folder of tables for a rule set, a file a [`Class`]: all boards with so many stones of either side.
//! [`Tables`] answers for positions; [`verify()`] checks tables by what the rules say of one turn.
//!
//! The quiet counter is a part of a position here, so that nothing repeats and every value is exact: a table holds of each board
//! from how many turns left before the quiet limit on which value it has ([`Thresholds`]). `solve` tells how they are found,
//! `ranking` how boards are numbered, `file` how a class is written. All of it is about movement; placement has no tables.

mod build;
mod error;
mod file;
mod geometry;
mod ranking;
mod solve;
mod summary;
mod tables;
mod turn;
mod value;
mod verify;

pub use build::{Built, Progress, Step, build, fewest_stones, plan};
pub use error::{ExactError, bytes};
pub use summary::Summary;
pub use tables::{Exact, Tables, usual_folder};
pub use value::{Class, Thresholds, Turns, Value};
pub use verify::{Disagreement, verify};
