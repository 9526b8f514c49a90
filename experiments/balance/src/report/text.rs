//! What a study says in a few sentences, and as lines for a terminal.

use std::fmt::Write as _;

use crate::analyse::{Analysis, Figure, SCORE, Verdict};

/// A sentence of the result.
pub type Sentence = String;

/// A share with its interval, in per cent.
pub(super) fn percent(figure: Figure) -> String {
    let of = |value: f64| format!("{:.1}", 100.0 * value);
    match (figure.low, figure.high) {
        (Some(low), Some(high)) => format!("{} % ({} to {})", of(figure.value), of(low), of(high)),
        _ => format!("{} %", of(figure.value)),
    }
}

/// A number with its interval.
pub(super) fn plain(figure: Figure) -> String {
    match (figure.low, figure.high) {
        (Some(low), Some(high)) => format!("{:.1} ({low:.1} to {high:.1})", figure.value),
        _ => format!("{:.1}", figure.value),
    }
}

/// A verdict in words.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::White => "favours who places first",
        Verdict::Black => "favours who places second",
        Verdict::Even => "even within the margin",
        Verdict::Open => "open",
    }
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => format!("`{one}`"),
        [rest @ .., last] => {
            let rest: Vec<String> = rest.iter().map(|name| format!("`{name}`")).collect();
            format!("{} and `{last}`", rest.join(", "))
        }
    }
}

/// What it comes to, in three sentences: whom rules favour, which is the nearest to even, and what else moves.
pub fn sentences(analysis: &Analysis) -> Vec<Sentence> {
    let score = |index: usize| analysis.variants[index].budgets.last().map(|budget| budget.white);
    let of_verdict = |wanted| -> Vec<&str> {
        let variants = analysis.variants.iter().filter(|variant| variant.verdict == wanted);
        variants.map(|variant| &*variant.name).collect()
    };
    let mut sentences = Vec::new();
    let with = format!("with {} simulations a move", analysis.judged_by);
    if analysis.effects.is_empty() {
        sentences.push(format!(
            "Of {} rule sets, {with}, who places first is favoured in {}, who places second in {}; even within {:.0} points: {}; \
             open: {}.",
            analysis.variants.len(),
            listed(&of_verdict(Verdict::White)),
            listed(&of_verdict(Verdict::Black)),
            100.0 * analysis.margin,
            listed(&of_verdict(Verdict::Even)),
            listed(&of_verdict(Verdict::Open)),
        ));
    }
    let distance = |index: &usize| score(*index).map_or(1.0, |figure| (figure.value - 0.5).abs());
    let mut order: Vec<usize> = (0..analysis.variants.len()).collect();
    order.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    if let [nearest, .., furthest] = order[..]
        && let (Some(near), Some(far)) = (score(nearest), score(furthest))
    {
        sentences.push(format!(
            "Who places first scores {} in `{}`, the nearest to even, and {} in `{}`, the furthest from it.",
            percent(near),
            analysis.variants[nearest].name,
            percent(far),
            analysis.variants[furthest].name
        ));
    }
    let of_factors = analysis.effects.iter().filter(|effect| effect.of == SCORE && effect.factor.is_some());
    let strongest = of_factors.max_by(|a, b| a.effect.value.abs().total_cmp(&b.effect.value.abs()));
    if let Some((effect, [name, low, high])) =
        strongest.and_then(|effect| Some((effect, analysis.factors.get(effect.factor?)?)))
    {
        let claimed = analysis.effects.iter().filter(|effect| effect.p.is_some_and(|p| p < analysis.alpha));
        let claimed: Vec<&str> = claimed.map(|effect| &*effect.name).collect();
        sentences.push(format!(
            "What moves the balance most is {name}: `{high}` for `{low}` changes the first placer's score by {} points; \
             factors that are shown to move it: {}.",
            plain(scaled(effect.effect)),
            listed(&claimed)
        ));
    }
    if !analysis.starts.is_empty() {
        let told = analysis.starts.iter().map(|start| {
            let figure = start.ways.first().map_or_else(String::new, |(_, figure)| format!(", {}", percent(*figure)));
            let apart = if start.told_apart { "" } else { ", though not told apart from others" };
            format!("`{}`: {}{figure}{apart}", start.variant, start.nearest)
        });
        sentences.push(format!("The start that comes nearest to even: {}.", told.collect::<Vec<_>>().join("; ")));
    }
    sentences
}

/// Shares as points of a hundred.
pub(super) fn scaled(figure: Figure) -> Figure {
    let times = |value: f64| 100.0 * value;
    Figure { value: times(figure.value), low: figure.low.map(times), high: figure.high.map(times) }
}

/// The result as lines.
pub fn summary(analysis: &Analysis) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}\n{} of {} seeds, {} games of each variant, seed and number of simulations; 95 % intervals over seeds",
        analysis.title,
        analysis.seeds.len(),
        analysis.seeds_planned,
        analysis.games
    );
    if (analysis.seeds.len() as u64) < analysis.seeds_planned {
        let _ = writeln!(text, "An early look: nothing is claimed before all seeds are there.");
    }
    let widest = analysis.variants.iter().map(|variant| variant.name.len()).max().unwrap_or_default().max(7);
    let _ = writeln!(text, "\n{:widest$}  {:>26}  {:>8}  verdict", "variant", "first placer's score", "draws");
    for variant in &analysis.variants {
        let Some(budget) = variant.budgets.last() else { continue };
        let _ = writeln!(
            text,
            "{:widest$}  {:>26}  {:>6.1} %  {}",
            variant.name,
            percent(budget.white),
            100.0 * (1.0 - budget.decisive.value),
            verdict(variant.verdict)
        );
    }
    for [name, low, high] in &analysis.factors {
        let _ = writeln!(text, "  {name}: - {low}, + {high}");
    }
    for effect in analysis.effects.iter().filter(|effect| effect.of == SCORE) {
        let p = effect.p.map_or_else(String::new, |p| format!(", p {p:.3}"));
        let _ = writeln!(text, "  {:>24} points{p}: {}", plain(scaled(effect.effect)), effect.name);
    }
    text.push('\n');
    for sentence in sentences(analysis) {
        let _ = writeln!(text, "{sentence}");
    }
    text
}
