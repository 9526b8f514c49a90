//! How games of self-play are played.

use seega_search::{SearchRule, SearchSettings};

/// How games are played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Games that a worker plays at once: its largest batch.
    pub games: usize,
    /// Simulations of a full search, whose policy is learnt.
    pub simulations: u32,
    /// Simulations of a quick search, whose policy is not (playout-cap randomisation: Wu, 2019).
    pub quick_simulations: u32,
    /// The share of full searches, from 0 to 1.
    pub full_share: f64,
    /// The rule of the searches.
    pub rule: SearchRule,
    /// The weight of the lead in stones in the searches' values.
    pub margin_weight: f32,
    /// Plies from the start of a game in which the action is drawn from the policy instead of the best being played.
    pub drawn_plies: u32,
    /// How games open.
    pub opening: Opening,
    /// Evaluations that a worker's cache holds.
    pub cache: usize,
}

/// How games open: shares of games that do not begin at the true start, so that the network sees more of the game than
/// it would play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// The share of games that begin with random plies.
    pub random_share: f64,
    /// The most random plies then; their number is drawn evenly from 1.
    pub random_plies: u32,
    /// The share of games whose placement is random as a whole.
    pub placed_share: f64,
}

impl Settings {
    pub(crate) fn search(&self) -> SearchSettings {
        // A search ends with its simulations, so the node limit only guards against a setting gone wild.
        let max_nodes = self.simulations.max(self.quick_simulations) as usize + 2;
        SearchSettings { rule: self.rule, margin_weight: self.margin_weight, max_nodes }
    }
}
