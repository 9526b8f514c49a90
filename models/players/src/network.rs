//! Players with a network: all games of a call share its batches.

use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::{EvaluateError, NativeEvaluator, Turned};
use seega_rules::{Action, ActionList, Position, Rules};
use seega_search::baseline::Limit;
use seega_search::{Evaluations, Evaluator, Leaf, Search, SearchRule, SearchSettings, Seega};

use crate::{Player, PlayerError, Turn};

impl From<EvaluateError> for PlayerError {
    fn from(error: EvaluateError) -> PlayerError {
        PlayerError::Evaluate(error.to_string())
    }
}

/// The nodes of a search that is limited by time.
const MAX_NODES: usize = 1 << 20;

/// Whether a search goes on: asked after each evaluation.
pub(crate) type GoesOn<'a> = &'a mut dyn FnMut(&mut [Search<Seega>]) -> bool;

/// Plays what a search with the network finds, without noise.
pub(crate) struct SearchPlayer {
    evaluator: NativeEvaluator,
    evaluations: Evaluations,
    searches: Vec<Search<Seega>>,
    limit: Limit,
    settings: SearchSettings,
    /// Which of the eight ways to turn a board comes first.
    turned_by: u64,
    evaluated: u64,
}

impl SearchPlayer {
    pub(crate) fn new(checkpoint: &Checkpoint, limit: Limit) -> SearchPlayer {
        SearchPlayer {
            evaluator: NativeEvaluator::new(checkpoint),
            evaluations: Evaluations::default(),
            searches: Vec::new(),
            limit,
            settings: SearchSettings { max_nodes: MAX_NODES, ..SearchSettings::default() },
            turned_by: 0,
            evaluated: 0,
        }
    }

    /// The same network and rule, for a search that sees each board turned otherwise.
    pub(crate) fn turned_by(self, turned_by: u64) -> SearchPlayer {
        SearchPlayer { turned_by, ..self }
    }

    /// Searches by another rule.
    pub(crate) fn by(&mut self, rule: SearchRule) {
        if self.settings.rule != rule {
            self.settings.rule = rule;
            self.searches.clear();
        }
    }

    /// Searches the positions of all turns side by side, until their simulations are spent or `goes_on` says no.
    pub(crate) fn search(
        &mut self,
        turns: &[(Rules, Position)],
        simulations: u32,
        goes_on: GoesOn<'_>,
    ) -> Result<(), PlayerError> {
        while self.searches.len() < turns.len() {
            self.searches.push(Search::new(self.settings));
        }
        let searches = &mut self.searches[..turns.len()];
        for (search, &(rules, position)) in searches.iter_mut().zip(turns) {
            search.begin(rules, position, simulations, None::<&mut SmallRng>);
        }
        loop {
            let waiting: Vec<usize> = (0..searches.len()).filter(|&index| searches[index].gather().is_some()).collect();
            if waiting.is_empty() {
                return Ok(());
            }
            let leaves: Vec<Leaf<'_, Seega>> = waiting.iter().filter_map(|&index| searches[index].pending()).collect();
            let turned: Vec<Turned> = leaves.iter().map(|leaf| Turned::new(leaf, self.turned_by)).collect();
            let leaves: Vec<Leaf<'_, Seega>> =
                leaves.iter().zip(&turned).map(|(leaf, turned)| turned.leaf(leaf)).collect();
            self.evaluator.evaluate(&leaves, &mut self.evaluations)?;
            self.evaluated += leaves.len() as u64;
            for (place, &index) in waiting.iter().enumerate() {
                searches[index].apply(self.evaluations.get(place));
            }
            if !goes_on(searches) {
                return Ok(());
            }
        }
    }

    /// The search of the first position.
    pub(crate) fn first_search(&mut self) -> &mut Search<Seega> {
        &mut self.searches[0]
    }
}

impl SearchPlayer {
    /// Searches one position for a time. Sequential halving wants to know its simulations beforehand: a short search
    /// tells how many there is time for, and the rest of the time goes to a search of so many.
    pub(crate) fn search_for(
        &mut self,
        rules: &Rules,
        position: &Position,
        time: Duration,
        goes_on: GoesOn<'_>,
    ) -> Result<(), PlayerError> {
        const TRIAL: u32 = 32;
        let start = Instant::now();
        let turn = [(*rules, *position)];
        let mut goes_on = |searches: &mut [Search<Seega>]| start.elapsed() < time && goes_on(searches);
        self.search(&turn, TRIAL, &mut goes_on)?;
        let spent = start.elapsed();
        let simulations = self.searches[0].simulations();
        let left = time.saturating_sub(spent).as_secs_f64();
        // A tenth is kept back: what is cut off at the end is what sequential halving does best.
        let fits = 0.9 * f64::from(simulations) * left / spent.as_secs_f64().max(1e-6);
        // A search that ended early knows all there is to know; one of no more simulations would know no more.
        if simulations >= TRIAL && fits > f64::from(TRIAL) && goes_on(&mut self.searches[..1]) {
            self.search(&turn, fits.min(MAX_NODES as f64) as u32, &mut goes_on)?;
        }
        Ok(())
    }
}

impl Player for SearchPlayer {
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError> {
        match self.limit {
            Limit::Work(simulations) => {
                let positions: Vec<(Rules, Position)> = turns.iter().map(|turn| (*turn.rules, turn.position)).collect();
                self.search(&positions, simulations, &mut |_| true)?;
                Ok(self.searches[..turns.len()].iter_mut().map(Search::best_action).collect())
            }
            // Each move has its seconds to itself.
            Limit::Seconds(seconds) => {
                let time = Duration::from_secs_f32(seconds);
                let each = |turn: &Turn<'_>| {
                    self.search_for(turn.rules, &turn.position, time, &mut |_| true)?;
                    Ok(self.first_search().best_action())
                };
                turns.iter().map(each).collect()
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
