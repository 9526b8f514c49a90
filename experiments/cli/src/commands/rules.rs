//! `seega rules`: lists the presets, and prints rules as a file that `--rules` reads back.

use std::io::Write;

use seega_rules::{BoardSize, Chain, Directions, Field, FieldValue, Preset, Rules, preset};

use crate::options::named_rules;

/// Lists the presets; with a name, prints its rules as a rules file.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// A preset (`siga`), on another board (`siga/7`), with fields replaced (`siga:chain=none`), or a rules file.
    name: Option<String>,
}

/// Writes the table, or the rules file of one.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    match &arguments.name {
        None => write_table(output),
        Some(name) => {
            // The preset's own text carries the source and the marks; a rules file has neither.
            let text = match named_rules(name)? {
                (rules, Some(preset)) => Preset { rules, ..*preset }.to_toml(),
                (rules, None) => rules.to_toml(),
            };
            Ok(write!(output, "{text}")?)
        }
    }
}

/// A column of the table: its heading, the fields of which it tells, and what it says.
type Column = (&'static str, &'static [Field], fn(&Preset) -> String);

const COLUMNS: [Column; 11] = [
    ("preset", &[], |preset| preset.name.to_owned()),
    ("size", &[], |preset| sizes(preset)),
    ("per turn", &[Field::PerTurn, Field::Cross], |preset| placement(&preset.rules)),
    ("first", &[Field::FirstMover], |preset| name(Field::FirstMover, preset)),
    ("moves", &[Field::MoveDirs, Field::Jumps], |preset| directions(preset.rules.move_dirs)),
    ("captures", &[Field::CaptureDirs], |preset| directions(preset.rules.capture_dirs)),
    ("centre", &[Field::CenterSafe], |preset| if preset.rules.center_safe { "safe" } else { "open" }.to_owned()),
    ("chain", &[Field::Chain, Field::ChainOptional, Field::ChainLimit], |preset| chain(&preset.rules)),
    ("blocked", &[Field::Blocked], |preset| name(Field::Blocked, preset)),
    ("lose at", &[Field::LoseAt], |preset| preset.rules.lose_at.stones().to_string()),
    ("quiet", &[Field::QuietLimit, Field::QuietResult], |preset| quiet(&preset.rules)),
];

fn write_table(output: &mut impl Write) -> anyhow::Result<()> {
    let mut rows = vec![COLUMNS.map(|(heading, ..)| heading.to_owned())];
    for preset in &preset::ALL {
        rows.push(COLUMNS.map(|(_, fields, says)| {
            let ours = fields.iter().any(|&field| preset.ours_in(field).is_some());
            says(preset) + if ours { "*" } else { "" }
        }));
    }
    let widths: Vec<usize> = (0..COLUMNS.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default())
        .collect();
    for row in &rows {
        let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        writeln!(output, "{}", cells.join("  ").trim_end())?;
    }
    writeln!(output)?;
    writeln!(
        output,
        "* No source settles it: the value or its reading is this project's (`seega rules NAME` tells how)."
    )?;
    writeln!(output, "Any preset may be played on another board: `--rules siga/7`.")?;
    Ok(())
}

/// The usual size, and others of which the source speaks.
fn sizes(preset: &Preset) -> String {
    let usual = preset.rules.size;
    let others: Vec<String> =
        preset.sizes.iter().filter(|&&size| size != usual).map(|&size: &BoardSize| size.side().to_string()).collect();
    match others.is_empty() {
        true => usual.side().to_string(),
        false => format!("{} ({})", usual.side(), others.join(", ")),
    }
}

fn placement(rules: &Rules) -> String {
    format!("{}{}", rules.per_turn.stones(), if rules.cross { ", cross" } else { "" })
}

fn directions(directions: Directions) -> String {
    match directions {
        Directions::Orthogonal => "4",
        Directions::All => "8",
    }
    .to_owned()
}

fn chain(rules: &Rules) -> String {
    let mut text = rules.chain.name().replace('_', " ");
    if rules.chain != Chain::None {
        if rules.chain_optional {
            text += ", optional";
        }
        if let Some(limit) = rules.chain_limit {
            text += &format!(", limit {limit}");
        }
    }
    text
}

fn quiet(rules: &Rules) -> String {
    format!("{} {}", rules.quiet_limit, rules.quiet_result.name())
}

/// A field whose value is a name, in words.
fn name(field: Field, preset: &Preset) -> String {
    match field.get(&preset.rules) {
        FieldValue::Text(name) => name.replace('_', " "),
        value => value.to_string(),
    }
}
