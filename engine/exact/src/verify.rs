//! Checking tables position by position against what the rules say of one turn.
//!
//! Nothing of how tables are made is used but the numbers of boards: every turn is played by the rules crate, and what it leads
//! to is looked up. A position's value with t turns left must be the best of what its turns lead to: with a capture the value
//! with the counter at 0, without one the value with t − 1 turns left, or what the quiet limit says.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use seega_rules::{ActionList, BySide, Position, Side};

use crate::error::ExactError;
use crate::solve::full_turns;
use crate::tables::Tables;
use crate::turn::{After, at_limit};
use crate::value::{Class, Thresholds, Turns, Value};

/// A position whose value is not the best of what its turns lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The position.
    pub position: String,
    /// Turns left before the quiet limit.
    pub left: Turns,
    /// The table's value.
    pub told: Value,
    /// What its turns lead to.
    pub found: Value,
}

/// Slots that a thread checks before it looks for others.
const PART: u64 = 1 << 12;

/// Checks every position of a class, those after skipped turns included, and gives how many there are. `None` when stopped.
///
/// # Errors
/// A file is damaged, or a class that captures lead to is not there; or a position disagrees: then the first of them.
pub fn verify(
    tables: &Tables,
    class: Class,
    stop: &AtomicBool,
) -> Result<Option<Result<u64, Disagreement>>, ExactError> {
    let Some(file) = tables.file(class) else { return Ok(Some(Ok(0))) };
    let boards = file.ranking().len();
    let checked: Vec<Result<Option<Result<u64, Disagreement>>, ExactError>> = (0..(file.slots() as u64).div_ceil(PART))
        .into_par_iter()
        .map(|part| {
            let mut checked = 0;
            for slot in part * PART..((part + 1) * PART).min(file.slots() as u64) {
                if stop.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                let opening = slot >= boards;
                let index = if opening { file.blocked()[(slot - boards) as usize] } else { slot };
                let Some((own, enemy, _)) = file.ranking().board(index) else { continue };
                let geometry = tables.geometry();
                let stones = BySide { white: geometry.to_board(own), black: geometry.to_board(enemy) };
                let Ok(position) = Position::in_movement(tables.rules(), stones, Side::White, opening) else {
                    continue;
                };
                let thresholds = file.thresholds(own, enemy, opening)?;
                match check(tables, &position, thresholds)? {
                    None => checked += 1,
                    Some(disagreement) => return Ok(Some(Err(disagreement))),
                }
            }
            Ok(Some(Ok(checked)))
        })
        .collect();
    let mut sum = 0;
    for part in checked {
        match part? {
            None => return Ok(None),
            Some(Ok(count)) => sum += count,
            Some(Err(disagreement)) => return Ok(Some(Err(disagreement))),
        }
    }
    Ok(Some(Ok(sum)))
}

/// Checks one position for every number of turns left: both sides of the comparison change at a few of them alone.
fn check(tables: &Tables, position: &Position, told: Thresholds) -> Result<Option<Disagreement>, ExactError> {
    let rules = tables.rules();
    let (full, limit) = (full_turns(rules), at_limit(rules, position));
    let mut actions = ActionList::new();
    position.legal_actions(rules, &mut actions);
    let mut after = Vec::with_capacity(actions.len());
    for &action in &actions {
        after.push(After::action(tables, position, action)?.ok_or_else(|| {
            ExactError::file(Path::new(&position.to_string()), format!("{action} leads to a class that has no table"))
        })?);
    }
    let found = |left| after.iter().map(|after| after.value(left, limit)).max().unwrap_or(Value::Loss);
    let changes = after.iter().flat_map(|after| after.changes()).chain([told.first, told.second]);
    let mut lefts: Vec<Turns> =
        changes.flat_map(|change| [change.saturating_sub(1), change]).chain([1, full]).collect();
    lefts.retain(|&left| (1..=full).contains(&left));
    lefts.sort_unstable();
    lefts.dedup();
    let disagreement = lefts.into_iter().find(|&left| told.value(left) != found(left));
    Ok(disagreement.map(|left| Disagreement {
        position: position.to_string(),
        left,
        told: told.value(left),
        found: found(left),
    }))
}
