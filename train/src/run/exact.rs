//! Endgame tables in a run: self-play ends its games by them, and the network of each generation is scored by them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use seega_arena::score::{Known, score, uniform_positions};
use seega_exact::Tables;
use seega_models::checkpoint::Checkpoint;
use serde::{Deserialize, Serialize};

use super::RunError;
use crate::recipe::Recipe;

/// Positions of each class by which networks are scored.
const POSITIONS: usize = 50;

/// The seed by which they are drawn: the same in all runs, so that their scores compare.
const SEED: u64 = 1;

/// How far a network knows what the tables do, on positions drawn evenly from them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExactScore {
    /// The share of positions whose value it holds most likely.
    pub accuracy: f64,
    /// Of the positions in which the value can be thrown away, the share whose most probable action does.
    pub policy_throws: f64,
}

/// The tables of a run's rule sets, in their order.
#[derive(Debug)]
pub(super) struct RunTables(Vec<OfRules>);

#[derive(Debug)]
struct OfRules {
    tables: Arc<Tables>,
    positions: Vec<Known>,
}

impl RunTables {
    /// Opens the tables that the recipe asks for; `None` if it asks for none.
    ///
    /// # Errors
    /// Some are missing or damaged.
    pub(super) fn open(recipe: &Recipe) -> Result<Option<RunTables>, RunError> {
        let mut of_rules = Vec::new();
        for rules in &recipe.rules {
            let Some(tables) = recipe.open_tables(&rules.named)? else { return Ok(None) };
            let positions = uniform_positions(&tables, recipe.numbers.table_stones as u8, POSITIONS, SEED)?;
            of_rules.push(OfRules { tables, positions });
        }
        Ok(Some(RunTables(of_rules)))
    }

    /// The tables of a rule set.
    pub(super) fn of(&self, lane: usize) -> Arc<Tables> {
        Arc::clone(&self.0[lane].tables)
    }

    /// Scores a network, over all rule sets.
    pub(super) fn score(&self, recipe: &Recipe, checkpoint: &Checkpoint) -> Result<ExactScore, RunError> {
        let (mut right, mut positions, mut thrown, mut choices) = (0.0, 0.0, 0.0, 0.0);
        for (rules, of_rules) in recipe.rules.iter().zip(&self.0) {
            let none = || Ok(Vec::new());
            let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
            let rows = score(&rules.named.rules, checkpoint, none, &of_rules.positions, &done, &stop)
                .map_err(|error| RunError::Score(error.to_string()))?;
            for row in rows.iter().filter(|row| row.class.is_none()) {
                right += row.accuracy * row.positions as f64;
                positions += row.positions as f64;
                thrown += row.policy * row.choices as f64;
                choices += row.choices as f64;
            }
        }
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        Ok(ExactScore { accuracy: share(right, positions), policy_throws: share(thrown, choices) })
    }
}
