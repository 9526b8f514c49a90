//! What results say about strength, and how sure that is; nothing here plays.
//!
//! [`PairCounts`] is a match in pairs: score, Elo, normalized Elo, likelihood of superiority. [`sprt`] decides between
//! two strengths while a match goes on. [`ratings`] fits the strengths of many players to a round robin.

mod brownian;
mod outcomes;
pub mod pairs;
pub mod ratings;
pub mod sprt;

/// A figure with the bounds of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Estimate {
    /// The figure and its bounds on another scale that rises with this one.
    #[must_use]
    pub fn map(self, scale: impl Fn(f64) -> f64) -> Estimate {
        Estimate { value: scale(self.value), low: scale(self.low), high: scale(self.high) }
    }
}

/// The normal quantile of a two-sided 95 % interval.
pub(crate) const Z: f64 = 1.959_963_984_540_054;

/// Scores are kept this far from 0 and 1 before they become Elo, which ends at ±1199.83.
const SCORE_MARGIN: f64 = 1e-3;

/// Normalized Elo of a score that lies one standard deviation (of a game) above ½: 800 / ln 10, with which it equals
/// Elo for small differences without draws.
pub const NORMALIZED_PER_DEVIATION: f64 = 347.435_585_522_601_46;

/// The Elo difference at which a score is expected. The score is kept within 0.001 and 0.999.
pub fn elo_of_score(score: f64) -> f64 {
    let score = score.clamp(SCORE_MARGIN, 1.0 - SCORE_MARGIN);
    -400.0 * (1.0 / score - 1.0).log10()
}

/// The score that is expected at an Elo difference.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The chance that a standard normal number is below `x`.
pub(crate) fn normal_below(x: f64) -> f64 {
    0.5 * statrs::function::erf::erfc(-x / std::f64::consts::SQRT_2)
}

/// Where a function that does not rise crosses zero between `low` and `high`, by halving; an end, where it doesn't.
pub(crate) fn falling_root(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const HALVINGS: u32 = 80;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}
