//! One game of self-play: it advances until it needs an evaluation.

use rand::RngExt;
use rand::rngs::SmallRng;
use seega_exact::{Exact, ExactError, Tables, Value};
use seega_rules::{Action, Position, Rules, Side, Symmetry};
use seega_search::{Leaf, MoverView, RootAction, Search, Seega};

use crate::cache::Cache;
use crate::game::{PlayedGame, PlayedPly, SearchFound};
use crate::settings::Settings;
use crate::worker::Counters;

/// By what all games of a worker are played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) rules: &'a Rules,
    pub(crate) tables: Option<&'a Tables>,
}

/// A game that is being played.
#[derive(Debug)]
pub(crate) struct Slot {
    game: PlayedGame,
    position: Position,
    random: SmallRng,
    search: Search<Seega>,
    searching: bool,
    /// Simulations of the search that are counted already.
    counted: u32,
    full: bool,
    symmetry: Symmetry,
    found: Vec<RootAction<Action>>,
}

/// What a slot needs when it stops advancing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// An evaluation of the leaf that [`Slot::leaf`] gives.
    Evaluation,
    /// A new game: this one is over.
    Game,
}

impl Slot {
    /// A slot with a game; `random` gives a game's generator by its number.
    pub(crate) fn new(terms: Terms<'_>, game: PlayedGame, random: &impl Fn(u64) -> SmallRng) -> Slot {
        let mut slot = Slot {
            game: PlayedGame { plies: Vec::new(), ..game },
            position: Position::start(terms.rules),
            random: random(game.number),
            search: Search::new(terms.settings.search()),
            searching: false,
            counted: 0,
            full: true,
            symmetry: Symmetry::ALL[0],
            found: Vec::new(),
        };
        slot.begin(terms, game, random);
        slot
    }

    /// Begins a game afresh, or goes on with one that has plies already.
    pub(crate) fn begin(&mut self, terms: Terms<'_>, game: PlayedGame, random: &impl Fn(u64) -> SmallRng) {
        self.random = random(game.number);
        self.position = Position::start(terms.rules);
        for ply in &game.plies {
            self.position.apply(terms.rules, ply.action);
        }
        let fresh = game.plies.is_empty();
        self.game = game;
        self.searching = false;
        if fresh {
            self.open(terms);
        }
    }

    /// Plays the random plies of the opening.
    fn open(&mut self, Terms { settings, rules, .. }: Terms<'_>) {
        let opening = &settings.opening;
        let drawn: f64 = self.random.random();
        let mut plies = if drawn < opening.random_share && opening.random_plies > 0 {
            self.random.random_range(1..=opening.random_plies)
        } else {
            0
        };
        let placed = (opening.random_share..opening.random_share + opening.placed_share).contains(&drawn);
        while plies > 0 || (placed && self.position.is_placement()) {
            let Some(action) = self.position.choose_action(rules, |count| self.random.random_range(0..count)) else {
                break;
            };
            self.position.apply(rules, action);
            self.game.plies.push(PlayedPly { action, found: None });
            plies = plies.saturating_sub(1);
        }
    }

    /// Takes the game out.
    pub(crate) fn take_game(&mut self) -> PlayedGame {
        PlayedGame { plies: std::mem::take(&mut self.game.plies), ..self.game }
    }

    /// Advances the game until it needs something: through simulations that end by themselves or are in the cache, and
    /// through plies.
    ///
    /// # Errors
    /// A table is damaged.
    pub(crate) fn advance(
        &mut self,
        terms: Terms<'_>,
        cache: &Cache,
        counters: &mut Counters,
    ) -> Result<Need, ExactError> {
        loop {
            if self.position.outcome().is_some() {
                return Ok(Need::Game);
            }
            if !self.searching {
                if let Some(actions) = self.known(terms)? {
                    counters.known += 1;
                    self.play_known(terms, actions);
                    continue;
                }
                self.begin_search(terms);
            }
            while let Some(leaf) = self.search.gather() {
                match cache.get(leaf.position.hash()) {
                    Some(evaluation) => {
                        counters.cached += 1;
                        counters.cached_simulations += u64::from(!self.search.waits_for_its_root());
                        self.search.apply(evaluation);
                    }
                    None => {
                        self.count(counters);
                        return Ok(Need::Evaluation);
                    }
                }
            }
            self.count(counters);
            counters.searches += 1;
            self.play(terms);
        }
    }

    /// Counts the simulations that were done since the last count.
    fn count(&mut self, counters: &mut Counters) {
        let done = self.search.simulations();
        counters.simulations += u64::from(done - self.counted);
        self.counted = done;
    }

    /// What the tables say of the position's actions; `None` where a search is needed.
    fn known(&self, terms: Terms<'_>) -> Result<Option<Vec<(Action, Exact)>>, ExactError> {
        let Some(tables) = terms.tables else { return Ok(None) };
        let stones: u8 = Side::BOTH.iter().map(|&side| self.position.stones(side).count()).sum();
        if self.position.is_placement() || stones > terms.settings.tables.stones {
            return Ok(None);
        }
        tables.actions(&self.position)
    }

    /// Plays one of the best actions, and keeps what is known for a share of the positions.
    fn play_known(&mut self, terms: Terms<'_>, actions: Vec<(Action, Exact)>) {
        let best = actions.iter().map(|(_, exact)| exact.rank()).max();
        let is_best = |exact: Exact| Some(exact.rank()) == best;
        let count = actions.iter().filter(|(_, exact)| is_best(*exact)).count();
        let chosen = self.random.random_range(0..count);
        let action = actions.iter().filter(|(_, exact)| is_best(*exact)).nth(chosen).map(|&(action, _)| action);
        let action = action.expect("a position whose game goes on has an action");
        let learnt = self.random.random_bool(terms.settings.tables.learnt_share);
        let found = learnt.then(|| {
            let value = MoverView(match best.map(|(value, ..)| value) {
                Some(Value::Win) => 1.0,
                Some(Value::Loss) => -1.0,
                Some(Value::Draw) | None => 0.0,
            });
            let share = |&(_, exact): &(Action, Exact)| if is_best(exact) { 1.0 / count as f32 } else { 0.0 };
            SearchFound { value, policy: actions.iter().map(share).collect() }
        });
        self.game.plies.push(PlayedPly { action, found });
        self.position.apply(terms.rules, action);
    }

    fn begin_search(&mut self, Terms { settings, rules, .. }: Terms<'_>) {
        self.full = settings.full_share >= 1.0 || self.random.random_bool(settings.full_share);
        self.symmetry = Symmetry::ALL[self.random.random_range(0..Symmetry::ALL.len())];
        let simulations = if self.full { settings.simulations } else { settings.quick_simulations };
        // Quick searches play what they think best; only full ones explore.
        let noise = self.full.then_some(&mut self.random);
        self.search.begin(*rules, self.position, simulations, noise);
        self.searching = true;
        self.counted = 0;
    }

    /// Plays a ply by what the search found, and keeps that.
    fn play(&mut self, Terms { settings, rules, .. }: Terms<'_>) {
        self.search.root_actions(&mut self.found);
        let action = if self.game.plies.len() < settings.drawn_plies as usize {
            draw(&self.found, settings.temperature.at(self.game.plies.len()), &mut self.random)
        } else {
            self.search.best_action()
        };
        let policy = if self.full { self.found.iter().map(|found| found.policy).collect() } else { Vec::new() };
        // The lead, which may have a part in the search's values, is nothing that the result should be learnt to be.
        let value = self.search.expected_result().seen_by(self.position.mover());
        self.game.plies.push(PlayedPly { action, found: Some(SearchFound { value, policy }) });
        self.position.apply(rules, action);
        self.searching = false;
    }

    /// The hash of the leaf that waits for its evaluation, before it is turned.
    pub(crate) fn leaf_hash(&self) -> Option<u64> {
        Some(self.search.pending()?.position.hash())
    }

    /// The leaf that waits for its evaluation, on a board turned by the symmetry of this ply's search. The actions are
    /// added to `actions` in the leaf's order.
    pub(crate) fn leaf(&self, actions: &mut Vec<Action>) -> Option<Position> {
        let leaf: Leaf<'_, Seega> = self.search.pending()?;
        let size = leaf.position.size();
        actions.extend(leaf.actions.iter().map(|&action| self.symmetry.action(size, action)));
        Some(self.symmetry.position(leaf.position))
    }

    /// Whether the leaf that waits is the search's root, whose evaluation is no simulation.
    pub(crate) fn waits_for_its_root(&self) -> bool {
        self.search.waits_for_its_root()
    }

    /// Takes the evaluation of the leaf.
    pub(crate) fn apply(&mut self, evaluation: seega_search::Evaluation<'_>, counters: &mut Counters) {
        self.search.apply(evaluation);
        self.count(counters);
    }
}

/// An action drawn from the improved policy at a temperature.
fn draw(found: &[RootAction<Action>], temperature: f64, random: &mut SmallRng) -> Action {
    let highest = found.iter().map(|found| found.policy).fold(0.0, f32::max);
    // The highest weighs 1, so that not all round to nothing at a low temperature.
    let weight = |found: &RootAction<Action>| f64::from(found.policy / highest).powf(temperature.recip());
    let mut rest: f64 = random.random::<f64>() * found.iter().map(weight).sum::<f64>();
    for found in found {
        rest -= weight(found);
        if rest <= 0.0 && found.policy > 0.0 {
            return found.action;
        }
    }
    // Rounding left a little: the last that has a chance.
    let last = found.iter().rev().find(|found| found.policy > 0.0);
    last.or(found.last()).expect("a position whose game goes on has an action").action
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use seega_rules::BoardSize;

    use super::*;

    #[test]
    fn a_low_temperature_draws_the_best_more_often() {
        let action = |index| Action::Place(BoardSize::Five.board().iter().nth(index).expect("a square"));
        let found = |index, policy| RootAction {
            action: action(index),
            prior: 0.25,
            policy,
            visits: 1,
            value: None,
            chances: None,
            proof: None,
        };
        let found = [found(0, 0.6), found(1, 0.3), found(2, 0.1), found(3, 0.0)];
        let mut random = SmallRng::seed_from_u64(1);
        let mut shares = |temperature: f64| {
            let mut counts = [0u32; 4];
            for _ in 0..10_000 {
                let drawn = draw(&found, temperature, &mut random);
                counts[found.iter().position(|found| found.action == drawn).unwrap()] += 1;
            }
            counts.map(|count| f64::from(count) / 10_000.0)
        };
        let near = |shares: [f64; 4], expected: [f64; 4]| {
            assert!(shares.iter().zip(expected).all(|(share, expected)| (share - expected).abs() < 0.02), "{shares:?}");
        };
        near(shares(1.0), [0.6, 0.3, 0.1, 0.0]);
        // 36 : 9 : 1
        near(shares(0.5), [0.7826, 0.1957, 0.0217, 0.0]);
        assert_eq!(shares(1e-9), [1.0, 0.0, 0.0, 0.0]);
    }
}
