//! `seega perft`: counts of action sequences, to check one engine against another.

use std::io::Write;

use crate::options::{PositionOption, RulesOptions};

/// Counts the sequences of plies from a position, for each depth up to the given one.
///
/// A ply is one stone placed, one step or one stop. A game that ends at the last ply counts, one that ended earlier
/// doesn't. Each line is a depth and its count.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    rules: RulesOptions,

    #[command(flatten)]
    position: PositionOption,

    /// The last depth, in plies.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..))]
    depth: u32,
}

/// Writes a line for each depth as soon as it is counted.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.rules.rules()?;
    let position = arguments.position.position(&rules)?;
    for depth in 1..=arguments.depth {
        writeln!(output, "{depth} {}", seega_rules::perft(&rules, &position, depth))?;
        output.flush()?;
    }
    Ok(())
}
