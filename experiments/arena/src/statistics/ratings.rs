//! Ratings of a round robin: the strengths that make all its results most likely.
//!
//! After Bradley and Terry (1952), with draws as Davidson (1970) has them and a term for the side that plays first. The
//! log-likelihood is concave, so that Newton's method finds its one highest point, and the covariance of the strengths
//! is the inverse of its curvature there. Each game counts as independent; the two games of an opening are less
//! scattered than that, so that the intervals are rather too wide than too narrow.

use nalgebra::{DMatrix, DVector};
use seega_rules::Side;
use seega_rules::record::GameResult;
use thiserror::Error;

use super::{Estimate, Z, elo_of_score};
use crate::play::PlayedGame;

/// How draws enter the likelihood. `z` is the strength of the first player above the second's, its advantage included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawModel {
    /// Davidson: first, draw and second are as likely as `e^(z/2)`, `e^ν` and `e^(−z/2)` stand to each other.
    #[default]
    Davidson,
    /// Rao and Kupper, as BayesElo: the first wins with `1 / (1 + e^(ν − z))`, the second with `1 / (1 + e^(ν + z))`.
    RaoKupper,
    /// A draw is half a win and half a loss, as Ordo has it. The chance of a draw is not told.
    Halves,
}

impl std::str::FromStr for DrawModel {
    type Err = String;

    fn from_str(text: &str) -> Result<DrawModel, String> {
        match text {
            "davidson" => Ok(DrawModel::Davidson),
            "rao-kupper" => Ok(DrawModel::RaoKupper),
            "halves" => Ok(DrawModel::Halves),
            _ => Err("models of draws are davidson, rao-kupper and halves".to_owned()),
        }
    }
}

impl std::fmt::Display for DrawModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            DrawModel::Davidson => "davidson",
            DrawModel::RaoKupper => "rao-kupper",
            DrawModel::Halves => "halves",
        })
    }
}

/// The result of a game, as the player sees it who played first (White).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForFirst {
    /// The first player won.
    Won = 0,
    /// A draw.
    Drawn = 1,
    /// The second player won.
    Lost = 2,
}

/// Who played whom, and how it ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Crosstable {
    players: usize,
    /// Games won, drawn and lost by the first player, at `first * players + second`.
    results: Vec<[u64; 3]>,
}

impl Crosstable {
    /// An empty table for so many players.
    pub fn new(players: usize) -> Crosstable {
        Crosstable { players, results: vec![[0; 3]; players * players] }
    }

    /// Counts games of a player who was first against another.
    ///
    /// # Panics
    /// If there is no such player, or both are the same.
    pub fn add(&mut self, first: usize, second: usize, result: ForFirst, games: u64) {
        assert!(first != second && first < self.players && second < self.players, "two players of the table");
        self.results[first * self.players + second][result as usize] += games;
    }

    /// Counts a game of a match of two players, A and B.
    ///
    /// # Panics
    /// If there is no such player, or both are the same.
    pub fn add_game(&mut self, a: usize, b: usize, game: &PlayedGame) {
        let result = match game.result {
            GameResult::White => ForFirst::Won,
            GameResult::Draw => ForFirst::Drawn,
            GameResult::Black => ForFirst::Lost,
        };
        let (first, second) = if game.a_side == Side::White { (a, b) } else { (b, a) };
        self.add(first, second, result, 1);
    }

    /// The number of players.
    pub fn players(&self) -> usize {
        self.players
    }

    /// Games between two players, won, drawn and lost by the one whatever their sides were.
    pub fn between(&self, player: usize, opponent: usize) -> [u64; 3] {
        let as_first = self.results[player * self.players + opponent];
        let as_second = self.results[opponent * self.players + player];
        std::array::from_fn(|index| as_first[index] + as_second[2 - index])
    }

    /// All of a player's games: won, drawn and lost.
    pub fn of(&self, player: usize) -> [u64; 3] {
        let others = (0..self.players).filter(|&other| other != player);
        others.fold([0; 3], |sum, other| {
            let more = self.between(player, other);
            std::array::from_fn(|index| sum[index] + more[index])
        })
    }

    /// Ordered pairs of players that met, and their results.
    fn meetings(&self) -> impl Iterator<Item = (usize, usize, [f64; 3])> {
        let players = self.players;
        let met = self.results.iter().enumerate().filter(|(_, results)| results.iter().sum::<u64>() > 0);
        met.map(move |(index, results)| (index / players, index % players, results.map(|count| count as f64)))
    }

    /// For each player, whether there is a way to all others along games that were not lost, and one back.
    fn is_connected(&self) -> bool {
        let reach = |forwards: bool| {
            let mut seen = vec![false; self.players];
            let mut waiting = vec![0];
            seen[0] = true;
            while let Some(player) = waiting.pop() {
                for (other, seen) in seen.iter_mut().enumerate().filter(|(_, seen)| !**seen) {
                    let [won, drawn, lost] = self.between(player, other);
                    if drawn + if forwards { won } else { lost } > 0 {
                        *seen = true;
                        waiting.push(other);
                    }
                }
            }
            seen.into_iter().all(|seen| seen)
        };
        self.players > 0 && reach(true) && reach(false)
    }
}

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
    covariance: DMatrix<f64>,
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
        if table.players < 2 {
            return Err(RatingError::TooFew);
        }
        if let Some(idle) = (0..table.players).find(|&player| table.of(player) == [0; 3]) {
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
        let half = Z * self.covariance[(index, index)].max(0.0).sqrt();
        let value = self.values[index];
        Estimate { value, low: value - half, high: value + half }.map(|value| ELO * value)
    }

    /// The term of draws, natural; `None` in a model without one.
    pub fn draw_term(&self) -> Option<f64> {
        (self.model != DrawModel::Halves).then(|| self.values[self.players + 1])
    }

    /// How draws entered the likelihood.
    pub fn model(&self) -> DrawModel {
        self.model
    }

    /// The score that a player is expected to make against another, as often first as second, with the bounds of its
    /// 95 % interval.
    pub fn expected_score(&self, player: usize, opponent: usize) -> Estimate {
        let covariance = |a: usize, b: usize| self.covariance[(a, b)];
        let variance = covariance(player, player) + covariance(opponent, opponent) - 2.0 * covariance(player, opponent);
        let half = Z * variance.max(0.0).sqrt();
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
        self.expected_score(player, anchor).map(elo_of_score)
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

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The chances of first, draw and second.
fn davidson(z: f64, term: f64) -> [f64; 3] {
    let logits = [0.5 * z, term, -0.5 * z];
    let highest = logits.into_iter().fold(f64::MIN, f64::max);
    let weights = logits.map(|logit| (logit - highest).exp());
    let sum: f64 = weights.iter().sum();
    weights.map(|weight| weight / sum)
}

/// A log-likelihood with its derivatives by `z` and by the term of draws.
#[derive(Clone, Copy, Debug, Default)]
struct Derivatives {
    value: f64,
    by_z: f64,
    by_term: f64,
    by_z_z: f64,
    by_z_term: f64,
    by_term_term: f64,
}

impl Derivatives {
    fn add(&mut self, weight: f64, other: Derivatives) {
        self.value += weight * other.value;
        self.by_z += weight * other.by_z;
        self.by_term += weight * other.by_term;
        self.by_z_z += weight * other.by_z_z;
        self.by_z_term += weight * other.by_z_term;
        self.by_term_term += weight * other.by_term_term;
    }
}

/// The log-likelihood of so many games won, drawn and lost by the first player.
fn log_likelihood(model: DrawModel, z: f64, term: f64, [won, drawn, lost]: [f64; 3]) -> Derivatives {
    // ln logistic(sign · z + slope · term), from which two of the models are built.
    let log_logistic = |sign: f64, slope: f64| {
        let p = logistic(sign * z + slope * term);
        let curvature = -p * (1.0 - p);
        Derivatives {
            value: p.ln(),
            by_z: sign * (1.0 - p),
            by_term: slope * (1.0 - p),
            by_z_z: curvature,
            by_z_term: sign * slope * curvature,
            by_term_term: slope * slope * curvature,
        }
    };
    let mut sum = Derivatives::default();
    match model {
        DrawModel::Davidson => {
            let games = won + drawn + lost;
            let [p_won, p_drawn, p_lost] = davidson(z, term);
            let lead = p_won - p_lost;
            sum.value = won * p_won.ln() + drawn * p_drawn.ln() + lost * p_lost.ln();
            sum.by_z = 0.5 * (won - lost - games * lead);
            sum.by_term = drawn - games * p_drawn;
            sum.by_z_z = -0.25 * games * (p_won + p_lost - lead * lead);
            sum.by_z_term = 0.5 * games * lead * p_drawn;
            sum.by_term_term = -games * p_drawn * (1.0 - p_drawn);
        }
        DrawModel::RaoKupper => {
            // A draw is as likely as both wins together, times e^(2 term) − 1.
            sum.add(won + drawn, log_logistic(1.0, -1.0));
            sum.add(lost + drawn, log_logistic(-1.0, -1.0));
            let grown = (2.0 * term).exp_m1();
            sum.value += drawn * grown.ln();
            sum.by_term += drawn * 2.0 * (1.0 + grown) / grown;
            sum.by_term_term -= drawn * 4.0 * (1.0 + grown) / (grown * grown);
        }
        DrawModel::Halves => {
            sum.add(won + 0.5 * drawn, log_logistic(1.0, 0.0));
            sum.add(lost + 0.5 * drawn, log_logistic(-1.0, 0.0));
        }
    }
    sum
}

/// The highest point of the log-likelihood less half of `prior` times the squares of all values; `None` if it runs away.
fn newton(table: &Crosstable, model: DrawModel, prior: f64) -> Option<Ratings> {
    const ROUNDS: u32 = 200;
    const NEAR: f64 = 1e-10;
    /// Strengths beyond this, some 3,500 Elo, mean that there is no highest point.
    const FARTHEST: f64 = 20.0;
    let players = table.players;
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
            return Some(Ratings { model, players, values, covariance, log_likelihood, prior: None });
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

/// A point of the log-likelihood.
struct Point {
    value: f64,
    slope: DVector<f64>,
    /// The negative second derivatives, made regular.
    curvature: DMatrix<f64>,
}

fn climb(table: &Crosstable, model: DrawModel, prior: f64, values: &DVector<f64>) -> Point {
    let players = table.players;
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

    use super::*;

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
    /// within 3.
    #[test]
    fn ratings_by_halves_agree_with_ordo() {
        let ratings = Ratings::fit(&three(), DrawModel::Halves).unwrap();
        for (player, expected) in [86.4, -9.6, -76.8].into_iter().enumerate() {
            near(ratings.strength(player).value, expected, 1.0);
        }
        near(ratings.first_player().value, 75.37, 3.0);
        // Whatever the model of draws, the expected scores tell the same Elo.
        let davidson = Ratings::fit(&three(), DrawModel::Davidson).unwrap();
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

    /// Round robins of four players, drawn from the model: 95 % intervals hold the true strength. 500 tables: the
    /// simulation's own standard error is 1 %.
    #[test]
    fn intervals_hold_the_true_strengths() {
        const TABLES: u32 = 500;
        let (strengths, advantage, term) = ([0.8, 0.3, -0.2, -0.9], 0.5, -0.3);
        let mut random = SmallRng::seed_from_u64(1);
        let mut held = [0; 5];
        for _ in 0..TABLES {
            let mut table = Crosstable::new(4);
            for (first, second) in (0..16).map(|index| (index / 4, index % 4)).filter(|(a, b)| a != b) {
                let [won, drawn, _] = davidson(strengths[first] - strengths[second] + advantage, term);
                for _ in 0..50 {
                    let at: f64 = random.random();
                    let result = match at {
                        _ if at < won => ForFirst::Won,
                        _ if at < won + drawn => ForFirst::Drawn,
                        _ => ForFirst::Lost,
                    };
                    table.add(first, second, result, 1);
                }
            }
            let ratings = Ratings::fit(&table, DrawModel::Davidson).unwrap();
            for (index, held) in held.iter_mut().enumerate() {
                let truth = ELO * if index < 4 { strengths[index] } else { advantage };
                let Estimate { low, high, .. } = ratings.in_elo(index);
                *held += u32::from(low <= truth && truth <= high);
            }
        }
        for held in held.map(|held| f64::from(held) / f64::from(TABLES)) {
            assert!((0.92..0.98).contains(&held), "{held}");
        }
    }
}
