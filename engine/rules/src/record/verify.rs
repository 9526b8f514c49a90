//! Replaying a record: every position, list of actions, the end and the result against the rules.

use thiserror::Error;

use super::{GameRecord, GameResult, RecordReason};
use crate::action::{Action, ActionList};
use crate::position::{ParsePositionError, Position, parse_board_of};

/// What a replay checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Positions: one before each ply. The end comes on top.
    pub positions: u64,
}

/// The first thing in which a record is at odds with the rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {what}: expected {expected}, found {found}", place = ply.map_or("end".to_owned(), |ply| format!("ply {ply}")))]
pub struct Disagreement {
    /// The ply, counted from 1; `None` after the last.
    pub ply: Option<usize>,
    /// What was compared: `position`, `legal`, `played`, `end`, `result` or `reason`.
    pub what: &'static str,
    /// What the rules give.
    pub expected: String,
    /// What the record says.
    pub found: String,
}

/// Why a record did not pass.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum VerifyError {
    /// The record is at odds with the rules.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
    /// The game's first position can't be read, so there is nothing to replay.
    #[error("ply 1: {0}")]
    Start(ParsePositionError),
}

/// The actions' texts, sorted as records list them.
pub fn sorted_texts(actions: &[Action]) -> Vec<String> {
    let mut texts: Vec<String> = actions.iter().map(Action::to_string).collect();
    texts.sort_unstable();
    texts
}

impl GameRecord {
    /// Replays the game by its own rules.
    ///
    /// # Errors
    /// The first disagreement, or a first position that can't be read.
    pub fn verify(&self) -> Result<Verified, VerifyError> {
        let mut position = match self.plies.first() {
            Some(ply) => Position::from_text(&ply.position, &self.rules).map_err(VerifyError::Start)?,
            None => Position::start(&self.rules),
        };
        for index in 0..self.plies.len() {
            self.verify_ply(index, &mut position)?;
        }
        self.verify_end(&position)?;
        Ok(Verified { positions: self.plies.len() as u64 })
    }

    /// Checks the ply and does it.
    fn verify_ply(&self, index: usize, position: &mut Position) -> Result<(), Disagreement> {
        let ply = &self.plies[index];
        let differs = |what, expected, found: &str| {
            Err(Disagreement { ply: Some(index + 1), what, expected, found: found.to_owned() })
        };
        if let Some(outcome) = position.outcome() {
            return differs("position", format!("no ply: {outcome}"), &ply.position);
        }
        let expected = position.to_string();
        if ply.position != expected {
            return differs("position", expected, &ply.position);
        }
        let mut actions = ActionList::new();
        position.legal_actions(&self.rules, &mut actions);
        if let Some(legal) = &ply.legal {
            let expected = sorted_texts(&actions);
            if *legal != expected {
                return differs("legal", expected.join(" "), &legal.join(" "));
            }
        }
        match ply.played.parse::<Action>() {
            Ok(action) if actions.contains(&action) => {
                position.apply(&self.rules, action);
                Ok(())
            }
            _ => differs("played", format!("one of {}", sorted_texts(&actions).join(" ")), &ply.played),
        }
    }

    fn verify_end(&self, position: &Position) -> Result<(), Disagreement> {
        let differs = |what, expected: String, found: String| Err(Disagreement { ply: None, what, expected, found });
        let board = |text: &str| parse_board_of(text, self.rules.size).ok();
        let expected = position.to_string();
        if board(&self.end) != board(&expected) {
            return differs("end", expected, self.end.clone());
        }
        let named = |result: Option<GameResult>| result.map_or("null", GameResult::name).to_owned();
        let reason = self.reason.map_or("none", RecordReason::name).to_owned();
        let told_by_rules = self.reason.and_then(RecordReason::by_rules);
        match position.outcome() {
            Some(outcome) => {
                let expected = Some(GameResult::of_winner(outcome.winner));
                if self.result != expected {
                    return differs("result", named(expected), named(self.result));
                }
                if self.reason.is_some() && told_by_rules != Some(outcome.reason) {
                    return differs("reason", outcome.reason.name().to_owned(), reason);
                }
            }
            None => {
                if told_by_rules.is_some() {
                    return differs("reason", "none of the rules' (the game goes on)".to_owned(), reason);
                }
                if self.result.is_some() && self.reason.is_none() {
                    return differs("result", "null (the game goes on)".to_owned(), named(self.result));
                }
            }
        }
        Ok(())
    }
}
