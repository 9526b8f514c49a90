//! What a study's figures say, and how sure that is; nothing here plays.
//!
//! The unit is the training seed. Games of one network share what it happened to learn, so that pooling them tells how sure
//! one is of that network, not of the rules: with a spread of 2 points between seeds a test on 1,000 pooled games a seed errs
//! in 28 of 100 cases where it says 5. Here every seed gives one number, and what is told is over these.

pub mod bootstrap;
pub mod equivalence;
pub mod holm;
pub mod power;
pub mod seeds;
pub mod sequence;
pub mod slope;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// The distribution of t with that freedom, from 1.
fn students(freedom: f64) -> StudentsT {
    StudentsT::new(0.0, 1.0, freedom).expect("freedom is above 0")
}

/// The value below which t lies with that probability.
pub(crate) fn t_quantile(probability: f64, freedom: f64) -> f64 {
    students(freedom).inverse_cdf(probability)
}

/// The probability that t lies above a value.
pub(crate) fn t_above(t: f64, freedom: f64) -> f64 {
    students(freedom).cdf(-t)
}
