//! The evaluation of positions by alpha-beta: material, mobility and threats.

use seega_rules::{Action, ActionList, Position, Rules, Side};

use super::placement;

/// What a stone is worth; mobility and threats are told in the same unit.
pub(super) const STONE: i32 = 100;

/// What an enemy stone that could be taken at once is worth, to the side to move.
const THREAT: i32 = 30;

/// What a legal step more is worth.
const STEP: i32 = 1;

/// The value of a position for its mover, in hundredths of a stone.
///
/// In placement: the stones' safety. In movement: the stones; what the mover's best step takes; the mover's steps. The
/// opponent's are not counted, since by its turn they have changed.
pub(super) fn evaluate(rules: &Rules, position: &Position, actions: &mut ActionList) -> i32 {
    let sign = |side| if side == Side::White { 1 } else { -1 };
    if position.is_placement() {
        return placement::lead(rules, position) * sign(position.mover());
    }
    let stones = |side| i32::from(position.stones(side).count());
    position.legal_actions(rules, actions);
    let taken = |action: &Action| match *action {
        Action::Step { from, to } => i32::from(position.captures(rules, from, to).count()),
        Action::Place(_) | Action::Stop => 0,
    };
    let best = actions.iter().map(taken).max().unwrap_or(0);
    (stones(position.mover()) - stones(position.opponent())) * STONE + best * THREAT + actions.len() as i32 * STEP
}
