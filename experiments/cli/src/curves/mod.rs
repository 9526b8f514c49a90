//! What a run's tables show, as curves: read by `tables`, drawn by `chart`. Which of them stand where is left to the
//! commands.

mod chart;
mod tables;

pub use chart::Chart;
pub use tables::{Row, Tables};
