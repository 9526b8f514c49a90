//! The sequential probability ratio test: it looks after every pair of games and stops as soon as it knows.
//!
//! The test decides between two differences in strength, told in normalized Elo (the number of games it takes then
//! does not depend on the share of draws), by the generalized likelihood ratio of the pentanomial, as fishtest and
//! fastchess do. The Elo of a match that such a test has stopped is too far from 0 if it is counted plainly;
//! [`Sprt::estimate`] gives one that is as often too high as too low.

use super::brownian::Brownian;
use super::outcomes::Pentanomial;
use super::pairs::PairCounts;
use super::{Estimate, NORMALIZED_PER_DEVIATION, falling_root, score_of_elo};

/// Two differences in strength to decide between, and how often either decision may be wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// What a test says of the pairs so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The difference is `elo0` rather than `elo1`.
    Lower,
    /// The difference is `elo1` rather than `elo0`.
    Higher,
    /// Not known yet.
    Open,
}

/// What a test that has stopped says about the difference in strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stopped {
    /// The Elo difference: the one at which an outcome as this or worse has a chance of one half, with the bounds of
    /// its 95 % interval.
    pub elo: Estimate,
    /// The chance that the first player is the stronger one.
    pub superiority: f64,
}

/// The most that `elo0` and `elo1` may be: where they lie further from 0, the iteration for their likelihood has no
/// start. Such players are told apart by a few games anyway.
const MOST_ELO: f64 = 200.0;

impl Sprt {
    /// A test of `elo0` against `elo1`, both in normalized Elo. `alpha` is how often the second may be taken where the
    /// first is true, `beta` the other way round.
    ///
    /// # Errors
    /// `elo0` is not below `elo1`, one of them is beyond ±200, or a chance is not from 0.0001 to 0.49; in words.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, String> {
        let within = |elo: f64| elo.abs() <= MOST_ELO;
        if !within(elo0) || !within(elo1) || elo1 - elo0 < 0.01 {
            return Err(format!("elo0 ({elo0}) must be below elo1 ({elo1}), both from {} to {MOST_ELO}", -MOST_ELO));
        }
        for (name, chance) in [("alpha", alpha), ("beta", beta)] {
            if !(0.0001..=0.49).contains(&chance) {
                return Err(format!("{name} is {chance}; it must be from 0.0001 to 0.49"));
            }
        }
        Ok(Sprt { elo0, elo1, alpha, beta })
    }

    /// The log-likelihood ratios at which the test stops, for `elo0` and for `elo1` (Wald).
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of `elo1` to `elo0`; 0 without pairs. Scores that did not occur count a thousandth.
    pub fn log_ratio(&self, pairs: &PairCounts) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let (distance0, distance1) = self.distances();
        pairs.outcomes().regularised().ratio_of_distances(distance0, distance1)
    }

    /// Both differences in deviations of a game.
    fn distances(&self) -> (f64, f64) {
        (self.elo0 / NORMALIZED_PER_DEVIATION, self.elo1 / NORMALIZED_PER_DEVIATION)
    }

    /// The decision.
    pub fn decide(&self, pairs: &PairCounts) -> Decision {
        let (low, high) = self.bounds();
        match self.log_ratio(pairs) {
            ratio if ratio <= low => Decision::Lower,
            ratio if ratio >= high => Decision::Higher,
            _ => Decision::Open,
        }
    }

    /// The games that the test takes in the mean where the normalized Elo difference is `elo`, by Brownian motion.
    pub fn expected_games(&self, elo: f64) -> f64 {
        let (low, high) = self.bounds();
        let speed = ((self.elo1 - self.elo0) / NORMALIZED_PER_DEVIATION).powi(2);
        let slope = (2.0 * elo - self.elo0 - self.elo1) / (self.elo1 - self.elo0);
        if slope.abs() < 1e-6 {
            return -low * high / speed;
        }
        let passes = (1.0 - (-slope * low).exp()) / ((-slope * high).exp() - (-slope * low).exp());
        2.0 / slope * (high * passes + low * (1.0 - passes)) / speed
    }

    /// The strength of a match that the test has stopped (or that goes on): median-unbiased, as fishtest does, by
    /// Brownian motion between the bounds. `None` without pairs.
    pub fn estimate(&self, pairs: &PairCounts) -> Option<Stopped> {
        if pairs.pairs() == 0 {
            return None;
        }
        let walk = Walk::of(self, pairs);
        // The chance of a worse outcome falls with the strength.
        let elo_at = |chance: f64| falling_root(-WIDEST_ELO, WIDEST_ELO, |elo| walk.chance_of_worse(elo) - chance);
        Some(Stopped {
            elo: Estimate { value: elo_at(0.5), low: elo_at(0.975), high: elo_at(0.025) },
            superiority: walk.chance_of_worse(0.0),
        })
    }
}

/// Estimates lie within this.
const WIDEST_ELO: f64 = 1199.0;

/// A test as Brownian motion of its log-likelihood ratio.
struct Walk {
    sprt: Sprt,
    outcomes: Pentanomial,
    /// The pairs at which the ratio stood, or met its bound.
    time: f64,
    ratio: f64,
}

impl Walk {
    fn of(sprt: &Sprt, pairs: &PairCounts) -> Walk {
        let outcomes = pairs.outcomes().regularised();
        let (low, high) = sprt.bounds();
        let reached = sprt.log_ratio(pairs);
        let ratio = reached.clamp(low, high);
        // A ratio beyond its bound met it earlier.
        let time = if reached == ratio { outcomes.units() } else { outcomes.units() * ratio / reached };
        Walk { sprt: *sprt, outcomes, time, ratio }
    }

    /// The chance of a worse outcome for the first player where the true Elo difference is `elo`: the test fails
    /// sooner, passes later, or fails instead of passing. What a pair adds to the ratio then is told by the chances
    /// nearest to what was seen that have that strength: near the hypotheses that is fishtest's drift, which is in
    /// proportion to the score's distance from them; far from them a pair adds less than in proportion.
    fn chance_of_worse(&self, elo: f64) -> f64 {
        let (distance0, distance1) = self.sprt.distances();
        let added = self.outcomes.with_score(score_of_elo(elo)).ratio_per_unit(distance0, distance1);
        let (low, high) = self.sprt.bounds();
        Brownian { low, high, drift: added.mean, variance: added.variance }.chance_below(self.time, self.ratio)
    }
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

    fn test(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05).unwrap()
    }

    /// Mean score at a logistic Elo difference.
    fn ratio_of_elo<const N: usize>(counts: [f64; N], elo0: f64, elo1: f64) -> f64 {
        Outcomes::new(counts).regularised().ratio_of_scores(score_of_elo(elo0), score_of_elo(elo1))
    }

    /// Computed with fishtest (commit b8eecff) to six digits after the point: normalized [0, 5], its closed form,
    /// normalized [0, 10], logistic [0, 5] (of the last vector [0, 10]).
    #[test]
    fn log_ratios_agree_with_fishtest() {
        let vectors = [
            ([39, 2226, 31451, 2412, 40], 2.847899, 2.848650, -9.324413, -68.718702),
            ([10789, 19328, 33806, 19402, 10543], -26.838449, -26.836615, -92.534178, -38.514408),
            ([13, 37, 50, 25, 3], -0.691546, -0.679896, -1.434414, -1.012680),
            ([39, 8843, 26675, 9240, 44], 3.639943, 3.640050, -11.287868, -16.698659),
            ([0, 0, 0, 0, 10], 0.201447, 0.011140, 0.398671, 0.142904),
            ([0, 0, 10, 0, 0], -0.002699, -0.002072, -0.013653, -0.139428),
            ([1, 2, 3, 4, 5], 0.140937, 0.140723, 0.275908, 0.141340),
            ([0, 5, 40, 9, 1], 0.210086, 0.202518, 0.397984, 0.838838),
        ];
        for (vector, to_5, closed, to_10, logistic) in vectors {
            let near = |found: f64, expected: f64| {
                assert!((found - expected).abs() < 2e-6, "{vector:?}: {found} for {expected}");
            };
            near(test(0.0, 5.0).log_ratio(&counts(vector)), to_5);
            near(closed_form(&counts(vector), 0.0, 5.0), closed);
            near(test(0.0, 10.0).log_ratio(&counts(vector)), to_10);
            let elo1 = if vector == [0, 5, 40, 9, 1] { 10.0 } else { 5.0 };
            near(ratio_of_elo(vector.map(|count| count as f64), 0.0, elo1), logistic);
        }
        // Trinomial.
        let games = Outcomes::new([36027.0, 68692.0, 36433.0]);
        let ratio = games.ratio_of_distances(0.0, 2.0 / NORMALIZED_PER_DEVIATION);
        assert!((ratio - 0.923293).abs() < 2e-6, "{ratio}");
        let ratio = ratio_of_elo([36027.0, 68692.0, 36433.0], 0.0, 2.0);
        assert!((ratio + 0.002982).abs() < 2e-6, "{ratio}");
        // From a page of another author, to its last digit.
        let ratio = test(0.0, 4.0).log_ratio(&counts([13, 37, 50, 25, 3]));
        assert!((ratio + 0.5491).abs() < 5e-5, "{ratio}");
    }

    /// n/2 · ln((1 + (t − t0)²) / (1 + (t − t1)²)) for n games whose mean lies t deviations above ½.
    fn closed_form(pairs: &PairCounts, elo0: f64, elo1: f64) -> f64 {
        let outcomes = pairs.outcomes().regularised();
        let part = |elo: f64| 1.0 + (outcomes.distance() - elo / NORMALIZED_PER_DEVIATION).powi(2);
        outcomes.units() * (part(elo0) / part(elo1)).ln()
    }

    /// fastchess's own tests, to its 1 %.
    #[test]
    fn log_ratios_agree_with_fastchess() {
        let pairs = |[loss_loss, loss_draw, win_loss, draw_draw, win_draw, win_win]: [u64; 6]| PairCounts {
            loss_loss,
            loss_draw,
            draw_draw,
            win_loss,
            win_draw,
            win_win,
        };
        let near = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 0.01, "{found} for {expected}");
        };
        near(test(0.0, 2.0).log_ratio(&pairs([365, 16618, 36029, 200, 16974, 390])), 2.25);
        near(test(-1.75, 0.25).log_ratio(&pairs([127, 4883, 10311, 401, 5150, 104])), 3.01);
        near(test(0.0, 5.0).log_ratio(&pairs([0, 0, 0, 0, 0, 5550])), 111.82);
        let logistic = |counts, elo0, elo1| ratio_of_elo(pairs(counts).by_score().map(|c| c as f64), elo0, elo1);
        near(logistic([223, 9863, 20279, 1000, 10037, 246], 0.5, 2.5), -3.07);
        near(logistic([871, 26175, 55003, 980, 26678, 821], 0.0, 2.0), -4.98);
    }

    /// Computed with fishtest, which takes the drift in proportion to the score.
    #[test]
    fn the_estimate_of_a_stopped_test_agrees_with_fishtest() {
        let pairs = counts([39, 2226, 31451, 2412, 40]);
        let test = test(0.764, 3.439);
        let walk = Walk::of(&test, &pairs);
        assert!((walk.ratio - 2.162941).abs() < 2e-6, "{}", walk.ratio);
        let Stopped { elo, superiority } = test.estimate(&pairs).unwrap();
        for (found, expected) in
            [(elo.value, 0.865160), (elo.low, 0.168272), (elo.high, 1.540583), (superiority, 0.991999)]
        {
            assert!((found - expected).abs() < 5e-4, "{found} for {expected}");
        }
    }

    #[test]
    fn bounds_and_lengths_are_as_computed_elsewhere() {
        let (low, high) = test(0.0, 5.0).bounds();
        assert!((low + 2.944438979).abs() < 1e-9 && (high - 2.944438979).abs() < 1e-9);
        for (elo1, middle, ends) in [
            (5.0, 41861.0, 25591.0),
            (10.0, 10465.0, 6398.0),
            (20.0, 2616.0, 1599.0),
            (30.0, 1163.0, 711.0),
            (50.0, 419.0, 256.0),
            (100.0, 105.0, 64.0),
        ] {
            let test = test(0.0, elo1);
            for (elo, games) in [(elo1 / 2.0, middle), (0.0, ends), (elo1, ends)] {
                let found = test.expected_games(elo);
                assert!((found - games).abs() < 0.6, "[0, {elo1}] at {elo}: {found} for {games}");
            }
        }
    }

    #[test]
    fn what_is_no_test_is_refused() {
        for (elo0, elo1, alpha, beta) in [
            (5.0, 5.0, 0.05, 0.05),
            (30.0, 0.0, 0.05, 0.05),
            (f64::NAN, 0.0, 0.05, 0.05),
            (0.0, f64::INFINITY, 0.05, 0.05),
            (0.0, 201.0, 0.05, 0.05),
            (0.0, 5.0, 0.0, 0.05),
            (0.0, 5.0, 0.05, 0.6),
            (0.0, 5.0, f64::NAN, 0.05),
        ] {
            assert!(Sprt::new(elo0, elo1, alpha, beta).is_err(), "{elo0} {elo1} {alpha} {beta}");
        }
        assert_eq!(test(0.0, 30.0).decide(&PairCounts::default()), Decision::Open);
        assert_eq!(test(0.0, 30.0).estimate(&PairCounts::default()), None);
    }

    /// A pair's score under chances.
    fn draw(chances: &[f64; 5], random: &mut SmallRng) -> usize {
        let mut at: f64 = random.random();
        for (index, chance) in chances.iter().enumerate() {
            if at < *chance {
                return index;
            }
            at -= chance;
        }
        4
    }

    /// Chances around ½ with a mean so many normalized Elo above it: many draws, few draws, and unfair openings.
    fn with_elo(elo: f64) -> [[f64; 5]; 3] {
        [[0.02, 0.18, 0.6, 0.18, 0.02], [0.2, 0.05, 0.5, 0.05, 0.2], [0.03, 0.1, 0.74, 0.1, 0.03]].map(|even| {
            // Moves chance from the losing to the winning scores until the distance is right.
            let leaning = |lean: f64| -> [f64; 5] {
                std::array::from_fn(|index| even[index] * (1.0 + lean * (index as f64 - 2.0) / 2.0))
            };
            let distance = |lean: f64| Outcomes::new(leaning(lean)).distance() * NORMALIZED_PER_DEVIATION;
            leaning(falling_root(-1.0, 1.0, |lean| elo - distance(lean)))
        })
    }

    /// What simulated matches came to.
    struct Simulated {
        /// The share that the test decides for `elo1`.
        higher: f64,
        /// The mean number of games.
        games: f64,
        /// How often the estimate lies above the truth.
        above: f64,
        /// How often the truth lies within the estimate's bounds.
        held: f64,
    }

    fn simulate(test: &Sprt, chances: &[f64; 5], matches: u32, random: &mut SmallRng) -> Simulated {
        let truth = super::super::elo_of_score(Outcomes::new(*chances).moments().mean);
        let (mut higher, mut pairs, mut above, mut held) = (0, 0, 0, 0);
        for _ in 0..matches {
            let mut drawn = [0; 5];
            let decision = loop {
                drawn[draw(chances, random)] += 1;
                match test.decide(&counts(drawn)) {
                    Decision::Open => {}
                    decision => break decision,
                }
            };
            higher += u32::from(decision == Decision::Higher);
            pairs += drawn.iter().sum::<u64>();
            // Where the estimate and its bounds stand to the truth, without looking for them.
            let worse = Walk::of(test, &counts(drawn)).chance_of_worse(truth);
            above += u32::from(worse > 0.5);
            held += u32::from((0.025..=0.975).contains(&worse));
        }
        let share = |count: u32| f64::from(count) / f64::from(matches);
        let games = 2.0 * pairs as f64 / f64::from(matches);
        Simulated { higher: share(higher), games, above: share(above), held: share(held) }
    }

    /// 400 matches: the simulation's own standard error at 5 % is 1.1 %, at 50 % it is 2.5 %.
    #[test]
    fn the_test_keeps_its_promises() {
        const MATCHES: u32 = 400;
        let mut random = SmallRng::seed_from_u64(1);
        let test = test(0.0, 60.0);
        for elo in [0.0, 60.0] {
            for chances in with_elo(elo) {
                let Simulated { higher, games, above, held } = simulate(&test, &chances, MATCHES, &mut random);
                let wrong = if elo == 0.0 { higher } else { 1.0 - higher };
                assert!(wrong < 0.05 + 2.0 * 0.011, "{chances:?}: {wrong} decided wrongly");
                let expected = test.expected_games(elo);
                assert!((0.8..1.25).contains(&(games / expected)), "{chances:?}: {games} games for {expected}");
                assert!((0.43..0.57).contains(&above), "{chances:?}: {above} of the estimates too high");
                assert!((0.92..0.99).contains(&held), "{chances:?}: {held} within their bounds");
            }
        }
    }

    /// Where the truth lies beyond both hypotheses the test ends soon, and the estimate follows the truth and not the
    /// hypotheses. There are few pairs then, so that it is less exact.
    #[test]
    fn the_estimate_holds_beyond_the_hypotheses() {
        const MATCHES: u32 = 400;
        let mut random = SmallRng::seed_from_u64(2);
        let test = test(0.0, 30.0);
        for elo in [-200.0, -90.0, 90.0, 200.0] {
            for chances in with_elo(elo) {
                let Simulated { above, held, .. } = simulate(&test, &chances, MATCHES, &mut random);
                assert!((0.4..0.6).contains(&above), "{elo} {chances:?}: {above} of the estimates too high");
                assert!((0.9..0.99).contains(&held), "{elo} {chances:?}: {held} within their bounds");
            }
        }
        // All games won: nothing says how much stronger, but it is much.
        let won = test.estimate(&counts([0, 0, 0, 0, 30])).unwrap().elo;
        assert!(won.value > 400.0 && won.low > 150.0 && won.high > 1000.0, "{won:?}");
        // The same seen from the other side.
        let lost = Sprt::new(-30.0, 0.0, 0.05, 0.05).unwrap().estimate(&counts([30, 0, 0, 0, 0])).unwrap().elo;
        assert!((won.value + lost.value).abs() < 1.0 && (won.low + lost.high).abs() < 1.0, "{lost:?}");
    }

    /// At the widest hypotheses the ratio is a number, whatever the pairs.
    #[test]
    fn ratios_are_numbers_up_to_the_widest_hypotheses() {
        for (elo0, elo1) in [(0.0, 200.0), (-200.0, 0.0), (-200.0, 200.0), (190.0, 200.0)] {
            for drawn in [
                [1, 0, 0, 0, 0],
                [0, 0, 1, 0, 0],
                [0, 0, 0, 0, 1],
                [500, 0, 0, 0, 0],
                [0, 0, 0, 0, 500],
                [0, 0, 500, 0, 0],
                [100, 0, 0, 0, 100],
                [0, 1, 98, 1, 0],
            ] {
                let test = test(elo0, elo1);
                assert!(test.log_ratio(&counts(drawn)).is_finite(), "{elo0} {elo1} {drawn:?}");
                let Stopped { elo, superiority } = test.estimate(&counts(drawn)).unwrap();
                assert!(elo.low <= elo.value && elo.value <= elo.high && superiority.is_finite(), "{drawn:?}: {elo:?}");
            }
        }
    }
}
