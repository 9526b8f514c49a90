//! The `seega` command. This file only wires: what a subcommand takes and does is in its file of `commands`.
//!
//! Exit codes: 0 when done, 1 when a check found a disagreement, 2 when the input is wrong or the work failed, 130 when
//! Ctrl-C ended it.

mod bar;
mod board;
mod commands;
mod curves;
mod interrupt;
mod options;
mod records;

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::Parser;

use commands::Command;

/// libtorch asks for memory and gives it back at every operation of a network, which the C library's allocator makes
/// slow. This one takes its place for libtorch too.
#[cfg(feature = "torch")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Self-play learning for the Seega family of board games.
#[derive(Debug, Parser)]
#[command(name = "seega", version, disable_help_subcommand = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut output = BufWriter::new(io::stdout());
    let ended = arguments.command.run(&mut output);
    let flushed = output.flush().map_err(anyhow::Error::from);
    match ended.and_then(|verdict| flushed.or_else(unless_broken_pipe).map(|()| verdict)) {
        Ok(verdict) => verdict.into(),
        Err(error) => match unless_broken_pipe(error) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("seega: {error:#}");
                ExitCode::from(if interrupt::happened() { interrupt::INTERRUPTED } else { 2 })
            }
        },
    }
}

/// Passes over that whoever read the output (`| head`) has seen enough.
fn unless_broken_pipe(error: anyhow::Error) -> anyhow::Result<()> {
    match error.downcast_ref::<io::Error>() {
        Some(cause) if cause.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    }
}
