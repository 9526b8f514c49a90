//! The tables of a run folder, as series to be drawn.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};

use super::chart::{Point, Series};

/// A line of a table: column to text.
pub type Row = BTreeMap<String, String>;

/// The tables of a run.
#[derive(Debug)]
pub struct Tables {
    pub metrics: Vec<Row>,
    pub ladder: Vec<Row>,
}

impl Tables {
    /// Reads the tables; a run without a measurement has no ladder yet.
    pub fn read(run: &Path) -> anyhow::Result<Tables> {
        let metrics = read(&run.join("metrics.csv"))?;
        if metrics.is_empty() {
            bail!("{}: the run has no finished generation yet", run.display());
        }
        let ladder = run.join("ladder.csv");
        Ok(Tables { metrics, ladder: if ladder.exists() { read(&ladder)? } else { Vec::new() } })
    }

    /// A column of the metrics by generation.
    pub fn metric(&self, column: &str, label: &str) -> Series {
        let points =
            self.metrics.iter().filter_map(|row| Some(Point::new(number(row, "generation")?, number(row, column)?)));
        Series { label: label.to_owned(), points: points.collect() }
    }

    /// Columns of counts as shares of the games, by generation.
    pub fn shares(&self, columns: &[(&str, &str)]) -> Vec<Series> {
        let share = |row: &Row, column: &str| {
            let games = number(row, "games").filter(|&games| games > 0.0)?;
            Some(Point::new(number(row, "generation")?, number(row, column)? / games))
        };
        let of = |&(column, label): &(&str, &str)| Series {
            label: label.to_owned(),
            points: self.metrics.iter().filter_map(|row| share(row, column)).collect(),
        };
        columns.iter().map(of).collect()
    }

    /// The scores against each opponent without a network, from one kind of start.
    pub fn ladder(&self, start: &str) -> Vec<Series> {
        let mut series: Vec<Series> = Vec::new();
        let text = |row: &Row, column: &str| row.get(column).cloned().unwrap_or_default();
        let several = self.ladder.iter().any(|row| text(row, "rules") != text(&self.ladder[0], "rules"));
        for row in self.ladder.iter().filter(|row| text(row, "start") == start) {
            let opponent = text(row, "opponent");
            if opponent.starts_with("generation ") {
                // A moving target: its curve would say nothing.
                continue;
            }
            let label = if several { format!("{opponent} ({})", text(row, "rules")) } else { opponent };
            let (Some(x), Some(y)) = (number(row, "generation"), number(row, "score")) else { continue };
            let interval = number(row, "low").zip(number(row, "high"));
            let point = Point { x, y, interval };
            match series.iter_mut().find(|series| series.label == label) {
                Some(series) => series.points.push(point),
                None => series.push(Series { label, points: vec![point] }),
            }
        }
        series
    }
}

fn number(row: &Row, column: &str) -> Option<f64> {
    row.get(column)?.parse().ok().filter(|number: &f64| number.is_finite())
}

fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let name = path.display();
    let mut reader = csv::Reader::from_path(path).with_context(|| format!("{name}: can't be read"))?;
    reader.deserialize().collect::<Result<_, _>>().with_context(|| name.to_string())
}
