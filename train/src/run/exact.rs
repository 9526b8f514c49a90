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
#[derive(Debug, Default)]
pub(super) struct RunTables(Vec<OfRules>);

#[derive(Debug)]
struct OfRules {
    /// With which self-play is done, if it is.
    tables: Option<Arc<Tables>>,
    /// By which networks are scored; none if they are not.
    positions: Vec<Known>,
}

impl RunTables {
    /// Opens the tables that the recipe asks for.
    ///
    /// # Errors
    /// Some are missing or damaged.
    pub(super) fn open(recipe: &Recipe) -> Result<RunTables, RunError> {
        let mut of_rules = Vec::new();
        for rules in &recipe.rules {
            let tables = recipe.open_tables(&rules.named)?;
            let positions = match recipe.open_score_tables(&rules.named)? {
                Some(tables) => uniform_positions(&tables, recipe.scored_stones() as u8, POSITIONS, SEED)?,
                None => Vec::new(),
            };
            of_rules.push(OfRules { tables, positions });
        }
        Ok(RunTables(of_rules))
    }

    /// The tables with which self-play by a rule set is done.
    pub(super) fn of(&self, lane: usize) -> Option<Arc<Tables>> {
        self.0[lane].tables.clone()
    }

    /// Scores a network, over all rule sets; `None` without tables.
    pub(super) fn score(&self, recipe: &Recipe, checkpoint: &Checkpoint) -> Result<Option<ExactScore>, RunError> {
        if self.0.iter().all(|of_rules| of_rules.positions.is_empty()) {
            return Ok(None);
        }
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
        Ok(Some(ExactScore { accuracy: share(right, positions), policy_throws: share(thrown, choices) }))
    }
}
