//! The games of a study: of a network against itself, with a pie, and of chance.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use rayon::prelude::*;
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::{EvaluateError, NativeEvaluator};
use seega_rules::{Action, ActionList, Outcome, Position, Rules, Side, mix};
use seega_search::{Evaluations, Evaluator, Leaf, Search, SearchSettings, Seega};
use seega_selfplay::{Generation, PlayedGame, PlayedPly, Progress, Settings, Temperature, Worker, WorkerError};
use serde::{Deserialize, Serialize};

use crate::folder::StudyError;
use crate::study::Study;
use crate::tally::symmetries;

/// Into how many parts the games of a cell are divided. What a part plays does not depend on how many threads there are.
const LANES: u64 = 8;

/// Games that a part plays at once.
const AT_ONCE: usize = 64;

/// Plays the games of a cell: a network against itself, without noise, the first plies drawn so that games differ.
/// `opening` is what all games begin with.
pub(crate) fn self_play(
    study: &Study,
    rules: &Rules,
    checkpoint: &Checkpoint,
    opening: &[Action],
    simulations: u32,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Vec<PlayedGame>, StudyError> {
    // Quick searches have no noise, and their policies are not kept.
    let settings = Settings {
        games: AT_ONCE,
        simulations,
        quick_simulations: simulations,
        full_share: 0.0,
        drawn_plies: study.drawn_plies,
        temperature: Temperature { start: study.temperature, half_life: 1e9 },
        cache: 200_000,
        ..Settings::default()
    };
    let games = u64::from(study.games);
    let lane = |lane| {
        let begun = |number| PlayedGame {
            number,
            generation: 0,
            plies: opening.iter().map(|&action| PlayedPly { action, found: None }).collect(),
        };
        // With an opening all games are begun already; they are played a batch after the other.
        let numbers: Vec<u64> = (lane..games).step_by(LANES as usize).collect();
        let batches: Vec<Vec<PlayedGame>> = match opening {
            [] => vec![Vec::new()],
            _ => numbers.chunks(AT_ONCE).map(|numbers| numbers.iter().copied().map(begun).collect()).collect(),
        };
        let mut evaluator = NativeEvaluator::new(checkpoint);
        let mut played = Vec::new();
        for batch in batches {
            let last = if opening.is_empty() { games } else { 0 };
            let mut worker = Worker::new(settings, *rules, lane, batch);
            let part = Generation { seed, number: 0, worker: lane, workers: LANES, plies: u64::MAX, games: Some(last) };
            let (games, _) =
                worker.play(part, &mut evaluator, &Progress::default(), stop).map_err(|error| match error {
                    WorkerError::Stopped => StudyError::Stopped,
                    error => StudyError::Play(error.to_string()),
                })?;
            played.extend(games);
        }
        Ok(played)
    };
    let parts: Vec<Vec<PlayedGame>> = (0..LANES).into_par_iter().map(lane).collect::<Result<_, StudyError>>()?;
    let mut games: Vec<PlayedGame> = parts.into_iter().flatten().collect();
    games.sort_by_key(|game| game.number);
    Ok(games)
}

/// The seed of a cell: different for all cells of a study, the same whenever it is played.
pub(crate) fn cell_seed(seed: u64, rules: &Rules, simulations: u32, pie: bool) -> u64 {
    let text = format!("{}{simulations} {pie}", rules.to_toml());
    text.bytes().fold(mix(seed), |state, byte| mix(state ^ u64::from(byte)))
}

/// A pie: White makes the first turn, and Black then says which side it takes. White offers what it holds for nearest to even.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pie {
    /// The placements that White offers.
    pub offer: Vec<String>,
    /// The score that the network expects for White after them.
    pub expected: f64,
    /// Whether Black takes White's side.
    pub swapped: bool,
    /// How many turns White had to choose from; of those that are symmetric one.
    pub offers: usize,
}

/// What a network offers, by searches of so many simulations.
pub(crate) fn cut_pie(
    rules: &Rules,
    checkpoint: &Checkpoint,
    simulations: u32,
) -> Result<(Pie, Vec<Action>), StudyError> {
    let offers = first_turns(rules);
    let positions: Vec<Position> = offers.iter().map(|(position, _)| *position).collect();
    let scores = expected_scores(rules, checkpoint, &positions, simulations)?;
    let nearest = (0..offers.len()).min_by(|&a, &b| (scores[a] - 0.5).abs().total_cmp(&(scores[b] - 0.5).abs()));
    let nearest = nearest.ok_or_else(|| StudyError::Play("a pie takes a placement".to_owned()))?;
    let actions = offers[nearest].1.clone();
    let pie = Pie {
        offer: actions.iter().map(Action::to_string).collect(),
        expected: scores[nearest],
        swapped: scores[nearest] > 0.5,
        offers: offers.len(),
    };
    Ok((pie, actions))
}

/// The boards after White's first turn, of those that are symmetric one, with a way to each.
fn first_turns(rules: &Rules) -> Vec<(Position, Vec<Action>)> {
    let symmetries = symmetries(rules);
    let mut reached = vec![(Position::start(rules), Vec::new())];
    let mut actions = ActionList::new();
    for _ in 0..rules.per_turn.stones() {
        let mut next = BTreeMap::new();
        for (position, way) in reached {
            position.legal_actions(rules, &mut actions);
            for &action in &actions {
                let mut after = position;
                after.apply(rules, action);
                let key = symmetries.iter().map(|symmetry| symmetry.position(&after).hash()).min();
                let way: Vec<Action> = way.iter().copied().chain([action]).collect();
                next.entry(key).or_insert((after, way));
            }
        }
        reached = next.into_values().collect();
    }
    reached
}

/// White's score in positions, as searches without noise expect it.
fn expected_scores(
    rules: &Rules,
    checkpoint: &Checkpoint,
    positions: &[Position],
    simulations: u32,
) -> Result<Vec<f64>, EvaluateError> {
    let settings = SearchSettings { max_nodes: simulations as usize + 2, ..SearchSettings::default() };
    let of_chunk = |positions: &[Position]| {
        let mut evaluator = NativeEvaluator::new(checkpoint);
        let mut evaluations = Evaluations::default();
        let mut scores = Vec::new();
        for position in positions {
            let mut search: Search<Seega> = Search::new(settings);
            search.begin(*rules, *position, simulations, None::<&mut SmallRng>);
            while let Some(leaf) = search.gather() {
                let leaf: Leaf<'_, Seega> = leaf;
                evaluator.evaluate(&[leaf], &mut evaluations)?;
                search.apply(evaluations.get(0));
            }
            scores.push(0.5 + 0.5 * f64::from(search.expected_result().0));
        }
        Ok(scores)
    };
    let scores: Vec<Vec<f64>> = positions.par_chunks(8).map(of_chunk).collect::<Result<_, EvaluateError>>()?;
    Ok(scores.concat())
}

/// A game of uniform random play, and how it ended: `None` where it was cut off after `most_turns` turns of movement.
pub fn random_game(
    rules: &Rules,
    number: u64,
    random: &mut impl Rng,
    most_turns: Option<u32>,
) -> (PlayedGame, Option<Outcome>) {
    let mut position = Position::start(rules);
    let mut plies = Vec::new();
    let mut turns = 0;
    while let Some(action) = position.choose_action(rules, |count| random.random_range(0..count)) {
        if !position.is_placement() && position.chain().is_none() {
            turns += 1;
            if most_turns.is_some_and(|most| turns > most) {
                break;
            }
        }
        position.apply(rules, action);
        plies.push(PlayedPly { action, found: None });
    }
    (PlayedGame { number, generation: 0, plies }, position.outcome())
}

/// The generator of a random game.
pub(crate) fn random_of(seed: u64, game: u64) -> SmallRng {
    SmallRng::seed_from_u64(mix(mix(seed) ^ game))
}

/// The side that a pie gives to whoever cut it.
pub(crate) fn cutter(pie: &Pie) -> Side {
    if pie.swapped { Side::Black } else { Side::White }
}
