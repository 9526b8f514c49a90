//! `seega bench`: how fast the parts of the project are on this machine.

mod engine;
#[cfg(feature = "torch")]
mod network;
#[cfg(feature = "torch")]
mod selfplay;
#[cfg(feature = "torch")]
mod train;

use std::io::Write;

use clap::ValueEnum;
use serde_json::{Map, Value};

#[cfg(feature = "torch")]
pub(in crate::commands) use train::samples_per_s;

/// Measures how fast the parts are on this machine.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The part to measure; without it, all.
    part: Option<Part>,

    /// One JSON object on one line instead of tables.
    #[arg(long)]
    json: bool,

    /// Engine: only these rules (`seega`, `seega/5`); may be given several times.
    #[arg(long, value_name = "RULES")]
    only: Vec<String>,

    /// Seconds for each line of a table.
    #[arg(long, default_value_t = 0.5, value_parser = parse_seconds)]
    seconds: f64,

    #[cfg(feature = "torch")]
    #[command(flatten)]
    network: network::Options,
}

/// A part that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Random playouts from the start to the end of the game, on one core, for every preset at its sizes.
    Engine,
    /// Forward passes of a network alone, and self-play with it, on one core and on all.
    #[cfg(feature = "torch")]
    Selfplay,
    /// The trainer, on all cores.
    #[cfg(feature = "torch")]
    Train,
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.01..=60.0).contains(&seconds) => Ok(seconds),
        _ => Err("seconds go from 0.01 to 60".to_owned()),
    }
}

/// Measures and writes a table for each part, or one object with all.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let parts = arguments.part.map_or(Part::value_variants().to_vec(), |part| vec![part]);
    let mut measured = Map::new();
    for part in parts {
        let (name, figures) = match part {
            Part::Engine => ("engine", engine::run(arguments, output)?),
            #[cfg(feature = "torch")]
            Part::Selfplay => ("selfplay", selfplay::run(arguments, output)?),
            #[cfg(feature = "torch")]
            Part::Train => ("train", train::run(arguments, output)?),
        };
        measured.insert(name.to_owned(), figures);
    }
    if arguments.json {
        writeln!(output, "{}", Value::Object(measured))?;
    }
    Ok(())
}
