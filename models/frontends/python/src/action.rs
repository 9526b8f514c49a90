//! Actions as text, and as places in a network's policy.

use pyo3::prelude::*;
use seega_models::action;
use seega_rules::Action;

use crate::argument::{Whole, wrong};

/// Characters of a caller's text that a message repeats.
const MOST_TOLD: usize = 40;

/// Reads an action.
pub(crate) fn parse(text: &str) -> PyResult<Action> {
    text.parse().map_err(|error| {
        let told: String = text.chars().take(MOST_TOLD).collect();
        wrong(format!("{told:?} is no action: {error}"))
    })
}

/// Places of the policy on a board of that size, 17 × size² + 1: 426, 834 or 1378.
///
/// Raises:
///     ValueError: if size is not 5, 7 or 9.
#[pyfunction]
#[pyo3(signature = (size, /))]
pub(crate) fn action_count(size: Whole) -> PyResult<usize> {
    Ok(action::policy_len(size.size()?))
}

/// The place of an action in the policy on a board of that size, from 0 to ``action_count(size) - 1``, as models/FORMAT.md
/// fixes it. Whether it is legal anywhere is not asked.
///
/// Raises:
///     ValueError: if size is not 5, 7 or 9, the text is no action, or the board has no such step.
#[pyfunction]
#[pyo3(signature = (action, size, /))]
pub(crate) fn action_index(action: &str, size: Whole) -> PyResult<usize> {
    let (parsed, size) = (parse(action)?, size.size()?);
    // The goal of a step must be on the board too, of which the place alone doesn't know.
    let place = action::index(size, parsed).filter(|&place| action::action_at(size, place) == Some(parsed));
    place.ok_or_else(|| wrong(format!("{parsed} is no action on {size}")))
}

/// The action of a place in the policy: the reverse of ``action_index``.
///
/// Raises:
///     ValueError: if size is not 5, 7 or 9, there is no such place, or it leads off the board.
#[pyfunction]
#[pyo3(signature = (index, size, /))]
pub(crate) fn action_from_index(index: Whole, size: Whole) -> PyResult<String> {
    let size = size.size()?;
    let place = index.within("index", 0, action::policy_len(size) as u64 - 1)? as usize;
    let action = action::action_at(size, place);
    action.map(|action| action.to_string()).ok_or_else(|| wrong(format!("place {place} leads off the {size} board")))
}
