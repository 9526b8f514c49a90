//! What a line asks.

use seega_rules::record::GameRecord;
use seega_rules::{Action, Position, Rules};
use serde::Deserialize;

/// A line, read.
pub(super) struct Query {
    pub(super) subject: Subject,
    pub(super) simulations: Option<u32>,
    pub(super) lines: Option<usize>,
}

/// What is to be analysed.
pub(super) enum Subject {
    /// One position.
    Position(Position),
    /// Every position of a game.
    Game(Vec<Played>),
}

/// A position of a game, and what was played there.
pub(super) struct Played {
    pub(super) position: Position,
    pub(super) action: Action,
    pub(super) after: Position,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default, rename = "id")]
    _id: serde_json::Value,
    #[serde(default)]
    position: Option<String>,
    #[serde(default)]
    moves: Vec<String>,
    #[serde(default)]
    game: bool,
    #[serde(default)]
    record: Option<GameRecord>,
    #[serde(default)]
    simulations: Option<u32>,
    #[serde(default)]
    lines: Option<usize>,
}

impl Query {
    /// Reads a line of a game by these rules.
    ///
    /// # Errors
    /// In words, what is wrong.
    pub(super) fn read(text: &str, rules: &Rules) -> Result<Query, String> {
        const MOST_SIMULATIONS: u32 = 1_000_000;
        let line: Line = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if line.simulations.is_some_and(|simulations| !(1..=MOST_SIMULATIONS).contains(&simulations)) {
            return Err(format!("simulations are from 1 to {MOST_SIMULATIONS}"));
        }
        if line.lines == Some(0) {
            return Err("lines are 1 or more".to_owned());
        }
        let subject = match line.record {
            Some(_) if line.position.is_some() || !line.moves.is_empty() || line.game => {
                return Err("a record has its positions: position, moves and game don't go with it".to_owned());
            }
            Some(record) => Subject::Game(plies(&record, rules)?),
            None => {
                let mut position = match &line.position {
                    Some(text) => Position::from_text(text, rules).map_err(|error| error.to_string())?,
                    None => Position::start(rules),
                };
                let mut plies = Vec::with_capacity(line.moves.len());
                for (index, text) in line.moves.iter().enumerate() {
                    let ply = play(&mut position, text, rules).map_err(|why| format!("move {}: {why}", index + 1))?;
                    plies.push(ply);
                }
                match line.game {
                    true if plies.is_empty() => return Err("a game has moves".to_owned()),
                    true => Subject::Game(plies),
                    false => Subject::Position(position),
                }
            }
        };
        Ok(Query { subject, simulations: line.simulations, lines: line.lines })
    }
}

/// Plays a ply from its text.
fn play(position: &mut Position, text: &str, rules: &Rules) -> Result<Played, String> {
    let before = *position;
    let action: Action = text.parse().map_err(|error| format!("{error}"))?;
    position.play(rules, action).map_err(|error| error.to_string())?;
    Ok(Played { position: before, action, after: *position })
}

/// The plies of a record, by the rules.
fn plies(record: &GameRecord, rules: &Rules) -> Result<Vec<Played>, String> {
    if record.rules != *rules {
        return Err("the record is of a game by other rules than --rules says".to_owned());
    }
    let first = record.plies.first().ok_or("the record has no plies")?;
    let mut position = Position::from_text(&first.position, rules).map_err(|error| format!("ply 1: {error}"))?;
    let mut plies = Vec::new();
    for (index, ply) in record.plies.iter().enumerate() {
        let told = |why: String| format!("ply {}: {why}", index + 1);
        if position.to_string() != ply.position {
            return Err(told(format!("its position is not what the plies before lead to, {position}")));
        }
        plies.push(play(&mut position, &ply.played, rules).map_err(told)?);
    }
    Ok(plies)
}
