//! A game as a page keeps it and sends it with each question: rules, start and plies, as texts.

use seega_rules::record::{GameRecord, GameResult, RecordReader, RecordReason};
use seega_rules::{Action, GameInPlay, Position, preset};
use serde::{Deserialize, Serialize};

use crate::ask::AskError;

/// A game as texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Game {
    /// The rules, as `--rules` takes them: `siga/7`.
    pub rules: String,
    /// The position in which it began; `None` is the rules' own start.
    #[serde(default)]
    pub start: Option<String>,
    /// The actions.
    #[serde(default)]
    pub plies: Vec<String>,
    /// How it ended otherwise than by the rules.
    #[serde(default)]
    pub ended: Option<Ended>,
}

/// How a game ended otherwise than by the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// White resigned.
    WhiteResigned,
    /// Black resigned.
    BlackResigned,
    /// White did what is not legal.
    WhiteForfeited,
    /// Black did what is not legal.
    BlackForfeited,
    /// The sides agreed to count.
    Counted,
}

/// The most plies that a game of a page has: more than any that people play, few enough to be gone through at once.
const MOST_PLIES: usize = 10_000;

fn check_length(plies: usize) -> Result<(), AskError> {
    if plies > MOST_PLIES {
        return Err(AskError(format!("{plies} plies; a page's game has {MOST_PLIES} at most")));
    }
    Ok(())
}

impl Game {
    /// The game, gone through by its rules.
    ///
    /// # Errors
    /// A text can't be read, or a ply is not legal.
    pub fn replay(&self) -> Result<GameInPlay, AskError> {
        let rules = preset::parse(&self.rules).map_err(|error| AskError(format!("rules: {error}")))?;
        let start = match &self.start {
            None => Position::start(&rules),
            Some(text) => Position::from_text(text, &rules).map_err(|error| AskError(format!("start: {error}")))?,
        };
        check_length(self.plies.len())?;
        let mut game = GameInPlay::begin(rules, start);
        for (index, text) in self.plies.iter().enumerate() {
            let number = index + 1;
            let action: Action = text.parse().map_err(|error| AskError(format!("ply {number}: {error}")))?;
            game.play(action).map_err(|illegal| AskError(format!("ply {number}, {text}: {}", illegal.why)))?;
        }
        use seega_rules::Side::{Black, White};
        match self.ended {
            None => {}
            Some(Ended::WhiteResigned) => game.resign(White),
            Some(Ended::BlackResigned) => game.resign(Black),
            Some(Ended::WhiteForfeited) => game.forfeit(White),
            Some(Ended::BlackForfeited) => game.forfeit(Black),
            Some(Ended::Counted) => game.count(),
        }
        Ok(game)
    }

    /// The first game of a text of records, and whether its result was left out. That is so where it was awarded otherwise
    /// than by resigning, by forfeit or by counting: a page has no other way to end a game.
    ///
    /// # Errors
    /// There is none, it is at odds with its rules, or it is too long.
    pub fn from_record(text: &str) -> Result<(Game, bool), AskError> {
        let mut records = RecordReader::new(text.as_bytes()).map_err(|error| AskError(error.to_string()))?;
        let (_, record) = records
            .next()
            .ok_or_else(|| AskError("there is no game in it".to_owned()))?
            .map_err(|error| AskError(error.to_string()))?;
        check_length(record.plies.len())?;
        let played = GameInPlay::from_record(&record).map_err(|error| AskError(error.to_string()))?;
        let mut game = Game {
            rules: preset::spell(&record.rules),
            start: record.plies.first().map(|ply| ply.position.clone()),
            plies: record.plies.into_iter().map(|ply| ply.played).collect(),
            ended: None,
        };
        if game.start.as_deref() == Some(&*Position::start(&record.rules).to_string()) {
            game.start = None;
        }
        game.ended = match (record.reason, record.result) {
            (Some(RecordReason::Resigned), Some(GameResult::Black)) => Some(Ended::WhiteResigned),
            (Some(RecordReason::Resigned), Some(GameResult::White)) => Some(Ended::BlackResigned),
            (Some(RecordReason::Forfeit), Some(GameResult::Black)) => Some(Ended::WhiteForfeited),
            (Some(RecordReason::Forfeit), Some(GameResult::White)) => Some(Ended::BlackForfeited),
            (Some(RecordReason::Adjudicated), _) => {
                let counted = Game { ended: Some(Ended::Counted), ..game.clone() };
                (counted.replay()?.result() == played.result()).then_some(Ended::Counted)
            }
            _ => None,
        };
        let left = game.replay()?.result() != played.result();
        Ok((game, left))
    }

    /// The game as a line of a file of records.
    ///
    /// # Errors
    /// The game can't be [replayed](Self::replay), or has no ply yet.
    pub fn to_record(&self) -> Result<String, AskError> {
        let record: Option<GameRecord> = self.replay()?.record(&self.rules);
        let record = record.ok_or_else(|| AskError("a game without a ply has no record".to_owned()))?;
        let line = serde_json::to_string(&record).map_err(|error| AskError(error.to_string()))?;
        Ok(line + "\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(rules: &str, start: Option<&str>, plies: &[&str], ended: Option<Ended>) -> Game {
        let plies = plies.iter().map(|&ply| ply.to_owned()).collect();
        Game { rules: rules.to_owned(), start: start.map(str::to_owned), plies, ended }
    }

    #[test]
    fn a_game_goes_through_its_record() {
        let chain = Some("bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0");
        for told in [
            game("sija", None, &["a1", "b1", "c1"], None),
            game("sija", None, &["a1", "b1", "c1"], Some(Ended::WhiteResigned)),
            game("sija", chain, &["d4-c3", "stop"], Some(Ended::BlackForfeited)),
            game("sija", chain, &["d4-c3", "stop"], Some(Ended::Counted)),
            game("siga/7:chain=none,lose_at=2", None, &["a1"], Some(Ended::BlackResigned)),
        ] {
            let (again, left) = Game::from_record(&told.to_record().unwrap()).unwrap();
            assert!(!left);
            assert_eq!((again.start.clone(), &again.plies, again.ended), (told.start.clone(), &told.plies, told.ended));
            assert_eq!(again.replay().unwrap().position(), told.replay().unwrap().position());
        }
    }

    #[test]
    fn what_is_awarded_otherwise_than_by_counting_goes_on() {
        let counted = game("kawu", Some("5/5/4w/w4/bw3 w m - 0"), &["e3-e4"], Some(Ended::Counted));
        let line = counted.to_record().unwrap();
        let ended = |line: &str| Game::from_record(line).map(|(game, left)| (game.ended, left)).unwrap();
        assert_eq!(ended(&line), (Some(Ended::Counted), false));
        let line = line.replace("\"result\":\"w\"", "\"result\":\"b\"");
        assert_eq!(ended(&line), (None, true));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let why = |game: Game| game.replay().unwrap_err().to_string();
        assert_eq!(why(game("sija", None, &["a1", "a1"], None)), "ply 2, a1: the square is taken");
        assert!(why(game("sijaa", None, &[], None)).starts_with("rules: no preset is called"));
        assert!(why(game("sija", Some("5"), &[], None)).starts_with("start: "));
        assert!(why(game("sija", None, &["xx"], None)).starts_with("ply 1: "));
        assert!(game("sija", None, &[], None).to_record().is_err());
        assert!(Game::from_record("").is_err());
        assert!(Game::from_record("{}").is_err());
    }
}
