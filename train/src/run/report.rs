//! What is told of a finished generation.

use serde::{Deserialize, Serialize};

use super::exact::ExactScore;

/// What is told of a finished generation. It holds nothing that another run of the same recipe would not have too.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationReport {
    /// Its number, from 1.
    pub generation: u32,
    /// The SHA-256 of its network.
    pub network: String,
    /// The SHA-256 of the trainer's state after it.
    pub state: String,
    /// The fingerprint of the settings by which it was made.
    pub recipe: String,
    /// Steps of the optimizer so far.
    pub step: u64,
    /// The learning rate after it.
    pub learning_rate: f64,
    /// Games that ended in it.
    pub games: u64,
    /// Of these, won by White.
    pub white: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by Black.
    pub black: u64,
    /// The mean length of these games, in plies.
    pub plies_per_game: f64,
    /// Positions to learn from that it gave.
    pub positions: u64,
    /// Positions in the window while it was trained.
    pub window: u64,
    /// Evaluations by the network.
    pub evaluations: u64,
    /// Evaluations that were in the cache.
    pub cached: u64,
    /// Simulations.
    pub simulations: u64,
    /// How full the batches were, from 0 to 1.
    pub batch_fill: f64,
    /// The mean losses, each by name.
    pub losses: Vec<(String, f64)>,
    /// Plies that endgame tables played.
    #[serde(default)]
    pub known: u64,
    /// How far the network knows what the tables do, where the run has some.
    #[serde(default)]
    pub exact: Option<ExactScore>,
}

impl GenerationReport {
    /// The headings of `metrics.csv`.
    pub(super) fn headings(&self) -> Vec<String> {
        let fixed = [
            "generation",
            "step",
            "learning_rate",
            "games",
            "white",
            "draws",
            "black",
            "plies_per_game",
            "positions",
            "window",
            "evaluations",
            "cached",
            "simulations",
            "batch_fill",
        ];
        let losses = self.losses.iter().map(|(name, _)| format!("loss_{name}"));
        let last = ["network", "table_plies", "exact_accuracy", "exact_policy_throws"].map(str::to_owned);
        fixed.into_iter().map(str::to_owned).chain(losses).chain(last).collect()
    }

    /// The line of `metrics.csv`.
    pub(super) fn line(&self) -> Vec<String> {
        let fixed = [
            self.generation.to_string(),
            self.step.to_string(),
            format!("{:.6}", self.learning_rate),
            self.games.to_string(),
            self.white.to_string(),
            self.draws.to_string(),
            self.black.to_string(),
            format!("{:.1}", self.plies_per_game),
            self.positions.to_string(),
            self.window.to_string(),
            self.evaluations.to_string(),
            self.cached.to_string(),
            self.simulations.to_string(),
            format!("{:.4}", self.batch_fill),
        ];
        let losses = self.losses.iter().map(|(_, loss)| format!("{loss:.6}"));
        let exact = |of: fn(&ExactScore) -> f64| {
            self.exact.as_ref().map_or_else(String::new, |exact| format!("{:.4}", of(exact)))
        };
        let last = [
            self.network.clone(),
            self.known.to_string(),
            exact(|exact| exact.accuracy),
            exact(|exact| exact.policy_throws),
        ];
        fixed.into_iter().chain(losses).chain(last).collect()
    }
}
