//! Ways to begin the same game: as it is, with the other side making the first step, with a pie.

use seega_rules::{FirstMover, Rules};

use super::{CONFIDENCE, Figure, Known, Starts, VariantAnalysis, cutter_scores, of, scores};
use crate::statistics::seeds::SeedMean;
use crate::study::{Study, Variant};

/// A way to begin: what it is, its figure, and the scores by seed.
struct Way {
    name: &'static str,
    figure: Figure,
    scores: Vec<f64>,
}

/// For each variant of which another way to begin was played: all its ways.
pub(super) fn starts(study: &Study, known: &[Known<'_>], variants: &[VariantAnalysis]) -> Vec<Starts> {
    let judged = study.judged_by();
    let mut starts = Vec::new();
    for (index, variant) in study.variants.iter().enumerate() {
        let rules = variant.rules.rules;
        let first_mover = match rules.first_mover {
            FirstMover::Starter => FirstMover::LastPlacer,
            FirstMover::LastPlacer => FirstMover::Starter,
        };
        // Of a pair that differs in who moves first only the one that was named first is told of.
        let swapped = study.variants.iter().position(|other| other.rules.rules == Rules { first_mover, ..rules });
        if swapped.is_some_and(|other| other < index) {
            continue;
        }
        let mut ways = Vec::new();
        let played =
            [(Some(index), "as it is", "pie"), (swapped, "the other side moves first", "pie, the other side first")];
        for (place, plain, with_pie) in played {
            let Some(place) = place else { continue };
            let (of_study, variant): (&Variant, &VariantAnalysis) = (&study.variants[place], &variants[place]);
            let figure = variant.budgets.last().map(|budget| budget.white);
            ways.extend(figure.map(|figure| Way { name: plain, figure, scores: scores(known, of_study, judged) }));
            let of_pie = || cutter_scores(&of(known, of_study, judged, true));
            ways.extend(variant.pie.as_ref().map(|pie| Way { name: with_pie, figure: pie.cutter, scores: of_pie() }));
        }
        let distance = |way: &Way| (way.figure.value - 0.5).abs();
        ways.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
        let [nearest, others @ ..] = &ways[..] else { continue };
        if others.is_empty() {
            continue;
        }
        starts.push(Starts {
            variant: variant.name.clone(),
            nearest: nearest.name.to_owned(),
            told_apart: others.iter().all(|other| is_nearer(nearest, other)),
            ways: ways.iter().map(|way| (way.name.to_owned(), way.figure)).collect(),
        });
    }
    starts
}

/// Whether one way lies nearer to even than another with the same seeds, by an interval over these.
fn is_nearer(a: &Way, b: &Way) -> bool {
    let distances = a.scores.iter().zip(&b.scores).map(|(a, b)| (b - 0.5).abs() - (a - 0.5).abs());
    SeedMean::of(&distances.collect::<Vec<f64>>()).is_some_and(|mean| mean.interval(CONFIDENCE).low > 0.0)
}
