//! What one turn leads to, by the rules crate and the tables: the definition that exact values must fulfil.

use seega_rules::{Action, Position, QuietResult, Rules, Side};

use crate::error::ExactError;
use crate::solve::full_turns;
use crate::tables::Tables;
use crate::value::{Thresholds, Turns, Value};

/// What an action leads to, as the position's mover sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// There was a capture: the value does not depend on the turns that were left.
    Captured(Value),
    /// Another position with a turn less; whether its mover is the same.
    Quiet(Thresholds, bool),
    /// The game ends at the beginning of the next turn, unless the quiet limit ends it before.
    Ends(Value),
}

/// What the quiet limit says of a position, as its mover sees it. Stones don't change up to it.
pub(crate) fn at_limit(rules: &Rules, position: &Position) -> Value {
    let [own, enemy] = [position.mover(), position.opponent()].map(|side| position.stones(side).count());
    match rules.quiet_result {
        QuietResult::Draw => Value::Draw,
        QuietResult::Count => Value::of_count(own, enemy),
    }
}

impl After {
    /// What an action leads to in a position whose quiet counter is 0. `None` where a class is not among the tables.
    pub(crate) fn action(tables: &Tables, position: &Position, action: Action) -> Result<Option<After>, ExactError> {
        let mut next = *position;
        let captured = next.apply(tables.rules(), action);
        let same = next.mover() == position.mover();
        if position.chain().is_some() || !captured.is_empty() {
            let exact = tables.value(&next)?;
            return Ok(exact.map(|exact| After::Captured(if same { exact.value } else { exact.value.flipped() })));
        }
        Ok(match next.outcome() {
            // Where the limit is 1 this is what it says, and that is not looked at.
            Some(outcome) => Some(After::Ends(of_winner(outcome.winner, position.mover()))),
            None => tables.thresholds(&next)?.map(|thresholds| After::Quiet(thresholds, same)),
        })
    }

    /// The value with so many turns left.
    pub(crate) fn value(self, left: Turns, at_limit: Value) -> Value {
        match self {
            After::Captured(value) => value,
            After::Quiet(..) | After::Ends(_) if left == 1 => at_limit,
            After::Ends(value) => value,
            After::Quiet(next, true) => next.value(left - 1),
            After::Quiet(next, false) => next.value(left - 1).flipped(),
        }
    }

    /// The numbers of turns left, beyond 1, from which on the value may be another.
    pub(crate) fn changes(self) -> impl Iterator<Item = Turns> {
        let changes = match self {
            After::Captured(_) => [0, 0],
            After::Ends(_) => [2, 0],
            After::Quiet(next, _) => [next.first, next.second].map(|threshold| match threshold {
                0 => 0,
                threshold => threshold.saturating_add(1),
            }),
        };
        changes.into_iter().filter(|&change| change > 1)
    }

    /// The number of turns left on which the value depends: the fewest with which it is the same, else the fewest more with
    /// which it is another. `None` where it is always the same.
    pub(crate) fn distance(self, left: Turns, rules: &Rules, at_limit: Value) -> Option<Turns> {
        if let After::Captured(_) = self {
            return Some(1);
        }
        let differs = |&change: &Turns| self.value(change, at_limit) != self.value(change - 1, at_limit);
        let changes = || self.changes().filter(|&change| change <= full_turns(rules)).filter(differs);
        changes().filter(|&change| change <= left).max().or_else(|| changes().min())
    }
}

pub(crate) fn of_winner(winner: Option<Side>, mover: Side) -> Value {
    match winner {
        Some(winner) if winner == mover => Value::Win,
        Some(_) => Value::Loss,
        None => Value::Draw,
    }
}
