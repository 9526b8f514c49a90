//! The report as CSV: a file for variants, one for seeds, one for squares, one for effects.

use std::fmt::Write as _;

use crate::analyse::{Analysis, Figure};

/// The tables by name.
pub(super) fn tables(analysis: &Analysis) -> Vec<(&'static str, String)> {
    let mut tables = vec![("variants", variants(analysis)), ("seeds", seeds(analysis)), ("squares", squares(analysis))];
    if !analysis.effects.is_empty() {
        tables.push(("effects", effects(analysis)));
    }
    tables
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:.5}"))
}

/// Value and bounds as three cells.
fn cells(figure: Option<Figure>) -> String {
    let of = |part: fn(Figure) -> Option<f64>| number(figure.and_then(part));
    format!("{},{},{}", of(|figure| Some(figure.value)), of(|figure| figure.low), of(|figure| figure.high))
}

/// A name as a cell: quoted, for rules have commas.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A column of three cells: its name, and the figure.
type Column = (&'static str, fn(&crate::analyse::BudgetAnalysis) -> Option<Figure>);

const COLUMNS: [Column; 12] = [
    ("white", |budget| Some(budget.white)),
    ("bootstrap", |budget| Some(budget.bootstrap)),
    ("first_to_move", |budget| budget.first_to_move),
    ("decisive", |budget| Some(budget.decisive)),
    ("plies", |budget| budget.plies),
    ("turns", |budget| budget.turns),
    ("branching", |budget| budget.branching),
    ("captures", |budget| budget.captures),
    ("chains", |budget| budget.chains),
    ("first_turns", |budget| budget.first_turns),
    ("stone", |budget| budget.stone),
    ("brier", |budget| budget.brier),
];

fn variants(analysis: &Analysis) -> String {
    let mut table = "variant,rules,simulations".to_owned();
    for (name, _) in COLUMNS {
        let _ = write!(table, ",{name},{name}_low,{name}_high");
    }
    table.push_str(
        ",longest_chain,distinct,p_uneven,p_even,verdict,difference,difference_low,difference_high,p_difference\n",
    );
    for variant in &analysis.variants {
        for budget in &variant.budgets {
            let _ = write!(table, "{},{},{}", quoted(&variant.name), quoted(&variant.rules), budget.simulations);
            for (_, column) in COLUMNS {
                let _ = write!(table, ",{}", cells(column(budget)));
            }
            let _ = write!(table, ",{},{:.4}", budget.longest_chain, budget.distinct);
            // Judged is by the most simulations alone.
            let judged = budget.simulations == analysis.judged_by;
            let _ = match judged {
                true => writeln!(
                    table,
                    ",{},{},{},{},{}",
                    number(variant.p_uneven),
                    number(variant.p_even),
                    format!("{:?}", variant.verdict).to_lowercase(),
                    cells(variant.difference),
                    number(variant.p_difference)
                ),
                false => writeln!(table, ",,,,,,,"),
            };
        }
    }
    table
}

fn seeds(analysis: &Analysis) -> String {
    let mut table = "variant,simulations,seed,white,draws,black\n".to_owned();
    for variant in &analysis.variants {
        for budget in &variant.budgets {
            for (seed, counts) in analysis.seeds.iter().zip(&budget.by_seed) {
                let _ = writeln!(
                    table,
                    "{},{},{seed},{},{},{}",
                    quoted(&variant.name),
                    budget.simulations,
                    counts.white,
                    counts.draws,
                    counts.black
                );
            }
        }
        if let Some(random) = &variant.random {
            let counts = random.counts;
            let _ =
                writeln!(table, "{},random,,{},{},{}", quoted(&variant.name), counts.white, counts.draws, counts.black);
        }
    }
    table
}

fn squares(analysis: &Analysis) -> String {
    let mut table = "variant,simulations,square,white,worth\n".to_owned();
    for variant in &analysis.variants {
        for budget in &variant.budgets {
            let side = budget.squares.len().isqrt();
            for (index, square) in budget.squares.iter().enumerate() {
                let name = format!("{}{}", (b'a' + (index % side) as u8) as char, index / side + 1);
                let _ = writeln!(
                    table,
                    "{},{},{name},{},{}",
                    quoted(&variant.name),
                    budget.simulations,
                    number(square.white),
                    number(square.worth)
                );
            }
        }
    }
    table
}

fn effects(analysis: &Analysis) -> String {
    let mut table = "of,effect,kind,value,low,high,p\n".to_owned();
    for effect in &analysis.effects {
        let kind = if effect.factor.is_some() { "factor" } else { "interaction" };
        let _ = writeln!(
            table,
            "{},{},{kind},{},{}",
            effect.of,
            quoted(&effect.name),
            cells(Some(effect.effect)),
            number(effect.p)
        );
    }
    table
}
