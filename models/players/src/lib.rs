//! Players, and their one spelling for every command.
//!
//! A [`Player`] chooses actions for many games at once, so that a network's games share its batches. A [`PlayerSpec`]
//! is how a player is written on the command line: `random`, `greedy`, `alphabeta:4`, `mcts:800`, `net:PATH@64`,
//! `policy:PATH`, `exact:DIR`, and `ugi:COMMAND@64` for a program outside.
//!
//! ```
//! use rand::{SeedableRng, rngs::SmallRng};
//! use seega_players::{PlayerSpec, Turn};
//! use seega_rules::{Position, preset};
//!
//! let rules = preset::parse("sija")?;
//! let mut player = "alphabeta:2".parse::<PlayerSpec>()?.build(&rules, false)?;
//! let position = Position::from_text("bwwbw/bwbwb/bw1bb/wbwww/wwbbb w m - 0", &rules)?;
//! let mut random = SmallRng::seed_from_u64(1);
//! let actions = player.choose(&mut [Turn { rules: &rules, position, random: &mut random }])?;
//! assert_eq!(actions.len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
mod baseline;
mod exact;
mod network;
mod spec;
mod ugi;

use rand::rngs::SmallRng;
use seega_rules::{Action, Position, Rules};
use thiserror::Error;

pub use spec::{MOST_SIMULATIONS, ParsePlayerError, PlayerSpec};

/// A position in which a player is to act, and the chance that its game gives it.
#[derive(Debug)]
pub struct Turn<'a> {
    /// The rules of the game.
    pub rules: &'a Rules,
    /// The position; its game goes on.
    pub position: Position,
    /// The game's own generator, so that a game does not depend on those beside it.
    pub random: &'a mut SmallRng,
}

/// Something that plays games of the Seega family.
pub trait Player: Send {
    /// The actions to play, one for each turn. All positions are on boards of one size.
    ///
    /// # Errors
    /// The player can't go on.
    fn choose(&mut self, turns: &mut [Turn<'_>]) -> Result<Vec<Action>, PlayerError>;

    /// Whether asking about several turns at once has no use, and what goes wrong with one is better told at once.
    fn is_asked_one_by_one(&self) -> bool {
        false
    }

    /// Positions that the player's network has evaluated so far; 0 without a network.
    fn evaluations(&self) -> u64 {
        0
    }
}

/// Why a player can't be had, or can't go on.
#[derive(Debug, Error)]
pub enum PlayerError {
    /// The network's file can't be read.
    #[error("{path}: {why}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// The network can't evaluate.
    #[error("{0}")]
    Evaluate(String),
    /// Its endgame tables can't be read.
    #[error("{0}")]
    Tables(String),
    /// An outside program can't be had, or does not play as it should.
    #[error("ugi:{command}: {why}")]
    Engine {
        /// How it was started.
        command: String,
        /// What is wrong with it.
        why: String,
    },
    /// An outside program failed so often that it is started no more.
    #[error("ugi:{command}: {why}; it failed {failures} times in a row and is given up")]
    Gone {
        /// How it was started.
        command: String,
        /// What it did last.
        why: String,
        /// How often it failed.
        failures: u32,
    },
    /// It gives the game up.
    #[error("it resigns")]
    Resigns,
    /// It gave a wrong number of actions.
    #[error("it gave {given} actions for {turns} turns")]
    Answers {
        /// The actions that it gave.
        given: usize,
        /// The turns that it was asked about.
        turns: usize,
    },
    /// It panicked.
    #[error("it panicked")]
    Panicked,
}
