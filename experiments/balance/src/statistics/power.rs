//! What a study can show, before it is begun.

use super::t_quantile;

/// What is assumed of a study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Assumed {
    /// The standard deviation of the true scores of networks of different seeds, such as 0.03.
    pub between_seeds: f64,
    /// The share of drawn games.
    pub draws: f64,
}

impl Assumed {
    /// The standard deviation of the mean score of so many seeds with so many games each: `√(τ²/K + σ²/(nK))`, where a
    /// game of an even match has the variance σ² = (1 − draws)/4.
    pub fn deviation(self, seeds: usize, games: u64) -> f64 {
        let of_games = 0.25 * (1.0 - self.draws) / games.max(1) as f64;
        ((self.between_seeds.powi(2) + of_games) / seeds as f64).sqrt()
    }

    /// Half the width of the interval of confidence 1 − α; infinite for less than two seeds.
    pub fn reach(self, seeds: usize, games: u64, alpha: f64) -> f64 {
        if seeds < 2 {
            return f64::INFINITY;
        }
        self.deviation(seeds, games) * t_quantile(1.0 - 0.5 * alpha, (seeds - 1) as f64)
    }

    /// The difference from even that a two-sided test at level α finds with that power, about.
    pub fn found(self, seeds: usize, games: u64, alpha: f64, power: f64) -> f64 {
        if seeds < 2 {
            return f64::INFINITY;
        }
        let freedom = (seeds - 1) as f64;
        self.deviation(seeds, games) * (t_quantile(1.0 - 0.5 * alpha, freedom) + t_quantile(power, freedom))
    }

    /// The margin within which an even score is shown to lie with that power, about.
    pub fn shown_within(self, seeds: usize, games: u64, alpha: f64, power: f64) -> f64 {
        if seeds < 2 {
            return f64::INFINITY;
        }
        let freedom = (seeds - 1) as f64;
        // Both one-sided tests have to succeed.
        self.deviation(seeds, games) * (t_quantile(1.0 - alpha, freedom) + t_quantile(0.5 + 0.5 * power, freedom))
    }

    /// The fewest games a seed with which the interval reaches no further than asked for; `None` if no number of them is
    /// enough with so few seeds.
    pub fn games_for(self, reach: f64, seeds: usize, alpha: f64) -> Option<u64> {
        const MOST: u64 = 10_000_000;
        let fits = |games| self.reach(seeds, games, alpha) <= reach;
        if !fits(MOST) {
            return None;
        }
        let (mut low, mut high) = (0, MOST);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(middle) { high = middle } else { low = middle }
        }
        Some(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half-widths with 1,000 games a seed of standard deviation 0.418, as a simulation of such studies gave them.
    #[test]
    fn widths_are_those_that_were_simulated() {
        for (between_seeds, seeds, expected) in
            [(0.02, 5, 0.030), (0.02, 10, 0.017), (0.04, 5, 0.052), (0.01, 3, 0.041)]
        {
            let assumed = Assumed { between_seeds, draws: 1.0 - 4.0 * 0.418f64.powi(2) };
            let reach = assumed.reach(seeds, 1_000, 0.05);
            assert!((reach - expected).abs() < 0.001, "τ {between_seeds}, K {seeds}: {reach}");
        }
    }

    #[test]
    fn games_for_a_width_are_the_fewest() {
        let assumed = Assumed { between_seeds: 0.01, draws: 0.3 };
        let games = assumed.games_for(0.03, 5, 0.05).unwrap();
        assert!(assumed.reach(5, games, 0.05) <= 0.03 && assumed.reach(5, games - 1, 0.05) > 0.03, "{games}");
        assert_eq!(assumed.games_for(0.005, 5, 0.05), None, "no games make up for a spread of seeds");
    }
}
