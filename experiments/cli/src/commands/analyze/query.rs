//! What a line asks.

use seega_players::MOST_SIMULATIONS;
use seega_rules::record::GameRecord;
use seega_rules::{Action, GameInPlay, Position, Rules};
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
        if !text.starts_with('{') {
            return Err("expected a JSON object".to_owned());
        }
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
            Some(record) => Subject::Game(plies(&recorded(&record, rules)?)),
            None => {
                let position = match &line.position {
                    Some(text) => Position::from_text(text, rules).map_err(|error| error.to_string())?,
                    None => Position::start(rules),
                };
                let mut game = GameInPlay::begin(*rules, position);
                for (index, text) in line.moves.iter().enumerate() {
                    play(&mut game, text).map_err(|why| format!("move {}: {why}", index + 1))?;
                }
                match line.game {
                    true if game.plies().is_empty() => return Err("a game has moves".to_owned()),
                    true => Subject::Game(plies(&game)),
                    false => Subject::Position(*game.position()),
                }
            }
        };
        Ok(Query { subject, simulations: line.simulations, lines: line.lines })
    }
}

fn play(game: &mut GameInPlay, text: &str) -> Result<(), String> {
    let action: Action = text.parse().map_err(|error| format!("{error}"))?;
    game.play(action).map(|_| ()).map_err(|error| error.to_string())
}

/// The game that a record tells, by these rules.
fn recorded(record: &GameRecord, rules: &Rules) -> Result<GameInPlay, String> {
    if record.rules != *rules {
        return Err("the record is of a game by other rules than --rules says".to_owned());
    }
    if record.plies.is_empty() {
        return Err("the record has no plies".to_owned());
    }
    GameInPlay::from_record(record).map_err(|error| error.to_string())
}

/// The plies of a game, each with the positions before and after it.
fn plies(game: &GameInPlay) -> Vec<Played> {
    let afters = game.plies().iter().skip(1).map(|ply| ply.before).chain([*game.position()]);
    let plies = game.plies().iter().zip(afters);
    plies.map(|(ply, after)| Played { position: ply.before, action: ply.action, after }).collect()
}
