//! Players with a network: all games of a call share its batches.

use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::{EvaluateError, NativeEvaluator};
use seega_rules::{Action, ActionList, Position, Symmetry};
use seega_search::baseline::Limit;
use seega_search::{Evaluations, Evaluator, Leaf, Search, SearchSettings, Seega};

use crate::{Player, PlayerError, Turn};

impl From<EvaluateError> for PlayerError {
    fn from(error: EvaluateError) -> PlayerError {
        PlayerError::Evaluate(error.to_string())
    }
}

/// The nodes of a search that is limited by time.
const MAX_NODES: usize = 1 << 20;

/// Plays what a search with the network finds, without noise.
pub(crate) struct SearchPlayer {
    evaluator: NativeEvaluator,
    evaluations: Evaluations,
    searches: Vec<Search<Seega>>,
    limit: Limit,
    evaluated: u64,
}

impl SearchPlayer {
    pub(crate) fn new(checkpoint: &Checkpoint, limit: Limit) -> SearchPlayer {
        SearchPlayer {
            evaluator: NativeEvaluator::new(checkpoint),
            evaluations: Evaluations::default(),
            searches: Vec::new(),
            limit,
            evaluated: 0,
        }
    }

    /// Searches the positions of all turns side by side.
    fn search(&mut self, turns: &[Turn<'_>], simulations: u32, deadline: Option<Instant>) -> Result<(), PlayerError> {
        let settings = SearchSettings { max_nodes: MAX_NODES, ..SearchSettings::default() };
        while self.searches.len() < turns.len() {
            self.searches.push(Search::new(settings));
        }
        let searches = &mut self.searches[..turns.len()];
        for (search, turn) in searches.iter_mut().zip(turns) {
            search.begin(*turn.rules, turn.position, simulations, None::<&mut SmallRng>);
        }
        loop {
            let waiting: Vec<usize> = (0..searches.len()).filter(|&index| searches[index].gather().is_some()).collect();
            if waiting.is_empty() {
                return Ok(());
            }
            let leaves: Vec<Leaf<'_, Seega>> = waiting.iter().filter_map(|&index| searches[index].pending()).collect();
            let turned: Vec<Turned> = leaves.iter().map(Turned::new).collect();
            let leaves: Vec<Leaf<'_, Seega>> =
                leaves.iter().zip(&turned).map(|(leaf, turned)| turned.leaf(leaf)).collect();
            self.evaluator.evaluate(&leaves, &mut self.evaluations)?;
            self.evaluated += leaves.len() as u64;
            for (place, &index) in waiting.iter().enumerate() {
                searches[index].apply(self.evaluations.get(place));
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(());
            }
        }
    }
}

/// A leaf on a board that is turned or mirrored. Which of the eight ways it is comes from the position's hash: what a
/// network has learnt of one of them better than of another evens out over the leaves of a search.
struct Turned {
    position: Position,
    actions: ActionList,
}

impl Turned {
    fn new(leaf: &Leaf<'_, Seega>) -> Turned {
        // The top bits: the lower ones choose the slots of hash tables.
        let symmetry = Symmetry::ALL[(leaf.position.hash() >> 61) as usize];
        let size = leaf.position.size();
        Turned {
            position: symmetry.position(leaf.position),
            actions: leaf.actions.iter().map(|&action| symmetry.action(size, action)).collect(),
        }
    }

    /// The actions stand in the order of the leaf's own, so that the evaluation fits it as it is.
    fn leaf<'a>(&'a self, leaf: &Leaf<'a, Seega>) -> Leaf<'a, Seega> {
        Leaf { rules: leaf.rules, position: &self.position, actions: &self.actions }
    }
}

impl SearchPlayer {
    /// Searches one position for a time. Sequential halving wants to know its simulations beforehand: a short search
    /// tells how many there is time for, and the rest of the time goes to a search of so many.
    fn search_for(&mut self, turn: &[Turn<'_>], time: Duration) -> Result<Action, PlayerError> {
        const TRIAL: u32 = 32;
        let start = Instant::now();
        self.search(turn, TRIAL, Some(start + time))?;
        let spent = start.elapsed();
        let simulations = self.searches[0].simulations();
        let left = time.saturating_sub(spent).as_secs_f64();
        // A tenth is kept back: what is cut off at the end is what sequential halving does best.
        let fits = 0.9 * f64::from(simulations) * left / spent.as_secs_f64().max(1e-6);
        // A search that ended early knows all there is to know; one of no more simulations would know no more.
        if simulations >= TRIAL && fits > f64::from(TRIAL) {
            self.search(turn, fits.min(MAX_NODES as f64) as u32, Some(start + time))?;
        }
        Ok(self.searches[0].best_action())
    }
}

impl Player for SearchPlayer {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        match self.limit {
            Limit::Work(simulations) => {
                self.search(turns, simulations, None)?;
                Ok(self.searches[..turns.len()].iter_mut().map(Search::best_action).collect())
            }
            // Each move has its seconds to itself.
            Limit::Seconds(seconds) => {
                let time = Duration::from_secs_f32(seconds);
                turns.chunks(1).map(|turn| self.search_for(turn, time)).collect()
            }
        }
    }

    fn evaluations(&self) -> u64 {
        self.evaluated
    }
}

/// Plays the network's most probable action.
pub(crate) struct PolicyPlayer {
    evaluator: NativeEvaluator,
    evaluations: Evaluations,
    evaluated: u64,
}

impl PolicyPlayer {
    pub(crate) fn new(checkpoint: &Checkpoint) -> PolicyPlayer {
        PolicyPlayer { evaluator: NativeEvaluator::new(checkpoint), evaluations: Evaluations::default(), evaluated: 0 }
    }
}

impl Player for PolicyPlayer {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        let lists: Vec<ActionList> = turns
            .iter()
            .map(|turn| {
                let mut actions = ActionList::new();
                turn.position.legal_actions(turn.rules, &mut actions);
                actions
            })
            .collect();
        let leaves: Vec<Leaf<'_, Seega>> = turns
            .iter()
            .zip(&lists)
            .map(|(turn, actions)| Leaf { rules: turn.rules, position: &turn.position, actions })
            .collect();
        self.evaluator.evaluate(&leaves, &mut self.evaluations)?;
        self.evaluated += leaves.len() as u64;
        let most_probable = |(index, actions): (usize, &ActionList)| {
            let logits = self.evaluations.get(index).logits;
            let best = (0..actions.len()).max_by(|&a, &b| logits[a].total_cmp(&logits[b]));
            actions[best.expect("the game goes on")]
        };
        Ok(lists.iter().enumerate().map(most_probable).collect())
    }

    fn evaluations(&self) -> u64 {
        self.evaluated
    }
}
