//! What is told of a study: the shape of its answer, which the report writes as a page, as JSON and as tables.

use seega_arena::Estimate;
use serde::Serialize;

use crate::play::Pie;
use crate::statistics::bootstrap::Results;
use crate::statistics::seeds::SeedMean;
use crate::study::Family;
use crate::tally::SquareUse;

/// The confidence of all intervals.
pub(super) const CONFIDENCE: f64 = 0.95;

/// A figure over seeds, with its 95 % interval where there are two seeds or more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// The mean over seeds.
    pub value: f64,
    /// The interval's lower bound.
    pub low: Option<f64>,
    /// The interval's upper bound.
    pub high: Option<f64>,
}

impl Figure {
    /// A share's figure: within 0 and 1, and known no better than games let it be.
    pub(super) fn share(values: &[f64], least: f64) -> Option<Figure> {
        match SeedMean::of(values) {
            Some(mean) => Some(Figure::of_estimate(mean.at_least(least).interval(CONFIDENCE)).clamped()),
            None => Figure::of(values),
        }
    }

    pub(super) fn of(values: &[f64]) -> Option<Figure> {
        if values.is_empty() {
            return None;
        }
        let value = values.iter().sum::<f64>() / values.len() as f64;
        let interval = SeedMean::of(values).map(|mean| mean.interval(CONFIDENCE));
        Some(Figure { value, low: interval.map(|interval| interval.low), high: interval.map(|interval| interval.high) })
    }

    /// A share's interval ends with the shares.
    pub(super) fn clamped(self) -> Figure {
        Figure { low: self.low.map(|low| low.max(0.0)), high: self.high.map(|high| high.min(1.0)), ..self }
    }

    pub(super) fn of_estimate(estimate: Estimate) -> Figure {
        Figure { value: estimate.value, low: Some(estimate.low), high: Some(estimate.high) }
    }
}

/// Won, drawn and lost games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Won by White, who places first.
    pub white: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by Black.
    pub black: u64,
}

impl From<Results> for Counts {
    fn from(results: Results) -> Counts {
        Counts { white: results.wins, draws: results.draws, black: results.losses }
    }
}

/// What a study's games come to.
#[derive(Clone, Debug, Serialize)]
pub struct Analysis {
    /// What is asked.
    pub title: String,
    /// The study's text: how networks were trained, what they played, by what it is judged.
    pub study: String,
    /// Plies from the start that were drawn, and at what temperature.
    pub drawn_plies: u32,
    /// The temperature.
    pub temperature: f64,
    /// What is claimed.
    pub families: Vec<Family>,
    /// Seeds whose games are all played.
    pub seeds: Vec<u64>,
    /// Seeds that there will be.
    pub seeds_planned: u64,
    /// Games of each variant, seed and number of simulations.
    pub games: u32,
    /// Simulations by which the study is judged.
    pub judged_by: u32,
    /// How near to ½ is even.
    pub margin: f64,
    /// The chance of a false claim in each family.
    pub alpha: f64,
    /// The variant with which others are compared.
    pub reference: String,
    /// The variants, in the order of the study.
    pub variants: Vec<VariantAnalysis>,
    /// Ways to begin the same game, and which comes nearest to even.
    pub starts: Vec<Starts>,
    /// Effects of the factors.
    pub effects: Vec<Effect>,
    /// The factors that they are of: name, low and high level.
    pub factors: Vec<[String; 3]>,
}

/// What a variant's games come to.
#[derive(Clone, Debug, Serialize)]
pub struct VariantAnalysis {
    /// Its name.
    pub name: String,
    /// Its rules, by their text.
    pub rules: String,
    /// By simulations, rising.
    pub budgets: Vec<BudgetAnalysis>,
    /// White's score at the most simulations less that at the fewest, with the same networks.
    pub trend: Option<Figure>,
    /// The p of "it is not even", within the family of all variants.
    pub p_uneven: Option<f64>,
    /// The p of "it is even within the margin", within the family of all variants.
    pub p_even: Option<f64>,
    /// What both say, once all seeds are there.
    pub verdict: Verdict,
    /// White's score less the reference's, with the same seeds.
    pub difference: Option<Figure>,
    /// The p of "it is another than the reference's", within the family of all variants.
    pub p_difference: Option<f64>,
    /// Uniform random play.
    pub random: Option<RandomPlay>,
    /// Games with a pie.
    pub pie: Option<PiePlay>,
    /// Endgame tables, where both sides have as many stones.
    pub exact: Vec<ExactShare>,
}

/// Whom a variant favours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// White, who places first.
    White,
    /// Black.
    Black,
    /// Nobody by more than the margin.
    Even,
    /// It is not known yet.
    Open,
}

/// What a variant's games with so many simulations come to.
#[derive(Clone, Debug, Serialize)]
pub struct BudgetAnalysis {
    /// Simulations.
    pub simulations: u32,
    /// White's results, by seed.
    pub by_seed: Vec<Counts>,
    /// White's score.
    pub white: Figure,
    /// The same by drawing seeds and games anew.
    pub bootstrap: Figure,
    /// What may be said of these networks' score while games go on: an interval for looking at any time.
    pub any_time: Figure,
    /// The score of the side that is to make the first step.
    pub first_to_move: Option<Figure>,
    /// The share of games with a winner.
    pub decisive: Figure,
    /// The share of games by what ended them.
    pub reasons: Vec<(String, f64)>,
    /// Plies a game.
    pub plies: Option<Figure>,
    /// Turns of movement a game.
    pub turns: Option<Figure>,
    /// Legal actions a ply, in movement.
    pub branching: Option<Figure>,
    /// Stones captured a game.
    pub captures: Option<Figure>,
    /// The share of capturing turns that capture more than once.
    pub chains: Option<Figure>,
    /// The most capturing steps of a turn.
    pub longest_chain: u32,
    /// The share of games that are no other's copy, symmetric ones as one.
    pub distinct: f64,
    /// How many first turns of White there are in effect: two to the power of their entropy, symmetric ones as one.
    pub first_turns: Option<Figure>,
    /// By how much a lead of one stone raises a score from ½.
    pub stone: Option<Figure>,
    /// The mean squared difference between the score that searches expect and the result.
    pub brier: Option<Figure>,
    /// By the score that searches expect, in tenths: what they expect, what comes of it, and the share of positions.
    pub calibration: Vec<[f64; 3]>,
    /// Squares, by the board's numbering, as movement begins.
    pub squares: Vec<SquareUse>,
}

/// Uniform random play.
#[derive(Clone, Debug, Serialize)]
pub struct RandomPlay {
    /// The results.
    pub counts: Counts,
    /// White's score.
    pub white: Figure,
    /// Plies a game.
    pub plies: f64,
    /// The share of games by what ended them.
    pub reasons: Vec<(String, f64)>,
}

/// Games with a pie.
#[derive(Clone, Debug, Serialize)]
pub struct PiePlay {
    /// The score of who offered.
    pub cutter: Figure,
    /// What was offered, by seed.
    pub offers: Vec<Pie>,
}

/// What tables say of positions with as many stones on both sides.
#[derive(Clone, Debug, Serialize)]
pub struct ExactShare {
    /// The stones of each side.
    pub stones: u8,
    /// Shares of positions that their mover wins, draws and loses.
    pub shares: [f64; 3],
}

/// Ways to begin a game.
#[derive(Clone, Debug, Serialize)]
pub struct Starts {
    /// The variant.
    pub variant: String,
    /// The ways: what they are, and the score of who places first (of who cuts the pie).
    pub ways: Vec<(String, Figure)>,
    /// The one that comes nearest to ½.
    pub nearest: String,
    /// Whether it is nearer than each other one, by intervals over the same seeds.
    pub told_apart: bool,
}

/// The effect of a factor, or of what it can't be told from.
#[derive(Clone, Debug, Serialize)]
pub struct Effect {
    /// What is affected.
    pub of: &'static str,
    /// The factor, or the interactions.
    pub name: String,
    /// The factor whose own it is, by its place; `None` for interactions.
    pub factor: Option<usize>,
    /// The mean of the variants at its high level less that at its low one.
    pub effect: Figure,
    /// Its p within the family of the factors' effects on the score; what isn't claimed has none.
    pub p: Option<f64>,
}
