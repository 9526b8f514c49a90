//! An interval that may be looked at while games go on.
//!
//! An interval that is right for a number of games fixed before is wrong for whoever stops when it pleases. A confidence sequence
//! holds the true mean at all numbers of games at once. For results from 0 to 1, whatever their distribution, the normal mixture
//! (Robbins, 1970; Howard et al., 2021) gives after n games
//! `|mean − μ| ≤ √((n/4 + v) · ln((n/4 + v) / (v α²))) / n`, narrowest about the number of games for which v was chosen.

use seega_arena::Estimate;

/// The interval after `games` with that mean, at level α, chosen to be narrowest near `planned` games.
pub fn interval(mean: f64, games: u64, planned: u64, alpha: f64) -> Estimate {
    let n = games as f64;
    let v = planned.max(1) as f64 / 4.0;
    let spread = n / 4.0 + v;
    let reach = if games == 0 { 1.0 } else { (spread * (spread / (v * alpha * alpha)).ln()).sqrt() / n };
    Estimate { value: mean, low: (mean - reach).max(0.0), high: (mean + reach).min(1.0) }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    #[test]
    fn it_holds_the_mean_at_all_times_and_an_ordinary_interval_does_not() {
        const STUDIES: u32 = 2_000;
        const GAMES: u64 = 2_000;
        let mut random = SmallRng::seed_from_u64(1);
        let (mut missed, mut ordinary) = (0, 0);
        for _ in 0..STUDIES {
            let (mut sum, mut out, mut out_ordinary) = (0.0, false, false);
            for games in 1..=GAMES {
                sum += f64::from(u8::from(random.random_bool(0.5)));
                let mean = sum / games as f64;
                let Estimate { low, high, .. } = interval(mean, games, GAMES, 0.05);
                out |= !(low..=high).contains(&0.5);
                out_ordinary |= games >= 30 && (mean - 0.5).abs() > 1.96 * 0.5 / (games as f64).sqrt();
            }
            missed += u32::from(out);
            ordinary += u32::from(out_ordinary);
        }
        assert!(missed <= STUDIES / 20, "{missed} of {STUDIES}");
        assert!(ordinary > STUDIES / 4, "{ordinary} of {STUDIES}: looking often is what this is for");
    }

    #[test]
    fn its_width_is_that_of_the_formula() {
        // √((1250 + 1250) · ln(2500 / (1250 · 0.0025))) / 5000 = 0.025854
        let found = interval(0.5, 5_000, 5_000, 0.05);
        assert!((found.high - 0.5 - 0.025_854).abs() < 1e-5, "{found:?}");
        assert_eq!((interval(0.5, 0, 100, 0.05).low, interval(0.5, 0, 100, 0.05).high), (0.0, 1.0));
    }
}
