//! Seeds drawn anew, and within each its games: an interval that asks nothing of how figures are distributed.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_arena::Estimate;

/// Won, drawn and lost games of one seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl Results {
    /// All games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// These and those.
    #[must_use]
    pub fn and(self, other: Results) -> Results {
        Results { wins: self.wins + other.wins, draws: self.draws + other.draws, losses: self.losses + other.losses }
    }

    /// The score, from 0 to 1; ½ without games.
    pub fn score(self) -> f64 {
        match self.games() {
            0 => 0.5,
            games => (self.wins as f64 + 0.5 * self.draws as f64) / games as f64,
        }
    }

    /// The variance of a game's score.
    pub fn variance(self) -> f64 {
        let (games, score) = (self.games().max(1) as f64, self.score());
        (self.wins as f64 + 0.25 * self.draws as f64) / games - score * score
    }

    /// As many games drawn from these.
    fn drawn(self, random: &mut SmallRng) -> Results {
        let mut drawn = Results::default();
        for _ in 0..self.games() {
            let number = random.random_range(0..self.games());
            match () {
                () if number < self.wins => drawn.wins += 1,
                () if number < self.wins + self.draws => drawn.draws += 1,
                () => drawn.losses += 1,
            }
        }
        drawn
    }
}

/// The percentile interval of the mean score over seeds, from that many draws in two stages: seeds, then games within
/// each. Scores of seeds hold the chance of their games already, which the second stage adds once more, so that it is wide where
/// seeds are alike; and narrow by √((K − 1)/K) where they are not. It stands beside the t interval, which has neither fault, as one
/// that asks nothing of the scores' distribution.
pub fn interval(seeds: &[Results], confidence: f64, draws: usize, seed: u64) -> Estimate {
    let mean = |seeds: &[Results]| seeds.iter().map(|seed| seed.score()).sum::<f64>() / seeds.len().max(1) as f64;
    let value = mean(seeds);
    if seeds.is_empty() || draws == 0 {
        return Estimate { value, low: 0.0, high: 1.0 };
    }
    let mut random = SmallRng::seed_from_u64(seed);
    let mut means: Vec<f64> = (0..draws)
        .map(|_| {
            let drawn: Vec<Results> =
                seeds.iter().map(|_| seeds[random.random_range(0..seeds.len())].drawn(&mut random)).collect();
            mean(&drawn)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let at = |share: f64| means[((share * draws as f64) as usize).min(draws - 1)];
    Estimate { value, low: at(0.5 - 0.5 * confidence), high: at(0.5 + 0.5 * confidence) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_variances_are_those_of_the_games() {
        let results = Results { wins: 3, draws: 4, losses: 1 };
        assert_eq!((results.games(), results.score()), (8, 0.625));
        // Squares from the mean: 3 · 0.140625 + 4 · 0.015625 + 0.390625, over 8.
        assert!((results.variance() - 0.109_375).abs() < 1e-12);
    }

    #[test]
    fn it_spreads_by_seeds_and_by_games() {
        let alike = [Results { wins: 50, draws: 0, losses: 50 }; 6];
        let apart = [40, 44, 48, 52, 56, 60].map(|wins| Results { wins, draws: 0, losses: 100 - wins });
        let [alike, apart] = [alike, apart].map(|seeds| interval(&seeds, 0.95, 4_000, 1));
        // By games alone: 1.96 · 0.5 / √600 = 0.040; seeds of variance 0.0056 besides.
        assert!(((alike.high - alike.low) / 2.0 - 0.040).abs() < 0.004, "{alike:?}");
        let expected = 1.96 * ((0.0056 * 5.0 / 6.0 + 0.0025) / 6.0f64).sqrt();
        assert!(((apart.high - apart.low) / 2.0 - expected).abs() < 0.006, "{apart:?} {expected}");
    }
}
