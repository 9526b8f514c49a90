//! What pairs of games say about the strength of two players: score, Elo, normalized Elo, and how sure they are.
//!
//! The unit is the pair: one opening, played twice with colours swapped. Its two games depend on each other through the
//! opening, so that counting games one by one gives a wrong variance; pairs with different openings are independent.
//! Which games belong together, and which are repeated, is left to [`crate::Tally`].

use super::outcomes::{Moments, Pentanomial};
use super::{Estimate, NORMALIZED_PER_DEVIATION, Z, elo_of_score, normal_below};

/// Pairs of games by their two results, as the first player sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairCounts {
    /// Both games lost: a score of 0.
    pub loss_loss: u64,
    /// One lost, one drawn: ¼.
    pub loss_draw: u64,
    /// Both drawn: ½.
    pub draw_draw: u64,
    /// One won, one lost: ½.
    pub win_loss: u64,
    /// One won, one drawn: ¾.
    pub win_draw: u64,
    /// Both won: 1.
    pub win_win: u64,
}

/// The chance beyond either bound.
const TAIL: f64 = 0.025;

/// Normal approximations are for at least so many pairs, and for scores within these.
const NORMAL_PAIRS: u64 = 100;
const NORMAL_SCORES: std::ops::RangeInclusive<f64> = 0.2..=0.8;

impl PairCounts {
    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.by_score().iter().sum()
    }

    /// The pentanomial counts: pairs with a score of 0, ¼, ½, ¾ and 1.
    pub fn by_score(&self) -> [u64; 5] {
        [self.loss_loss, self.loss_draw, self.draw_draw + self.win_loss, self.win_draw, self.win_win]
    }

    /// The mean score, from 0 to 1, with a 95 % interval that is never of zero width.
    ///
    /// For [well-known](Self::is_well_known) scores: Wilson's interval for as many results 0 or 1 as give the variance of the
    /// pairs, to which one pair on either side of the most common score is added, so that equal pairs do not pass for no
    /// variance. For many pairs that is the normal interval of the pentanomial. Else the same with continuity correction
    /// and at most two such results a pair, for whose variance a lost and a won pair are added. Where all pairs were won
    /// (or lost) the bound is exact: the score below which that has a chance of 2.5 % at most. Without pairs the score is
    /// ½ and the interval everything.
    pub fn score(&self) -> Estimate {
        let pairs = self.pairs();
        if pairs == 0 {
            return Estimate { value: 0.5, low: 0.0, high: 1.0 };
        }
        let Moments { mean: value, variance } = self.outcomes().moments();
        let exact = TAIL.powf(1.0 / pairs as f64);
        if self.win_win == pairs {
            return Estimate { value, low: exact, high: 1.0 };
        }
        if self.loss_loss == pairs {
            return Estimate { value, low: 0.0, high: 1.0 - exact };
        }
        let (low, high) = if self.is_well_known() {
            // Two neighbouring scores, a quarter away.
            let added = 2.0 * 0.25 * 0.25 / pairs as f64;
            wilson(value, pairs as f64 * value * (1.0 - value) / (variance + added), 0.0)
        } else {
            wilson(value, self.effective_observations(), 1.0)
        };
        Estimate { value, low, high }
    }

    /// Whether the pairs are many (100) and their score is far from 0 and 1 (from 0.2 to 0.8), so that normal
    /// approximations hold.
    pub fn is_well_known(&self) -> bool {
        self.pairs() >= NORMAL_PAIRS && NORMAL_SCORES.contains(&self.outcomes().moments().mean)
    }

    /// How many independent results 0 or 1 would give a mean as sure as these pairs do, at least one a pair and at most
    /// two.
    fn effective_observations(&self) -> f64 {
        let mut counts = self.by_score().map(|count| count as f64);
        counts[0] += 1.0;
        counts[4] += 1.0;
        let Moments { mean, variance } = Pentanomial::new(counts).moments();
        let per_pair = mean * (1.0 - mean) / variance;
        self.pairs() as f64 * per_pair.clamp(1.0, 2.0)
    }

    /// The Elo difference, with the bounds of [`score`](Self::score)'s interval; all three within ±1199.83.
    pub fn elo(&self) -> Estimate {
        self.score().map(elo_of_score)
    }

    /// The Elo difference and half its 95 % interval by the normal pentanomial alone, as fishtest and fastchess tell
    /// it: for comparison with them. Too narrow for extreme scores and few pairs.
    pub fn normal_elo(&self) -> (f64, f64) {
        let outcomes = self.outcomes().regularised();
        let (mean, half) = (outcomes.moments().mean, Z * outcomes.deviation_of_mean());
        let (low, high) = (elo_of_score(mean - half), elo_of_score(mean + half));
        (elo_of_score(mean), (high - low) / 2.0)
    }

    /// Normalized Elo: the score's distance from ½ in standard deviations of a game, times 347.4. It tells how many
    /// games show a difference, whatever the share of draws. `None` where all pairs have the same score, for then the
    /// deviation is not known.
    pub fn normalized_elo(&self) -> Option<Estimate> {
        self.is_varied().then(|| {
            let outcomes = self.outcomes().regularised();
            let value = NORMALIZED_PER_DEVIATION * outcomes.distance();
            let half = NORMALIZED_PER_DEVIATION * Z * outcomes.deviation_of_distance();
            Estimate { value, low: value - half, high: value + half }
        })
    }

    /// Whether not all pairs have the same score.
    fn is_varied(&self) -> bool {
        self.by_score().into_iter().filter(|&count| count > 0).count() > 1
    }

    /// Likelihood of superiority: the chance that the first player is the stronger one, if nothing was known before; by
    /// the normal distribution, and so only worth something for [well-known](Self::is_well_known) scores. ½ without
    /// pairs. Not a rule by which to stop a match: for that there is [`Sprt`](super::sprt::Sprt).
    pub fn superiority(&self) -> f64 {
        if self.pairs() == 0 {
            return 0.5;
        }
        let outcomes = self.outcomes().regularised();
        normal_below((outcomes.moments().mean - 0.5) / outcomes.deviation_of_mean())
    }

    /// How far openings are from even, in score: the root of the mean square of their bias, which is what the results of
    /// a pair's two games have in common, with its 95 % interval. `None` where all pairs have the same score, for then
    /// nothing tells how far it varies.
    pub fn opening_bias(&self) -> Option<Estimate> {
        if !self.is_varied() {
            return None;
        }
        let pairs = self.pairs() as f64;
        let mean = self.outcomes().moments().mean;
        // An opening that leans to one side lets each player score once.
        let shared = |one: f64, two: f64| -(one - mean) * (two - mean);
        let kinds = [
            (self.loss_loss, shared(0.0, 0.0)),
            (self.loss_draw, shared(0.0, 0.5)),
            (self.draw_draw, shared(0.5, 0.5)),
            (self.win_loss, shared(1.0, 0.0)),
            (self.win_draw, shared(1.0, 0.5)),
            (self.win_win, shared(1.0, 1.0)),
        ];
        let mean_of = |f: &dyn Fn(f64) -> f64| kinds.iter().map(|&(count, x)| count as f64 * f(x)).sum::<f64>() / pairs;
        let square = mean_of(&|x| x);
        let half = Z * (mean_of(&|x| (x - square).powi(2)) / (pairs - 1.0)).sqrt();
        let square = Estimate { value: square, low: square - half, high: square + half };
        Some(square.map(|square| square.max(0.0).sqrt()))
    }

    pub(super) fn outcomes(&self) -> Pentanomial {
        Pentanomial::new(self.by_score().map(|count| count as f64))
    }
}

/// Wilson's interval for a mean of so many results 0 or 1, with continuity correction (Newcombe 1998, method 4) or, where
/// `correction` is 0 instead of 1, without (method 3).
fn wilson(mean: f64, observations: f64, correction: f64) -> (f64, f64) {
    let low = |mean: f64| {
        let inner =
            Z * Z - correction * (2.0 + 1.0 / observations) + 4.0 * mean * (observations * (1.0 - mean) + correction);
        let low = (2.0 * observations * mean + Z * Z - correction - Z * inner.max(0.0).sqrt())
            / (2.0 * (observations + Z * Z));
        low.max(0.0)
    };
    let most = |mean: f64| if mean > 0.0 { low(mean).min(mean) } else { 0.0 };
    (most(mean), 1.0 - most(1.0 - mean))
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::super::outcomes::Outcomes;
    use super::*;

    fn counts([loss_loss, loss_draw, draw_draw, win_draw, win_win]: [u64; 5]) -> PairCounts {
        PairCounts { loss_loss, loss_draw, draw_draw, win_loss: 0, win_draw, win_win }
    }

    /// Computed with fishtest (commit b8eecff); zero counts regularised there as here. To the last digit told. The last
    /// figures are of single games.
    #[test]
    fn elo_and_superiority_agree_with_fishtest() {
        let vectors = [
            ([39, 2226, 31451, 2412, 40], 0.9030, 0.6625, 0.996222),
            ([10789, 19328, 33806, 19402, 10543], -0.7736, 1.2776, 0.117659),
            ([13, 37, 50, 25, 3], -43.6578, 29.4272, 0.001610),
            ([39, 8843, 26675, 9240, 44], 1.5768, 1.0303, 0.998648),
            ([0, 0, 0, 0, 10], 1199.8262, 188.8975, 1.0),
            ([0, 0, 10, 0, 0], 0.0, 3.4036, 0.5),
            ([1, 2, 3, 4, 5], 120.4120, 131.2743, 0.980783),
            ([0, 5, 40, 9, 1], 18.9632, 25.9104, 0.925064),
        ];
        for (vector, elo, half, superiority) in vectors {
            let (found, found_half) = counts(vector).normal_elo();
            assert!((found - elo).abs() < 1e-4, "{vector:?}: {found}");
            assert!((found_half - half).abs() < 1e-4, "{vector:?}: {found_half}");
            let found = counts(vector).superiority();
            assert!((found - superiority).abs() < 1e-6, "{vector:?}: {found}");
        }
        let games = Outcomes::new([36027.0, 68692.0, 36433.0]);
        let (mean, deviation) = (games.moments().mean, games.deviation_of_mean());
        let half = (elo_of_score(mean + Z * deviation) - elo_of_score(mean - Z * deviation)) / 2.0;
        assert!((elo_of_score(mean) - 0.9993).abs() < 5e-5 && (half - 1.2986).abs() < 5e-5, "{half}");
        assert!((normal_below((mean - 0.5) / deviation) - 0.934258).abs() < 1e-6);
    }

    /// fastchess's own tests of its ratings, to half of the last digit told. Its bounds of normalized Elo leave out that
    /// the deviation is estimated too, which here makes them 3 % wider.
    #[test]
    fn normalized_elo_agrees_with_fastchess() {
        let [loss_loss, loss_draw, win_loss, draw_draw, win_draw, win_win] = [34, 54, 31, 32, 64, 75];
        let pairs = PairCounts { loss_loss, loss_draw, draw_draw, win_loss, win_draw, win_win };
        let Estimate { value, low, high } = pairs.normalized_elo().unwrap();
        assert!((value - 57.94).abs() < 0.005, "{value}");
        assert!((1.0..1.05).contains(&((high - low) / 2.0 / 28.28)), "{low} {high}");
        let (elo, half) = pairs.normal_elo();
        assert!((elo - 55.58).abs() < 0.005 && (half - 27.65).abs() < 0.01, "{elo} {half}");

        let [loss_loss, loss_draw, win_loss, draw_draw, win_draw, win_win] = [332, 433, 457, 41, 333, 334];
        let pairs = PairCounts { loss_loss, loss_draw, draw_draw, win_loss, win_draw, win_win };
        let value = pairs.normalized_elo().unwrap().value;
        assert!((value + 9.17).abs() < 0.005, "{value}");
        assert!((pairs.superiority() - 0.0505).abs() < 0.00005, "{}", pairs.superiority());
    }

    /// 4000 simulated matches a kind; the simulation's own standard error is 0.0035. Where the score is far from one half
    /// the deviation is what is hard to know.
    #[test]
    fn intervals_hold_the_true_normalized_elo() {
        let mut random = SmallRng::seed_from_u64(2);
        for score in [0.5, 0.6, 0.75] {
            for chances in kinds(score) {
                let truth = NORMALIZED_PER_DEVIATION * Pentanomial::new(chances).distance();
                let held = (0..4000).filter(|_| {
                    let Estimate { low, high, .. } = draw(chances, 400, &mut random).normalized_elo().unwrap();
                    low <= truth && truth <= high
                });
                let held = held.count() as f64 / 4000.0;
                assert!((0.935..=0.965).contains(&held), "{score} {chances:?}: {held}");
            }
        }
    }

    #[test]
    fn where_all_pairs_are_alike_there_is_no_normalized_elo() {
        assert_eq!(counts([0, 0, 0, 0, 10]).normalized_elo(), None);
        assert_eq!(counts([0; 5]).normalized_elo(), None);
        assert_eq!(counts([0; 5]).superiority(), 0.5);
    }

    #[test]
    fn the_bias_of_openings_is_what_pairs_share() {
        // Whoever has White wins: the openings decide nearly everything, half a point from even.
        let decided = PairCounts { win_loss: 500, win_draw: 1, ..PairCounts::default() }.opening_bias().unwrap();
        assert!((decided.value - 0.5).abs() < 1e-3, "{decided:?}");
        assert_eq!(PairCounts { win_loss: 50, ..PairCounts::default() }.opening_bias(), None);
        // Games that are independent.
        let independent = PairCounts { loss_loss: 25, win_loss: 50, win_win: 25, ..PairCounts::default() };
        let Estimate { value, low, high } = independent.opening_bias().unwrap();
        assert!(value < 1e-6 && low == 0.0 && (0.15..0.3).contains(&high), "{value} {low} {high}");
        // Openings that lean by a quarter of a point, a draw and a win or loss between equals.
        let leaning =
            PairCounts { draw_draw: 100, win_draw: 100, loss_draw: 100, win_loss: 100, ..PairCounts::default() };
        let Estimate { value, low, high } = leaning.opening_bias().unwrap();
        assert!((value - 0.25).abs() < 1e-12 && low > 0.2 && high < 0.3, "{value} {low} {high}");
        assert_eq!(counts([0, 0, 0, 0, 1]).opening_bias(), None);
    }

    fn draw(chances: [f64; 5], pairs: u64, random: &mut SmallRng) -> PairCounts {
        let mut drawn = [0; 5];
        for _ in 0..pairs {
            let mut at: f64 = random.random();
            let mut index = 0;
            while index < 4 && at >= chances[index] {
                at -= chances[index];
                index += 1;
            }
            drawn[index] += 1;
        }
        counts(drawn)
    }

    /// Chances of a pair's score for players whose games are won with chance `p` or lost: the games independent, both
    /// always alike, and with half of the losses turned into draws.
    fn kinds(p: f64) -> [[f64; 5]; 3] {
        let loss = 1.0 - p;
        [
            [loss * loss, 0.0, 2.0 * p * loss, 0.0, p * p],
            [loss, 0.0, 0.0, 0.0, p],
            [0.0, loss * loss, loss * p, loss * p, 1.0 - loss * (1.0 + p)],
        ]
    }

    /// The share of simulated matches whose interval holds the true score.
    fn coverage(chances: [f64; 5], pairs: u64, random: &mut SmallRng) -> f64 {
        const MATCHES: u32 = 20_000;
        let truth = chances[1] * 0.25 + chances[2] * 0.5 + chances[3] * 0.75 + chances[4];
        let held = (0..MATCHES).filter(|_| {
            let Estimate { low, high, .. } = draw(chances, pairs, random).score();
            low < high && low <= truth && truth <= high
        });
        held.count() as f64 / f64::from(MATCHES)
    }

    /// 20,000 simulated matches a kind, whose own standard error is 0.0015. 0.01 is the promise for scores from 0.2 to 0.8.
    /// Where pairs have two scores alone, or one in all but a few, matches have few different means, and coverage jumps
    /// from one number of pairs to the next by more than that.
    #[test]
    fn intervals_hold_the_true_score() {
        let mut random = SmallRng::seed_from_u64(1);
        for (pairs, score) in [(100, 0.3), (200, 0.5), (300, 0.65), (1000, 0.6), (100, 0.5)] {
            let [independent, alike, drawn] = kinds(score);
            for chances in [independent, drawn] {
                let held = coverage(chances, pairs, &mut random);
                assert!((0.94..=0.96).contains(&held), "{pairs} pairs, {chances:?}: {held}");
            }
            let held = coverage(alike, pairs, &mut random);
            assert!((0.935..=0.965).contains(&held), "{pairs} pairs, {alike:?}: {held}");
        }
        let few_differ = [
            [0.01, 0.04, 0.9, 0.04, 0.01],
            [0.005, 0.02, 0.95, 0.02, 0.005],
            [0.035, 0.0, 0.93, 0.0, 0.035],
            [0.0, 0.0, 0.9, 0.1, 0.0],
            [0.01, 0.01, 0.02, 0.9, 0.06],
        ];
        for pairs in [100, 200, 500] {
            for chances in few_differ {
                let held = coverage(chances, pairs, &mut random);
                assert!((0.93..=0.99).contains(&held), "{pairs} pairs, {chances:?}: {held}");
            }
        }
        for pairs in [5, 50, 200] {
            for score in [0.999, 0.995, 0.99, 0.97, 0.95, 0.9, 0.85] {
                for chances in kinds(score) {
                    let held = coverage(chances, pairs, &mut random);
                    assert!(held >= 0.947, "{pairs} pairs, {chances:?}: {held}");
                }
            }
        }
    }

    #[test]
    fn intervals_have_width_and_mirror() {
        for vector in [[0, 0, 0, 0, 1], [0, 0, 0, 0, 1000], [0, 0, 500, 0, 0], [0, 1, 2, 0, 200], [3, 1, 90, 5, 9]] {
            let Estimate { value, low, high } = counts(vector).score();
            assert!(0.0 <= low && low <= value && value <= high && high <= 1.0 && high - low > 0.001, "{vector:?}");
            let [a, b, c, d, e] = vector;
            let mirrored = counts([e, d, c, b, a]).score();
            for (left, right) in [(value, mirrored.value), (low, mirrored.high), (high, mirrored.low)] {
                assert!((left + right - 1.0).abs() < 1e-12, "{vector:?}");
            }
        }
        assert_eq!(counts([0; 5]).score(), Estimate { value: 0.5, low: 0.0, high: 1.0 });
        // 100 games won: the exact bound 0.025^(1/50).
        let all = counts([0, 0, 0, 0, 50]);
        assert!((all.score().low - 0.92887).abs() < 1e-5 && all.score().high == 1.0);
        assert!((all.elo().high - 1199.8262).abs() < 1e-4);
    }
}
