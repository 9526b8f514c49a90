//! Ratings of a round robin: the strengths that make all its results most likely.
//!
//! After Bradley and Terry (1952), with draws as Davidson (1970) has them and a term for the side that plays first. The
//! log-likelihood is concave, so that Newton's method finds its one highest point. The covariance of the strengths is the
//! inverse of its curvature there, which takes games as independent. Games with the same opening are not: they lean the
//! same way. Where openings are known, a second covariance counts each opening as one observation (the "sandwich" of
//! Huber and White), and of both the wider one stands: the first is too narrow for the first player's advantage, the
//! second for few openings.

mod crosstable;
mod model;

use nalgebra::{DMatrix, DVector};
use thiserror::Error;

use super::{Estimate, Z};
pub use crosstable::{Crosstable, ForFirst};
pub use model::DrawModel;
use model::{davidson, log_likelihood, logistic};

/// Why there are no ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RatingError {
    /// Fewer than two players.
    #[error("ratings want two players at least")]
    TooFew,
    /// A player met nobody.
    #[error("player {0} has no game")]
    Idle(usize),
    /// The likelihood has no highest point that can be found.
    #[error("no ratings fit these results")]
    NoFit,
}

/// Why the results alone do not bound all ratings, so that a prior was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unbounded {
    /// Some players won all their games against all others, or lost them.
    Strengths,
    /// The advantage of the side that plays first, or the share of draws, has no bound.
    Terms,
}

/// The deviation of the normal prior around 0 that is added where results alone do not bound a rating, in Elo of
/// [`Ratings::strength`]'s scale.
pub const PRIOR_DEVIATION: f64 = 800.0;

/// Elo of a unit of strength.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Strengths with their covariance.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratings {
    model: DrawModel,
    players: usize,
    /// The strengths, whose sum is 0; the first player's advantage; the term of draws.
    values: DVector<f64>,
    /// By the curvature of the log-likelihood.
    covariance: DMatrix<f64>,
    /// By openings, where they are known.
    covariance_by_openings: Option<DMatrix<f64>>,
    /// The natural logarithm of the likelihood of all results.
    pub log_likelihood: f64,
    /// Why a prior was added; `None` where the results alone tell.
    pub prior: Option<Unbounded>,
}

impl Ratings {
    /// Fits strengths to results. Where there are no draws the model without them is taken.
    ///
    /// # Errors
    /// There are fewer than two players, one has no game, or nothing fits.
    pub fn fit(table: &Crosstable, model: DrawModel) -> Result<Ratings, RatingError> {
        if table.players() < 2 {
            return Err(RatingError::TooFew);
        }
        if let Some(idle) = (0..table.players()).find(|&player| table.of(player) == [0; 3]) {
            return Err(RatingError::Idle(idle));
        }
        let draws: f64 = table.meetings().map(|(_, _, results)| results[1]).sum();
        let model = if draws > 0.0 { model } else { DrawModel::Halves };
        let unbounded = match table.is_connected() {
            false => Unbounded::Strengths,
            true => match newton(table, model, 0.0) {
                Some(ratings) => return Ok(ratings),
                None => Unbounded::Terms,
            },
        };
        let weight = (ELO / PRIOR_DEVIATION).powi(2);
        let ratings = newton(table, model, weight).ok_or(RatingError::NoFit)?;
        Ok(Ratings { prior: Some(unbounded), ..ratings })
    }

    /// A player's strength in the model's own Elo, 400 / ln 10 times its logarithm, with 95 % bounds; all sum to 0.
    /// With draws this scale is wider than that of expected scores: for people there is [`elo`](Self::elo).
    pub fn strength(&self, player: usize) -> Estimate {
        self.in_elo(player)
    }

    /// The advantage of the side that plays first on the scale of [`strength`](Self::strength), with 95 % bounds.
    pub fn first_player(&self) -> Estimate {
        self.in_elo(self.players)
    }

    fn in_elo(&self, index: usize) -> Estimate {
        let half = Z * self.deviation(&[(index, 1.0)]);
        let value = self.values[index];
        Estimate { value, low: value - half, high: value + half }.map(|value| ELO * value)
    }

    /// The standard error of a sum of values, each with its factor.
    fn deviation(&self, sum: &[(usize, f64)]) -> f64 {
        let variance = |covariance: &DMatrix<f64>| -> f64 {
            sum.iter().map(|&(a, x)| sum.iter().map(|&(b, y)| x * y * covariance[(a, b)]).sum::<f64>()).sum()
        };
        let by_openings = self.covariance_by_openings.as_ref().map_or(0.0, variance);
        variance(&self.covariance).max(by_openings).max(0.0).sqrt()
    }

    /// The term of draws, natural; `None` in a model without one.
    pub fn draw_term(&self) -> Option<f64> {
        (self.model != DrawModel::Halves).then(|| self.values[self.players + 1])
    }

    /// The chance of a draw between equal players where neither plays first; `None` in a model without one.
    pub fn draw_chance(&self) -> Option<f64> {
        let term = self.draw_term()?;
        Some(match self.model {
            DrawModel::RaoKupper => 1.0 - 2.0 * logistic(-term),
            DrawModel::Davidson | DrawModel::Halves => davidson(0.0, term)[1],
        })
    }

    /// How draws entered the likelihood.
    pub fn model(&self) -> DrawModel {
        self.model
    }

    /// The score that a player is expected to make against another, as often first as second, with the bounds of its
    /// 95 % interval.
    pub fn expected_score(&self, player: usize, opponent: usize) -> Estimate {
        let half = Z * self.deviation(&[(player, 1.0), (opponent, -1.0)]);
        let difference = self.values[player] - self.values[opponent];
        let advantage = self.values[self.players];
        let score = |difference: f64| {
            let first = self.score_of_first(difference + advantage);
            let second = 1.0 - self.score_of_first(-difference + advantage);
            0.5 * (first + second)
        };
        Estimate { value: difference, low: difference - half, high: difference + half }.map(score)
    }

    /// The score that the side that plays first is expected to make between equal players.
    pub fn first_player_score(&self) -> Estimate {
        self.first_player().map(|elo| self.score_of_first(elo / ELO))
    }

    /// A player's Elo above an anchor: that at which the expected score lies. Its bounds are those of the difference.
    pub fn elo(&self, player: usize, anchor: usize) -> Estimate {
        // Fitted scores are never 0 or 1, so this scale has no end.
        self.expected_score(player, anchor).map(|score| ELO * (score / (1.0 - score)).ln())
    }

    fn score_of_first(&self, z: f64) -> f64 {
        let term = self.values[self.players + 1];
        match self.model {
            DrawModel::Halves => logistic(z),
            DrawModel::Davidson => {
                let [won, drawn, _] = davidson(z, term);
                won + 0.5 * drawn
            }
            DrawModel::RaoKupper => 0.5 * (1.0 + logistic(z - term) - logistic(-z - term)),
        }
    }
}

/// The highest point of the log-likelihood less half of `prior` times the squares of all values; `None` if it runs away.
fn newton(table: &Crosstable, model: DrawModel, prior: f64) -> Option<Ratings> {
    const ROUNDS: u32 = 200;
    const NEAR: f64 = 1e-10;
    /// Strengths beyond this, some 3,500 Elo, mean that there is no highest point.
    const FARTHEST: f64 = 20.0;
    let players = table.players();
    let mut values = DVector::zeros(players + 2);
    if model == DrawModel::RaoKupper {
        values[players + 1] = 0.5;
    }
    let mut here = climb(table, model, prior, &values);
    for _ in 0..ROUNDS {
        let inverse = here.curvature.clone().cholesky()?.inverse();
        let step = &inverse * &here.slope;
        let slope = here.slope.dot(&step);
        // Half of what is still to be gained.
        if slope < NEAR {
            // The curvature was made regular along the direction in which all strengths rise together.
            let mut covariance = inverse;
            let along = 1.0 / (players * players) as f64;
            covariance.view_mut((0, 0), (players, players)).add_scalar_mut(-along);
            let log_likelihood = here.value + 0.5 * prior * values.norm_squared();
            let covariance_by_openings = by_openings(table, model, &values, &covariance);
            return Some(Ratings {
                model,
                players,
                values,
                covariance,
                covariance_by_openings,
                log_likelihood,
                prior: None,
            });
        }
        let mut share = 1.0;
        loop {
            let next = &values + share * &step;
            if next.amax() <= FARTHEST {
                let there = climb(table, model, prior, &next);
                if there.value.is_finite() && there.value >= here.value {
                    (values, here) = (next, there);
                    break;
                }
            }
            share *= 0.5;
            if share < 1e-9 {
                return None;
            }
        }
    }
    None
}

/// The covariance that takes each opening as one observation; `None` where too few openings are known.
fn by_openings(
    table: &Crosstable,
    model: DrawModel,
    values: &DVector<f64>,
    covariance: &DMatrix<f64>,
) -> Option<DMatrix<f64>> {
    const LEAST_OPENINGS: usize = 10;
    let openings = table.openings();
    let count = openings.len();
    if count < LEAST_OPENINGS {
        return None;
    }
    let (advantage, term) = (values.len() - 2, values.len() - 1);
    let mut spread = DMatrix::zeros(values.len(), values.len());
    for games in openings {
        let mut slope = DVector::<f64>::zeros(values.len());
        for &(first, second, result) in games {
            let mut results = [0.0; 3];
            results[result as usize] = 1.0;
            let z = values[first] - values[second] + values[advantage];
            let found = log_likelihood(model, z, values[term], results);
            slope[first] += found.by_z;
            slope[second] -= found.by_z;
            slope[advantage] += found.by_z;
            slope[term] += found.by_term;
        }
        spread += &slope * slope.transpose();
    }
    let small = count as f64 / (count as f64 - 1.0);
    Some(small * covariance * spread * covariance)
}

/// A point of the log-likelihood.
struct Point {
    value: f64,
    slope: DVector<f64>,
    /// The negative second derivatives, made regular.
    curvature: DMatrix<f64>,
}

fn climb(table: &Crosstable, model: DrawModel, prior: f64, values: &DVector<f64>) -> Point {
    let players = table.players();
    let (advantage, term) = (players, players + 1);
    let size = players + 2;
    let mut point = Point {
        value: -0.5 * prior * values.norm_squared(),
        slope: -prior * values,
        curvature: DMatrix::from_diagonal_element(size, size, prior),
    };
    // Only differences of strengths show in results: their sum stays 0.
    point.curvature.view_mut((0, 0), (players, players)).add_scalar_mut(1.0);
    if model == DrawModel::Halves {
        point.curvature[(term, term)] += 1.0;
    }
    for (first, second, results) in table.meetings() {
        let z = values[first] - values[second] + values[advantage];
        let found = log_likelihood(model, z, values[term], results);
        point.value += found.value;
        let signs = [(first, 1.0), (second, -1.0), (advantage, 1.0)];
        for (row, sign) in signs {
            point.slope[row] += sign * found.by_z;
            point.curvature[(row, term)] -= sign * found.by_z_term;
            point.curvature[(term, row)] -= sign * found.by_z_term;
            for (column, other) in signs {
                point.curvature[(row, column)] -= sign * other * found.by_z_z;
            }
        }
        point.slope[term] += found.by_term;
        point.curvature[(term, term)] -= found.by_term_term;
    }
    point
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};
    use seega_rules::record::{GameResult, RecordReason};
    use seega_rules::{EndReason, Side};

    use super::*;
    use crate::game::PlayedGame;

    fn table(results: &[(usize, usize, [u64; 3])]) -> Crosstable {
        let players = results.iter().map(|(first, second, _)| first.max(second) + 1).max().unwrap();
        let mut table = Crosstable::new(players);
        for &(first, second, [won, drawn, lost]) in results {
            table.add(first, second, ForFirst::Won, won);
            table.add(first, second, ForFirst::Drawn, drawn);
            table.add(first, second, ForFirst::Lost, lost);
        }
        table
    }

    fn three() -> Crosstable {
        table(&[
            (0, 1, [12, 5, 3]),
            (1, 0, [7, 6, 7]),
            (0, 2, [15, 3, 2]),
            (2, 0, [5, 5, 10]),
            (1, 2, [11, 4, 5]),
            (2, 1, [8, 4, 8]),
        ])
    }

    fn near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found} for {expected}");
    }

    fn error(estimate: Estimate) -> f64 {
        (estimate.high - estimate.low) / (2.0 * Z)
    }

    /// By a fit with scipy; to half of the last digit told.
    #[test]
    fn davidsons_ratings_agree_with_another_program() {
        let ratings = Ratings::fit(&three(), DrawModel::Davidson).unwrap();
        for (player, expected) in [115.0245, -12.8024, -102.2221].into_iter().enumerate() {
            near(ratings.strength(player).value, expected, 1e-3);
        }
        near(ratings.first_player().value, 100.5706, 1e-3);
        near(error(ratings.first_player()), 40.26, 5e-3);
        near(ratings.draw_term().unwrap(), -0.419259, 1e-5);
        near(-ratings.log_likelihood, 117.846422, 1e-5);
        near(error(ratings.strength(0)), 33.70, 5e-3);
        near(error(ratings.strength(1)), 31.47, 5e-3);
        assert_eq!(ratings.prior, None);
    }

    /// By a fit with scipy.
    #[test]
    fn rao_and_kuppers_ratings_agree_with_another_program() {
        let ratings = Ratings::fit(&three(), DrawModel::RaoKupper).unwrap();
        for (player, expected) in [90.0973, -8.4247, -81.6726].into_iter().enumerate() {
            near(ratings.strength(player).value, expected, 1e-3);
        }
        near(ratings.first_player().value, 79.2939, 1e-3);
        near(ratings.draw_term().unwrap(), 0.531819, 1e-5);
        near(-ratings.log_likelihood, 117.825779, 1e-5);
    }

    /// Ordo with `-W -D -a 0`, which fits advantage and draws in steps of their own: within 1 Elo, the advantage
    /// within 3; its share of draws between equals to the last digit told.
    #[test]
    fn ratings_by_halves_agree_with_ordo() {
        let ratings = Ratings::fit(&three(), DrawModel::Halves).unwrap();
        for (player, expected) in [86.4, -9.6, -76.8].into_iter().enumerate() {
            near(ratings.strength(player).value, expected, 1.0);
        }
        near(ratings.first_player().value, 75.37, 3.0);
        // Its error of the advantage, which it simulates, is 31.35: within a tenth.
        near(error(ratings.first_player()), 31.35, 3.135);
        // Whatever the model of draws, the expected scores tell the same Elo.
        let davidson = Ratings::fit(&three(), DrawModel::Davidson).unwrap();
        near(100.0 * davidson.draw_chance().unwrap(), 24.74, 0.005);
        for player in 1..3 {
            near(davidson.elo(player, 0).value, ratings.elo(player, 0).value, 4.0);
        }
    }

    #[test]
    fn expected_scores_of_both_players_are_one() {
        for model in [DrawModel::Davidson, DrawModel::RaoKupper, DrawModel::Halves] {
            let ratings = Ratings::fit(&three(), model).unwrap();
            let (there, back) = (ratings.expected_score(0, 2), ratings.expected_score(2, 0));
            near(there.value + back.value, 1.0, 1e-12);
            near(there.low + back.high, 1.0, 1e-12);
            assert!(there.low < there.value && there.value < there.high);
            near(ratings.elo(1, 1).value, 0.0, 1e-9);
            near(ratings.elo(1, 1).high, 0.0, 1e-9);
        }
        // Two players that met each other alone: the expected score is the score.
        let two = table(&[(0, 1, [30, 10, 10]), (1, 0, [15, 10, 25])]);
        let ratings = Ratings::fit(&two, DrawModel::Davidson).unwrap();
        near(ratings.expected_score(0, 1).value, (30.0 + 25.0 + 10.0) / 100.0, 0.01);
    }

    #[test]
    fn results_that_bound_nothing_get_a_prior_and_say_so() {
        // The last player lost all.
        let beaten = table(&[(0, 1, [5, 5, 5]), (1, 0, [5, 5, 5]), (0, 2, [9, 0, 0]), (2, 1, [0, 0, 9])]);
        let ratings = Ratings::fit(&beaten, DrawModel::Davidson).unwrap();
        assert_eq!(ratings.prior, Some(Unbounded::Strengths));
        assert!((0.5..0.999).contains(&ratings.expected_score(0, 2).value), "{:?}", ratings.expected_score(0, 2));
        // Whoever was first won.
        let first = table(&[(0, 1, [9, 0, 0]), (1, 0, [9, 0, 0])]);
        let ratings = Ratings::fit(&first, DrawModel::Davidson).unwrap();
        assert_eq!((ratings.prior, ratings.model()), (Some(Unbounded::Terms), DrawModel::Halves));
        near(ratings.expected_score(0, 1).value, 0.5, 1e-9);
        // All games were drawn.
        let drawn = Ratings::fit(&table(&[(0, 1, [0, 9, 0]), (1, 0, [0, 9, 0])]), DrawModel::Davidson).unwrap();
        assert_eq!(drawn.prior, Some(Unbounded::Terms));
        // One side won all: the likelihood is highest at infinity.
        let one = Ratings::fit(&table(&[(0, 1, [9, 0, 0])]), DrawModel::Davidson).unwrap();
        assert!(one.prior.is_some());
    }

    #[test]
    fn what_can_t_be_rated_is_refused() {
        assert_eq!(Ratings::fit(&Crosstable::new(1), DrawModel::Davidson), Err(RatingError::TooFew));
        let mut table = Crosstable::new(3);
        table.add(0, 1, ForFirst::Won, 1);
        assert_eq!(Ratings::fit(&table, DrawModel::Davidson), Err(RatingError::Idle(2)));
    }

    /// What the simulated round robins share.
    const STRENGTHS: [f64; 4] = [0.8, 0.3, -0.2, -0.9];
    const ADVANTAGE: f64 = 0.5;
    const TERM: f64 = -0.3;
    const TABLES: u32 = 500;

    /// Round robins of four players, each two of which meet on 50 openings with colours swapped, drawn from the model
    /// with advantages that differ from opening to opening by so much. How often the 95 % intervals hold the strengths
    /// and the mean advantage. 500 tables: the simulation's own standard error is 1 %.
    fn coverage(bias: f64) -> [f64; 5] {
        let mut random = SmallRng::seed_from_u64(1);
        let mut held = [0; 5];
        for _ in 0..TABLES {
            let mut table = Crosstable::new(4);
            for pair in 0..50 {
                let lean = bias * (random.random::<f64>() * 12.0_f64.sqrt() - 3.0_f64.sqrt());
                for (first, second) in (0..16).map(|index| (index / 4, index % 4)).filter(|(a, b)| a != b) {
                    let z = STRENGTHS[first] - STRENGTHS[second] + ADVANTAGE + lean;
                    let [won, drawn, _] = davidson(z, TERM);
                    let at: f64 = random.random();
                    let result = match at {
                        _ if at < won => GameResult::White,
                        _ if at < won + drawn => GameResult::Draw,
                        _ => GameResult::Black,
                    };
                    table.add_game(first, second, &game(pair, result));
                }
            }
            let ratings = Ratings::fit(&table, DrawModel::Davidson).unwrap();
            for (index, held) in held.iter_mut().enumerate() {
                let truth = ELO * if index < 4 { STRENGTHS[index] } else { ADVANTAGE };
                let Estimate { low, high, .. } = ratings.in_elo(index);
                *held += u32::from(low <= truth && truth <= high);
            }
        }
        held.map(|held| f64::from(held) / f64::from(TABLES))
    }

    fn game(pair: u32, result: GameResult) -> PlayedGame {
        let reason = RecordReason::Rules(EndReason::Stones);
        PlayedGame { pair, a_side: Side::White, result, reason, forfeit: None, plies: 30, hash: 0 }
    }

    #[test]
    fn intervals_hold_the_true_strengths() {
        for held in coverage(0.0) {
            assert!((0.92..0.98).contains(&held), "{held}");
        }
        // All players meet on the same openings, which lean one way or the other.
        for held in coverage(0.6) {
            assert!((0.92..0.99).contains(&held), "{held}");
        }
    }
}
