//! Solving a class: retrograde analysis over quiet turns, between captures that are known already.
//!
//! A turn with a capture in it leads to a smaller class; its result is looked up once, when the class is begun, with the
//! rules crate playing the whole chain. What remains are quiet turns of one step, which stay among the boards with the
//! same stones. They are undone level by level: a position is decided at level t if it takes t turns left before the quiet
//! limit, and what is decided at level t decides its predecessors at level t + 1.
//!
//! What counts as decided depends on the [`Lens`] through which the class is seen. Two sweeps at most give every value
//! for every number of turns left.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU16, Ordering};

use rayon::prelude::*;
use seega_rules::{ActionList, Blocked, BySide, Phase, Position, Rules, Side};

use crate::geometry::{Geometry, Set, bit};
use crate::ranking::Ranking;
use crate::value::{Class, Limit, Thresholds, Turns, Value};

/// What is known of a class.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    pub(crate) class: Class,
    pub(crate) limit: Limit,
    pub(crate) ranking: Ranking,
    /// Under `must_open`: the numbers of the boards whose waiting side is blocked, rising. After a skipped turn each is a
    /// position of its own.
    pub(crate) blocked: Vec<u64>,
    /// [`Thresholds::first`] and [`Thresholds::second`] of each board by its number, and then those after a skipped turn.
    /// A number that is unused, or a board whose mover has no step, has none.
    pub(crate) first: Vec<Turns>,
    pub(crate) second: Vec<Turns>,
}

impl Solved {
    pub(crate) fn thresholds(&self, slot: usize) -> Thresholds {
        Thresholds { limit: self.limit, first: self.first[slot], second: self.second[slot] }
    }
}

/// The place of a position: of a board, or of one after a skipped turn.
///
/// # Panics
/// If a turn is said to be skipped and the waiting side is not blocked.
pub(crate) fn slot(ranking: &Ranking, blocked: &[u64], mover: Set, opponent: Set, opening: bool) -> usize {
    let index = ranking.index(mover, opponent);
    if opening {
        let place = blocked.binary_search(&index).expect("the waiting side is blocked");
        ranking.len() as usize + place
    } else {
        index as usize
    }
}

/// Smaller classes, which captures lead to.
pub(crate) trait Smaller: Sync {
    /// The value for its mover, with the quiet counter at 0, of a position of a smaller class.
    fn value(&self, mover: Set, opponent: Set, opening: bool) -> Value;
}

/// What a sweep decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lens {
    /// Who wins, where the limit draws.
    Decisive,
    /// Where the side with fewer stones gets at least as much, which the limit makes lose. Its doing so counts as its win.
    Fewer(Value),
}

impl Lens {
    /// A result for the mover, seen through it.
    fn see(self, result: Value, limit: Limit) -> Value {
        match (self, limit) {
            (Lens::Fewer(goal), Limit::MoverLoses) if result >= goal => Value::Win,
            (Lens::Fewer(goal), Limit::MoverWins) if result.flipped() >= goal => Value::Loss,
            (Lens::Fewer(_), _) => Value::Draw,
            (Lens::Decisive, _) => result,
        }
    }
}

/// A class in the making.
struct Making {
    class: Class,
    limit: Limit,
    ranking: Ranking,
    blocked: Vec<u64>,
    /// Of each slot, the best result of a turn with a capture, as 1 + [`Value`]; 0 without one.
    captures: Vec<u8>,
    /// Of each slot, the quiet turns with different outcomes; [`NOTHING`] where there is no position.
    quiet: Vec<u8>,
    /// Quiet turns after which the game is over: of which slot, and with what result for its mover.
    ends: Vec<(usize, Value)>,
}

const NOTHING: u8 = u8::MAX;

/// A position by its class (of the two that quiet turns connect) and slot.
type Node = (u8, usize);

/// Solves the class and, where it is another, the one that its quiet turns lead to. `None` when stopped.
pub(crate) fn solve(
    rules: &Rules,
    geometry: &Geometry,
    class: Class,
    smaller: &dyn Smaller,
    stop: &AtomicBool,
) -> Option<Vec<Solved>> {
    let classes = if class.mover == class.opponent { vec![class] } else { vec![class, class.flipped()] };
    let mut makings: Vec<Making> = classes.iter().map(|&class| Making::new(rules, geometry, class)).collect();
    let begun: Option<Vec<_>> =
        (0..makings.len()).map(|number| begin_all(rules, geometry, &makings, number, smaller, stop)).collect();
    let begun = begun?;
    for (making, (captures, quiet, ends)) in makings.iter_mut().zip(begun) {
        (making.captures, making.quiet, making.ends) = (captures, quiet, ends);
    }
    let limit = full_turns(rules);
    let sweep = |lens| Sweep::new(rules, geometry, &makings, lens).run(limit, stop);
    let thresholds: Vec<[Vec<Turns>; 2]> = if makings[0].limit == Limit::Draws {
        sweep(Lens::Decisive)?
    } else {
        let (draws, wins) = (sweep(Lens::Fewer(Value::Draw))?, sweep(Lens::Fewer(Value::Win))?);
        // Of the side with fewer stones' positions what it wins counts, of the other's what that one loses.
        let of = |limit, [wins, losses]: [Vec<Turns>; 2]| if limit == Limit::MoverLoses { wins } else { losses };
        let both = draws.into_iter().zip(wins).zip(&makings);
        both.map(|((draws, wins), making)| [of(making.limit, draws), of(making.limit, wins)]).collect()
    };
    let solved = |(making, [first, second]): (Making, [Vec<Turns>; 2])| Solved {
        class: making.class,
        limit: making.limit,
        ranking: making.ranking,
        blocked: making.blocked,
        first,
        second,
    };
    Some(makings.into_iter().zip(thresholds).map(solved).collect())
}

/// The turns left with the quiet counter at 0. What takes more than can be counted here does not come up.
pub(crate) fn full_turns(rules: &Rules) -> Turns {
    Turns::try_from(rules.quiet_limit.get()).unwrap_or(Turns::MAX)
}

impl Making {
    fn new(rules: &Rules, geometry: &Geometry, class: Class) -> Making {
        let ranking = Ranking::new(geometry.size(), class.mover, class.opponent);
        let is_blocked = |&index: &u64| {
            ranking
                .board(index)
                .is_some_and(|(own, enemy, _)| !geometry.has_step(enemy, own) && geometry.has_step(own, enemy))
        };
        let blocked = match rules.blocked {
            Blocked::MustOpen => (0..ranking.len()).into_par_iter().filter(is_blocked).collect(),
            Blocked::Pass | Blocked::Loses => Vec::new(),
        };
        let limit = class.limit(rules);
        Making { class, limit, ranking, blocked, captures: Vec::new(), quiet: Vec::new(), ends: Vec::new() }
    }

    fn slots(&self) -> usize {
        self.ranking.len() as usize + self.blocked.len()
    }

    fn slot(&self, mover: Set, opponent: Set, opening: bool) -> usize {
        slot(&self.ranking, &self.blocked, mover, opponent, opening)
    }

    /// The board of a slot, and whether it is after a skipped turn.
    fn board(&self, slot: usize) -> Option<(Set, Set, bool)> {
        let boards = self.ranking.len() as usize;
        let opening = slot >= boards;
        let index = if opening { self.blocked[slot - boards] } else { slot as u64 };
        self.ranking.board(index).map(|(own, enemy, _)| (own, enemy, opening))
    }
}

/// What is known of a position before any sweep.
#[derive(Clone, Copy)]
struct Begun {
    captures: u8,
    quiet: u8,
    wins: u8,
    draws: u8,
    losses: u8,
}

type BegunClass = (Vec<u8>, Vec<u8>, Vec<(usize, Value)>);

fn begin_all(
    rules: &Rules,
    geometry: &Geometry,
    makings: &[Making],
    number: usize,
    smaller: &dyn Smaller,
    stop: &AtomicBool,
) -> Option<BegunClass> {
    let making = &makings[number];
    let begun: Option<Vec<Begun>> = (0..making.slots())
        .into_par_iter()
        .map_init(Vec::new, |successors, slot| {
            let goes_on = !stop.load(Ordering::Relaxed);
            goes_on.then(|| begin(rules, geometry, makings, number, slot, smaller, successors))
        })
        .collect();
    let begun = begun?;
    let mut ends = Vec::new();
    for (slot, begun) in begun.iter().enumerate() {
        let counts = [(begun.wins, Value::Win), (begun.draws, Value::Draw), (begun.losses, Value::Loss)];
        for (count, value) in counts {
            ends.extend((0..count).map(|_| (slot, value)));
        }
    }
    let captures = begun.iter().map(|begun| begun.captures).collect();
    Some((captures, begun.iter().map(|begun| begun.quiet).collect(), ends))
}

fn begin(
    rules: &Rules,
    geometry: &Geometry,
    makings: &[Making],
    number: usize,
    slot: usize,
    smaller: &dyn Smaller,
    successors: &mut Vec<Node>,
) -> Begun {
    let nothing = Begun { captures: 0, quiet: NOTHING, wins: 0, draws: 0, losses: 0 };
    let Some((own, enemy, opening)) = makings[number].board(slot) else { return nothing };
    if !geometry.has_step(own, enemy) {
        return nothing;
    }
    let mut begun = Begun { quiet: 0, ..nothing };
    successors.clear();
    let must_open = opening && can_open(geometry, own, enemy);
    let mut capturing = false;
    for (from, to) in geometry.steps(own, enemy) {
        let others = own & !bit(from);
        if geometry.captures(others, enemy, to) != 0 {
            capturing = true;
            continue;
        }
        let moved = others | bit(to);
        let enemy_moves = geometry.has_step(enemy, moved);
        if must_open && !enemy_moves {
            continue;
        }
        let makings_flipped = (makings.len() - 1) - number;
        if enemy_moves {
            successors.push((makings_flipped as u8, makings[makings_flipped].slot(enemy, moved, false)));
        } else if rules.blocked == Blocked::Loses {
            begun.wins += 1;
        } else if !geometry.has_step(moved, enemy) {
            let class = makings[number].class;
            match Value::of_count(class.mover, class.opponent) {
                Value::Win => begun.wins += 1,
                Value::Draw => begun.draws += 1,
                Value::Loss => begun.losses += 1,
            }
        } else {
            let skipped = rules.blocked == Blocked::MustOpen;
            successors.push((number as u8, makings[number].slot(moved, enemy, skipped)));
        }
    }
    successors.sort_unstable();
    successors.dedup();
    let ends = begun.wins + begun.draws + begun.losses;
    begun.quiet = successors.len() as u8 + ends;
    if capturing && let Some(best) = best_capture(rules, geometry, own, enemy, opening, smaller) {
        begun.captures = 1 + best as u8;
    }
    begun
}

/// Whether a side can make a step after which the other, which is blocked, has one.
fn can_open(geometry: &Geometry, own: Set, enemy: Set) -> bool {
    geometry.steps(own, enemy).any(|(from, to)| {
        let others = own & !bit(from);
        let taken = geometry.captures(others, enemy, to);
        geometry.has_step(enemy & !taken, others | bit(to))
    })
}

/// The best result of the turns that begin with a capture; `None` if none may.
fn best_capture(
    rules: &Rules,
    geometry: &Geometry,
    own: Set,
    enemy: Set,
    opening: bool,
    smaller: &dyn Smaller,
) -> Option<Value> {
    let stones = BySide { white: geometry.to_board(own), black: geometry.to_board(enemy) };
    let position = Position::in_movement(rules, stones, Side::White, opening).expect("the mover has a step");
    let mut best = None;
    explore(rules, geometry, &position, smaller, &mut best);
    best
}

/// Goes through all ways in which a capturing turn can go on.
fn explore(rules: &Rules, geometry: &Geometry, position: &Position, smaller: &dyn Smaller, best: &mut Option<Value>) {
    let mut actions = ActionList::new();
    position.legal_actions(rules, &mut actions);
    for &action in &actions {
        let mut next = *position;
        let captured = next.apply(rules, action);
        if position.chain().is_none() && captured.is_empty() {
            continue;
        }
        if next.outcome().is_none() && next.chain().is_some() {
            explore(rules, geometry, &next, smaller, best);
        } else {
            let value = value_after(geometry, &next, smaller);
            *best = (*best).max(Some(value));
        }
        if *best == Some(Value::Win) {
            return;
        }
    }
}

/// The value for White of a position that its capturing turn led to.
fn value_after(geometry: &Geometry, position: &Position, smaller: &dyn Smaller) -> Value {
    if let Some(outcome) = position.outcome() {
        return match outcome.winner {
            Some(Side::White) => Value::Win,
            None => Value::Draw,
            Some(Side::Black) => Value::Loss,
        };
    }
    let mover = position.mover();
    let [own, enemy] = [mover, mover.other()].map(|side| geometry.of_board(position.stones(side)));
    let value = smaller.value(own, enemy, position.phase() == Phase::Opening);
    if mover == Side::White { value } else { value.flipped() }
}

/// A sweep through a class.
struct Sweep<'a> {
    rules: &'a Rules,
    geometry: &'a Geometry,
    makings: &'a [Making],
    lens: Lens,
    states: Vec<State>,
}

/// What a sweep knows of the slots of a class.
struct State {
    /// Quiet turns that are not known to lose.
    open: Vec<AtomicU8>,
    wins: Vec<AtomicU16>,
    losses: Vec<AtomicU16>,
}

impl<'a> Sweep<'a> {
    fn new(rules: &'a Rules, geometry: &'a Geometry, makings: &'a [Making], lens: Lens) -> Sweep<'a> {
        let state = |making: &Making| {
            let slots = 0..making.slots();
            let captures = |slot: usize| seen_captures(making, slot, lens);
            let wins = |slot| AtomicU16::new(u16::from(captures(slot) == Some(Value::Win)));
            let losses = |slot| {
                let only_captures = making.quiet[slot] == 0 && captures(slot) == Some(Value::Loss);
                AtomicU16::new(u16::from(only_captures))
            };
            State {
                open: making.quiet.par_iter().map(|&quiet| AtomicU8::new(quiet)).collect(),
                wins: slots.clone().into_par_iter().map(wins).collect(),
                losses: slots.into_par_iter().map(losses).collect(),
            }
        };
        Sweep { rules, geometry, makings, lens, states: makings.iter().map(state).collect() }
    }

    /// Goes through the levels up to the limit, and gives for each class from how many turns on its positions are won and
    /// lost.
    fn run(self, limit: Turns, stop: &AtomicBool) -> Option<Vec<[Vec<Turns>; 2]>> {
        for level in 1..limit {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let decided: usize = (0..self.makings.len()).map(|class| self.undo_level(class, level)).sum();
            if level == 1 {
                self.undo_ends();
            } else if decided == 0 {
                break;
            }
        }
        let read = |levels: Vec<AtomicU16>| levels.into_iter().map(AtomicU16::into_inner).collect();
        Some(self.states.into_iter().map(|state| [read(state.wins), read(state.losses)]).collect())
    }

    /// Undoes the turns that led to what was decided at a level, and gives how much that was.
    fn undo_level(&self, class: usize, level: Turns) -> usize {
        let state = &self.states[class];
        (0..self.makings[class].slots())
            .into_par_iter()
            .map_init(Vec::new, |before, slot| {
                let at = |levels: &[AtomicU16]| levels[slot].load(Ordering::Relaxed) == level;
                let value = match (at(&state.wins), at(&state.losses)) {
                    (true, _) => Value::Win,
                    (false, true) => Value::Loss,
                    (false, false) => return 0,
                };
                self.undo(class, slot, before);
                for &(node, same_mover) in &*before {
                    self.decide(node, if same_mover { value } else { value.flipped() }, level + 1);
                }
                1
            })
            .sum()
    }

    /// Games that end after a quiet turn, at the beginning of the next: two turns must be left for that, since the limit is
    /// looked at before.
    fn undo_ends(&self) {
        for (class, making) in self.makings.iter().enumerate() {
            for &(slot, value) in &making.ends {
                self.decide((class as u8, slot), self.lens.see(value, making.limit), 2);
            }
        }
    }

    /// A quiet turn of a position turns out to have a value for its mover.
    fn decide(&self, (class, slot): Node, value: Value, level: Turns) {
        let (making, state) = (&self.makings[usize::from(class)], &self.states[usize::from(class)]);
        match value {
            Value::Draw => {}
            Value::Win => {
                // What is decided already was decided at a lower level, or at this one alike.
                let _ = state.wins[slot].compare_exchange(0, level, Ordering::Relaxed, Ordering::Relaxed);
            }
            Value::Loss => {
                let last = state.open[slot].fetch_sub(1, Ordering::Relaxed) == 1;
                if last && matches!(seen_captures(making, slot, self.lens), None | Some(Value::Loss)) {
                    state.losses[slot].store(level, Ordering::Relaxed);
                }
            }
        }
    }

    /// The positions from which a quiet turn leads to this one, each once, and whether their mover is the same.
    fn undo(&self, class: usize, slot: usize, before: &mut Vec<(Node, bool)>) {
        before.clear();
        let Some((own, enemy, opening)) = self.makings[class].board(slot) else { return };
        let geometry = self.geometry;
        let must_open = self.rules.blocked == Blocked::MustOpen;
        if !opening {
            let other = (self.makings.len() - 1) - class;
            let making = &self.makings[other];
            for moved in geometry.before_quiet(enemy, own) {
                before.push(((other as u8, making.slot(moved, own, false)), false));
                // After a skipped turn, too: this step lets the blocked side move.
                if must_open && !geometry.has_step(own, moved) {
                    before.push(((other as u8, making.slot(moved, own, true)), false));
                }
            }
        }
        // The mover itself was here before, if the other's turn was skipped.
        let skipped = match self.rules.blocked {
            Blocked::Loses => false,
            Blocked::Pass => !geometry.has_step(enemy, own),
            Blocked::MustOpen => opening,
        };
        if skipped {
            let making = &self.makings[class];
            for moved in geometry.before_quiet(own, enemy) {
                before.push(((class as u8, making.slot(moved, enemy, false)), true));
                let twice = must_open && !geometry.has_step(enemy, moved) && !can_open(geometry, moved, enemy);
                if twice {
                    before.push(((class as u8, making.slot(moved, enemy, true)), true));
                }
            }
        }
        before.sort_unstable();
        before.dedup();
    }
}

/// The best result of a slot's capturing turns, through a lens.
fn seen_captures(making: &Making, slot: usize, lens: Lens) -> Option<Value> {
    let result = match making.captures[slot] {
        0 => return None,
        1 => Value::Loss,
        2 => Value::Draw,
        _ => Value::Win,
    };
    Some(lens.see(result, making.limit))
}
