//! Monte Carlo tree search with random playouts: the tree of [`Search`], with a playout for an evaluator.

use std::time::{Duration, Instant};

use rand::{Rng, RngExt, SeedableRng, rngs::SmallRng};
use seega_rules::{Action, ActionList, Position, Rules, Side};

use super::{Baseline, Limit, placement};
use crate::evaluator::{Evaluations, Evaluator, Leaf};
use crate::game::Seega;
use crate::puct::PuctSettings;
use crate::search::{Search, SearchRule, SearchSettings};
use crate::value::{Chances, MoverView, WhiteView};

/// The constants of the playouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayoutSettings {
    /// Plies after which a playout is stopped and scored by its stones.
    pub plies: u32,
    /// The lead in stones that counts as a win; smaller leads count in proportion.
    pub winning_lead: f32,
    /// The weight of exploration of the tree.
    pub exploration: f32,
}

impl Default for PlayoutSettings {
    fn default() -> PlayoutSettings {
        PlayoutSettings { plies: 40, winning_lead: 6.0, exploration: 4.0 }
    }
}

/// Places by the [`placement`] rule and moves by Monte Carlo tree search.
#[derive(Debug)]
pub struct Playouts {
    limit: Limit,
    settings: PlayoutSettings,
    search: Search<Seega>,
    evaluations: Evaluations,
}

impl Playouts {
    /// A player with that limit; work counts playouts.
    pub fn new(limit: Limit, settings: PlayoutSettings) -> Playouts {
        let rule = SearchRule::Puct(PuctSettings {
            exploration: settings.exploration,
            first_play_urgency: 0.0,
            ..PuctSettings::default()
        });
        let search = Search::new(SearchSettings { rule, ..SearchSettings::default() });
        Playouts { limit, settings, search, evaluations: Evaluations::default() }
    }
}

impl Baseline for Playouts {
    fn choose(&mut self, rules: &Rules, position: &Position, random: &mut dyn Rng) -> Action {
        if position.is_placement() {
            let mut actions = ActionList::new();
            position.legal_actions(rules, &mut actions);
            return placement::choose(rules, &actions, random);
        }
        let (playouts, deadline) = match self.limit {
            Limit::Work(playouts) => (playouts, None),
            Limit::Seconds(seconds) => (u32::MAX, Some(Instant::now() + Duration::from_secs_f32(seconds.max(0.0)))),
        };
        let mut evaluator =
            PlayoutEvaluator { settings: self.settings, random: SmallRng::seed_from_u64(random.random()) };
        self.search.begin(*rules, *position, playouts, None::<&mut SmallRng>);
        while let Some(leaf) = self.search.gather() {
            let Ok(()) = evaluator.evaluate(&[leaf], &mut self.evaluations);
            self.search.apply(self.evaluations.get(0));
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                break;
            }
        }
        self.search.best_action()
    }
}

/// Evaluates by one random playout from the leaf; all actions are equally likely.
struct PlayoutEvaluator {
    settings: PlayoutSettings,
    random: SmallRng,
}

impl PlayoutEvaluator {
    /// Plays on at random and scores where that ends.
    fn playout(&mut self, rules: &Rules, mut position: Position) -> WhiteView {
        for _ in 0..self.settings.plies {
            match position.choose_action(rules, |count| self.random.random_range(0..count)) {
                Some(action) => position.apply(rules, action),
                None => break,
            };
        }
        if let Some(outcome) = position.outcome() {
            return crate::value::GameEnd::of_winner(outcome.winner).value();
        }
        let stones = |side| f32::from(position.stones(side).count());
        let lead = stones(Side::White) - stones(Side::Black);
        WhiteView((lead / self.settings.winning_lead).clamp(-1.0, 1.0))
    }
}

impl Evaluator<Seega> for PlayoutEvaluator {
    type Error = std::convert::Infallible;

    fn evaluate(&mut self, leaves: &[Leaf<'_, Seega>], out: &mut Evaluations) -> Result<(), Self::Error> {
        out.clear();
        for leaf in leaves {
            let value = self.playout(leaf.rules, *leaf.position).seen_by(leaf.position.mover());
            // A playout's score as chances whose expected value it is.
            let chances = Chances { win: (1.0 + value.0) / 2.0, draw: 0.0, loss: (1.0 - value.0) / 2.0 };
            out.push(leaf.actions.iter().map(|_| 0.0), chances, MoverView(0.0));
        }
        Ok(())
    }
}
