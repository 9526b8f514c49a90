//! Scoring a network by endgame tables: how often it knows the value, and how often it throws it away.
//!
//! Positions are those in which a turn begins and whose class the tables have: drawn evenly, or met in self-play, which is
//! what matters. An action throws the value away if a better value was to be had.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use seega_exact::{Class, Exact, ExactError, Tables, Turns, Value};
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::{EvaluateError, NativeEvaluator};
use seega_players::{Player, PlayerError, Turn};
use seega_rules::{Action, ActionList, Bitboard, BySide, Position, Rules, Side};
use seega_search::{Evaluations, Evaluator, Leaf, Seega};
use seega_selfplay::PlayedGame;
use thiserror::Error;

/// Why a network can't be scored.
#[derive(Debug, Error)]
pub enum ScoreError {
    /// The tables can't be read.
    #[error(transparent)]
    Tables(#[from] ExactError),
    /// The network can't evaluate.
    #[error(transparent)]
    Network(#[from] EvaluateError),
    /// A search can't be made or go on.
    #[error(transparent)]
    Player(#[from] PlayerError),
    /// It was asked to stop.
    #[error("stopped")]
    Stopped,
}

/// A position with what is exactly known of it.
#[derive(Clone, Debug)]
pub struct Known {
    /// The position.
    pub position: Position,
    /// Its value.
    pub exact: Exact,
    /// Each action's.
    pub actions: Vec<(Action, Exact)>,
}

impl Known {
    fn of(tables: &Tables, position: Position) -> Result<Option<Known>, ExactError> {
        if position.chain().is_some() {
            return Ok(None);
        }
        let (exact, actions) = (tables.value(&position)?, tables.actions(&position)?);
        Ok(exact.zip(actions).map(|(exact, actions)| Known { position, exact, actions }))
    }

    /// Whether the position's value can be thrown away.
    fn is_choice(&self) -> bool {
        self.actions.iter().any(|(_, exact)| exact.value < self.exact.value)
    }

    fn throws_away(&self, action: Action) -> bool {
        self.actions.iter().any(|&(known, exact)| known == action && exact.value < self.exact.value)
    }

    fn class(&self) -> Class {
        let [mover, opponent] =
            [self.position.mover(), self.position.opponent()].map(|side| self.position.stones(side).count());
        Class { mover, opponent }
    }
}

/// So many positions of each class that has no more than `stones` stones, drawn evenly from its boards and counters.
///
/// # Errors
/// A table is damaged.
pub fn uniform_positions(tables: &Tables, stones: u8, per_class: usize, seed: u64) -> Result<Vec<Known>, ExactError> {
    /// Boards that are drawn for each position wanted, at most: some have no step.
    const TRIES: usize = 100;
    let rules = tables.rules();
    let mut random = SmallRng::seed_from_u64(seed);
    let mut squares: Vec<_> = rules.size.board().iter().collect();
    let mut positions = Vec::new();
    let classes = tables.classes().map(|(class, _)| class);
    for class in classes.filter(|class| class.stones() <= stones) {
        let mut found = 0;
        for _ in 0..TRIES * per_class {
            if found == per_class {
                break;
            }
            let (movers, all) = (usize::from(class.mover), usize::from(class.stones()));
            let (drawn, _) = squares.partial_shuffle(&mut random, all);
            let [own, enemy] =
                [&drawn[..movers], &drawn[movers..]].map(|squares| squares.iter().copied().collect::<Bitboard>());
            let stones = BySide { white: own, black: enemy };
            let Ok(position) = Position::in_movement(rules, stones, Side::White, false) else { continue };
            let position = position.with_quiet(random.random_range(0..rules.quiet_limit.get()));
            if let Some(known) = Known::of(tables, position)? {
                positions.push(known);
                found += 1;
            }
        }
    }
    Ok(positions)
}

/// The positions of games that the tables know, each once.
///
/// # Errors
/// A table is damaged.
pub fn met_positions(tables: &Tables, games: &[PlayedGame]) -> Result<Vec<Known>, ExactError> {
    let mut positions = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for game in games {
        let mut position = Position::start(tables.rules());
        for ply in &game.plies {
            if !position.is_placement() && seen.insert(position.hash()) {
                positions.extend(Known::of(tables, position)?);
            }
            position.apply(tables.rules(), ply.action);
        }
    }
    Ok(positions)
}

/// How far an end is away, in turns: the bounds of what is counted together.
const DISTANCES: [Turns; 5] = [1, 4, 9, 19, Turns::MAX];

/// A line of a score: positions of a class whose value takes so many turns.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreRow {
    /// The class; `None` for all of them.
    pub class: Option<Class>,
    /// The distance, such as `2-4`, empty where no counter changes the value; `None` for all of them.
    pub distance: Option<String>,
    /// Positions.
    pub positions: u64,
    /// The share of positions whose value the network holds most likely.
    pub accuracy: f64,
    /// The mean of the squared differences between its chances and what is true, summed over win, draw and loss: 0 to 2.
    pub brier: f64,
    /// Positions in which the value can be thrown away.
    pub choices: u64,
    /// Of these: the mean probability that the policy gives to actions that do.
    pub policy_mass: f64,
    /// Of these: the share whose most probable action does.
    pub policy: f64,
    /// The same for the searches, in their order.
    pub searches: Vec<f64>,
}

/// What was seen of one position.
struct Seen {
    right: bool,
    brier: f64,
    choice: bool,
    policy_mass: f64,
    /// Whether the policy and each search throw the value away.
    thrown: Vec<bool>,
}

/// Scores a network, and searches with it, on positions. The first row is about all of them; then come the classes, each
/// with all its distances first. `players` makes the searches; `done` counts positions; `stop` is looked at between
/// batches.
///
/// # Errors
/// The network can't evaluate, a search can't be made or go on, or it was stopped.
pub fn score(
    rules: &Rules,
    checkpoint: &Checkpoint,
    players: impl Fn() -> Result<Vec<Box<dyn Player>>, PlayerError> + Sync,
    positions: &[Known],
    done: &AtomicU64,
    stop: &AtomicBool,
) -> Result<Vec<ScoreRow>, ScoreError> {
    /// Positions that share a batch.
    const TOGETHER: usize = 64;
    let seen = positions.par_chunks(TOGETHER).map(|positions| {
        if stop.load(Ordering::Relaxed) {
            return Err(ScoreError::Stopped);
        }
        let seen = see(rules, &mut NativeEvaluator::new(checkpoint), &mut players()?, positions)?;
        done.fetch_add(positions.len() as u64, Ordering::Relaxed);
        Ok(seen)
    });
    let seen: Vec<Seen> = seen.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let placed: Vec<(Class, usize, &Seen)> =
        positions.iter().zip(&seen).map(|(known, seen)| (known.class(), bucket(known.exact.distance), seen)).collect();
    let rows_of = |class: Option<Class>, bucket: Option<usize>| {
        let is_of = |&&(of_class, of_bucket, _): &&(Class, usize, &Seen)| {
            class.is_none_or(|class| class == of_class) && bucket.is_none_or(|bucket| bucket == of_bucket)
        };
        let of_row: Vec<&Seen> = placed.iter().filter(is_of).map(|&(_, _, seen)| seen).collect();
        (!of_row.is_empty()).then(|| row(class, bucket.map(told), &of_row))
    };
    let classes: BTreeSet<Class> = placed.iter().map(|&(class, ..)| class).collect();
    let buckets = || std::iter::once(None).chain((0..=DISTANCES.len()).map(Some));
    let of_classes = classes.into_iter().flat_map(|class| buckets().map(move |bucket| (Some(class), bucket)));
    let lines = std::iter::once((None, None)).chain(of_classes);
    Ok(lines.filter_map(|(class, bucket)| rows_of(class, bucket)).collect())
}

/// Where a distance belongs.
fn bucket(distance: Option<Turns>) -> usize {
    let place = distance.and_then(|distance| DISTANCES.iter().position(|&bound| distance <= bound));
    place.unwrap_or(DISTANCES.len())
}

/// A bucket of distances for people.
fn told(bucket: usize) -> String {
    let first = bucket.checked_sub(1).map_or(1, |before| DISTANCES[before].saturating_add(1));
    match DISTANCES.get(bucket) {
        None => String::new(),
        Some(&Turns::MAX) => format!("{first}+"),
        Some(&last) if last == first => first.to_string(),
        Some(last) => format!("{first}-{last}"),
    }
}

fn row(class: Option<Class>, distance: Option<String>, seen: &[&Seen]) -> ScoreRow {
    let mean = |values: &mut dyn Iterator<Item = f64>| {
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        if count > 0.0 { sum / count } else { 0.0 }
    };
    let choices = || seen.iter().filter(|seen| seen.choice);
    let thrown = |place: usize| mean(&mut choices().map(|seen| f64::from(u8::from(seen.thrown[place]))));
    let places = seen.first().map_or(1, |seen| seen.thrown.len());
    ScoreRow {
        class,
        distance,
        positions: seen.len() as u64,
        accuracy: mean(&mut seen.iter().map(|seen| f64::from(u8::from(seen.right)))),
        brier: mean(&mut seen.iter().map(|seen| seen.brier)),
        choices: choices().count() as u64,
        policy_mass: mean(&mut choices().map(|seen| seen.policy_mass)),
        policy: thrown(0),
        searches: (1..places).map(thrown).collect(),
    }
}

fn see(
    rules: &Rules,
    evaluator: &mut NativeEvaluator,
    searches: &mut [Box<dyn Player>],
    positions: &[Known],
) -> Result<Vec<Seen>, ScoreError> {
    let mut lists = Vec::new();
    for known in positions {
        let mut actions = ActionList::new();
        known.position.legal_actions(rules, &mut actions);
        lists.push(actions);
    }
    let leaves: Vec<Leaf<'_, Seega>> = positions
        .iter()
        .zip(&lists)
        .map(|(known, actions)| Leaf { rules, position: &known.position, actions })
        .collect();
    let mut evaluations = Evaluations::default();
    evaluator.evaluate(&leaves, &mut evaluations)?;
    let mut all: Vec<Seen> = Vec::new();
    for (index, (known, actions)) in positions.iter().zip(&lists).enumerate() {
        let evaluation = evaluations.get(index);
        let chances = evaluation.chances;
        let said = [(Value::Win, chances.win), (Value::Draw, chances.draw), (Value::Loss, chances.loss)];
        let likely = said.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|&(value, _)| value);
        let brier = said.iter().map(|&(value, chance)| {
            let truth = f64::from(u8::from(value == known.exact.value));
            (f64::from(chance) - truth).powi(2)
        });
        let highest = evaluation.logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f64> = evaluation.logits.iter().map(|logit| f64::from(logit - highest).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let thrown = actions.iter().zip(&weights).filter(|(action, _)| known.throws_away(**action));
        let best = (0..actions.len()).max_by(|&a, &b| evaluation.logits[a].total_cmp(&evaluation.logits[b]));
        all.push(Seen {
            right: likely == Some(known.exact.value),
            brier: brier.sum(),
            choice: known.is_choice(),
            policy_mass: thrown.map(|(_, weight)| weight / sum).sum(),
            thrown: vec![best.is_some_and(|best| known.throws_away(actions[best]))],
        });
    }
    for search in searches {
        let mut randoms: Vec<SmallRng> = (0..positions.len() as u64).map(SmallRng::seed_from_u64).collect();
        let mut turns: Vec<Turn<'_>> = positions
            .iter()
            .zip(&mut randoms)
            .map(|(known, random)| Turn { rules, position: known.position, random })
            .collect();
        let chosen = search.choose(&mut turns)?;
        for ((known, seen), action) in positions.iter().zip(&mut all).zip(chosen) {
            seen.thrown.push(known.throws_away(action));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_told_without_gaps() {
        let all: Vec<String> = (0..=DISTANCES.len()).map(told).collect();
        assert_eq!(all, ["1", "2-4", "5-9", "10-19", "20+", ""]);
    }
}
