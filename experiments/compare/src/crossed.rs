//! From the scores of all seeds against all seeds to which arm is better.

use seega_arena::Estimate;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// The mean score of arm A, with a 95 % interval over seeds: how it would be with other seeds of both arms.
///
/// `scores[i][j]` is the score of A's network i against B's network j. The mean of a row says how good one network of A
/// is, that of a column one of B. Both kinds of means scatter by the seeds of their arm (and by the games' chance), so the
/// mean of all has the variance of the rows over their number, and that of the columns over theirs; the freedom that is
/// left comes from Welch and Satterthwaite's rule. `game_deviation` is the standard deviation of the mean by the games'
/// chance alone: less than that is never claimed, however alike the seeds are.
///
/// # Panics
/// If there are not at least two rows of at least two scores, all of one length.
pub fn crossed(scores: &[Vec<f64>], game_deviation: f64) -> Estimate {
    let columns = scores.first().map_or(0, Vec::len);
    assert!(scores.len() >= 2 && columns >= 2, "a spread takes two seeds of each arm");
    assert!(scores.iter().all(|row| row.len() == columns), "every network of A plays every network of B");
    let row_means: Vec<f64> = scores.iter().map(|row| mean(row)).collect();
    let column_means: Vec<f64> =
        (0..columns).map(|column| mean(&scores.iter().map(|row| row[column]).collect::<Vec<f64>>())).collect();
    let value = mean(&row_means);
    let parts =
        [row_means, column_means].map(|means| (variance(&means) / means.len() as f64, means.len() as f64 - 1.0));
    let by_seeds: f64 = parts.iter().map(|(part, _)| part).sum();
    let of_squares: f64 = parts.iter().map(|(part, freedom)| part * part / freedom).sum();
    // Without any spread there is nothing to divide: then the games' chance decides, with the least freedom.
    let least = parts.iter().map(|&(_, freedom)| freedom).fold(f64::INFINITY, f64::min);
    let freedom = if of_squares > 0.0 { by_seeds * by_seeds / of_squares } else { least };
    let deviation = by_seeds.sqrt().max(game_deviation);
    let quantile = StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |students| students.inverse_cdf(0.975));
    let reach = quantile * deviation;
    Estimate { value, low: (value - reach).max(0.0), high: (value + reach).min(1.0) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn the_interval_is_that_of_rows_and_columns() {
        let scores = [vec![0.5, 0.6, 0.7], vec![0.6, 0.7, 0.8], vec![0.4, 0.5, 0.6]];
        let found = crossed(&scores, 0.0);
        // Rows .6 .7 .5, columns .5 .6 .7: variances of .01, and 2 · .01 / 3; freedom 4, whose quantile is 2.776445.
        let reach = 2.776_445 * (0.02f64 / 3.0).sqrt();
        assert!((found.value - 0.6).abs() < 1e-12);
        assert!((found.high - found.low - 2.0 * reach).abs() < 1e-5, "{found:?}");
        // Equal seeds leave the games' chance; two seeds less have the quantile 4.302653.
        let equal = crossed(&[vec![0.5; 3], vec![0.5; 3], vec![0.5; 3]], 0.02);
        assert!((equal.high - 0.5 - 0.02 * 4.302_653).abs() < 1e-5, "{equal:?}");
    }

    #[test]
    fn the_interval_holds_the_true_score_as_often_as_it_says() {
        let mut random = SmallRng::seed_from_u64(1);
        // Twelve of them have about the normal distribution.
        let mut noise =
            |deviation: f64| deviation * ((0..12).map(|_| random.random_range(0.0..1.0)).sum::<f64>() - 6.0);
        const STUDIES: usize = 4_000;
        for (by_a, by_b) in [(0.03, 0.03), (0.05, 0.01)] {
            let mut held = 0;
            for _ in 0..STUDIES {
                let [a, b]: [[f64; 3]; 2] = [by_a, by_b].map(|by| std::array::from_fn(|_| noise(by)));
                let scores: Vec<Vec<f64>> =
                    a.iter().map(|a| b.iter().map(|b| 0.55 + a - b + noise(0.02)).collect()).collect();
                let Estimate { low, high, .. } = crossed(&scores, 0.0);
                held += usize::from(low <= 0.55 && 0.55 <= high);
            }
            let share = held as f64 / STUDIES as f64;
            // Three seeds leave the rule for the freedom approximate, on the safe side.
            assert!((0.94..0.985).contains(&share), "{by_a} {by_b}: {share}");
        }
    }
}
