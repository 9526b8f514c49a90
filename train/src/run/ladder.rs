//! Measuring the networks of a run on the ladder.
//!
//! A measurement is kept in a file of its own when it is done; `ladder.csv` is written afresh from all of them. It
//! changes nothing of what the run learns.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rand::Rng;
use seega_arena::PlayedGame;
use seega_arena::ladder::{LadderRow, LadderSettings, Opponent, climb};
use seega_players::PlayerSpec;
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

    /// Measures the last network of the run, if it was not yet.
    pub(super) fn measure_last(&self, generation: u32) -> Result<(), RunError> {
        self.measure_once(generation, self.recipe.numbers.final_games, true)
    }

    fn measure_once(&self, generation: u32, games: u32, last: bool) -> Result<(), RunError> {
        let name = format!("ladder/{generation:04}-games-{games}.json");
        if self.folder.path().join(&name).exists() {
            return Ok(());
        }
        let mut rungs = Vec::new();
        for rules in &self.recipe.rules {
            let opponents = self.opponents(generation, rules)?;
            let rows = self.climb_all(generation, games, rules, &opponents)?;
            let rules = rules.named.name.clone();
            rungs.extend(rows.into_iter().map(|row| Rung { generation, rules: rules.clone(), row }));
        }
        let bytes = serde_json::to_vec_pretty(&rungs).map_err(|error| self.folder.fault(&name, error))?;
        self.folder.write(&name, &bytes)?;
        self.folder.write_ladder()?;
        self.observer.measured(&rungs, last);
        Ok(())
    }

    /// The spellings of the opponents: those without a network, and the network of some generations ago.
    fn opponents(&self, generation: u32, _: &WeightedRules) -> Result<Vec<(String, PlayerSpec)>, RunError> {
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
        self.observer.phase(generation, Phase::Ladder, Some(total), &counter);
        let settings = LadderSettings {
            rules: rules.named.rules,
            pairs: games / 2,
            seed: random_for(self.recipe.numbers.seed, Purpose::Ladder, generation, 0).next_u64(),
        };
        let next = AtomicUsize::new(0);
        let rows: Mutex<Vec<(usize, Result<Vec<LadderRow>, RunError>)>> = Mutex::default();
        std::thread::scope(|scope| {
            for _ in 0..self.recipe.numbers.workers {
                scope.spawn(|| {
                    tch::set_num_threads(1);
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some((name, spec)) = opponents.get(index) else { break };
                        let climbed = self.climb_one(generation, &settings, name, spec, &counter);
                        if let Ok(mut rows) = rows.lock() {
                            rows.push((index, climbed));
                        }
                    }
                });
            }
        });
        let mut rows = rows.into_inner().map_err(|_| RunError::Ladder("a worker broke down".to_owned()))?;
        rows.sort_by_key(|(index, _)| *index);
        if self.stop.load(Ordering::Relaxed) {
            return Err(RunError::Stopped);
        }
        let mut all = Vec::new();
        for (_, rows) in rows {
            all.extend(rows?);
        }
        Ok(all)
    }

    fn climb_one(
        &self,
        generation: u32,
        settings: &LadderSettings,
        name: &str,
        spec: &PlayerSpec,
        counter: &AtomicU64,
    ) -> Result<Vec<LadderRow>, RunError> {
        let failed = |error: &dyn std::fmt::Display| RunError::Ladder(error.to_string());
        let player = spec.build(&settings.rules, false).map_err(|error| failed(&error))?;
        let mut opponents = [Opponent { name: name.to_owned(), player }];
        let measured = self.network(generation);
        let mut rows = Vec::new();
        climb(
            settings,
            &mut || measured.build(&settings.rules, false),
            &mut opponents,
            self.stop,
            &mut Counting(counter),
            &mut |row| rows.push(row),
        )
        .map_err(|error| failed(&error))?;
        Ok(rows)
    }
}

/// Counts games that are over.
struct Counting<'a>(&'a AtomicU64);

impl seega_arena::Observer for Counting<'_> {
    fn game_over(&mut self, _: &PlayedGame) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
