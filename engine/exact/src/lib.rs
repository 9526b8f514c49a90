//! Exact values of movement by retrograde analysis.

mod geometry;
mod ranking;
mod solve;
mod tables;
mod value;

pub use tables::Tables;
pub use value::{Class, Thresholds, Turns, Value};
