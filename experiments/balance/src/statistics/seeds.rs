//! One number from each seed: their mean, and how it would be with other seeds.

use seega_arena::Estimate;

use super::{t_above, t_quantile};

/// The mean over seeds and how far it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeedMean {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the mean.
    pub deviation: f64,
    /// How many seeds there are, at least two.
    pub seeds: usize,
}

impl SeedMean {
    /// The mean of a number from each seed; `None` for less than two.
    pub fn of(values: &[f64]) -> Option<SeedMean> {
        let seeds = values.len();
        if seeds < 2 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / seeds as f64;
        let of_squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = (of_squares / (seeds - 1) as f64 / seeds as f64).sqrt();
        Some(SeedMean { mean, deviation, seeds })
    }

    /// The same mean, known no better than that. Seeds that all came out alike, such as at a score of 100 %, would else
    /// claim to know the mean for certain; the chance of the games bounds what can be known.
    #[must_use]
    pub fn at_least(self, deviation: f64) -> SeedMean {
        SeedMean { deviation: self.deviation.max(deviation), ..self }
    }

    /// The standard deviation between seeds.
    pub fn between_seeds(self) -> f64 {
        self.deviation * (self.seeds as f64).sqrt()
    }

    pub(crate) fn freedom(self) -> f64 {
        (self.seeds - 1) as f64
    }

    /// The two-sided interval of that confidence, such as 0.95, by Student's t.
    pub fn interval(self, confidence: f64) -> Estimate {
        let reach = self.deviation * t_quantile(0.5 + 0.5 * confidence, self.freedom());
        Estimate { value: self.mean, low: self.mean - reach, high: self.mean + reach }
    }

    /// How likely a mean at least so far from `null` is, if that is the true one: the p of Student's test, two-sided.
    pub fn p_value(self, null: f64) -> f64 {
        let distance = (self.mean - null).abs();
        match (distance, self.deviation) {
            (0.0, _) => 1.0,
            (_, 0.0) => 0.0,
            (distance, deviation) => (2.0 * t_above(distance / deviation, self.freedom())).min(1.0),
        }
    }
}

/// The standard deviation of a mean score over all games, by the games' chance alone: at most that of coins, and never
/// taken for less than one decided game more would make it.
pub fn game_deviation(score_variance: f64, games: u64) -> f64 {
    let games = games.max(1) as f64;
    (score_variance / games).sqrt().max(0.5 / games)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By scipy 1.17: `ttest_1samp([.52, .55, .49, .58, .53], .5)` and its `confidence_interval()`.
    #[test]
    fn it_is_students_test() {
        let mean = SeedMean::of(&[0.52, 0.55, 0.49, 0.58, 0.53]).unwrap();
        assert!((mean.mean - 0.534).abs() < 1e-12);
        assert!((mean.p_value(0.5) - REFERENCE.0).abs() < 1e-6, "{}", mean.p_value(0.5));
        let interval = mean.interval(0.95);
        assert!(
            (interval.low - REFERENCE.1).abs() < 1e-6 && (interval.high - REFERENCE.2).abs() < 1e-6,
            "{interval:?}"
        );
        assert_eq!(SeedMean::of(&[0.5]), None);
    }

    const REFERENCE: (f64, f64, f64) = (0.086_522_780, 0.492_260_878, 0.575_739_122);

    #[test]
    fn seeds_that_agree_are_not_certain() {
        let certain = SeedMean::of(&[1.0; 5]).unwrap();
        assert_eq!(certain.p_value(0.5), 0.0);
        assert_eq!(certain.p_value(1.0), 1.0);
        let bounded = certain.at_least(game_deviation(0.0, 500));
        assert!((bounded.deviation - 0.001).abs() < 1e-12);
        assert!(bounded.interval(0.95).low < 0.998);
    }
}
