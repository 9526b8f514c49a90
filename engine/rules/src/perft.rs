//! Perft: counts of action sequences, the classic check of an engine against another.

use crate::action::{Action, ActionList};
use crate::position::Position;
use crate::rules::Rules;

/// Counts the sequences of exactly `depth` plies (a stone, a step or a stop each) from a position. A game that ends
/// at ply `depth` counts, one that ended earlier doesn't.
///
/// ```
/// use seega_rules::{Position, perft, preset};
///
/// let rules = preset::find("sija").unwrap().rules;
/// let start = Position::start(&rules);
/// assert_eq!(perft(&rules, &start, 3), 24 * 23 * 22);
/// ```
pub fn perft(rules: &Rules, position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    // Lines of play may be longer than a stack of calls: the branches not yet walked stand in a list of our own.
    let mut count = 0;
    let mut actions = ActionList::new();
    let mut pending: Vec<(Position, Action, u32)> = Vec::new();
    let mut visit = |position: &Position, depth: u32, pending: &mut Vec<_>| {
        position.legal_actions(rules, &mut actions);
        if depth == 1 {
            count += actions.len() as u64;
        } else {
            pending.extend(actions.iter().map(|&action| (*position, action, depth - 1)));
        }
    };
    visit(position, depth, &mut pending);
    while let Some((mut position, action, depth)) = pending.pop() {
        position.apply(rules, action);
        visit(&position, depth, &mut pending);
    }
    count
}
