//! The report's pictures: intervals on a scale, bars of shares, boards. Colours are classes, so that a page can be light or
//! dark.

use std::fmt::Write as _;

use crate::analyse::Figure;

/// Text of a picture or page, safe within one.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A line of a picture of intervals.
pub(crate) struct Interval {
    pub(crate) name: String,
    /// Figures on the line, each with the class that colours it.
    pub(crate) figures: Vec<(Figure, &'static str)>,
    /// What stands at its end.
    pub(crate) note: String,
}

const RIGHT: f64 = 190.0;
const WIDTH: f64 = 900.0;
const ROW: f64 = 24.0;

/// The room that names take at the left.
fn room<'a>(names: impl Iterator<Item = &'a str>) -> f64 {
    /// What a letter takes, about, and what is left for the picture at least.
    const LETTER: f64 = 6.6;
    const MOST: f64 = 440.0;
    let longest = names.map(|name| name.chars().count()).max().unwrap_or_default();
    (24.0 + LETTER * longest as f64).clamp(80.0, MOST)
}

/// The name of a row, before what the row shows.
fn row_name(name: &str, left: f64, y: f64) -> String {
    format!("<text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>", left - 12.0, escaped(name))
}

/// Intervals under each other on one scale, with a line at `middle` and a band of that margin about it. `told` writes a number of
/// the scale.
pub(crate) fn intervals(
    rows: &[Interval],
    [low, high]: [f64; 2],
    middle: f64,
    margin: f64,
    told: impl Fn(f64) -> String,
) -> String {
    let height = ROW * (rows.len() as f64 + 2.0);
    let left = room(rows.iter().map(|row| &*row.name));
    let x = |value: f64| left + (value.clamp(low, high) - low) / (high - low) * (WIDTH - left - RIGHT);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">");
    let bottom = height - 1.5 * ROW;
    if margin > 0.0 {
        let (from, to) = (x(middle - margin), x(middle + margin));
        let _ = write!(
            svg,
            "<rect class=\"band\" x=\"{from:.1}\" y=\"4\" width=\"{:.1}\" height=\"{:.1}\"/>",
            to - from,
            bottom - 4.0
        );
    }
    for tick in 0..=4 {
        let value = low + (high - low) * f64::from(tick) / 4.0;
        let at = x(value);
        let _ = write!(svg, "<line class=\"grid\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"4\" y2=\"{bottom:.1}\"/>");
        let _ = write!(
            svg,
            "<text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            told(value)
        );
    }
    let at = x(middle);
    let _ = write!(svg, "<line class=\"middle\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"4\" y2=\"{bottom:.1}\"/>");
    for (index, row) in rows.iter().enumerate() {
        let y = ROW * (index as f64 + 0.75);
        svg += &row_name(&row.name, left, y + 4.0);
        let _ = write!(
            svg,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            WIDTH - RIGHT + 12.0,
            y + 4.0,
            escaped(&row.note)
        );
        for (place, (figure, class)) in row.figures.iter().enumerate() {
            let y = y + 5.0 * (place as f64 - 0.5 * (row.figures.len() as f64 - 1.0));
            if let (Some(low), Some(high)) = (figure.low, figure.high) {
                let _ = write!(
                    svg,
                    "<line class=\"reach {class}\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
                    x(low),
                    x(high)
                );
            }
            let _ = write!(svg, "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4.5\"/>", x(figure.value));
        }
    }
    svg + "</svg>"
}

/// Shares as bars under each other, each part with the class that colours it.
pub(crate) fn shares<const PARTS: usize>(rows: &[(String, [f64; PARTS])], classes: [&str; PARTS]) -> String {
    let height = ROW * (rows.len() as f64 + 0.5);
    let left = room(rows.iter().map(|(name, _)| &**name));
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">");
    for (index, (name, shares)) in rows.iter().enumerate() {
        let y = ROW * (index as f64 + 0.2);
        svg += &row_name(name, left, y + 15.0);
        let mut from = left;
        for (share, class) in shares.iter().zip(classes) {
            let width = share * (WIDTH - left - 20.0);
            let _ = write!(
                svg,
                "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{:.1}\"/>",
                ROW - 5.0
            );
            if *share > 0.06 {
                let _ = write!(
                    svg,
                    "<text class=\"on-{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0}</text>",
                    from + 0.5 * width,
                    y + 14.0,
                    100.0 * share
                );
            }
            from += width;
        }
    }
    svg + "</svg>"
}

/// A board with a number on each square: `values` by the board's numbering, rank by rank from the lowest. `strongest` is the value
/// with the full colour: one class above nothing, another below.
pub(crate) fn board(side: usize, values: &[Option<f64>], strongest: f64, told: impl Fn(f64) -> String) -> String {
    const SQUARE: f64 = 34.0;
    let edge = SQUARE * side as f64 + 2.0;
    let mut svg = format!("<svg class=\"board\" viewBox=\"0 0 {edge} {edge}\" role=\"img\">");
    for (index, value) in values.iter().enumerate() {
        let (file, rank) = (index % side, index / side);
        let (x, y) = (1.0 + SQUARE * file as f64, 1.0 + SQUARE * (side - 1 - rank) as f64);
        let class = if value.unwrap_or_default() >= 0.0 { "more" } else { "less" };
        let strength = value.map_or(0.0, |value| (value.abs() / strongest).min(1.0));
        let _ = write!(
            svg,
            "<rect class=\"square\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>\
             <rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\" fill-opacity=\"{strength:.2}\"/>"
        );
        if let Some(value) = value {
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x + 0.5 * SQUARE,
                y + 0.5 * SQUARE + 4.0,
                told(*value)
            );
        }
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_sound_and_names_can_do_no_harm() {
        let figure = Figure { value: 0.6, low: Some(0.4), high: Some(1.4) };
        let row = Interval { name: "<a & b>".to_owned(), figures: vec![(figure, "strong")], note: String::new() };
        let svg = intervals(&[row], [0.0, 1.0], 0.5, 0.05, |value| format!("{value:.2}"));
        assert!(svg.contains("&lt;a &amp; b&gt;") && svg.ends_with("</svg>"), "{svg}");
        // A bound beyond the scale ends with it.
        let end = WIDTH - RIGHT;
        assert!(svg.contains(&format!("x2=\"{end:.1}\" y1=\"18.0\"")), "{svg}");
        let svg = board(5, &[Some(0.5); 25], 0.5, |value| format!("{value}"));
        assert_eq!(svg.matches("class=\"square\"").count(), 25);
    }
}
