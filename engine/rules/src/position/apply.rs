//! What an action does to a position: stones, captures, chains, the ends of turns and of the game.

use thiserror::Error;

use super::{ChainState, Phase, Position, hash};
use crate::action::{Action, ActionList};
use crate::bitboard::Bitboard;
use crate::outcome::{EndReason, Outcome};
use crate::rules::{Blocked, Chain, FirstMover, QuietResult, Rules};
use crate::side::Side;
use crate::square::Square;

/// An action that is not legal in a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{action} is not legal in {position}: {why}")]
pub struct IllegalAction {
    /// The action.
    pub action: Action,
    /// The position's text.
    pub position: String,
    /// What speaks against it.
    pub why: &'static str,
}

impl Position {
    /// Does an action if it is legal, and gives what it captures.
    ///
    /// ```
    /// use seega_rules::{Position, preset};
    ///
    /// let rules = preset::find("sija").unwrap().rules;
    /// let mut position = Position::from_text("bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0", &rules)?;
    /// let captured = position.play(&rules, "d4-c3".parse()?)?;
    /// assert_eq!(captured.iter().map(|square| square.to_string()).collect::<Vec<_>>(), ["b2", "c4"]);
    /// assert_eq!(position.to_string(), "bwwbw/bw2b/bwwbb/w1www/wwbbb w m c3:1 0");
    /// assert!(position.play(&rules, "c3-b2".parse()?).is_err(), "within the chain each step must capture");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The action is not legal; the position is as it was.
    pub fn play(&mut self, rules: &Rules, action: Action) -> Result<Bitboard, IllegalAction> {
        let mut actions = ActionList::new();
        self.legal_actions(rules, &mut actions);
        if actions.contains(&action) {
            Ok(self.apply(rules, action))
        } else {
            let why = self.why_illegal(rules, action);
            Err(IllegalAction { action, position: self.to_string(), why })
        }
    }

    /// Does a legal action, one that [`legal_actions`](Self::legal_actions) gave, and gives the squares from which it
    /// captured stones. With any other action the position that results is of no use; [`play`](Self::play) checks.
    pub fn apply(&mut self, rules: &Rules, action: Action) -> Bitboard {
        debug_assert_eq!(self.size, rules.size, "a position of other rules");
        match action {
            Action::Place(square) => {
                self.place(rules, square);
                Bitboard::EMPTY
            }
            Action::Step { from, to } => self.step(rules, from, to),
            Action::Stop => {
                self.end_turn(rules);
                Bitboard::EMPTY
            }
        }
    }

    fn place(&mut self, rules: &Rules, square: Square) {
        let mover = self.mover;
        self.stones[mover] |= Bitboard::of(square);
        self.stones_hash ^= hash::of_stone(mover, square);
        let full = self.occupied().count() == 2 * self.size.stones_per_side();
        self.phase = match self.phase {
            Phase::Placement { left } if left > 1 => Phase::Placement { left: left - 1 },
            _ if !full => {
                self.mover = mover.other();
                Phase::Placement { left: rules.per_turn.stones() }
            }
            _ => {
                let first = match rules.first_mover {
                    FirstMover::Starter => Side::White,
                    FirstMover::LastPlacer => Side::Black,
                };
                return self.begin_turn(rules, first);
            }
        };
    }

    fn step(&mut self, rules: &Rules, from: Square, to: Square) -> Bitboard {
        let (mover, opponent) = (self.mover, self.opponent());
        let captured = self.captures(rules, from, to);
        self.stones[mover] ^= Bitboard::of(from) | Bitboard::of(to);
        self.stones_hash ^= hash::of_stone(mover, from) ^ hash::of_stone(mover, to);
        self.phase = Phase::Movement;
        if captured.is_empty() {
            self.end_turn(rules);
            return captured;
        }
        self.stones[opponent] ^= captured;
        for square in captured {
            self.stones_hash ^= hash::of_stone(opponent, square);
        }
        self.quiet = 0;
        let captures = self.chain.map_or(0, |chain| chain.captures) + 1;
        self.chain = Some(ChainState { square: to, captures });
        if self.stones[opponent].count() <= rules.lose_at.stones() {
            self.outcome = Some(Outcome { winner: Some(mover), reason: EndReason::Stones });
        } else if rules.chain == Chain::None
            || rules.chain_limit.is_some_and(|limit| u32::from(captures) >= limit.get())
            || !self.chain_can_go_on(rules)
        {
            self.end_turn(rules);
        }
        captured
    }

    /// Ends the mover's turn: counts it if it was quiet, tests the quiet limit, begins the next turn.
    #[inline]
    fn end_turn(&mut self, rules: &Rules) {
        let next = self.opponent();
        if self.chain.take().is_none() {
            self.quiet += 1;
        }
        if self.quiet >= rules.quiet_limit.get() {
            self.mover = next;
            self.outcome = Some(match rules.quiet_result {
                QuietResult::Draw => Outcome { winner: None, reason: EndReason::Quiet },
                QuietResult::Count => self.counted(EndReason::Quiet),
            });
        } else {
            self.begin_turn(rules, next);
        }
    }

    /// Begins a side's turn of movement; where it has no step, what the rules make of that.
    #[inline]
    fn begin_turn(&mut self, rules: &Rules, side: Side) {
        self.mover = side;
        self.phase = Phase::Movement;
        if self.has_step(rules, side) {
            return;
        }
        let other = side.other();
        if rules.blocked == Blocked::Loses {
            self.outcome = Some(Outcome { winner: Some(other), reason: EndReason::Blocked });
        } else if !self.has_step(rules, other) {
            self.outcome = Some(self.counted(EndReason::Count));
        } else {
            self.mover = other;
            if rules.blocked == Blocked::MustOpen {
                self.phase = Phase::Opening;
            }
        }
    }

    /// The outcome by count: more stones win, equal is a draw.
    fn counted(&self, reason: EndReason) -> Outcome {
        Outcome { winner: self.ahead(), reason }
    }

    /// The side that has more stones.
    pub(crate) fn ahead(&self) -> Option<Side> {
        match self.stones.white.count().cmp(&self.stones.black.count()) {
            std::cmp::Ordering::Greater => Some(Side::White),
            std::cmp::Ordering::Less => Some(Side::Black),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// In words, why an action that is not legal isn't.
    fn why_illegal(&self, rules: &Rules, action: Action) -> &'static str {
        let on_board = |square| self.size.contains(square);
        if self.outcome.is_some() {
            return "the game is over";
        }
        match action {
            Action::Place(square) if !on_board(square) => "the square is not on the board",
            Action::Place(_) if !self.is_placement() => "all stones are placed",
            Action::Place(square) if square == self.size.center() => "nothing is placed on the centre",
            Action::Place(_) => "the square is taken",
            Action::Step { .. } if self.is_placement() => "stones are still being placed",
            Action::Step { from, to } if !on_board(from) || !on_board(to) => "the square is not on the board",
            Action::Step { from, .. } if self.stone_on(from) != Some(self.mover) => "the mover has no stone there",
            Action::Step { to, .. } if self.stone_on(to).is_some() => "the square is taken",
            Action::Step { from, to } if self.breaks_chain(rules, from, to) => "the chain asks for another step",
            Action::Step { .. } if self.phase == Phase::Opening => {
                "no stone steps so, or the step must let the blocked opponent move"
            }
            Action::Step { .. } => "no stone steps so",
            Action::Stop if self.chain.is_none() => "only a chain can be stopped",
            Action::Stop => "under these rules a chain must go on",
        }
    }

    /// Whether a step is at odds with the running chain: of another stone than it asks for, or without a capture.
    fn breaks_chain(&self, rules: &Rules, from: Square, to: Square) -> bool {
        self.chain.is_some_and(|chain| match rules.chain {
            Chain::SamePiece if from != chain.square => true,
            Chain::SamePiece | Chain::AnyPiece => self.captures(rules, from, to).is_empty(),
            Chain::AnyMove | Chain::None => false,
        })
    }
}
