//! `seega report`: the curves and the ladder of a run, as one page and as pictures.

mod page;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;

use crate::curves::{Chart, Tables};

/// Draws the curves and the ladder of a run: report/ in its folder, with a page and a picture (SVG) of each chart.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The run folder.
    run: PathBuf,

    /// Where to write instead of RUN/report.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Writes the report and tells where it is.
pub fn run(arguments: &Arguments, output: &mut impl Write) -> anyhow::Result<()> {
    let tables = Tables::read(&arguments.run)?;
    let out = arguments.out.clone().unwrap_or_else(|| arguments.run.join("report"));
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let charts = charts(&tables);
    let mut drawn = Vec::new();
    for chart in &charts {
        let svg = chart.draw()?;
        let path = out.join(format!("{}.svg", chart.name));
        fs::write(&path, &svg).with_context(|| path.display().to_string())?;
        drawn.push((chart, svg));
    }
    let path = out.join("index.html");
    let page = page::page(&arguments.run, &tables, &drawn);
    fs::write(&path, page).with_context(|| path.display().to_string())?;
    writeln!(output, "{}", path.display())?;
    Ok(())
}

/// The charts of a run.
fn charts(tables: &Tables) -> Vec<Chart> {
    let curve = |name: &'static str, title: &'static str, y: &'static str, columns: &[(&str, &str)]| Chart {
        name,
        title: title.to_owned(),
        y,
        percent: false,
        series: columns.iter().map(|&(column, label)| tables.metric(column, label)).collect(),
    };
    let mut charts = vec![
        curve(
            "loss",
            "Losses",
            "loss",
            &[
                ("loss_policy", "policy (divergence)"),
                ("loss_result", "result (cross entropy)"),
                ("loss_value", "value (squared)"),
            ],
        ),
        Chart {
            name: "results",
            title: "Results of self-play".to_owned(),
            y: "share of games",
            percent: true,
            series: tables.shares(&[("white", "White"), ("draws", "drawn"), ("black", "Black")]),
        },
        curve("length", "Length of games", "plies", &[("plies_per_game", "plies a game")]),
    ];
    for (start, name, title) in [
        ("plies4", "ladder-plies", "from four random plies"),
        ("placements", "ladder-placements", "from random placements"),
    ] {
        charts.push(Chart {
            name,
            title: format!("Ladder, {title} (95 % intervals)"),
            y: "score",
            percent: true,
            series: tables.ladder(start),
        });
    }
    charts.retain(|chart| chart.series.iter().any(|series| !series.points.is_empty()));
    charts
}
