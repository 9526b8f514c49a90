//! "Even" as a claim that can be shown: two one-sided tests (Schuirmann, 1987).
//!
//! That a difference was not found shows nothing; it may just not have been looked at for long. A score is shown to be even
//! where it is shown to lie within a margin that was fixed before.

use super::seeds::SeedMean;
use super::t_above;

/// The p of the claim that the true mean lies within `margin` of `null`: the larger of those of the two one-sided tests.
/// Equally: below α where the interval of confidence 1 − 2α lies within the margin.
pub fn p_within(mean: SeedMean, null: f64, margin: f64) -> f64 {
    let from_low = mean.mean - (null - margin);
    let from_high = (null + margin) - mean.mean;
    let nearest = from_low.min(from_high);
    match mean.deviation {
        0.0 => f64::from(u8::from(nearest <= 0.0)),
        deviation => t_above(nearest / deviation, mean.freedom()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By statsmodels 0.15: `DescrStatsW([.52, .55, .49, .58, .53]).ttost_mean(.4, .6)`.
    #[test]
    fn it_is_the_larger_of_two_one_sided_tests() {
        let mean = SeedMean::of(&[0.52, 0.55, 0.49, 0.58, 0.53]).unwrap();
        assert!((p_within(mean, 0.5, 0.1) - REFERENCE).abs() < 1e-6, "{}", p_within(mean, 0.5, 0.1));
        let p = p_within(mean, 0.5, 0.1);
        let interval = mean.interval(1.0 - 2.0 * p);
        assert!((interval.high - 0.6).abs() < 1e-6, "{interval:?}: the interval of that confidence touches the margin");
    }

    const REFERENCE: f64 = 0.005_890_138;

    #[test]
    fn what_lies_outside_is_never_within() {
        let mean = SeedMean::of(&[0.7, 0.71, 0.69]).unwrap();
        assert!(p_within(mean, 0.5, 0.05) > 0.99);
        assert_eq!(p_within(SeedMean::of(&[0.5; 3]).unwrap(), 0.5, 0.05), 0.0);
        assert_eq!(p_within(SeedMean::of(&[0.6; 3]).unwrap(), 0.5, 0.05), 1.0);
    }
}
