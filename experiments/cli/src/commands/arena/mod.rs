//! `seega arena`: who is stronger, and how sure that is.

mod two;

use std::io::Write;

use clap::Subcommand;

/// Measures players against each other.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Match(two::Arguments),
}

/// Plays and writes what came of it.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Match(arguments) => two::run(arguments, output),
    }
}
