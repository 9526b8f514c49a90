//! `seega exact stats`: the tables in figures.

use std::io::Write;

use seega_exact::Tables;

use super::Place;

/// Positions, results and the longest lines by class, as CSV.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
}

/// Writes the table.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.place.rules.rules()?;
    let tables = Tables::open(&arguments.place.folder(), &rules)?;
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(output);
    writer.write_record([
        "rules",
        "mover",
        "opponent",
        "positions",
        "wins",
        "draws",
        "losses",
        "after_skip",
        "longest",
        "longest_position",
    ])?;
    let name = arguments.place.rules.name();
    for (class, summary) in tables.classes() {
        writer.serialize((&name, class.mover, class.opponent, summary))?;
    }
    writer.flush()?;
    Ok(())
}
