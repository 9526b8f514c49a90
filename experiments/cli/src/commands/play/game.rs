//! The game at the table: its plies, told in words, taken back, and put on record.

use seega_rules::record::{GameRecord, GameResult, RecordReason};
use seega_rules::{Action, Bitboard, FirstMover, Position, Rules, Side};

use crate::board::{changed_squares, square_list, state};

/// A ply that was made.
#[derive(Clone, Copy, Debug)]
struct Ply {
    before: Position,
    action: Action,
    captured: Bitboard,
}

/// A game and how it came about.
#[derive(Debug)]
pub struct Game {
    position: Position,
    plies: Vec<Ply>,
    /// The side that lost otherwise than by the rules, and why.
    given_up: Option<(Side, RecordReason)>,
}

impl Game {
    /// A game from a position.
    pub fn begin(position: Position) -> Game {
        Game { position, plies: Vec::new(), given_up: None }
    }

    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The number of plies made.
    pub fn plies(&self) -> usize {
        self.plies.len()
    }

    /// Whether the game has ended, by the rules or otherwise.
    pub fn is_over(&self) -> bool {
        self.given_up.is_some() || self.position.outcome().is_some()
    }

    /// The squares that the last ply changed.
    pub fn changed(&self) -> Bitboard {
        self.plies.last().map_or(Bitboard::EMPTY, |ply| changed_squares(ply.action, ply.captured))
    }

    /// Does an action and tells it in words, or why it is not legal.
    pub fn act(&mut self, rules: &Rules, action: Action) -> Result<String, &'static str> {
        let before = self.position;
        let captured = self.position.play(rules, action).map_err(|illegal| illegal.why)?;
        self.plies.push(Ply { before, action, captured });
        let mut told = format!("{}: {action}", before.mover());
        if !captured.is_empty() {
            told += &format!(", takes {}", square_list(captured));
        }
        if self.position.chain().is_some() && self.position.outcome().is_none() {
            told += if rules.chain_optional { ", and may go on" } else { ", and must go on" };
        }
        if let Some(side) = skipped(rules, &before, &self.position) {
            told += &format!("\n{side} has no step: the turn is skipped");
        }
        Ok(told)
    }

    /// Takes plies back up to the last one of a side that `person` accepts, this one included. `false` if there is none.
    pub fn take_back(&mut self, person: impl Fn(Side) -> bool) -> bool {
        let Some(last) = self.plies.iter().rposition(|ply| person(ply.before.mover())) else {
            return false;
        };
        self.position = self.plies[last].before;
        self.plies.truncate(last);
        true
    }

    /// A side gives up.
    pub fn resign(&mut self, side: Side) {
        self.given_up = Some((side, RecordReason::Resigned));
    }

    /// A side did what is not legal.
    pub fn forfeit(&mut self, side: Side) {
        self.given_up = Some((side, RecordReason::Forfeit));
    }

    /// How the game ended.
    pub fn end_in_words(&self, rules: &Rules) -> String {
        match self.given_up {
            Some((side, reason)) => format!("The game is over: {} wins ({}).", side.other(), reason.name()),
            None => state(rules, &self.position),
        }
    }

    /// The record of the game so far; `None` before the first ply, without which a record has no position.
    pub fn record(&self, rules_name: &str, rules: &Rules) -> Option<GameRecord> {
        if self.plies.is_empty() {
            return None;
        }
        let mut record = GameRecord::begin(rules_name, *rules);
        for ply in &self.plies {
            record.add_ply(&ply.before, ply.action);
        }
        record.end(&self.position);
        if let Some((side, reason)) = self.given_up {
            (record.result, record.reason) = (Some(GameResult::of_winner(Some(side.other()))), Some(reason));
        }
        Some(record)
    }
}

/// The side whose turn would have come between two positions but was skipped.
fn skipped(rules: &Rules, before: &Position, after: &Position) -> Option<Side> {
    let turn_ended = after.outcome().is_none() && !after.is_placement() && after.chain().is_none();
    let due = match (before.is_placement(), rules.first_mover) {
        (false, _) => before.opponent(),
        (true, FirstMover::Starter) => Side::White,
        (true, FirstMover::LastPlacer) => Side::Black,
    };
    (turn_ended && after.mover() != due).then_some(due)
}
