//! Players without a network: each of their games is thought about on its own.

use seega_rules::Action;
use seega_search::baseline::Baseline;

use crate::{Player, PlayerError, Turn};

/// A player that thinks about one game after the other.
pub(crate) struct OneByOne<B>(pub(crate) B);

impl<B: Baseline + Send> Player for OneByOne<B> {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        Ok(turns.iter_mut().map(|turn| self.0.choose(turn.rules, &turn.position, turn.random)).collect())
    }
}
