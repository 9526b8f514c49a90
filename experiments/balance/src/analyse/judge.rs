//! Whom variants favour, and how they differ: the tests over seeds, each a family over all variants.

use super::{CONFIDENCE, Figure, Known, VariantAnalysis, Verdict, of, scores};
use crate::statistics::bootstrap::Results;
use crate::statistics::seeds::{SeedMean, game_deviation};
use crate::statistics::{equivalence, holm};
use crate::study::{Family, Study, Variant};

/// The share of games that must be no others' copies for a claim.
const DISTINCT: f64 = 0.95;

/// Tells what is claimed of variants, by the most simulations. Tests are for the number of seeds that was planned: before all
/// are there, nothing is claimed.
pub(super) fn judge(study: &Study, known: &[Known<'_>], is_complete: bool, variants: &mut [VariantAnalysis]) {
    let judged = study.judged_by();
    let reference = study.variants.iter().find(|variant| variant.name == study.reference);
    let of_reference = reference.map(|reference| scores(known, reference, judged)).unwrap_or_default();
    let least_of_reference = reference.map_or(0.0, |reference| least(known, reference, judged));
    let mut means = Vec::new();
    let mut differences = Vec::new();
    for variant in &study.variants {
        let scores = scores(known, variant, judged);
        let least = least(known, variant, judged);
        means.push(SeedMean::of(&scores).map(|mean| mean.at_least(least)));
        let apart: Vec<f64> = scores.iter().zip(&of_reference).map(|(score, reference)| score - reference).collect();
        let is_other = variant.name != study.reference;
        let least = least.hypot(least_of_reference);
        differences.push(is_other.then(|| SeedMean::of(&apart)).flatten().map(|mean| mean.at_least(least)));
    }
    let family = |which, p: &dyn Fn(&SeedMean) -> f64, of: &[Option<SeedMean>]| -> Vec<Option<f64>> {
        if !is_complete || !study.families.contains(&which) {
            return vec![None; of.len()];
        }
        let adjusted = holm::adjusted(&of.iter().flatten().map(p).collect::<Vec<f64>>());
        let mut adjusted = adjusted.into_iter();
        of.iter().map(|mean| mean.as_ref().and_then(|_| adjusted.next())).collect()
    };
    let uneven = family(Family::Uneven, &|mean| mean.p_value(0.5), &means);
    let even = family(Family::Even, &|mean| equivalence::p_within(*mean, 0.5, study.margin), &means);
    let others = family(Family::Difference, &|mean| mean.p_value(0.0), &differences);
    for (index, variant) in variants.iter_mut().enumerate() {
        variant.p_uneven = uneven[index];
        variant.p_even = even[index];
        variant.p_difference = others[index];
        variant.difference = differences[index].map(|mean| Figure::of_estimate(mean.interval(CONFIDENCE)));
        let are_distinct = variant.budgets.last().is_some_and(|budget| budget.distinct >= DISTINCT);
        let is_claimed = |p: Option<f64>| are_distinct && p.is_some_and(|p| p < study.alpha);
        let score = means[index].map_or(0.5, |mean| mean.mean);
        variant.verdict = match () {
            () if is_claimed(variant.p_even) => Verdict::Even,
            () if is_claimed(variant.p_uneven) && score > 0.5 => Verdict::White,
            () if is_claimed(variant.p_uneven) => Verdict::Black,
            () => Verdict::Open,
        };
    }
}

/// The standard deviation of a variant's mean score by the games' chance alone.
fn least(known: &[Known<'_>], variant: &Variant, simulations: u32) -> f64 {
    let tallies = of(known, variant, simulations, false);
    let all = tallies.iter().fold(Results::default(), |all, known| all.and(known.tally.white));
    let distinct: f64 = tallies.iter().map(|known| known.tally.distinct() * known.tally.games() as f64).sum();
    game_deviation(all.variance(), distinct as u64)
}
