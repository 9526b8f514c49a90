//! Exact values, and how they depend on the turns that are left before the quiet limit.

use std::cmp::Ordering;

use seega_rules::{QuietResult, Rules};

/// How a position ends with best play, as its mover sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// The mover loses.
    Loss,
    /// Nobody wins.
    Draw,
    /// The mover wins.
    Win,
}

impl Value {
    /// The same end as the other side sees it.
    #[must_use]
    pub const fn flipped(self) -> Value {
        match self {
            Value::Loss => Value::Win,
            Value::Draw => Value::Draw,
            Value::Win => Value::Loss,
        }
    }

    /// By count of stones: more win.
    pub(crate) fn of_count(mover: u8, opponent: u8) -> Value {
        match mover.cmp(&opponent) {
            Ordering::Less => Value::Loss,
            Ordering::Equal => Value::Draw,
            Ordering::Greater => Value::Win,
        }
    }
}

/// Turns of both sides together that are left before the quiet limit ends the game: quiet limit − quiet counter, from 1.
pub type Turns = u16;

/// Stones of the mover and of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Class {
    /// The mover's.
    pub mover: u8,
    /// The opponent's.
    pub opponent: u8,
}

impl Class {
    /// All stones.
    pub const fn stones(self) -> u8 {
        self.mover + self.opponent
    }

    /// As the opponent has it when it is to move.
    #[must_use]
    pub const fn flipped(self) -> Class {
        Class { mover: self.opponent, opponent: self.mover }
    }

    /// What the quiet limit makes of its positions.
    pub(crate) fn limit(self, rules: &Rules) -> Limit {
        match (rules.quiet_result, self.mover.cmp(&self.opponent)) {
            (QuietResult::Draw, _) | (_, Ordering::Equal) => Limit::Draws,
            (QuietResult::Count, Ordering::Less) => Limit::MoverLoses,
            (QuietResult::Count, Ordering::Greater) => Limit::MoverWins,
        }
    }
}

/// What the quiet limit makes of the positions of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    Draws,
    MoverWins,
    MoverLoses,
}

/// The value of a position for every number of turns left.
///
/// More turns left serve the side that wants something to happen. Where the limit draws, that is the side that wins, if
/// one does. Where the side with more stones wins by count, it is the other: from some number on it draws, from some on it
/// wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    pub(crate) limit: Limit,
    /// Where the limit draws: from how many turns on the mover wins. Else: from how many on the side with fewer stones has
    /// a draw at least. 0 for never.
    pub(crate) first: Turns,
    /// Where the limit draws: from how many turns on the mover loses. Else: from how many on the side with fewer stones
    /// wins. 0 for never.
    pub(crate) second: Turns,
}

impl Thresholds {
    /// The value with so many turns left.
    pub fn value(&self, left: Turns) -> Value {
        let reached = |threshold: Turns| threshold != 0 && left >= threshold;
        let (first, second) = (reached(self.first), reached(self.second));
        let of_fewer = match (first, second) {
            (_, true) => Value::Win,
            (true, false) => Value::Draw,
            (false, false) => Value::Loss,
        };
        match self.limit {
            Limit::Draws if first => Value::Win,
            Limit::Draws if second => Value::Loss,
            Limit::Draws => Value::Draw,
            Limit::MoverLoses => of_fewer,
            Limit::MoverWins => of_fewer.flipped(),
        }
    }

    /// The fewest turns left, more than so many, with which the value is another, up to the limit.
    pub(crate) fn next(&self, left: Turns, full: Turns) -> Option<Turns> {
        [self.first, self.second].into_iter().filter(|&threshold| threshold > left && threshold <= full).min()
    }

    /// The fewest turns left with which the value is the same as with so many, if fewer change it.
    pub fn since(&self, left: Turns) -> Option<Turns> {
        [self.first, self.second].into_iter().filter(|&threshold| threshold != 0 && threshold <= left).max()
    }
}
