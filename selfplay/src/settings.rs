//! How games of self-play are played.

use seega_search::{GumbelSettings, SearchRule, SearchSettings};

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
    /// The temperature of that drawing: probabilities are raised to its inverse, so that below 1 the best action is
    /// drawn more often.
    pub temperature: Temperature,
    /// How games open.
    pub opening: Opening,
    /// Evaluations that a worker's cache holds.
    pub cache: usize,
    /// What a worker takes from endgame tables, if it has some.
    pub tables: TableUse,
}

/// How games go on that endgame tables know: by best play, without a search, so that they end as they should. What was
/// searched before learns the exact result from that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableUse {
    /// Positions with so many stones are played by the tables, and those with fewer.
    pub stones: u8,
    /// The share of these positions that are learnt from, too, with the exact value, and all best actions as likely.
    pub learnt_share: f64,
}

/// A temperature that falls with the plies of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Temperature {
    /// At the start of a game.
    pub start: f64,
    /// Plies after which it is half.
    pub half_life: f64,
}

impl Temperature {
    /// The temperature after that many plies.
    pub fn at(self, plies: usize) -> f64 {
        self.start * 0.5f64.powf(plies as f64 / self.half_life)
    }
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

/// Full searches of few simulations from the true start: small, for tests and tries. Recipes have settings of their
/// own.
impl Default for Settings {
    fn default() -> Settings {
        Settings {
            games: 64,
            simulations: 16,
            quick_simulations: 2,
            full_share: 1.0,
            rule: SearchRule::Gumbel(GumbelSettings::default()),
            margin_weight: 0.0,
            drawn_plies: 10,
            temperature: Temperature { start: 1.0, half_life: 1e9 },
            opening: Opening { random_share: 0.0, random_plies: 0, placed_share: 0.0 },
            cache: 10_000,
            tables: TableUse { stones: 0, learnt_share: 0.0 },
        }
    }
}

impl Settings {
    pub(crate) fn search(&self) -> SearchSettings {
        // A search ends with its simulations, so the node limit only guards against a setting gone wild.
        let max_nodes = self.simulations.max(self.quick_simulations) as usize + 2;
        SearchSettings { rule: self.rule, margin_weight: self.margin_weight, max_nodes }
    }
}
