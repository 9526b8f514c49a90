//! What a level of play would do in a position, found in steps: a worker that does one after the other hears what comes
//! meanwhile.
//!
//! The players of `seega-players` don't serve here: they come with endgame tables, whose C library browsers don't have,
//! and think to the end.

use std::sync::Arc;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::{NativeEvaluator, Turned};
use seega_rules::{Action, GameInPlay, Position, Rules, Side};
use seega_search::baseline::{AlphaBeta, Baseline, Greedy, Limit};
use seega_search::{Evaluations, Evaluator, RootAction, Search, SearchSettings, Seega};
use serde::{Deserialize, Serialize};

use crate::ask::AskError;

/// How well the machine plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// An action drawn from what the network takes for good at first sight; without a network `greedy`.
    Easy,
    /// A short search; without a network `alphabeta:2`.
    Medium,
    /// A search that a browser does within a second on 5×5; without a network `alphabeta:4`, of fewer positions than
    /// elsewhere. Hints and the analysis are its.
    Strong,
}

impl Level {
    /// Simulations with a network.
    const fn simulations(self) -> u32 {
        match self {
            Level::Easy => 1,
            Level::Medium => 16,
            Level::Strong => 400,
        }
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Thought {
    /// What to play.
    pub action: String,
    /// The network's name; `None` where none knows the rules and alpha-beta plays.
    pub network: Option<String>,
    /// How the game is expected to end; `None` without a network.
    pub chances: Option<WhiteChances>,
    /// The probability of each action that the search came to; empty without a network.
    pub policy: Vec<Share>,
    /// Simulations done.
    pub simulations: u32,
}

/// How a game is expected to end, as White sees it; the three come to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WhiteChances {
    /// White wins.
    pub win: f32,
    /// A draw.
    pub draw: f32,
    /// Black wins.
    pub loss: f32,
}

/// An action's share of a policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The action.
    pub action: String,
    /// From 0 to 1.
    pub probability: f32,
}

/// A network by its name.
#[derive(Debug)]
struct Known {
    name: String,
    checkpoint: Arc<Checkpoint>,
    /// Made when it is first asked.
    evaluator: Option<NativeEvaluator>,
}

/// What is thought about.
#[derive(Debug)]
struct Task {
    rules: Rules,
    position: Position,
    level: Level,
    random: SmallRng,
    /// The network that searches; `None`: alpha-beta.
    network: Option<usize>,
}

/// Thinks about one position at a time, with the networks that it was given.
#[derive(Debug)]
pub struct Thinker {
    networks: Vec<Known>,
    task: Option<Task>,
    search: Search<Seega>,
    evaluations: Evaluations,
    found: Vec<RootAction<Action>>,
}

/// The positions of alpha-beta: so many that a ply on 9×9, where one takes longest, stays below a second in a browser.
const MOST_POSITIONS: u64 = 8_000;

/// The nodes of a search.
const MAX_NODES: usize = 1 << 16;

impl Default for Thinker {
    fn default() -> Thinker {
        Thinker {
            networks: Vec::new(),
            task: None,
            search: Search::new(SearchSettings { max_nodes: MAX_NODES, ..SearchSettings::default() }),
            evaluations: Evaluations::default(),
            found: Vec::new(),
        }
    }
}

impl Thinker {
    /// Takes a network. One of the same name takes the other's place. What was thought about before is forgotten.
    pub fn add_network(&mut self, name: &str, checkpoint: Arc<Checkpoint>) {
        self.task = None;
        self.networks.retain(|known| known.name != name);
        self.networks.push(Known { name: name.to_owned(), checkpoint, evaluator: None });
    }

    /// Begins to think about a game's next ply. What was thought about before is forgotten. All chance comes from `seed`.
    ///
    /// # Errors
    /// The game is over.
    pub fn begin(&mut self, game: &GameInPlay, level: Level, seed: u64) -> Result<(), AskError> {
        if game.is_over() {
            return Err(AskError("the game is over".to_owned()));
        }
        let (rules, position) = (*game.rules(), *game.position());
        // A network of these rules alone before one of many.
        let network = (0..self.networks.len())
            .filter(|&index| self.networks[index].checkpoint.was_trained_on(&rules))
            .min_by_key(|&index| self.networks[index].checkpoint.about.trained_on.len());
        if network.is_some() {
            self.search.begin(rules, position, level.simulations(), None::<&mut SmallRng>);
        }
        self.task = Some(Task { rules, position, level, random: SmallRng::seed_from_u64(seed), network });
        Ok(())
    }

    /// Goes on for some evaluations of the network. `None` while it is not done.
    ///
    /// # Errors
    /// Nothing was begun, or the network can't evaluate.
    pub fn go_on(&mut self, evaluations: u32) -> Result<Option<Thought>, AskError> {
        let Some(task) = &mut self.task else {
            return Err(AskError("nothing was begun".to_owned()));
        };
        let Some(index) = task.network else {
            let action = without_network(task);
            self.task = None;
            return Ok(Some(Thought {
                action: action.to_string(),
                network: None,
                chances: None,
                policy: Vec::new(),
                simulations: 0,
            }));
        };
        let known = &mut self.networks[index];
        let evaluator = known.evaluator.get_or_insert_with(|| NativeEvaluator::new(&known.checkpoint));
        for _ in 0..evaluations {
            let Some(leaf) = self.search.gather() else {
                return self.found().map(Some);
            };
            let turned = Turned::new(&leaf, 0);
            let failed = |error: seega_models::evaluator::EvaluateError| AskError(error.to_string());
            evaluator.evaluate(&[turned.leaf(&leaf)], &mut self.evaluations).map_err(failed)?;
            self.search.apply(self.evaluations.get(0));
        }
        if self.search.is_done() { self.found().map(Some) } else { Ok(None) }
    }

    /// Ends the thinking with what is found so far.
    ///
    /// # Errors
    /// Nothing was begun, or the network can't evaluate.
    pub fn end(&mut self) -> Result<Thought, AskError> {
        // The root's own evaluation at least.
        if let Some(thought) = self.go_on(1)? { Ok(thought) } else { self.found() }
    }

    /// What the network's search found; the root has been evaluated.
    fn found(&mut self) -> Result<Thought, AskError> {
        let task = self.task.take().ok_or_else(|| AskError("nothing was begun".to_owned()))?;
        let mut random = task.random;
        self.search.root_actions(&mut self.found);
        let action = match task.level {
            Level::Easy => drawn(&self.found, &mut random),
            Level::Medium | Level::Strong => self.search.best_action(),
        };
        let chances = self.search.chances();
        let (win, loss) = match self.search.mover() {
            Side::White => (chances.win, chances.loss),
            Side::Black => (chances.loss, chances.win),
        };
        let share = |found: &RootAction<Action>| Share { action: found.action.to_string(), probability: found.policy };
        Ok(Thought {
            action: action.to_string(),
            network: task.network.map(|index| self.networks[index].name.clone()),
            chances: Some(WhiteChances { win, draw: chances.draw, loss }),
            policy: self.found.iter().map(share).collect(),
            simulations: self.search.simulations(),
        })
    }
}

/// An action drawn from the network's policy.
fn drawn(actions: &[RootAction<Action>], random: &mut SmallRng) -> Action {
    let mut rest = random.random_range(0.0..1.0);
    for action in actions {
        rest -= action.prior;
        if rest < 0.0 {
            return action.action;
        }
    }
    // Rounding left something over.
    actions[actions.len() - 1].action
}

fn without_network(task: &mut Task) -> Action {
    let mut by = |mut player: Box<dyn Baseline>| player.choose(&task.rules, &task.position, &mut task.random);
    match task.level {
        Level::Easy => by(Box::new(Greedy)),
        Level::Medium => by(Box::new(AlphaBeta::new(Limit::Work(2)))),
        Level::Strong => by(Box::new(AlphaBeta::new(Limit::Work(4)).at_most(MOST_POSITIONS))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seega_models::architecture::Architecture;
    use seega_models::checkpoint::NamedRules;
    use seega_rules::preset;

    fn game(rules: &str, start: Option<&str>) -> GameInPlay {
        let rules = preset::parse(rules).unwrap();
        let start = start.map_or(Position::start(&rules), |text| Position::from_text(text, &rules).unwrap());
        GameInPlay::begin(rules, start)
    }

    fn network(rules: &[&str]) -> Arc<Checkpoint> {
        let named = |&name: &&str| NamedRules { name: name.to_owned(), rules: preset::parse(name).unwrap() };
        let architecture = Architecture { channels: 8, blocks: 1 };
        Checkpoint::fresh(architecture, rules.iter().map(named).collect(), 1).into()
    }

    fn thought(thinker: &mut Thinker, game: &GameInPlay, level: Level, seed: u64) -> Thought {
        thinker.begin(game, level, seed).unwrap();
        loop {
            if let Some(thought) = thinker.go_on(7).unwrap() {
                return thought;
            }
        }
    }

    /// White's step that takes Black's third stone but two, and so wins.
    const WINS: &str = "5/5/wb1w1/5/4b w m - 0";

    #[test]
    fn a_win_is_found_with_a_network_and_without() {
        let game = game("sija:lose_at=1", Some(WINS));
        let mut thinker = Thinker::default();
        let without = thought(&mut thinker, &game, Level::Medium, 1);
        assert_eq!((&*without.action, without.network), ("d3-c3", None));
        thinker.add_network("small", network(&["sija:lose_at=1"]));
        let found = thought(&mut thinker, &game, Level::Strong, 1);
        assert_eq!((&*found.action, found.network.as_deref()), ("d3-c3", Some("small")));
        let chances = found.chances.unwrap();
        assert_eq!((chances.win, chances.loss), (1.0, 0.0), "it is proven, and White's");
    }

    #[test]
    fn chances_are_whites_whoever_moves() {
        let mut thinker = Thinker::default();
        thinker.add_network("small", network(&["sija:lose_at=1"]));
        let black_wins = game("sija:lose_at=1", Some("5/5/bw1b1/5/4w b m - 0"));
        let chances = thought(&mut thinker, &black_wins, Level::Strong, 1).chances.unwrap();
        assert_eq!((chances.win, chances.loss), (0.0, 1.0));
    }

    #[test]
    fn the_network_of_the_fewest_rules_is_asked_and_only_one_that_knows_them() {
        let mut thinker = Thinker::default();
        thinker.add_network("family", network(&["siga", "kawu"]));
        thinker.add_network("kawu", network(&["kawu"]));
        let by = |thinker: &mut Thinker, rules| thought(thinker, &game(rules, None), Level::Medium, 1).network;
        assert_eq!(by(&mut thinker, "kawu").as_deref(), Some("kawu"));
        assert_eq!(by(&mut thinker, "siga").as_deref(), Some("family"));
        assert_eq!(by(&mut thinker, "siga/7"), None);
    }

    #[test]
    fn the_easy_level_plays_many_things_and_each_level_the_same_for_the_same_seed() {
        let game = game("kawu", None);
        let mut thinker = Thinker::default();
        thinker.add_network("kawu", network(&["kawu"]));
        let mut actions: Vec<String> =
            (0..20).map(|seed| thought(&mut thinker, &game, Level::Easy, seed).action).collect();
        actions.sort();
        actions.dedup();
        assert!(actions.len() > 5, "{actions:?}");
        for level in [Level::Easy, Level::Medium, Level::Strong] {
            let first = thought(&mut thinker, &game, level, 3);
            assert_eq!(thought(&mut thinker, &game, level, 3), first);
        }
    }

    #[test]
    fn thinking_can_be_ended_early_and_begun_again() {
        let game = game("kawu", None);
        let mut thinker = Thinker::default();
        thinker.add_network("kawu", network(&["kawu"]));
        assert!(thinker.end().is_err(), "nothing was begun");
        thinker.begin(&game, Level::Strong, 1).unwrap();
        assert_eq!(thinker.end().unwrap().simulations, 0);
        thinker.begin(&game, Level::Strong, 1).unwrap();
        assert_eq!(thinker.go_on(20).unwrap(), None);
        let sum: f32 = thinker.end().unwrap().policy.iter().map(|share| share.probability).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        assert!(thinker.go_on(1).is_err(), "it was ended");
    }
}
