//! How often each outcome of a unit of play occurred, and what that says under two hypotheses.
//!
//! The unit is a pair of games with five outcomes (pentanomial), or a game with three (trinomial; for comparison).

use super::falling_root;

/// What an outcome that did not occur counts, as fishtest, fastchess and OpenBench do.
const REGULARISED: f64 = 1e-3;

/// Outcomes of equal steps in score from 0 to 1, and how often each occurred.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcomes<const N: usize> {
    counts: [f64; N],
}

/// The unit's outcomes for a pair of games.
pub(super) type Pentanomial = Outcomes<5>;

impl<const N: usize> Outcomes<N> {
    /// From counts, lowest score first.
    pub(super) fn new(counts: [f64; N]) -> Self {
        Outcomes { counts }
    }

    /// Outcomes that did not occur count a thousandth, so that there is always some variance.
    pub(super) fn regularised(self) -> Self {
        Outcomes { counts: self.counts.map(|count| if count == 0.0 { REGULARISED } else { count }) }
    }

    /// The number of units.
    pub(super) fn units(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// The games of a unit: two of a pair, whose scores are quarters.
    pub(super) const fn games_per_unit() -> f64 {
        ((N - 1) / 2) as f64
    }

    fn score(index: usize) -> f64 {
        index as f64 / (N - 1) as f64
    }

    fn frequencies(&self) -> [f64; N] {
        let units = self.units();
        self.counts.map(|count| count / units)
    }

    /// Mean and variance of a unit's score.
    pub(super) fn moments(&self) -> Moments {
        moments_of(&self.frequencies())
    }

    /// The standard deviation of a game's score: that of a unit, were its games independent.
    pub(super) fn deviation_of_game(&self) -> f64 {
        (Self::games_per_unit() * self.moments().variance).sqrt()
    }

    /// The standard error of the mean score.
    pub(super) fn deviation_of_mean(&self) -> f64 {
        (self.moments().variance / self.units()).sqrt()
    }

    /// How far the mean lies above ½, in deviations of a game.
    pub(super) fn distance(&self) -> f64 {
        (self.moments().mean - 0.5) / self.deviation_of_game()
    }

    /// The standard error of [`distance`](Self::distance), that of the deviation included (by the delta method: the third
    /// and fourth moments tell it).
    pub(super) fn deviation_of_distance(&self) -> f64 {
        let Moments { mean, variance } = self.moments();
        let deviation = variance.sqrt();
        let standard = |power: i32| -> f64 {
            let frequencies = self.frequencies();
            (0..N).map(|index| frequencies[index] * ((Self::score(index) - mean) / deviation).powi(power)).sum()
        };
        let distance = (mean - 0.5) / deviation;
        let spread = 1.0 - distance * standard(3) + 0.25 * distance * distance * (standard(4) - 1.0);
        (spread.max(0.0) / (self.units() * Self::games_per_unit())).sqrt()
    }

    /// The chances nearest to these frequencies (in likelihood) that have a mean score, which lies within 0 and 1.
    pub(super) fn with_score(&self, score: f64) -> Self {
        Outcomes { counts: most_likely_with_score(&self.frequencies(), score) }
    }

    /// Mean and variance of what a unit adds to [`ratio_of_distances`](Self::ratio_of_distances) where these are the true
    /// chances.
    pub(super) fn ratio_per_unit(&self, distance0: f64, distance1: f64) -> Moments {
        let per_unit = Self::games_per_unit().sqrt();
        self.ratio(most_likely_with_distance, distance0 * per_unit, distance1 * per_unit)
    }

    /// The log-likelihood ratio of two mean scores, each with the most likely chances that have it (GSPRT).
    #[cfg(test)]
    pub(super) fn ratio_of_scores(&self, score0: f64, score1: f64) -> f64 {
        self.units() * self.ratio(most_likely_with_score, score0, score1).mean
    }

    /// The log-likelihood ratio of two distances of the mean from ½, in deviations of a game, each with the most likely
    /// chances that have it (GSPRT in normalized Elo).
    pub(super) fn ratio_of_distances(&self, distance0: f64, distance1: f64) -> f64 {
        self.units() * self.ratio_per_unit(distance0, distance1).mean
    }

    /// Mean and variance of a unit's log-likelihood ratio of two values, each with the most likely chances that have it.
    fn ratio(&self, most_likely: impl Fn(&[f64; N], f64) -> [f64; N], value0: f64, value1: f64) -> Moments {
        let frequencies = self.frequencies();
        let (chances0, chances1) = (most_likely(&frequencies, value0), most_likely(&frequencies, value1));
        let added = |index: usize| (chances1[index] / chances0[index]).ln();
        let mean: f64 = (0..N).map(|index| frequencies[index] * added(index)).sum();
        let variance = (0..N).map(|index| frequencies[index] * (added(index) - mean).powi(2)).sum();
        Moments { mean, variance }
    }
}

/// Mean and variance of what a unit of play gives.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub(super) mean: f64,
    pub(super) variance: f64,
}

fn moments_of<const N: usize>(frequencies: &[f64; N]) -> Moments {
    let mean_of = |f: &dyn Fn(f64) -> f64| -> f64 {
        frequencies.iter().enumerate().map(|(index, share)| share * f(Outcomes::<N>::score(index))).sum()
    };
    let mean = mean_of(&|score| score);
    Moments { mean, variance: mean_of(&|score| (score - mean).powi(2)) }
}

/// The chances nearest to the frequencies (in likelihood) under which `values` have mean 0.
fn tilted<const N: usize>(frequencies: &[f64; N], values: &[f64; N]) -> [f64; N] {
    let (lowest, highest) = values.iter().fold((f64::MAX, f64::MIN), |(low, high), &v| (low.min(v), high.max(v)));
    let mean_under = |tilt: f64| -> f64 { (0..N).map(|i| frequencies[i] * values[i] / (1.0 + tilt * values[i])).sum() };
    // Between these poles every chance is positive.
    let tilt = falling_root(-1.0 / highest, -1.0 / lowest, mean_under);
    std::array::from_fn(|index| frequencies[index] / (1.0 + tilt * values[index]))
}

fn most_likely_with_score<const N: usize>(frequencies: &[f64; N], score: f64) -> [f64; N] {
    tilted(frequencies, &std::array::from_fn(|index| Outcomes::<N>::score(index) - score))
}

/// The most likely chances under which the mean lies so many deviations of a unit above ½, by the iteration of
/// M. Van den Bergh ("Normalized Elo", 2021).
fn most_likely_with_distance<const N: usize>(frequencies: &[f64; N], distance: f64) -> [f64; N] {
    const ROUNDS: u32 = 10;
    const NEAR: f64 = 1e-9;
    let mut chances = [1.0 / N as f64; N];
    for _ in 0..ROUNDS {
        let Moments { mean, variance } = moments_of(&chances);
        let deviation = variance.sqrt();
        let values = std::array::from_fn(|index| {
            let score = Outcomes::<N>::score(index);
            score - 0.5 - 0.5 * distance * deviation * (1.0 + ((score - mean) / deviation).powi(2))
        });
        let next = tilted(frequencies, &values);
        let change = (0..N).map(|index| (next[index] - chances[index]).abs()).fold(0.0, f64::max);
        chances = next;
        if change < NEAR {
            break;
        }
    }
    chances
}
