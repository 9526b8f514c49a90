//! The report's page: all in one file, with nothing from elsewhere.

use std::fmt::Write as _;

use super::svg::{self, Interval, escaped};
use super::text::{percent, plain, scaled, sentences, verdict};
use crate::analyse::{Analysis, Figure, SCORE, VariantAnalysis};

const LIGHT: &str = ":root { --paper: #fff; --ink: #1c1c1c; --soft: #666; --grid: #ddd; --band: #e8f0e8; --strong: #1f5fa8; \
  --weak: #9bb8d8; --random: #c08a2d; --white: #e9e2d0; --draw: #bdbdbd; --black: #4a4a4a; --more: #1f5fa8; --less: #b4472f; }";
const DARK: &str = "@media (prefers-color-scheme: dark) { :root { --paper: #17181a; --ink: #e6e6e6; --soft: #a0a0a0; --grid: #3a3a3a; \
  --band: #24332a; --strong: #7fb2ea; --weak: #44648a; --random: #d9a94d; --white: #e9e2d0; --draw: #7d7d7d; --black: #000; } }";
const STYLE: &str = "
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto;
  padding: 0 1rem; }
svg { width: 100%; height: auto; font: 12px system-ui, sans-serif; fill: var(--ink); }
svg.board { width: 11rem; }
table { border-collapse: collapse; font-size: 0.85rem; display: block; overflow-x: auto; }
th, td { padding: 0.2rem 0.6rem; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
code, pre { font-size: 0.85rem; } pre { overflow-x: auto; background: var(--band); padding: 0.6rem; }
.tick { fill: var(--soft); } .grid { stroke: var(--grid); } .middle { stroke: var(--ink); } .band { fill: var(--band); }
.reach { stroke-width: 2; } line.strong { stroke: var(--strong); } circle.strong { fill: var(--strong); }
line.weak { stroke: var(--weak); } circle.weak { fill: var(--weak); } line.random { stroke: var(--random); }
circle.random { fill: var(--random); }
rect.white { fill: var(--white); stroke: var(--grid); } rect.draw { fill: var(--draw); } rect.black { fill: var(--black); }
rect.strong { fill: var(--strong); } rect.weak { fill: var(--weak); } .on-strong { fill: var(--paper); } .on-weak { fill: var(--ink); }
.on-white { fill: #1c1c1c; } .on-draw { fill: #1c1c1c; } .on-black { fill: #fff; }
.square { fill: none; stroke: var(--grid); } .more { fill: var(--more); } .less { fill: var(--less); }
.boards { display: flex; flex-wrap: wrap; gap: 1.2rem; } figure { margin: 0; } figcaption { font-size: 0.8rem; color: var(--soft); }
.soft { color: var(--soft); }
";

/// The page.
pub(super) fn page(analysis: &Analysis, command: &str) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>{title}</title><style>{LIGHT}{DARK}{STYLE}</style></head><body>\n\
         <h1>{title}</h1>\n",
        title = escaped(&analysis.title)
    );
    for sentence in sentences(analysis) {
        let _ = writeln!(page, "<p>{}</p>", code(&sentence));
    }
    about(&mut page, analysis);
    scores(&mut page, analysis);
    effects(&mut page, analysis);
    starts(&mut page, analysis);
    results(&mut page, analysis);
    games(&mut page, analysis);
    squares(&mut page, analysis);
    calibration(&mut page, analysis);
    exact(&mut page, analysis);
    let _ = writeln!(
        page,
        "<details><summary>The study</summary><pre>{}</pre></details>\n<h2>Make it again</h2>\n<pre>{}</pre>\n<p>The study stands in <code>study.toml</code>, every game in <code>games/</code> \
         (with the values that searches expected, and as records for <code>seega verify</code> and <code>seega show</code>), the networks in <code>runs/</code>; this page's figures are in \
         <code>report/result.json</code> and <code>report/*.csv</code>.</p>\n</body></html>",
        escaped(&analysis.study),
        escaped(command)
    );
    page
}

/// Names in backquotes as code.
fn code(text: &str) -> String {
    let mut inside = false;
    let parts = text.split('`').map(|part| {
        let told = if inside { format!("<code>{}</code>", escaped(part)) } else { escaped(part) };
        inside = !inside;
        told
    });
    parts.collect()
}

fn about(page: &mut String, analysis: &Analysis) {
    let seeds = analysis.seeds.len() as u64;
    if seeds < analysis.seeds_planned {
        let _ = writeln!(
            page,
            "<p><b>An early look:</b> {seeds} of {} seeds. Nothing is claimed before all are there, for tests are for the number that \
             was planned; the score of the networks that are there lies within the interval <i>at any time</i> of the table below, \
             whenever one looks.</p>",
            analysis.seeds_planned
        );
    }
    let _ = writeln!(
        page,
        "<p class=\"soft\">What is estimated is the score of White, who places first, when networks that learnt from \
         self-play alone play themselves from the true start, with {} simulations a move; the first {} plies are drawn from what \
         searches found, at temperature {}, so that games differ. The population is trainings. The unit is the seed: each gives one number, \
         the mean over its {} games a variant, and intervals (95 %) and tests are Student's over seeds, differences within a \
         seed. A variant is <i>even</i> where two one-sided tests show its score to lie within {:.1} points of 50 %, and \
         favours a side where a test shows it not to be even; each family, the variants, errs once in {:.0} studies (Holm, \
         α = {}). <i>Open</i> is a result: more seeds would tell.</p>",
        analysis.judged_by,
        analysis.drawn_plies,
        analysis.temperature,
        analysis.games,
        100.0 * analysis.margin,
        1.0 / analysis.alpha,
        analysis.alpha
    );
}

/// The variants by score, the highest first.
fn by_score(analysis: &Analysis) -> Vec<&VariantAnalysis> {
    let score = |variant: &VariantAnalysis| variant.budgets.last().map_or(0.5, |budget| budget.white.value);
    let mut variants: Vec<&VariantAnalysis> = analysis.variants.iter().collect();
    variants.sort_by(|a, b| score(b).total_cmp(&score(a)));
    variants
}

fn scores_picture(analysis: &Analysis) -> String {
    let rows: Vec<Interval> = by_score(analysis)
        .into_iter()
        .map(|variant| {
            let mut figures: Vec<(Figure, &'static str)> = Vec::new();
            figures.extend(variant.random.as_ref().map(|random| (random.white, "random")));
            let (last, earlier) = variant.budgets.split_last().expect("a study has simulations");
            figures.extend(earlier.iter().map(|budget| (budget.white, "weak")));
            figures.push((last.white, "strong"));
            Interval { name: variant.name.clone(), figures, note: verdict(variant.verdict).to_owned() }
        })
        .collect();
    svg::intervals(&rows, [0.0, 1.0], 0.5, analysis.margin, |value| format!("{:.0} %", 100.0 * value))
}

/// The main picture as a file of its own, with the page's colours.
pub(super) fn main_picture(analysis: &Analysis) -> String {
    // An image has no page whose colours it could follow.
    let style = format!("<style>{LIGHT}{STYLE}</style><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>");
    let picture = scores_picture(analysis).replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
    picture.replacen('>', &format!(">{style}"), 1)
}

fn scores(page: &mut String, analysis: &Analysis) {
    let _ = writeln!(
        page,
        "<h2>Who is favoured</h2>\n<p>The first placer's score: dark by {} simulations, light by fewer, ochre by random play; the \
         band is what counts as even.</p>\n{}",
        analysis.judged_by,
        scores_picture(analysis)
    );
    let bars: Vec<(String, [f64; 3])> = by_score(analysis)
        .into_iter()
        .filter_map(|variant| {
            let budget = variant.budgets.last()?;
            let sum = |of: fn(&crate::analyse::Counts) -> u64| budget.by_seed.iter().map(of).sum::<u64>() as f64;
            let [white, draws, black] = [sum(|c| c.white), sum(|c| c.draws), sum(|c| c.black)];
            let all = (white + draws + black).max(1.0);
            Some((variant.name.clone(), [white / all, draws / all, black / all]))
        })
        .collect();
    let bars = svg::shares(&bars, ["white", "draw", "black"]);
    let _ = writeln!(page, "<p>Games that White won, drew, and lost, in per cent:</p>\n{bars}");
}

/// A table of that heading and rows of cells.
fn table(page: &mut String, heads: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
    let cells =
        |tag: &str, cells: &[String]| -> String { cells.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect() };
    let heads: Vec<String> = heads.iter().map(|head| escaped(head)).collect();
    let _ = writeln!(page, "<table><tr>{}</tr>", cells("th", &heads));
    for row in rows {
        let _ = writeln!(page, "<tr>{}</tr>", cells("td", &row));
    }
    page.push_str("</table>\n");
}

fn p_value(p: Option<f64>) -> String {
    match p {
        None => "–".to_owned(),
        Some(p) if p < 0.001 => "&lt; 0.001".to_owned(),
        Some(p) => format!("{p:.3}"),
    }
}

fn optional(figure: Option<Figure>, told: fn(Figure) -> String) -> String {
    figure.map_or_else(|| "–".to_owned(), told)
}

fn effects(page: &mut String, analysis: &Analysis) {
    if analysis.effects.is_empty() {
        return;
    }
    page.push_str("<h2>What moves the balance</h2>\n<p>The mean of the variants with a factor's high level less that of those with its low \
                   one, in points of the first placer's score. Interactions that the design can't tell apart stand together.</p>\n");
    let heads = ["factor", "low", "high"];
    table(page, &heads, analysis.factors.iter().map(|factor| factor.iter().map(|text| escaped(text)).collect()));
    let of_score = analysis.effects.iter().filter(|effect| effect.of == SCORE);
    let rows: Vec<Interval> = of_score
        .map(|effect| Interval {
            name: shortened(&effect.name),
            figures: vec![(scaled(effect.effect), if effect.factor.is_some() { "strong" } else { "weak" })],
            note: effect.p.map_or_else(String::new, |p| match p {
                p if p < 0.001 => "p < 0.001".to_owned(),
                p => format!("p = {p:.3}"),
            }),
        })
        .collect();
    let reach = rows.iter().flat_map(|row| &row.figures);
    let reach = reach.flat_map(|(figure, _)| [figure.low, figure.high, Some(figure.value)]).flatten();
    let reach = reach.fold(1.0, |reach: f64, bound| reach.max(bound.abs())).ceil();
    page.push_str(&svg::intervals(&rows, [-reach, reach], 0.0, 0.0, |value| format!("{value:+.0}")));
    let heads = ["of", "effect", "change", "p"];
    let rows = analysis.effects.iter().map(|effect| {
        let figure = if effect.of == "turns" { effect.effect } else { scaled(effect.effect) };
        vec![effect.of.to_owned(), escaped(&effect.name), plain(figure), p_value(effect.p)]
    });
    page.push_str("<details><summary>All effects</summary>\n");
    table(page, &heads, rows);
    page.push_str("</details>\n");
}

/// The first of several effects that stand together, and how many more there are: the table has them all.
fn shortened(name: &str) -> String {
    match name.split_once(" + ") {
        Some((first, rest)) => format!("{first} (+{})", rest.split(" + ").count()),
        None => name.to_owned(),
    }
}

fn starts(page: &mut String, analysis: &Analysis) {
    if analysis.starts.is_empty() {
        return;
    }
    page.push_str(
        "<h2>Fair starts</h2>\n<p>The same game begun otherwise: the other side makes the first step; or White places a first turn, \
         and Black says which side it takes (pie). The score is that of who places first; with a pie, of who cut it.</p>\n",
    );
    let rows = analysis.starts.iter().flat_map(|start| {
        start.ways.iter().map(|(name, figure)| {
            let mark = match (*name == start.nearest, start.told_apart) {
                (true, true) => "<b>nearest to even</b>",
                (true, false) => "nearest, not told apart",
                _ => "",
            };
            vec![escaped(&start.variant), escaped(name), percent(*figure), mark.to_owned()]
        })
    });
    table(page, &["variant", "start", "score", ""], rows);
}

fn results(page: &mut String, analysis: &Analysis) {
    page.push_str("<h2>The figures</h2>\n");
    let heads = [
        "variant",
        "simulations",
        "score of who places first",
        "bootstrap",
        "at any time",
        "of who moves first",
        "draws %",
    ];
    let rows = analysis.variants.iter().flat_map(|variant| {
        variant.budgets.iter().map(move |budget| {
            vec![
                escaped(&variant.name),
                budget.simulations.to_string(),
                percent(budget.white),
                percent(budget.bootstrap),
                percent(budget.any_time),
                optional(budget.first_to_move, percent),
                format!("{:.1}", 100.0 * (1.0 - budget.decisive.value)),
            ]
        })
    });
    table(page, &heads, rows);
    let heads = ["variant", "verdict", "p not even", "p even", "against the reference", "p another", "trend"];
    let rows = analysis.variants.iter().map(|variant| {
        vec![
            escaped(&variant.name),
            verdict(variant.verdict).to_owned(),
            p_value(variant.p_uneven),
            p_value(variant.p_even),
            optional(variant.difference.map(scaled), plain),
            p_value(variant.p_difference),
            optional(variant.trend.map(scaled), plain),
        ]
    });
    table(page, &heads, rows);
    let _ = writeln!(
        page,
        "<p class=\"soft\">p within each family, of {} variants. Differences in points, within a seed; the reference is \
         <code>{}</code>. Trend: score at the most simulations less that at the fewest. Where less than 95 % of games are \
         distinct nothing is claimed.</p>",
        analysis.variants.len(),
        escaped(&analysis.reference)
    );
}

fn games(page: &mut String, analysis: &Analysis) {
    page.push_str("<h2>What games are like</h2>\n<p>Turns of movement, with the most simulations:</p>\n");
    let judged = || analysis.variants.iter().filter_map(|variant| Some((variant, variant.budgets.last()?)));
    let lengths: Vec<Interval> = judged()
        .filter_map(|(variant, budget)| {
            let figures = vec![(budget.turns?, "strong")];
            Some(Interval { name: variant.name.clone(), figures, note: String::new() })
        })
        .collect();
    let longest = lengths.iter().flat_map(|row| &row.figures).map(|(figure, _)| figure.high.unwrap_or(figure.value));
    let longest = longest.fold(1.0, f64::max);
    page.push_str(&svg::intervals(&lengths, [0.0, longest], 0.0, 0.0, |value| format!("{value:.0}")));
    const REASONS: [&str; 4] = ["stones", "blocked", "quiet", "count"];
    let ends: Vec<(String, [f64; 4])> = judged()
        .map(|(variant, budget)| {
            let share = |reason: &str| {
                budget.reasons.iter().find(|(known, _)| known == reason).map_or(0.0, |(_, share)| *share)
            };
            (variant.name.clone(), REASONS.map(share))
        })
        .collect();
    let bars = svg::shares(&ends, ["strong", "weak", "draw", "black"]);
    let _ = writeln!(
        page,
        "<p>What ended games, in per cent, from the left: too few stones left; a blocked side lost; the quiet limit; neither side \
         had a step.</p>\n{bars}"
    );
    let heads = ["variant", "simulations", "plies", "turns", "actions a ply", "captured", "chains %", "longest chain"];
    let rows = analysis.variants.iter().flat_map(|variant| {
        let played = variant.budgets.iter().map(move |budget| {
            vec![
                escaped(&variant.name),
                budget.simulations.to_string(),
                optional(budget.plies, plain),
                optional(budget.turns, plain),
                optional(budget.branching, plain),
                optional(budget.captures, plain),
                optional(budget.chains.map(scaled), plain),
                budget.longest_chain.to_string(),
            ]
        });
        let random = variant.random.as_ref().map(|random| {
            let nothing = std::iter::repeat_n(String::new(), 5);
            let told = [escaped(&variant.name), "random".to_owned(), format!("{:.1}", random.plies)];
            told.into_iter().chain(nothing).collect()
        });
        played.chain(random)
    });
    table(page, &heads, rows);
    let heads = ["variant", "simulations", "a stone is worth", "first turns in effect", "distinct games %"];
    let rows = analysis.variants.iter().flat_map(|variant| {
        variant.budgets.iter().map(move |budget| {
            vec![
                escaped(&variant.name),
                budget.simulations.to_string(),
                optional(budget.stone.map(scaled), plain),
                optional(budget.first_turns, plain),
                format!("{:.0}", 100.0 * budget.distinct),
            ]
        })
    });
    table(page, &heads, rows);
    page.push_str("<p class=\"soft\">A stone's worth: by how many points a lead of one raises a score from 50 %, by a curve through all \
                   positions of movement. First turns in effect: two to the power of the entropy of White's first turn, of symmetric \
                   ones one.</p>\n");
}

fn squares(page: &mut String, analysis: &Analysis) {
    page.push_str(
        "<h2>Where stones are placed</h2>\n<p>For each variant how often White holds a square as movement begins, in per cent, and by how \
         many points White's score is higher where it does than where Black does; averaged over the symmetries that the start has. a1 is at the lower left.</p>\n<div class=\"boards\">\n",
    );
    for variant in &analysis.variants {
        let Some(budget) = variant.budgets.last() else { continue };
        let side = budget.squares.len().isqrt();
        let share: Vec<Option<f64>> =
            budget.squares.iter().map(|square| square.white.map(|white| white - 0.5)).collect();
        let worth: Vec<Option<f64>> = budget.squares.iter().map(|square| square.worth).collect();
        let boards = [
            ("held by White", svg::board(side, &share, 0.5, |value| format!("{:.0}", 100.0 * (value + 0.5)))),
            ("worth to White", svg::board(side, &worth, 0.3, |value| format!("{:+.0}", 100.0 * value))),
        ];
        for (what, board) in boards {
            let _ =
                writeln!(page, "<figure>{board}<figcaption>{}: {what}</figcaption></figure>", escaped(&variant.name));
        }
    }
    page.push_str("</div>\n");
}

fn calibration(page: &mut String, analysis: &Analysis) {
    page.push_str(
        "<h2>Whether searches know</h2>\n<p>In movement: the squared difference between the score that searches expect for the mover \
         and the result (0.25 for who knows nothing), and what came of it where they expected so much, in per cent.</p>\n",
    );
    let rows = analysis.variants.iter().flat_map(|variant| {
        variant.budgets.iter().map(move |budget| {
            let told = budget.calibration.iter().map(|[expected, came, share]| {
                format!(
                    "{:.0}→{:.0}<span class=\"soft\"> ({:.0})</span>",
                    100.0 * expected,
                    100.0 * came,
                    100.0 * share
                )
            });
            vec![
                escaped(&variant.name),
                budget.simulations.to_string(),
                budget.brier.map_or_else(|| "–".to_owned(), |brier| format!("{:.3}", brier.value)),
                told.collect::<Vec<_>>().join(" · "),
            ]
        })
    });
    table(page, &["variant", "simulations", "Brier", "expected→came (share of positions)"], rows);
}

fn exact(page: &mut String, analysis: &Analysis) {
    if analysis.variants.iter().all(|variant| variant.exact.is_empty()) {
        return;
    }
    page.push_str(
        "<h2>Endgames, exactly</h2>\n<p>Of all positions with as many stones on both sides the shares that their mover wins, draws and \
         loses with best play, in per cent, by endgame tables.</p>\n",
    );
    let rows = analysis.variants.iter().flat_map(|variant| {
        variant.exact.iter().map(move |exact| {
            let [won, drawn, lost] = exact.shares.map(|share| format!("{:.1}", 100.0 * share));
            vec![escaped(&variant.name), format!("{0} to {0}", exact.stones), won, drawn, lost]
        })
    });
    table(page, &["variant", "stones", "won", "drawn", "lost"], rows);
}
