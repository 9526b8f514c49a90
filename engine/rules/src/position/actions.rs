//! The legal actions of a position, and what lies under them: steps, jumps and captures on bitboards.

use super::{Phase, Position};
use crate::action::{Action, ActionList};
use crate::bitboard::Bitboard;
use crate::rules::{Chain, Directions, Rules};
use crate::side::Side;
use crate::square::{BoardSize, Direction, Square};

/// Calls `visit` with each direction of the set. Written out so that every call knows its direction when compiled.
#[inline(always)]
fn each_direction(directions: Directions, mut visit: impl FnMut(Direction)) {
    visit(Direction::North);
    visit(Direction::East);
    visit(Direction::South);
    visit(Direction::West);
    if directions == Directions::All {
        visit(Direction::NorthEast);
        visit(Direction::SouthEast);
        visit(Direction::SouthWest);
        visit(Direction::NorthWest);
    }
}

/// The board as movement sees it: what stands where, and over what the rules let stones jump.
#[derive(Clone, Copy)]
struct Ground {
    empty: Bitboard,
    /// Squares that may be jumped over.
    jumpable: Bitboard,
}

impl Ground {
    #[inline]
    fn new(rules: &Rules, size: BoardSize, occupied: Bitboard) -> Ground {
        let mut jumpable = Bitboard::EMPTY;
        if rules.jumps.over_stones() {
            jumpable = occupied;
        }
        if rules.jumps.over_center() {
            jumpable |= Bitboard::of(size.center());
        }
        Ground { empty: size.board().without(occupied), jumpable }
    }

    /// Where a step of any of the stones in that direction arrives.
    #[inline(always)]
    fn steps(&self, stones: Bitboard, direction: Direction) -> Bitboard {
        stones.shifted(direction) & self.empty
    }

    /// Where a jump of any of the stones in that direction arrives.
    #[inline(always)]
    fn jumps(&self, stones: Bitboard, direction: Direction) -> Bitboard {
        (stones.shifted(direction) & self.jumpable).shifted(direction) & self.empty
    }

    /// Whether any of the stones has a step or jump.
    #[inline]
    fn any_step(&self, rules: &Rules, stones: Bitboard) -> bool {
        let mut reached = Bitboard::EMPTY;
        each_direction(rules.move_dirs, |direction| reached |= self.steps(stones, direction));
        if !self.jumpable.is_empty() {
            each_direction(rules.move_dirs, |direction| reached |= self.jumps(stones, direction));
        }
        !reached.is_empty()
    }

    /// Calls `visit(from, to)` with each step and jump of the stones to one of the `goals`.
    #[inline(always)]
    fn each_step(&self, rules: &Rules, stones: Bitboard, goals: Bitboard, mut visit: impl FnMut(Square, Square)) {
        each_direction(rules.move_dirs, |direction| {
            for to in self.steps(stones, direction) & goals {
                visit(to.back(direction), to);
            }
        });
        if !self.jumpable.is_empty() {
            each_direction(rules.move_dirs, |direction| {
                for to in self.jumps(stones, direction) & goals {
                    visit(to.back(direction).back(direction), to);
                }
            });
        }
    }
}

/// The enemy stones that can be captured at all.
#[inline]
fn prey(rules: &Rules, size: BoardSize, enemy: Bitboard) -> Bitboard {
    if rules.center_safe { enemy.without(Bitboard::of(size.center())) } else { enemy }
}

/// The empty squares from which a stone that arrives there would capture: each next to an enemy stone with a stone of
/// the mover behind it. Where jumps are allowed the stone behind may be the jumper itself, which is gone by then; so
/// this is a superset.
#[inline]
fn capture_goals(rules: &Rules, own: Bitboard, prey: Bitboard, empty: Bitboard) -> Bitboard {
    let mut goals = Bitboard::EMPTY;
    each_direction(rules.capture_dirs, |direction| {
        goals |= (own.shifted_back(direction) & prey).shifted_back(direction);
    });
    goals & empty
}

impl Position {
    /// Fills `actions` with the legal actions, without duplicates and in an order that only depends on the position;
    /// with nothing once the game is over.
    pub fn legal_actions(&self, rules: &Rules, actions: &mut ActionList) {
        actions.clear();
        if self.outcome.is_some() {
            return;
        }
        match self.phase {
            Phase::Placement { .. } => {
                let free = self.empty().without(Bitboard::of(self.size.center()));
                actions.extend(free.into_iter().map(Action::Place));
            }
            Phase::Movement | Phase::Opening => {
                self.each_legal_step(rules, |from, to| actions.push(Action::Step { from, to }));
                if self.phase == Phase::Opening {
                    self.keep_opening_steps(rules, actions);
                }
                if self.chain.is_some() && rules.chain_optional {
                    actions.push(Action::Stop);
                }
            }
        }
    }

    /// The stones that the mover's step from `from` to `to` captures. Only the moved stone captures, together with
    /// another of the mover's; `from` is empty by then and clamps nothing.
    #[inline]
    pub fn captures(&self, rules: &Rules, from: Square, to: Square) -> Bitboard {
        let own = self.stones[self.mover].without(Bitboard::of(from));
        let prey = prey(rules, self.size, self.stones[self.opponent()]);
        let arrived = Bitboard::of(to);
        let mut captured = Bitboard::EMPTY;
        each_direction(rules.capture_dirs, |direction| {
            captured |= arrived.shifted(direction) & own.shifted_back(direction) & prey;
        });
        captured
    }

    /// Whether a side that began its turn now would have a step.
    #[inline]
    pub(super) fn has_step(&self, rules: &Rules, side: Side) -> bool {
        Ground::new(rules, self.size, self.occupied()).any_step(rules, self.stones[side])
    }

    /// Whether the mover, who has just captured, has a step with which the chain could go on.
    #[inline]
    pub(super) fn chain_can_go_on(&self, rules: &Rules) -> bool {
        let mut found = false;
        self.each_legal_step(rules, |_, _| found = true);
        found
    }

    /// Calls `visit(from, to)` with each step that the chain's rule allows, the opening rule aside.
    #[inline(always)]
    fn each_legal_step(&self, rules: &Rules, mut visit: impl FnMut(Square, Square)) {
        let own = self.stones[self.mover];
        let ground = Ground::new(rules, self.size, self.occupied());
        match self.chain {
            Some(chain) if rules.chain != Chain::AnyMove => {
                let stones = if rules.chain == Chain::SamePiece { Bitboard::of(chain.square) } else { own };
                let prey = prey(rules, self.size, self.stones[self.opponent()]);
                let goals = capture_goals(rules, own, prey, ground.empty);
                ground.each_step(rules, stones, goals, |from, to| {
                    if !self.captures(rules, from, to).is_empty() {
                        visit(from, to);
                    }
                });
            }
            _ => ground.each_step(rules, own, ground.empty, visit),
        }
    }

    /// Of a turn's first steps that follow a turn skipped under `must_open`: keeps those after which the blocked
    /// opponent has a step, or all where none does that.
    fn keep_opening_steps(&self, rules: &Rules, actions: &mut ActionList) {
        let opens = |action: &Action| match *action {
            Action::Step { from, to } => {
                let captured = self.captures(rules, from, to);
                let own = self.stones[self.mover].without(Bitboard::of(from)).with(to);
                let enemy = self.stones[self.opponent()].without(captured);
                Ground::new(rules, self.size, own | enemy).any_step(rules, enemy)
            }
            Action::Place(_) | Action::Stop => false,
        };
        if actions.iter().any(opens) {
            actions.retain(|action| opens(action));
        }
    }
}
