//! Replaying a record: every position, list of actions, the end and the result against the rules.

use thiserror::Error;

use super::{GameRecord, GameResult, RecordReason};
use crate::action::{Action, ActionList};
use crate::position::{ParsePositionError, Position, parse_board_of};
use crate::text::shortened;

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
    /// What the record says, shortened and without control characters.
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
            Err(Disagreement { ply: Some(index + 1), what, expected, found: told(found) })
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
        let legal = sorted_texts(&actions);
        if let Some(found) = ply.legal.as_ref().filter(|&found| *found != legal) {
            let (expected, found) = list_difference(&legal, found);
            return differs("legal", expected, &found);
        }
        match ply.played.parse::<Action>() {
            Ok(action) if actions.contains(&action) => {
                position.apply(&self.rules, action);
                Ok(())
            }
            _ => differs("played", format!("one of {}", legal.join(" ")), &ply.played),
        }
    }

    fn verify_end(&self, position: &Position) -> Result<(), Disagreement> {
        let differs =
            |what, expected: String, found: &str| Err(Disagreement { ply: None, what, expected, found: told(found) });
        let board = |text: &str| parse_board_of(text, self.rules.size).ok();
        let expected = position.to_string();
        if board(&self.end) != board(&expected) {
            return differs("end", expected, &self.end);
        }
        let result = self.result.map_or("null", GameResult::name);
        let Some(outcome) = position.outcome() else {
            return match self.reason {
                None if self.result.is_none() => Ok(()),
                None => differs("result", "null (the game goes on)".to_owned(), result),
                Some(reason) if reason.allows(self.result) => Ok(()),
                Some(RecordReason::Rules(reason)) => {
                    differs("reason", "none of the rules' (the game goes on)".to_owned(), reason.name())
                }
                Some(reason) => differs("result", format!("one that goes with the reason {}", reason.name()), result),
            };
        };
        let expected = GameResult::of_winner(outcome.winner);
        if self.result != Some(expected) {
            return differs("result", expected.name().to_owned(), result);
        }
        match self.reason {
            Some(reason) if reason != RecordReason::Rules(outcome.reason) => {
                differs("reason", outcome.reason.name().to_owned(), reason.name())
            }
            _ => Ok(()),
        }
    }
}

/// A record's text, for a message.
fn told(text: &str) -> String {
    match text {
        "" => "nothing".to_owned(),
        _ => shortened(text, 200),
    }
}

/// In which a list of actions differs from the legal ones: what it lacks and what it has too much, or their order.
fn list_difference(legal: &[String], found: &[String]) -> (String, String) {
    let beyond = |list: &[String], other: &[String]| {
        list.iter().filter(|text| !other.contains(text)).cloned().collect::<Vec<_>>().join(" ")
    };
    let (missing, extra) = (beyond(legal, found), beyond(found, legal));
    let expected = match &*missing {
        "" => format!("the {} legal actions, sorted", legal.len()),
        missing => format!("{missing} among {} legal actions", legal.len()),
    };
    let found = match &*extra {
        "" if missing.is_empty() => "them in another order or twice".to_owned(),
        "" => format!("{} without", found.len()),
        extra => format!("{extra} among {}", found.len()),
    };
    (expected, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::EndReason;
    use crate::rules::{Rules, preset};
    use crate::side::Side;

    /// A record of one ply, which ends the game or doesn't.
    fn one_ply(rules: Rules, position: &str, played: &str) -> (GameRecord, Position) {
        let mut position = Position::from_text(position, &rules).unwrap();
        let action = played.parse().unwrap();
        let mut record = GameRecord::begin("test", rules);
        record.add_ply_with_legal(&position, action);
        position.play(&rules, action).unwrap();
        record.end(&position);
        (record, position)
    }

    fn disagreement(record: &GameRecord) -> Disagreement {
        match record.verify() {
            Err(VerifyError::Disagreement(disagreement)) => disagreement,
            other => panic!("{other:?}"),
        }
    }

    /// An end by each reason that play can lead to, worked out by hand. (Neither side can only be without a step on a
    /// full board, since elsewhere a stone stands next to an empty square; so no game ends by `count`.)
    #[test]
    fn each_end_has_its_reason_and_result() {
        use EndReason::{Blocked, Quiet, Stones};
        let cases = [
            // Black takes b1 between c1 and a1, which leaves White with two stones.
            ("base = \"sija\"", "ww3/5/5/3b1/bw2b b m - 7", "d2-c1", Stones, Some(Side::Black)),
            // White shuts the corner in which Black's only stone stands.
            ("base = \"siga-two\"\nlose_at = 0", "b1w2/w4/5/5/5 w m - 3", "c5-b5", Blocked, Some(Side::White)),
            // The last quiet turn: drawn, or counted with two stones against three.
            ("base = \"sija\"", "www2/5/5/5/2bbb w m - 49", "a5-a4", Quiet, None),
            ("base = \"siga\"", "ww3/5/5/5/2bbb w m - 19", "a5-a4", Quiet, Some(Side::Black)),
        ];
        for (rules, position, played, reason, winner) in cases {
            let rules = Rules::from_toml(rules).unwrap();
            let (record, end) = one_ply(rules, position, played);
            let outcome = end.outcome().unwrap_or_else(|| panic!("{position} {played}: the game goes on"));
            assert_eq!((outcome.winner, outcome.reason), (winner, reason), "{position} {played}");
            record.verify().unwrap();

            for other in RecordReason::ALL.into_iter().filter(|&other| other != RecordReason::Rules(reason)) {
                let record = GameRecord { reason: Some(other), ..record.clone() };
                assert_eq!(disagreement(&record).what, "reason", "{other:?}");
            }
            for other in [None, Some(GameResult::White), Some(GameResult::Black), Some(GameResult::Draw)] {
                let record = GameRecord { result: other, ..record.clone() };
                assert_eq!(record.verify().is_ok(), other == Some(GameResult::of_winner(winner)), "{other:?}");
            }
        }
    }

    #[test]
    fn a_game_that_goes_on_has_the_results_that_its_reason_allows() {
        use GameResult::{Black, Draw, White};
        let (record, end) = one_ply(preset::ALL[0].rules, "www2/5/5/5/2bbb w m - 0", "a5-a4");
        assert_eq!(end.outcome(), None);
        let allowed = |reason: Option<RecordReason>| -> Vec<Option<GameResult>> {
            let accepted =
                |&result: &Option<GameResult>| GameRecord { result, reason, ..record.clone() }.verify().is_ok();
            [None, Some(White), Some(Black), Some(Draw)].into_iter().filter(accepted).collect()
        };
        assert_eq!(allowed(None), [None]);
        assert_eq!(allowed(Some(RecordReason::Cut)), [None]);
        assert_eq!(allowed(Some(RecordReason::Resigned)), [Some(White), Some(Black)]);
        assert_eq!(allowed(Some(RecordReason::Forfeit)), [Some(White), Some(Black)]);
        assert_eq!(allowed(Some(RecordReason::Adjudicated)), [Some(White), Some(Black), Some(Draw)]);
        assert_eq!(allowed(Some(RecordReason::Rules(EndReason::Quiet))), []);
    }

    #[test]
    fn a_disagreement_is_told_in_one_plain_line() {
        let (record, _) = one_ply(preset::ALL[0].rules, "www2/5/5/5/2bbb w m - 0", "a5-a4");
        let mut changed = record.clone();
        changed.plies[0].played = "\u{1b}[31m\n".repeat(1000);
        let text = disagreement(&changed).to_string();
        assert!(!text.chars().any(char::is_control) && text.len() < 2000, "{text}");

        let mut changed = record.clone();
        changed.plies[0].legal.as_mut().unwrap().retain(|text| text != "a5-a4");
        assert_eq!(disagreement(&changed).expected, "a5-a4 among 9 legal actions");
        let mut changed = record;
        changed.plies[0].legal.as_mut().unwrap().reverse();
        assert_eq!(disagreement(&changed).found, "them in another order or twice");
    }
}
