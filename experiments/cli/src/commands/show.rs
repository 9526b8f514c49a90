//! `seega show`: draws a position in the terminal, with its legal actions and what they capture.

use std::io::Write;

use anyhow::Context;
use seega_rules::{Action, Bitboard};

use crate::board::{changed_squares, state, write_actions, write_board};
use crate::options::{PositionOption, RulesOptions};

/// Draws a position, with its legal actions and what they capture.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    rules: RulesOptions,

    #[command(flatten)]
    position: PositionOption,

    /// Actions to do first: squares to place on (c2), steps (d4-c3), stop.
    #[arg(value_name = "ACTION")]
    actions: Vec<String>,
}

/// Writes the drawing of the position after the actions.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    let mut position = arguments.position.position(&rules)?;
    let mut changed = Bitboard::EMPTY;
    for (index, text) in arguments.actions.iter().enumerate() {
        let place = || format!("action {} ({text:?})", index + 1);
        let action: Action = text.parse().with_context(place)?;
        let captured = position.play(&rules, action).with_context(place)?;
        changed = changed_squares(action, captured);
    }
    writeln!(output, "{}, {}", arguments.rules.name(), rules.size)?;
    write_board(&position, changed, output)?;
    writeln!(output, "{position}")?;
    writeln!(output, "{}", state(&rules, &position))?;
    write_actions(&rules, &position, output)
}
