//! What a study's games come to.
//!
//! This file counts and takes means over seeds, into the shape that `answer` gives; `judge` tells what is claimed of variants, `starts` compares ways to begin a
//! game, `effects` is about factors.

mod answer;
mod effects;
mod judge;
mod starts;

pub use answer::{
    Analysis, BudgetAnalysis, Counts, Effect, ExactShare, Figure, PiePlay, RandomPlay, Starts, VariantAnalysis, Verdict,
};
pub(crate) use effects::SCORE;

use answer::CONFIDENCE;
use rayon::prelude::*;
use seega_exact::{ExactError, Tables, usual_folder};
use seega_rules::{FirstMover, Rules, Side};

use crate::design::Design;
use crate::folder::{Cell, CellGames, Folder, StudyError};
use crate::play::{Pie, cutter, random_game, random_of};
use crate::run::tally;
use crate::statistics::bootstrap::{self, Results};
use crate::statistics::seeds::game_deviation;
use crate::statistics::sequence;
use crate::study::{Study, Variant};
use crate::tally::{BINS, Tally};

/// Draws of the bootstrap.
const DRAWS: usize = 2_000;

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
        chains: figure(&|tally| tally.chains.value()).map(Figure::clamped),
        longest_chain: all.longest_chain,
        distinct: all.distinct(),
        first_turns: figure(&|tally| Some(tally.first_turns())),
        stone: figure(&|tally| tally.by_lead.fit().map(|(_, slope)| 0.5 * slope.tanh())),
        brier: figure(&|tally| tally.brier.value()),
        calibration: all.calibration[..BINS].iter().filter_map(share).collect(),
        squares: all.squares(&variant.rules.rules),
    }
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
        white: Figure { value, low: Some(value - reach), high: Some(value + reach) }.clamped(),
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
