//! `seega exact`: endgame tables.

mod build;
mod probe;
mod stats;
mod verify;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use seega_exact::usual_folder;

use super::Verdict;
use crate::options::RulesOptions;

/// Exact values of endgames, for any rules: tables of all positions with few stones.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Arguments),
    Probe(probe::Arguments),
    Stats(stats::Arguments),
    Verify(verify::Arguments),
}

/// Rules and the folder of their tables.
#[derive(Debug, clap::Args)]
struct Place {
    #[command(flatten)]
    rules: RulesOptions,

    /// The folder of the tables; without it, tables/ and the rules' name.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Place {
    fn folder(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(|| usual_folder(Path::new("tables"), &self.rules.name()))
    }
}

/// Does what the subcommand says.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<Verdict> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments, output)?,
        Command::Probe(arguments) => probe::run(arguments, output)?,
        Command::Stats(arguments) => stats::run(arguments, output)?,
        Command::Verify(arguments) => return verify::run(arguments, output),
    }
    Ok(Verdict::Fine)
}
