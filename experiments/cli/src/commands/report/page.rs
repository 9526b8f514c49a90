//! The page of a report: one file that fetches nothing.

use std::fmt::Write as _;
use std::path::Path;

use crate::curves::{Chart, Row, Tables};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:800px;margin:2em auto;padding:0 1em;color:#222}\
svg{max-width:100%;height:auto}table{border-collapse:collapse;font-size:14px}td,th{padding:.2em .8em;text-align:right;\
border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}";

/// The page.
pub(super) fn page(run: &Path, tables: &Tables, charts: &[(&Chart, String)]) -> String {
    let title = escaped(&run.file_name().unwrap_or_default().to_string_lossy());
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n"
    );
    let last = tables.metrics.last();
    let told = |column: &str| last.and_then(|row| row.get(column)).map(|text| escaped(text)).unwrap_or_default();
    let _ = writeln!(
        page,
        "<p>{} generations, {} steps of the optimizer. Scores are (wins + draws / 2) / games, with 95 % intervals.</p>",
        told("generation"),
        told("step")
    );
    table(&mut page, tables);
    for (_, svg) in charts {
        let _ = writeln!(page, "<p>{svg}</p>");
    }
    page += "</body></html>\n";
    page
}

/// The last measurement.
fn table(page: &mut String, tables: &Tables) {
    let of = |row: &Row, column: &str| row.get(column).map(|text| escaped(text)).unwrap_or_default();
    let Some(last) = tables.ladder.last().map(|row| of(row, "generation")) else {
        page.push_str("<p>The run was not measured yet.</p>\n");
        return;
    };
    let _ = writeln!(page, "<h2>Ladder of generation {last}</h2>\n<table>");
    let columns = ["opponent", "rules", "start", "games", "wins", "draws", "losses", "score", "low", "high"];
    let cells =
        |tag: &str, cells: Vec<String>| cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect::<String>();
    let _ = writeln!(page, "<tr>{}</tr>", cells("th", columns.map(str::to_owned).to_vec()));
    for row in tables.ladder.iter().filter(|row| of(row, "generation") == last) {
        let _ = writeln!(page, "<tr>{}</tr>", cells("td", columns.map(|column| of(row, column)).to_vec()));
    }
    page.push_str("</table>\n");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
