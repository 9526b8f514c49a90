//! The effects of a design's factors. What they do to the first placer's score is claimed, as one family; everything else is
//! told without a claim.

use super::{Effect, Figure, Known, of};
use crate::design::Design;
use crate::statistics::holm;
use crate::statistics::seeds::SeedMean;
use crate::study::{Family, Study};
use crate::tally::Tally;

/// What is measured: its name, and of what tallies say.
type Measure = (&'static str, fn(&Tally) -> f64);

/// The measure about which something is claimed.
pub(crate) const SCORE: &str = "White's score";

const MEASURES: [Measure; 4] = [
    (SCORE, |tally| tally.white.score()),
    ("distance from even", |tally| (tally.white.score() - 0.5).abs()),
    ("draws", |tally| tally.white.draws as f64 / tally.games().max(1) as f64),
    ("turns", |tally| tally.turns.value().unwrap_or_default()),
];

/// The effects on all measures, those of factors first.
pub(super) fn effects(study: &Study, design: &Design, known: &[Known<'_>], is_complete: bool) -> Vec<Effect> {
    let columns = design.columns();
    let by_variant: Vec<Vec<&Known<'_>>> =
        study.variants.iter().map(|variant| of(known, variant, study.judged_by(), false)).collect();
    let seeds = by_variant.iter().map(Vec::len).min().unwrap_or_default();
    let is_claimed = is_complete && study.families.contains(&Family::Effects);
    let mut effects = Vec::new();
    for (measured, measure) in MEASURES {
        let of_seed = |column, seed: usize| {
            let values: Vec<f64> = by_variant.iter().map(|known| measure(&known[seed].tally)).collect();
            design.effect(column, &values)
        };
        let mut mains = Vec::new();
        for column in &columns {
            let values: Vec<f64> = (0..seeds).map(|seed| of_seed(column, seed)).collect();
            let Some(effect) = Figure::of(&values) else { continue };
            let name = |factor: usize| design.factors()[factor].name.clone();
            let own = column.main.iter().map(|&factor| name(factor));
            let pairs = column.pairs.iter().map(|&[a, b]| format!("{} × {}", name(a), name(b)));
            // Seeds that agree to the last game say nothing of others.
            let mean = SeedMean::of(&values).filter(|mean| mean.deviation > 0.0);
            if let (Some(mean), false) = (mean, column.main.is_empty()) {
                mains.push((effects.len(), mean.p_value(0.0)));
            }
            effects.push(Effect {
                of: measured,
                name: own.chain(pairs).collect::<Vec<_>>().join(" + "),
                factor: column.main.first().copied(),
                effect,
                p: None,
            });
        }
        if is_claimed && measured == SCORE {
            let adjusted = holm::adjusted(&mains.iter().map(|&(_, p)| p).collect::<Vec<f64>>());
            for (&(index, _), p) in mains.iter().zip(adjusted) {
                effects[index].p = Some(p);
            }
        }
    }
    effects
}
