//! A game while it is played: its plies, taking some back, giving it up, and its record. Words and pictures of it are left
//! to the programs that show it.

use crate::action::Action;
use crate::bitboard::Bitboard;
use crate::position::{IllegalAction, Position};
use crate::record::{GameRecord, GameResult, RecordReason, VerifyError};
use crate::rules::{FirstMover, Rules};
use crate::side::Side;

/// A ply that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadePly {
    /// The position before it.
    pub before: Position,
    /// The action.
    pub action: Action,
    /// The squares from which stones were taken.
    pub captured: Bitboard,
}

/// A game and how it came about.
#[derive(Clone, Debug)]
pub struct GameInPlay {
    rules: Rules,
    position: Position,
    plies: Vec<MadePly>,
    /// How it ended otherwise than by the rules.
    ended: Option<(GameResult, RecordReason)>,
}

impl GameInPlay {
    /// A game from a position of these rules.
    pub fn begin(rules: Rules, position: Position) -> GameInPlay {
        GameInPlay { rules, position, plies: Vec::new(), ended: None }
    }

    /// The game that a record tells, by its own rules. One that was broken off goes on.
    ///
    /// # Errors
    /// The record is at odds with its rules.
    pub fn from_record(record: &GameRecord) -> Result<GameInPlay, VerifyError> {
        record.verify()?;
        let start = match record.plies.first() {
            Some(ply) => Position::from_text(&ply.position, &record.rules).map_err(VerifyError::Start)?,
            None => Position::start(&record.rules),
        };
        let mut game = GameInPlay::begin(record.rules, start);
        for ply in &record.plies {
            let action = ply.played.parse().expect("a verified record has legal actions");
            game.play(action).expect("a verified record has legal actions");
        }
        if let (None, Some(result), Some(reason)) = (game.position.outcome(), record.result, record.reason) {
            game.ended = Some((result, reason));
        }
        Ok(game)
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The position that it has come to.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The plies made.
    pub fn plies(&self) -> &[MadePly] {
        &self.plies
    }

    /// Makes a ply.
    ///
    /// # Errors
    /// It is not legal; nothing has changed.
    pub fn play(&mut self, action: Action) -> Result<MadePly, IllegalAction> {
        let before = self.position;
        let captured = self.position.play(&self.rules, action)?;
        let ply = MadePly { before, action, captured };
        self.plies.push(ply);
        Ok(ply)
    }

    /// Takes plies back up to the last one of a side that `of` accepts, this one included. `false` if there is none.
    pub fn take_back(&mut self, of: impl Fn(Side) -> bool) -> bool {
        let Some(last) = self.plies.iter().rposition(|ply| of(ply.before.mover())) else {
            return false;
        };
        self.position = self.plies[last].before;
        self.plies.truncate(last);
        self.ended = None;
        true
    }

    /// A side resigns, unless the game is over.
    pub fn resign(&mut self, side: Side) {
        self.end(GameResult::of_winner(Some(side.other())), RecordReason::Resigned);
    }

    /// A side did what is not legal, and loses, unless the game is over.
    pub fn forfeit(&mut self, side: Side) {
        self.end(GameResult::of_winner(Some(side.other())), RecordReason::Forfeit);
    }

    /// The sides agree to end the game and count: who has more stones wins. Nothing, unless it [may be](Self::may_count).
    pub fn count(&mut self) {
        if self.may_count() {
            self.end(GameResult::of_winner(self.position.ahead()), RecordReason::Adjudicated);
        }
    }

    /// Whether there is something to count: the game goes on, all stones are placed, and no chain is running.
    pub fn may_count(&self) -> bool {
        !self.is_over() && !self.position.is_placement() && self.position.chain().is_none()
    }

    /// Ends the game otherwise than by the rules, unless it is over.
    fn end(&mut self, result: GameResult, reason: RecordReason) {
        if !self.is_over() {
            self.ended = Some((result, reason));
        }
    }

    /// How the game ended; `None` while it goes on.
    pub fn result(&self) -> Option<(GameResult, RecordReason)> {
        let by_rules = self.position.outcome();
        let by_rules =
            by_rules.map(|outcome| (GameResult::of_winner(outcome.winner), RecordReason::Rules(outcome.reason)));
        self.ended.or(by_rules)
    }

    /// Whether the game has ended, by the rules or otherwise.
    pub fn is_over(&self) -> bool {
        self.result().is_some()
    }

    /// The side whose turn would have come after the last ply, but which had no step and was skipped.
    pub fn skipped(&self) -> Option<Side> {
        let before = self.plies.last()?.before;
        let after = &self.position;
        let turn_ended = !self.is_over() && !after.is_placement() && after.chain().is_none();
        let due = match (before.is_placement(), self.rules.first_mover) {
            (false, _) => before.opponent(),
            (true, FirstMover::Starter) => Side::White,
            (true, FirstMover::LastPlacer) => Side::Black,
        };
        (turn_ended && after.mover() != due).then_some(due)
    }

    /// The plies of the last turn, or of the one that is being made if it has some already.
    pub fn last_turn(&self) -> &[MadePly] {
        let first = self.plies.iter().rposition(|ply| ply.before.begins_turn(&self.rules)).unwrap_or(0);
        &self.plies[first..]
    }

    /// The record of the game so far; `None` before the first ply, without which a record has no position.
    pub fn record(&self, rules_name: &str) -> Option<GameRecord> {
        if self.plies.is_empty() {
            return None;
        }
        let mut record = GameRecord::begin(rules_name, self.rules);
        for ply in &self.plies {
            record.add_ply(&ply.before, ply.action);
        }
        record.end(&self.position);
        if let Some((result, reason)) = self.ended {
            (record.result, record.reason) = (Some(result), Some(reason));
        }
        Some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::preset;

    fn game(rules: &str, position: Option<&str>, plies: &[&str]) -> GameInPlay {
        let rules = preset::parse(rules).unwrap();
        let position = position.map_or(Position::start(&rules), |text| Position::from_text(text, &rules).unwrap());
        let mut game = GameInPlay::begin(rules, position);
        for ply in plies {
            game.play(ply.parse().unwrap()).unwrap();
        }
        game
    }

    fn texts(plies: &[MadePly]) -> Vec<String> {
        plies.iter().map(|ply| ply.action.to_string()).collect()
    }

    #[test]
    fn a_game_goes_through_its_record() {
        let mut played = game("sija", None, &["a1", "b1", "c1", "d1"]);
        let record = played.record("sija").unwrap();
        let mut again = GameInPlay::from_record(&record).unwrap();
        assert_eq!((again.plies(), again.result()), (played.plies(), None));
        // Given up, it is over; taken back, it goes on.
        played.resign(Side::White);
        again = GameInPlay::from_record(&played.record("sija").unwrap()).unwrap();
        assert_eq!(again.result(), Some((GameResult::Black, RecordReason::Resigned)));
        again.resign(Side::Black);
        assert_eq!(again.result(), Some((GameResult::Black, RecordReason::Resigned)), "it was over before");
        assert!(again.take_back(|side| side == Side::White));
        assert_eq!((texts(again.plies()), again.result()), (vec!["a1".to_owned()], None));
        // A record at odds with its rules is none.
        let mut wrong = record;
        wrong.plies[1].played = "a1".to_owned();
        assert!(GameInPlay::from_record(&wrong).is_err());
    }

    #[test]
    fn a_turn_is_all_that_a_side_did_from_its_beginning() {
        let mut played = game("sija", None, &["a1", "b1", "c1"]);
        assert_eq!(texts(played.last_turn()), ["c1"]);
        played.take_back(|_| true);
        assert_eq!(texts(played.last_turn()), ["a1", "b1"]);
        // A chain is one turn.
        let position = Some("bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0");
        let chain = game("sija", position, &["d4-c3", "stop"]);
        assert_eq!(texts(chain.last_turn()), ["d4-c3", "stop"]);
        // The second turn in a row of a side whose opponent was skipped is a turn of its own.
        let twice = game("kawu", Some("5/5/4w/w4/bw3 w m - 0"), &["e3-e4", "e4-e3"]);
        assert_eq!(texts(twice.last_turn()), ["e4-e3"]);
        assert!(game("sija", None, &[]).last_turn().is_empty());
    }

    #[test]
    fn sides_may_agree_to_count() {
        let mut ahead = game("kawu", Some("5/5/4w/w4/bw3 w m - 0"), &["e3-e4"]);
        ahead.count();
        assert_eq!(ahead.result(), Some((GameResult::White, RecordReason::Adjudicated)));
        let again = GameInPlay::from_record(&ahead.record("kawu").unwrap()).unwrap();
        assert_eq!(again.result(), ahead.result());
        let mut equal = game("kawu", Some("5/5/4w/5/b4 w m - 0"), &[]);
        equal.count();
        assert_eq!(equal.result(), Some((GameResult::Draw, RecordReason::Adjudicated)));
        // There is nothing to count while stones are placed, or captures are under way.
        let mut placing = game("sija", None, &["a1"]);
        placing.count();
        let mut chain = game("sija", Some("bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0"), &["d4-c3"]);
        chain.count();
        assert_eq!((placing.result(), chain.result()), (None, None));
    }

    #[test]
    fn a_skipped_side_is_told() {
        // Black's only stone in the corner has no step.
        let skipped = game("kawu", Some("5/5/4w/w4/bw3 w m - 0"), &["e3-e4"]);
        assert_eq!((skipped.skipped(), skipped.position().mover()), (Some(Side::Black), Side::White));
        let moved = game("kawu", Some("5/5/4w/1w3/bw3 w m - 0"), &["e3-e4"]);
        assert_eq!((moved.skipped(), moved.position().mover()), (None, Side::Black));
    }
}
