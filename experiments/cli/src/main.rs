//! The `seega` command. This file only wires: what a subcommand takes and does is in its file of `commands`.
//!
//! Exit codes: 0 when done, 1 when a check found a disagreement, 2 when the input is wrong or the work failed.

mod commands;
mod options;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;

use commands::Command;

/// Self-play learning for the Seega family of board games.
#[derive(Debug, Parser)]
#[command(name = "seega", version, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut output = BufWriter::new(io::stdout().lock());
    let done = arguments.command.run(&mut output).and_then(|verdict| {
        output.flush()?;
        Ok(verdict)
    });
    match done {
        Ok(verdict) => verdict.into(),
        // Whoever read the output (`| head`) has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = output.flush();
            eprintln!("seega: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
