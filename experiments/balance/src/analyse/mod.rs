//! What a study's games come to.
//!
//! This file counts and takes means over seeds; `judge` tells what is claimed of variants, `starts` compares ways to begin a
//! game, `effects` is about factors.

mod effects;
mod judge;
mod starts;

pub(crate) use effects::SCORE;

use rayon::prelude::*;
use seega_arena::Estimate;
use seega_exact::{ExactError, Tables, usual_folder};
use seega_rules::{FirstMover, Rules, Side};
use serde::Serialize;

use crate::design::Design;
use crate::folder::{Cell, CellGames, Folder, StudyError};
use crate::play::{Pie, cutter, random_game, random_of};
use crate::run::tally;
use crate::statistics::bootstrap::{self, Results};
use crate::statistics::seeds::{SeedMean, game_deviation};
use crate::statistics::sequence;
use crate::study::{Family, Study, Variant};
use crate::tally::{BINS, SquareUse, Tally};

/// Draws of the bootstrap.
const DRAWS: usize = 2_000;

/// The confidence of all intervals.
const CONFIDENCE: f64 = 0.95;

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
    fn share(values: &[f64], least: f64) -> Option<Figure> {
        match SeedMean::of(values) {
            Some(mean) => Some(clamped(Figure::of_estimate(mean.at_least(least).interval(CONFIDENCE)))),
            None => Figure::of(values),
        }
    }

    fn of(values: &[f64]) -> Option<Figure> {
        if values.is_empty() {
            return None;
        }
        let value = values.iter().sum::<f64>() / values.len() as f64;
        let interval = SeedMean::of(values).map(|mean| mean.interval(CONFIDENCE));
        Some(Figure { value, low: interval.map(|interval| interval.low), high: interval.map(|interval| interval.high) })
    }

    fn of_estimate(estimate: Estimate) -> Figure {
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

/// What is known of a cell.
struct Known<'a> {
    cell: Cell<'a>,
    tally: Tally,
    pie: Option<Pie>,
}

/// Says what a study's games come to, of the seeds whose games are all there.
///
/// # Errors
/// Games or tables can't be read; there is no whole seed yet.
pub fn analyse(study: &Study, folder: &Folder) -> Result<Analysis, StudyError> {
    let mut known = Vec::new();
    let mut seeds = Vec::new();
    let cells = crate::run::cells(study);
    for seed in 1..=study.seeds {
        let of_seed: Vec<Cell<'_>> = cells.iter().copied().filter(|cell| cell.seed == seed).collect();
        let mut networks = Vec::new();
        for training in study.trainings().into_iter().filter(|training| training.seed == seed) {
            let network = folder.network_hash(&training, training.recipe(study)?.numbers.generations);
            networks.push((training, network));
        }
        let read = |cell: &Cell<'_>| {
            let training = study.training_of(cell.variant, seed);
            let network = networks.iter().find(|(known, _)| *known == training);
            folder.games(cell, study.games, network.and_then(|(_, hash)| hash.as_deref()))
        };
        let games: Vec<Option<CellGames>> = of_seed.par_iter().map(read).collect::<Result<_, StudyError>>()?;
        let Some(games) = games.into_iter().collect::<Option<Vec<_>>>() else { break };
        let tallied = of_seed.into_par_iter().zip(games).map(|(cell, CellGames { games, pie })| {
            let tally = tally(&cell, &games)?;
            Ok(Known { cell, tally, pie })
        });
        known.extend(tallied.collect::<Result<Vec<_>, StudyError>>()?);
        seeds.push(seed);
    }
    if seeds.is_empty() {
        return Err(StudyError::File {
            path: folder.path().to_owned(),
            why: "has no seed yet whose games are all played".to_owned(),
        });
    }
    let mut variants = Vec::new();
    for variant in &study.variants {
        variants.push(analyse_variant(study, variant, &known)?);
    }
    let is_complete = seeds.len() as u64 == study.seeds;
    judge::judge(study, &known, is_complete, &mut variants);
    let starts = starts::starts(study, &known, &variants);
    let design = study.design.as_ref();
    let effects = design.map(|design| effects::effects(study, design, &known, is_complete)).unwrap_or_default();
    let factors = study.design.iter().flat_map(Design::factors);
    let factors = factors.map(|factor| [factor.name.clone(), factor.low.clone(), factor.high.clone()]).collect();
    Ok(Analysis {
        title: study.title.clone(),
        study: folder.about()?.0,
        drawn_plies: study.drawn_plies,
        temperature: study.temperature,
        families: study.families.clone(),
        seeds,
        seeds_planned: study.seeds,
        games: study.games,
        judged_by: study.judged_by(),
        margin: study.margin,
        alpha: study.alpha,
        reference: study.reference.clone(),
        variants,
        starts,
        effects,
        factors,
    })
}

/// The tallies of a variant at so many simulations, by seed.
fn of<'a>(known: &'a [Known<'_>], variant: &Variant, simulations: u32, pie: bool) -> Vec<&'a Known<'a>> {
    let fits =
        |cell: &Cell<'_>| cell.variant.name == variant.name && cell.simulations == simulations && cell.pie == pie;
    known.iter().filter(|known| fits(&known.cell)).collect()
}

/// White's score, by seed.
fn scores(known: &[Known<'_>], variant: &Variant, simulations: u32) -> Vec<f64> {
    of(known, variant, simulations, false).iter().map(|known| known.tally.white.score()).collect()
}

fn analyse_variant(study: &Study, variant: &Variant, known: &[Known<'_>]) -> Result<VariantAnalysis, StudyError> {
    let budgets = study
        .simulations
        .iter()
        .map(|&simulations| budget(study, variant, simulations, &of(known, variant, simulations, false)))
        .collect();
    let [few, many] = [study.simulations[0], study.judged_by()].map(|simulations| scores(known, variant, simulations));
    let trend: Vec<f64> = few.iter().zip(&many).map(|(few, many)| many - few).collect();
    let pie = variant.pie.then(|| of(known, variant, study.judged_by(), true)).and_then(|known| {
        let scores = cutter_scores(&known);
        let all = known.iter().fold(Results::default(), |all, known| all.and(known.tally.white));
        let offers = known.iter().filter_map(|known| known.pie.clone()).collect();
        Figure::share(&scores, game_deviation(all.variance(), all.games())).map(|cutter| PiePlay { cutter, offers })
    });
    Ok(VariantAnalysis {
        name: variant.name.clone(),
        rules: variant.rules.name.clone(),
        budgets,
        trend: Figure::of(&trend),
        p_uneven: None,
        p_even: None,
        verdict: Verdict::Open,
        difference: None,
        p_difference: None,
        random: random_play(study, &variant.rules.rules),
        pie,
        exact: exact_shares(study, variant)?,
    })
}

/// The score of who cut the pie, by seed.
fn cutter_scores(known: &[&Known<'_>]) -> Vec<f64> {
    let score = |known: &&Known<'_>| {
        let white = known.tally.white.score();
        known.pie.as_ref().map(|pie| if cutter(pie) == Side::White { white } else { 1.0 - white })
    };
    known.iter().filter_map(score).collect()
}

fn budget(study: &Study, variant: &Variant, simulations: u32, known: &[&Known<'_>]) -> BudgetAnalysis {
    let tallies: Vec<&Tally> = known.iter().map(|known| &known.tally).collect();
    let mut all = Tally::default();
    tallies.iter().for_each(|tally| all.merge(tally));
    let results: Vec<Results> = tallies.iter().map(|tally| tally.white).collect();
    let scores: Vec<f64> = results.iter().map(|results| results.score()).collect();
    let figure = |of: &dyn Fn(&Tally) -> Option<f64>| -> Option<Figure> {
        Figure::of(&tallies.iter().filter_map(|tally| of(tally)).collect::<Vec<_>>())
    };
    let decisive: Vec<f64> =
        results.iter().map(|results| 1.0 - results.draws as f64 / results.games().max(1) as f64).collect();
    // Copies tell nothing that the first of them did not.
    let distinct = ((all.distinct() * all.games() as f64) as u64).max(1);
    let least = game_deviation(all.white.variance(), distinct);
    let nothing = Figure { value: 0.5, low: None, high: None };
    let white = Figure::share(&scores, least).unwrap_or(nothing);
    let first_to_move = match variant.rules.rules.first_mover {
        FirstMover::Starter => white,
        FirstMover::LastPlacer => Figure {
            value: 1.0 - white.value,
            low: white.high.map(|high| 1.0 - high),
            high: white.low.map(|low| 1.0 - low),
        },
    };
    let planned = study.seeds * u64::from(study.games);
    let positions: f64 = all.calibration.iter().map(|(expected, _)| expected.weight()).sum();
    let share = |(expected, came): &(crate::tally::Mean, crate::tally::Mean)| {
        let weight = expected.weight();
        (weight > 0.0)
            .then(|| [expected.value().unwrap_or_default(), came.value().unwrap_or_default(), weight / positions])
    };
    BudgetAnalysis {
        simulations,
        by_seed: results.iter().copied().map(Counts::from).collect(),
        white,
        bootstrap: Figure::of_estimate(bootstrap::interval(&results, CONFIDENCE, DRAWS, 1)),
        any_time: Figure::of_estimate(sequence::interval(all.white.score(), distinct, planned, study.alpha)),
        first_to_move: Some(first_to_move),
        decisive: Figure::share(&decisive, least).unwrap_or(nothing),
        reasons: reasons(&all),
        plies: figure(&|tally| tally.plies.value()),
        turns: figure(&|tally| tally.turns.value()),
        branching: figure(&|tally| tally.branching.value()),
        captures: figure(&|tally| tally.captures.value()),
        chains: figure(&|tally| tally.chains.value()).map(clamped),
        longest_chain: all.longest_chain,
        distinct: all.distinct(),
        first_turns: figure(&|tally| Some(tally.first_turns())),
        stone: figure(&|tally| tally.by_lead.fit().map(|(_, slope)| 0.5 * slope.tanh())),
        brier: figure(&|tally| tally.brier.value()),
        calibration: all.calibration[..BINS].iter().filter_map(share).collect(),
        squares: all.squares(&variant.rules.rules),
    }
}

/// A share's interval ends with the shares.
fn clamped(figure: Figure) -> Figure {
    Figure { low: figure.low.map(|low| low.max(0.0)), high: figure.high.map(|high| high.min(1.0)), ..figure }
}

fn reasons(tally: &Tally) -> Vec<(String, f64)> {
    let share = |games: u64| games as f64 / tally.games().max(1) as f64;
    tally.reasons.iter().map(|(&reason, &games)| (reason.to_owned(), share(games))).collect()
}

fn random_play(study: &Study, rules: &Rules) -> Option<RandomPlay> {
    /// Games that are played together.
    const TOGETHER: u64 = 500;
    if study.random_games == 0 {
        return None;
    }
    let games = u64::from(study.random_games);
    let parts = (0..games.div_ceil(TOGETHER)).into_par_iter().map(|part| {
        let mut tally = Tally::default();
        for number in part * TOGETHER..((part + 1) * TOGETHER).min(games) {
            let (game, _) = random_game(rules, number, &mut random_of(1, number), None);
            tally.add(rules, &game).expect("a random game is by the rules and over");
        }
        tally
    });
    let all = parts.reduce(Tally::default, |mut all, part| {
        all.merge(&part);
        all
    });
    // Random games are independent, so that the unit is a game.
    let deviation = game_deviation(all.white.variance(), all.games());
    let (value, reach) = (all.white.score(), 1.96 * deviation);
    Some(RandomPlay {
        counts: all.white.into(),
        white: clamped(Figure { value, low: Some(value - reach), high: Some(value + reach) }),
        plies: all.plies.value().unwrap_or_default(),
        reasons: reasons(&all),
    })
}

fn exact_shares(study: &Study, variant: &Variant) -> Result<Vec<ExactShare>, StudyError> {
    if study.table_stones == 0 {
        return Ok(Vec::new());
    }
    let folder = usual_folder(std::path::Path::new("tables"), &variant.rules.name);
    let tables = match Tables::open(&folder, &variant.rules.rules) {
        // Exact shares are told where there are tables.
        Err(ExactError::Empty(_)) => return Ok(Vec::new()),
        opened => opened?,
    };
    let equal =
        tables.classes().filter(|(class, _)| class.mover == class.opponent && class.stones() <= study.table_stones);
    let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
    Ok(equal
        .map(|(class, summary)| {
            let all = summary.wins + summary.draws + summary.losses;
            ExactShare {
                stones: class.mover,
                shares: [summary.wins, summary.draws, summary.losses].map(|part| share(part, all)),
            }
        })
        .collect())
}
