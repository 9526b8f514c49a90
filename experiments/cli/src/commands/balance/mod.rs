//! `seega balance`: which rules are fair.

mod plan;
mod report;
mod run;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Subcommand;
use seega_balance::Study;

use crate::options::settings_problems;

/// Studies of rules: which are fair, by how much not, and how sure that is.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Plan(plan::Arguments),
    Run(run::Arguments),
    Report(report::Arguments),
}

/// Does what the subcommand says.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    match &arguments.command {
        Command::Plan(arguments) => plan::run(arguments, output),
        Command::Run(arguments) => run::run(arguments, output),
        Command::Report(arguments) => report::run(arguments, output),
    }
}

/// A study and its text.
fn read(path: &Path) -> anyhow::Result<(Study, String)> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("{name}: can't be read"))?;
    let study = Study::read(&text).map_err(|error| settings_problems(path, &error))?;
    Ok((study, text))
}

/// Where a study is kept if nothing else is said.
fn usual_folder(study: &Path) -> PathBuf {
    let stem = study.file_stem().unwrap_or_default().to_string_lossy();
    Path::new("runs").join(format!("balance-{stem}"))
}
