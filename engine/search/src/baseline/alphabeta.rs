//! Alpha-beta with iterative deepening and a hash table.
//!
//! Depth counts plies in placement and turns in movement: a chain is followed to its end within the same depth. Values
//! are the mover's; they change their sign where the mover changes and nowhere else.
//!
//! Where any move goes on with a chain (szidzsa) a single turn has more ends than can be searched, so that a depth has a
//! limit of positions too: when they are used up, the deepest search that was finished decides.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::Rng;
use seega_rules::{Action, ActionList, Position, Rules};

use super::{Baseline, Limit, evaluation, placement};

/// The value of a win at the root; a win later is worth a little less.
const WIN: i32 = 1_000_000;

/// Values beyond this are wins or losses.
const PROVEN: i32 = WIN / 2;

/// The deepest search that a time limit leads to.
const MAX_DEPTH: u32 = 64;

/// Slots of the hash table, a power of two; 24 bytes each.
const SLOTS: usize = 1 << 18;

/// The positions that a choice at a depth may search. In four games of sija between depths 4 and 2 no choice took more
/// than 27,000.
const MOST_POSITIONS: u64 = 30_000;

/// How many positions are searched between two looks at the clock.
const CLOCK_INTERVAL: u64 = 512;

/// Alpha-beta search to a depth or for a time.
#[derive(Debug)]
pub struct AlphaBeta {
    limit: Limit,
    table: Vec<Slot>,
    /// Which search the table's slots must be of: what others left there counts as empty, so that a choice depends on
    /// its position alone and not on the games before.
    search: u32,
    positions: u64,
    /// The positions that a choice at a depth may search.
    budget: u64,
    /// The positions that may be searched now.
    most_positions: u64,
    deadline: Option<Instant>,
    /// What somebody else sets to end a search early.
    stop: Arc<AtomicBool>,
    stopped: bool,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u64,
    value: i32,
    search: u32,
    depth: u16,
    bound: Bound,
    best: Option<Action>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

const EMPTY: Slot = Slot { hash: 0, value: 0, search: 0, depth: 0, bound: Bound::AtMost, best: None };

impl AlphaBeta {
    /// A player with that limit.
    pub fn new(limit: Limit) -> AlphaBeta {
        AlphaBeta {
            limit,
            table: Vec::new(),
            search: 0,
            positions: 0,
            budget: MOST_POSITIONS,
            most_positions: u64::MAX,
            deadline: None,
            stop: Arc::default(),
            stopped: false,
        }
    }

    /// The player with a flag by which others end its searches early.
    #[must_use]
    pub fn stopped_by(self, stop: Arc<AtomicBool>) -> AlphaBeta {
        AlphaBeta { stop, ..self }
    }

    /// The player with another bound than 30,000 on the positions of a choice at a depth.
    #[must_use]
    pub fn at_most(self, budget: u64) -> AlphaBeta {
        AlphaBeta { budget, ..self }
    }

    /// The value of a position for its mover at a depth, and the best action; for tests and analysis.
    pub fn search(&mut self, rules: &Rules, position: &Position, depth: u32) -> (i32, Option<Action>) {
        self.prepare();
        let mut best = (0, None);
        for depth in 1..=depth {
            let value = self.value(rules, position, depth, 0, -WIN, WIN);
            if self.stopped {
                break;
            }
            best = (value, self.known(position.hash()).and_then(|slot| slot.best));
            if value.abs() > PROVEN {
                break;
            }
        }
        best
    }

    /// Forgets the last search.
    fn prepare(&mut self) {
        self.table.resize(SLOTS, EMPTY);
        self.search = self.search.checked_add(1).unwrap_or_else(|| {
            self.table.fill(EMPTY);
            1
        });
        self.stopped = false;
        self.positions = 0;
    }

    /// What this search knows of a position.
    fn known(&self, hash: u64) -> Option<Slot> {
        let slot = self.table.get(hash as usize & (SLOTS - 1))?;
        (slot.hash == hash && slot.search == self.search).then_some(*slot)
    }

    /// The value for the mover, by alpha-beta: exact within `(alpha, beta)`, else a bound. `ply` counts from the root.
    fn value(&mut self, rules: &Rules, position: &Position, depth: u32, ply: i32, alpha: i32, beta: i32) -> i32 {
        if let Some(outcome) = position.outcome() {
            return match outcome.winner {
                None => 0,
                Some(winner) if winner == position.mover() => WIN - ply,
                Some(_) => ply - WIN,
            };
        }
        let mut actions = ActionList::new();
        if depth == 0 {
            return evaluation::evaluate(rules, position, &mut actions);
        }
        self.positions += 1;
        let late = || self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|end| Instant::now() >= end);
        if self.positions > self.most_positions || (self.positions.is_multiple_of(CLOCK_INTERVAL) && late()) {
            self.stopped = true;
        }
        if self.stopped {
            return 0;
        }
        let hash = position.hash();
        let known = self.known(hash);
        if let Some(known) = known.filter(|known| u32::from(known.depth) >= depth && ply > 0) {
            let value = from_table(known.value, ply);
            let usable = match known.bound {
                Bound::Exact => true,
                Bound::AtLeast => value >= beta,
                Bound::AtMost => value <= alpha,
            };
            if usable {
                return value;
            }
        }
        position.legal_actions(rules, &mut actions);
        order(rules, position, known.and_then(|known| known.best), &mut actions);
        let (mut best, mut best_action, mut low) = (-WIN - 1, None, alpha);
        for &action in &actions {
            let mut next = *position;
            next.apply(rules, action);
            // A turn ends where no chain runs on; in placement every ply counts.
            let ends = next.chain().is_none() || next.outcome().is_some();
            let depth = if ends { depth - 1 } else { depth };
            let value = if next.mover() == position.mover() {
                self.value(rules, &next, depth, ply + 1, low, beta)
            } else {
                -self.value(rules, &next, depth, ply + 1, -beta, -low)
            };
            if self.stopped {
                return 0;
            }
            if value > best {
                (best, best_action) = (value, Some(action));
                low = low.max(value);
                if low >= beta {
                    break;
                }
            }
        }
        let bound = match best {
            _ if best >= beta => Bound::AtLeast,
            _ if best <= alpha => Bound::AtMost,
            _ => Bound::Exact,
        };
        let depth = depth.min(u32::from(u16::MAX)) as u16;
        self.table[hash as usize & (SLOTS - 1)] =
            Slot { hash, value: into_table(best, ply), search: self.search, depth, bound, best: best_action };
        best
    }
}

/// Wins and losses are told from the position in the table, from the root in the search.
fn into_table(value: i32, ply: i32) -> i32 {
    match value {
        _ if value > PROVEN => value + ply,
        _ if value < -PROVEN => value - ply,
        _ => value,
    }
}

fn from_table(value: i32, ply: i32) -> i32 {
    match value {
        _ if value > PROVEN => value - ply,
        _ if value < -PROVEN => value + ply,
        _ => value,
    }
}

/// Puts the action known as best first, then those that take most (in placement: the safest squares).
fn order(rules: &Rules, position: &Position, best: Option<Action>, actions: &mut ActionList) {
    actions.sort_by_cached_key(|&action| {
        let score = match action {
            _ if Some(action) == best => i32::MAX,
            Action::Step { from, to } => i32::from(position.captures(rules, from, to).count()),
            Action::Place(square) => placement::safety(rules, square),
            Action::Stop => 0,
        };
        std::cmp::Reverse(score)
    });
}

impl Baseline for AlphaBeta {
    fn choose(&mut self, rules: &Rules, position: &Position, random: &mut dyn Rng) -> Action {
        let mut actions = ActionList::new();
        position.legal_actions(rules, &mut actions);
        if position.is_placement() {
            return placement::choose(rules, &actions, random);
        }
        let depth = match self.limit {
            Limit::Work(depth) => {
                (self.deadline, self.most_positions) = (None, self.budget);
                depth
            }
            Limit::Seconds(seconds) => {
                self.most_positions = u64::MAX;
                self.deadline = Some(Instant::now() + Duration::from_secs_f32(seconds.max(0.0)));
                MAX_DEPTH
            }
        };
        match self.search(rules, position, depth) {
            (_, Some(action)) if actions.contains(&action) => action,
            // Time or positions ran out before the first depth, or the depth is 0.
            _ => {
                order(rules, position, None, &mut actions);
                actions[0]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::SmallRng;
    use seega_rules::preset;

    use super::*;

    #[test]
    fn a_choice_keeps_to_its_positions_and_is_legal() {
        let rules = preset::parse("sija").unwrap();
        let position = Position::from_text("bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0", &rules).unwrap();
        let mut actions = ActionList::new();
        position.legal_actions(&rules, &mut actions);
        let searched = |budget: u64| {
            let mut player = AlphaBeta::new(Limit::Work(4)).at_most(budget);
            let action = player.choose(&rules, &position, &mut SmallRng::seed_from_u64(1));
            assert!(actions.contains(&action));
            player.positions
        };
        // One more is looked at to see that there is one too many.
        assert_eq!([1, 50].map(searched), [2, 51]);
        assert!(searched(u64::MAX) > 51);
    }
}
