//! The subcommands, one file each.

mod analyze;
mod arena;
#[cfg(feature = "torch")]
mod balance;
mod bench;
#[cfg(feature = "torch")]
mod compare;
mod exact;
#[cfg(all(feature = "torch", feature = "onnx"))]
mod export;
mod perft;
mod play;
#[cfg(feature = "torch")]
mod publish;
mod report;
mod rules;
#[cfg(feature = "torch")]
mod selfplay;
mod serve;
mod show;
#[cfg(feature = "torch")]
mod train;
mod ugi;
mod verify;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Subcommand;

/// What a command found, where it did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All is well.
    Fine,
    /// A check found a disagreement, and the output tells it.
    Disagreement,
}

impl From<Verdict> for ExitCode {
    fn from(verdict: Verdict) -> ExitCode {
        match verdict {
            Verdict::Fine => ExitCode::SUCCESS,
            Verdict::Disagreement => ExitCode::from(1),
        }
    }
}

/// A subcommand with its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    Rules(rules::Arguments),
    Show(show::Arguments),
    Perft(perft::Arguments),
    Verify(verify::Arguments),
    #[cfg(feature = "torch")]
    Selfplay(selfplay::Arguments),
    #[cfg(feature = "torch")]
    Train(train::Arguments),
    #[cfg(feature = "torch")]
    Compare(compare::Arguments),
    #[cfg(feature = "torch")]
    Balance(balance::Arguments),
    Bench(bench::Arguments),
    Arena(arena::Arguments),
    Play(play::Arguments),
    Serve(serve::Arguments),
    Ugi(ugi::Arguments),
    Analyze(analyze::Arguments),
    Exact(exact::Arguments),
    Report(report::Arguments),
    #[cfg(feature = "torch")]
    Publish(publish::Arguments),
    #[cfg(all(feature = "torch", feature = "onnx"))]
    Export(export::Arguments),
}

impl Command {
    /// Does the work and writes what it gives.
    pub fn run(&self, output: &mut impl Write) -> anyhow::Result<Verdict> {
        match self {
            Command::Rules(arguments) => rules::run(arguments, output)?,
            Command::Show(arguments) => show::run(arguments, output)?,
            Command::Perft(arguments) => perft::run(arguments, output)?,
            Command::Verify(arguments) => return verify::run(arguments, output),
            #[cfg(feature = "torch")]
            Command::Selfplay(arguments) => selfplay::run(arguments, output)?,
            #[cfg(feature = "torch")]
            Command::Train(arguments) => train::run(arguments, output)?,
            #[cfg(feature = "torch")]
            Command::Compare(arguments) => compare::run(arguments, output)?,
            #[cfg(feature = "torch")]
            Command::Balance(arguments) => balance::run(arguments, output)?,
            Command::Bench(arguments) => bench::run(arguments, output)?,
            Command::Arena(arguments) => arena::run(arguments, output)?,
            Command::Exact(arguments) => return exact::run(arguments, output),
            Command::Report(arguments) => report::run(arguments, output)?,
            #[cfg(feature = "torch")]
            Command::Publish(arguments) => publish::run(arguments, output)?,
            Command::Ugi(arguments) => ugi::run(arguments)?,
            Command::Analyze(arguments) => analyze::run(arguments, &mut io::stdin().lock(), output)?,
            Command::Serve(arguments) => serve::run(arguments)?,
            Command::Play(arguments) => play::run(arguments, &mut io::stdin().lock(), output)?,
            #[cfg(all(feature = "torch", feature = "onnx"))]
            Command::Export(arguments) => export::run(arguments, output)?,
        }
        Ok(Verdict::Fine)
    }
}
