//! Play without a network: the players against which a learnt one is measured.
//!
//! All but [`Random`] place their stones by the rule of [`placement`], so that a match between two of them measures
//! how they move.

mod alphabeta;
mod evaluation;
pub mod placement;
mod playouts;

use rand::{Rng, RngExt};
use seega_rules::{Action, ActionList, Position, Rules};

pub use alphabeta::AlphaBeta;
pub use playouts::{PlayoutSettings, Playouts};

/// How long a player may think about a ply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// So much work: turns of depth for alpha-beta, simulations for trees.
    Work(u32),
    /// So many seconds.
    Seconds(f32),
}

/// Something that plays.
pub trait Baseline {
    /// The action to play in a position whose game goes on. Chance enters through `random` alone.
    ///
    /// # Panics
    /// If the game is over.
    fn choose(&mut self, rules: &Rules, position: &Position, random: &mut dyn Rng) -> Action;
}

/// Plays any legal action.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl Baseline for Random {
    fn choose(&mut self, rules: &Rules, position: &Position, random: &mut dyn Rng) -> Action {
        position.choose_action(rules, |count| random.random_range(0..count)).expect("the game goes on")
    }
}

/// Places by the [`placement`] rule, then takes as many stones as a single step can; of equal steps any.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greedy;

impl Baseline for Greedy {
    fn choose(&mut self, rules: &Rules, position: &Position, random: &mut dyn Rng) -> Action {
        let mut actions = ActionList::new();
        position.legal_actions(rules, &mut actions);
        if position.is_placement() {
            return placement::choose(rules, &actions, random);
        }
        pick_highest(&actions, random, |action| match action {
            Action::Step { from, to } => i32::from(position.captures(rules, from, to).count()),
            // Stopping a chain that can go on takes less than going on.
            Action::Place(_) | Action::Stop => -1,
        })
    }
}

/// An action with the highest score; of several any.
///
/// # Panics
/// If there is none.
fn pick_highest(actions: &[Action], random: &mut dyn Rng, score: impl Fn(Action) -> i32) -> Action {
    let scores: Vec<i32> = actions.iter().map(|&action| score(action)).collect();
    let highest = *scores.iter().max().expect("the game goes on");
    let count = scores.iter().filter(|&&score| score == highest).count();
    let chosen = random.random_range(0..count);
    let index = scores.iter().enumerate().filter(|(_, score)| **score == highest).nth(chosen);
    actions[index.expect("there are as many").0]
}
