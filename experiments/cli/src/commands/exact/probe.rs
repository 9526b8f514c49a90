//! `seega exact probe`: the value of a position and of its actions.

use std::io::Write;

use anyhow::bail;
use seega_exact::{Exact, Tables, Value, bytes, plan};
use seega_rules::Position;
use serde_json::{Value as Json, json};

use super::Place;

/// The exact value of a position, and of every action in it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,

    /// The position, in movement.
    #[arg(long, value_name = "POSITION")]
    position: String,

    /// One JSON object on one line.
    #[arg(long)]
    json: bool,
}

const fn name(value: Value) -> &'static str {
    match value {
        Value::Win => "win",
        Value::Draw => "draw",
        Value::Loss => "loss",
    }
}

/// Looks up and tells.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let rules = arguments.place.rules.rules()?;
    let position = Position::from_text(&arguments.position, &rules)?;
    let folder = arguments.place.folder();
    let tables = Tables::open(&folder, &rules)?;
    if position.is_placement() {
        bail!("stones are still being placed; tables are of movement");
    }
    let (Some(exact), Some(mut actions)) = (tables.value(&position)?, tables.actions(&position)?) else {
        let stones = position.occupied().count();
        bail!(
            "{}: no table of its class in {}; with up to {stones} stones they take {} of memory to make (seega exact build \
             --stones {stones})",
            arguments.position,
            folder.display(),
            bytes(plan(&rules, stones).iter().map(|step| step.memory).max().unwrap_or(0))
        );
    };
    actions.sort_by_key(|(_, exact)| std::cmp::Reverse(exact.rank()));
    if arguments.json {
        let actions: Vec<Json> = actions
            .iter()
            .map(|(action, exact)| {
                json!({ "action": action.to_string(), "value": name(exact.value), "distance": exact.distance })
            })
            .collect();
        writeln!(output, "{}", json!({ "value": name(exact.value), "distance": exact.distance, "actions": actions }))?;
        return Ok(());
    }
    let told = |Exact { value, distance, .. }: Exact| match distance {
        Some(distance) => format!("{} {distance}", name(value)),
        None => name(value).to_owned(),
    };
    writeln!(output, "{}: {}", arguments.position, told(exact))?;
    for (action, exact) in actions {
        writeln!(output, "  {:<8} {}", action.to_string(), told(exact))?;
    }
    Ok(())
}
