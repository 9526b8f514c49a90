//! How players are written.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use seega_exact::Tables;
use seega_models::checkpoint::Checkpoint;
use seega_models::evaluator::check_rules;
use seega_rules::Rules;
use seega_search::baseline::{AlphaBeta, Greedy, Limit, PlayoutSettings, Playouts, Random};
use thiserror::Error;

use crate::baseline::OneByOne;
use crate::exact::ExactPlayer;
use crate::network::{PolicyPlayer, SearchPlayer};
use crate::ugi::UgiPlayer;
use crate::{Player, PlayerError};

/// A player as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerSpec {
    /// `random`: any legal action.
    Random,
    /// `greedy`: takes as many stones as a step can.
    Greedy,
    /// `alphabeta:DEPTH` or `alphabeta:SECONDSs`.
    AlphaBeta(Limit),
    /// `mcts:PLAYOUTS` or `mcts:SECONDSs`.
    Playouts(Limit),
    /// `net:PATH`, `net:PATH@SIMULATIONS` or `net:PATH@SECONDSs`: a search with a network.
    Net {
        /// The checkpoint.
        path: PathBuf,
        /// How long it searches.
        limit: Limit,
    },
    /// `policy:PATH`: a network's most probable action, without a search.
    Policy {
        /// The checkpoint.
        path: PathBuf,
    },
    /// `exact:DIR`: endgame tables, and `alphabeta:4` where they don't reach.
    Exact {
        /// The folder of the tables.
        folder: PathBuf,
    },
    /// `ugi:COMMAND`, `ugi:COMMAND@NODES` or `ugi:COMMAND@SECONDSs`: a program that speaks the Universal Game Interface.
    Ugi {
        /// The program and its arguments, split at spaces.
        command: String,
        /// How long it thinks about a ply.
        limit: Limit,
    },
}

/// The most simulations that may be asked for of a search with a network.
pub const MOST_SIMULATIONS: u32 = 1_000_000;

/// Simulations of a network player that names no limit.
const DEFAULT_SIMULATIONS: u32 = 64;

/// A text that is no player.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{0:?} is no player; players are random, greedy, alphabeta:DEPTH, mcts:PLAYOUTS, net:PATH@SIMULATIONS, \
     policy:PATH, exact:DIR and ugi:COMMAND@NODES; for a time per move write seconds with an s, as in alphabeta:0.5s or net:PATH@2s"
)]
pub struct ParsePlayerError(String);

/// A number of work, or seconds with an `s`.
fn parse_limit(text: &str, most_work: u32) -> Option<Limit> {
    match text.strip_suffix('s') {
        Some(seconds) => {
            let seconds: f32 = seconds.parse().ok()?;
            (seconds > 0.0 && seconds <= 3600.0).then_some(Limit::Seconds(seconds))
        }
        None => text.parse().ok().filter(|work| (1..=most_work).contains(work)).map(Limit::Work),
    }
}

impl FromStr for PlayerSpec {
    type Err = ParsePlayerError;

    fn from_str(text: &str) -> Result<PlayerSpec, ParsePlayerError> {
        let spec = match text.split_once(':') {
            None if text == "random" => Some(PlayerSpec::Random),
            None if text == "greedy" => Some(PlayerSpec::Greedy),
            Some(("alphabeta", limit)) => parse_limit(limit, 64).map(PlayerSpec::AlphaBeta),
            Some(("mcts", limit)) => parse_limit(limit, 10_000_000).map(PlayerSpec::Playouts),
            Some(("net", rest)) => match rest.rsplit_once('@') {
                Some((path, limit)) if !path.is_empty() => parse_limit(limit, MOST_SIMULATIONS)
                    .map(|limit| PlayerSpec::Net { path: PathBuf::from(path), limit }),
                None if !rest.is_empty() => {
                    Some(PlayerSpec::Net { path: PathBuf::from(rest), limit: Limit::Work(DEFAULT_SIMULATIONS) })
                }
                _ => None,
            },
            Some(("ugi", rest)) => match rest.rsplit_once('@') {
                Some((command, limit)) if !command.trim().is_empty() => parse_limit(limit, MOST_SIMULATIONS)
                    .map(|limit| PlayerSpec::Ugi { command: command.trim().to_owned(), limit }),
                None if !rest.trim().is_empty() => {
                    Some(PlayerSpec::Ugi { command: rest.trim().to_owned(), limit: Limit::Work(DEFAULT_SIMULATIONS) })
                }
                _ => None,
            },
            Some(("policy", path)) if !path.is_empty() => Some(PlayerSpec::Policy { path: PathBuf::from(path) }),
            Some(("exact", folder)) if !folder.is_empty() => Some(PlayerSpec::Exact { folder: PathBuf::from(folder) }),
            _ => None,
        };
        spec.ok_or_else(|| ParsePlayerError(text.chars().take(100).collect()))
    }
}

impl fmt::Display for PlayerSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = |limit: &Limit| match limit {
            Limit::Work(work) => work.to_string(),
            Limit::Seconds(seconds) => format!("{seconds}s"),
        };
        match self {
            PlayerSpec::Random => f.write_str("random"),
            PlayerSpec::Greedy => f.write_str("greedy"),
            PlayerSpec::AlphaBeta(limit) => write!(f, "alphabeta:{}", told(limit)),
            PlayerSpec::Playouts(limit) => write!(f, "mcts:{}", told(limit)),
            PlayerSpec::Net { path, limit } => write!(f, "net:{}@{}", path.display(), told(limit)),
            PlayerSpec::Policy { path } => write!(f, "policy:{}", path.display()),
            PlayerSpec::Exact { folder } => write!(f, "exact:{}", folder.display()),
            PlayerSpec::Ugi { command, limit } => write!(f, "ugi:{command}@{}", told(limit)),
        }
    }
}

impl PlayerSpec {
    /// The player, for games by these rules. A network is refused for rules on which it was not trained, unless
    /// `force` is given.
    ///
    /// # Errors
    /// A network's file can't be read, or it does not know the rules; tables can't be read or are of other rules.
    pub fn build(&self, rules: &Rules, force: bool) -> Result<Box<dyn Player>, PlayerError> {
        Ok(match self {
            PlayerSpec::Random => Box::new(OneByOne(Random)),
            PlayerSpec::Greedy => Box::new(OneByOne(Greedy)),
            PlayerSpec::AlphaBeta(limit) => Box::new(OneByOne(AlphaBeta::new(*limit))),
            PlayerSpec::Playouts(limit) => Box::new(OneByOne(Playouts::new(*limit, PlayoutSettings::default()))),
            PlayerSpec::Net { path, limit } => self.network(path, Some(*limit), rules, force)?,
            PlayerSpec::Policy { path } => self.network(path, None, rules, force)?,
            PlayerSpec::Exact { folder } => Box::new(ExactPlayer::new(Tables::open(folder, rules)?)),
            PlayerSpec::Ugi { command, limit } => Box::new(UgiPlayer::start(command, *limit, rules)?),
        })
    }

    /// A player with a network; without a limit it does not search.
    fn network(
        &self,
        path: &std::path::Path,
        limit: Option<Limit>,
        rules: &Rules,
        force: bool,
    ) -> Result<Box<dyn Player>, PlayerError> {
        let wrong = |why: String| PlayerError::Checkpoint { path: path.display().to_string(), why };
        let checkpoint = Checkpoint::read(path).map_err(|error| wrong(error.to_string()))?;
        if !force {
            check_rules(&checkpoint, rules).map_err(|error| wrong(format!("{error}; --force plays all the same")))?;
        }
        Ok(match limit {
            Some(limit) => Box::new(SearchPlayer::new(&checkpoint, limit)),
            None => Box::new(PolicyPlayer::new(&checkpoint)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_read_as_they_are_written() {
        let texts = [
            "random",
            "greedy",
            "alphabeta:4",
            "alphabeta:0.5s",
            "mcts:800",
            "mcts:2s",
            "net:a@b/c.safetensors@64",
            "net:a.safetensors@1.5s",
            "policy:a.safetensors",
            "exact:tables/siga",
        ];
        for text in texts {
            assert_eq!(text.parse::<PlayerSpec>().unwrap().to_string(), text);
        }
        assert_eq!("net:x".parse::<PlayerSpec>().unwrap().to_string(), "net:x@64");
    }

    #[test]
    fn what_is_no_player_is_refused() {
        for text in [
            "",
            "Random",
            "random:1",
            "greedy:",
            "elephant",
            "alphabeta",
            "alphabeta:0",
            "alphabeta:-1",
            "alphabeta:0s",
            "mcts:nans",
            "net:",
            "net:@64",
            "net:x@",
            "net:x@0",
            "policy:",
            "exact",
            "exact:",
        ] {
            assert!(text.parse::<PlayerSpec>().is_err(), "{text:?}");
        }
    }
}
