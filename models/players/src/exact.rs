//! A player with endgame tables.

use rand::RngExt;
use seega_exact::{Exact, ExactError, Tables};
use seega_rules::Action;
use seega_search::baseline::{AlphaBeta, Baseline, Limit};

use crate::{Player, PlayerError, Turn};

/// The depth of the search where the tables don't reach.
const DEPTH: u32 = 4;

impl From<ExactError> for PlayerError {
    fn from(error: ExactError) -> PlayerError {
        PlayerError::Tables(error.to_string())
    }
}

/// Plays perfectly where the tables know all actions: wins as soon as it can, loses as late; any of those that are equal.
/// Elsewhere it plays as `alphabeta:4`.
pub(crate) struct ExactPlayer {
    tables: Tables,
    elsewhere: AlphaBeta,
}

impl ExactPlayer {
    pub(crate) fn new(tables: Tables) -> ExactPlayer {
        ExactPlayer { tables, elsewhere: AlphaBeta::new(Limit::Work(DEPTH)) }
    }

    fn choose_one(&mut self, turn: &mut Turn<'_>) -> Result<Action, PlayerError> {
        let Some(mut actions) = self.tables.actions(&turn.position)? else {
            return Ok(self.elsewhere.choose(turn.rules, &turn.position, turn.random));
        };
        let rank = |&(_, exact): &(Action, Exact)| exact.rank();
        let best = actions.iter().map(rank).max();
        actions.retain(|action| Some(rank(action)) == best);
        Ok(actions[turn.random.random_range(0..actions.len())].0)
    }
}

impl Player for ExactPlayer {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        turns.iter_mut().map(|turn| self.choose_one(turn)).collect()
    }
}
