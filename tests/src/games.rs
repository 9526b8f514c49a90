//! Random rules and the positions of random games, the same for the same seed.

use std::num::NonZeroU32;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_rules::{
    ActionList, Blocked, BoardSize, Chain, Directions, FirstMover, Jumps, LoseAt, PerTurn, Position, QuietResult, Rules,
};

/// A generator of a test's own.
#[must_use]
pub fn random(seed: u64) -> SmallRng {
    SmallRng::seed_from_u64(seed)
}

fn one_of<T: Copy>(random: &mut SmallRng, values: &[T]) -> T {
    values[random.random_range(0..values.len())]
}

/// Any rules; quiet limits are short, so that games reach them.
///
/// # Panics
/// Never: the bounds of its numbers are those of the fields.
pub fn any_rules(random: &mut SmallRng) -> Rules {
    Rules {
        size: one_of(random, &BoardSize::ALL),
        per_turn: one_of(random, &[PerTurn::One, PerTurn::Two]),
        cross: random.random(),
        first_mover: one_of(random, FirstMover::ALL),
        move_dirs: one_of(random, Directions::ALL),
        jumps: one_of(random, Jumps::ALL),
        capture_dirs: one_of(random, Directions::ALL),
        center_safe: random.random(),
        chain: one_of(random, Chain::ALL),
        chain_optional: random.random(),
        chain_limit: NonZeroU32::new(random.random_range(0..5)),
        blocked: one_of(random, Blocked::ALL),
        lose_at: LoseAt::new(random.random_range(0..=LoseAt::MAX)).unwrap(),
        quiet_limit: NonZeroU32::new(random.random_range(1..30)).unwrap(),
        quiet_result: one_of(random, QuietResult::ALL),
    }
}

/// Plays a random game and calls `visit` with each position that has an action, and its legal actions.
pub fn each_position(rules: &Rules, random: &mut SmallRng, mut visit: impl FnMut(&Position, &ActionList)) {
    let mut position = Position::start(rules);
    let mut actions = ActionList::new();
    while position.outcome().is_none() {
        position.legal_actions(rules, &mut actions);
        visit(&position, &actions);
        position.apply(rules, one_of(random, &actions));
    }
}
