//! Measuring the networks of a run on the ladder.
//!
//! A measurement is kept in a file of its own when it is done; `ladder.csv` is written afresh from all of them. It
//! changes nothing of what the run learns.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rand::Rng;
use seega_arena::ladder::{LadderRow, LadderSettings, climb};
use seega_arena::{PlayedGame, Seats};
use seega_players::PlayerSpec;
use seega_rules::record::GameRecord;
use seega_search::baseline::Limit;
use seega_selfplay::{Purpose, random_for};
use serde::{Deserialize, Serialize};

use super::folder::Folder;
use super::{Observer, Phase, RunError};
use crate::recipe::{Recipe, WeightedRules};

/// The opponents without a network, the weakest first.
const BASELINES: [&str; 5] = ["random", "greedy", "alphabeta:2", "alphabeta:4", "mcts:800"];

/// A line of `ladder.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rung {
    /// The generation whose network was measured.
    pub generation: u32,
    /// The rules, as the recipe names them.
    pub rules: String,
    /// The result against one opponent.
    pub row: LadderRow,
}

/// A measurement of a generation, as its file holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Measurement {
    /// Games against each opponent from each kind of start; repeated ones don't count in the rungs.
    pub(super) games: u32,
    /// The results.
    pub(super) rungs: Vec<Rung>,
}

/// What measures.
pub(super) struct Ladder<'a> {
    pub(super) folder: &'a Folder,
    pub(super) recipe: &'a Recipe,
    pub(super) observer: &'a dyn Observer,
    pub(super) stop: &'a AtomicBool,
}

impl Ladder<'_> {
    /// Measures the network of a generation if it is one of those that are, and was not yet.
    pub(super) fn measure(&self, generation: u32) -> Result<(), RunError> {
        let every = self.recipe.numbers.ladder_every;
        if every == 0 || generation == 0 || !generation.is_multiple_of(every) {
            return Ok(());
        }
        self.measure_once(generation, self.recipe.numbers.ladder_games, false)
    }

    /// Measures the last network of the run, if it was not yet: with games of its own number, whatever was measured on
    /// the way.
    pub(super) fn measure_last(&self, generation: u32) -> Result<(), RunError> {
        self.measure_once(generation, self.recipe.numbers.final_games, true)
    }

    /// Measures a generation, unless a measurement with as many games stands there; one with fewer gives way, for its
    /// games are played once more in this one.
    fn measure_once(&self, generation: u32, games: u32, last: bool) -> Result<(), RunError> {
        let name = format!("ladder/{generation:04}.json");
        if let Some(known) = self.folder.read_measurement(&name)?
            && known.games >= games
        {
            if last {
                self.observer.measured(&known.rungs);
            }
            return Ok(());
        }
        let mut rungs = Vec::new();
        for rules in &self.recipe.rules {
            let opponents = self.opponents(generation)?;
            let rows = self.climb_all(generation, games, rules, &opponents)?;
            let rules = rules.named.name.clone();
            rungs.extend(rows.into_iter().map(|row| Rung { generation, rules: rules.clone(), row }));
        }
        let measurement = Measurement { games, rungs };
        let bytes = serde_json::to_vec_pretty(&measurement).map_err(|error| self.folder.fault(&name, error))?;
        self.folder.write(&name, &bytes)?;
        self.folder.write_ladder()?;
        self.observer.measured(&measurement.rungs);
        Ok(())
    }

    /// The spellings of the opponents: those without a network, and the network of some generations ago.
    fn opponents(&self, generation: u32) -> Result<Vec<(String, PlayerSpec)>, RunError> {
        let parse = |name: &str| name.parse().map_err(|error| RunError::Ladder(format!("{error}")));
        let mut opponents = Vec::new();
        for name in BASELINES {
            opponents.push((name.to_owned(), parse(name)?));
        }
        let earlier = generation / 2;
        if earlier > 0 {
            opponents.push((format!("generation {earlier}"), self.network(earlier)));
        }
        Ok(opponents)
    }

    fn network(&self, generation: u32) -> PlayerSpec {
        let path: PathBuf = self.folder.checkpoint(generation);
        PlayerSpec::Net { path, limit: Limit::Work(self.recipe.numbers.ladder_simulations) }
    }

    /// Plays against all opponents, on all workers; the rows come in the opponents' order.
    fn climb_all(
        &self,
        generation: u32,
        games: u32,
        rules: &WeightedRules,
        opponents: &[(String, PlayerSpec)],
    ) -> Result<Vec<LadderRow>, RunError> {
        let counter = Arc::new(AtomicU64::new(0));
        // Each opponent is met from both kinds of starts.
        let total = u64::from(games) * 2 * opponents.len() as u64;
        self.observer.phase(generation, Phase::Ladder { games: total, done: Arc::clone(&counter) });
        let settings = LadderSettings {
            rules: rules.named.rules,
            pairs: games / 2,
            seed: random_for(self.recipe.numbers.seed, Purpose::Ladder, generation, 0).next_u64(),
        };
        let failed = |error: &dyn std::fmt::Display| RunError::Ladder(error.to_string());
        let mut workers = Vec::new();
        for _ in 0..self.recipe.numbers.workers {
            let mut seats: Seats = Vec::new();
            let measured = self.network(generation);
            for spec in std::iter::once(&measured).chain(opponents.iter().map(|(_, spec)| spec)) {
                seats.push(spec.build(&settings.rules, false).map_err(|error| failed(&error))?);
            }
            workers.push(seats);
        }
        let names: Vec<String> = opponents.iter().map(|(name, _)| name.clone()).collect();
        let rows = climb(&settings, &names, &mut workers, self.stop, &mut Counting(&counter));
        let rows = rows.map_err(|error| failed(&error))?;
        if self.stop.load(Ordering::Relaxed) { Err(RunError::Stopped) } else { Ok(rows) }
    }
}

/// Counts games that are over.
struct Counting<'a>(&'a AtomicU64);

impl seega_arena::Observer for Counting<'_> {
    fn game_over(&mut self, _: usize, _: &PlayedGame, _: Option<GameRecord>) -> ControlFlow<()> {
        self.0.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}
