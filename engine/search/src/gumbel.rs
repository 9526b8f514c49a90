//! Gumbel AlphaZero: which action to search next, and the policy that the search improves to.
//!
//! After Danihelka, Guez, Schrittwieser and Silver, "Policy improvement by planning with Gumbel" (2022). At the root,
//! sequential halving over actions sampled without replacement; below it, the deterministic rule that keeps visits in
//! proportion to the improved policy (their section 5). An unvisited action's Q is completed by `v_mix` (their
//! equation 33 of appendix D).

use seega_rules::Side;

use crate::tree::EdgeView;
use crate::value::MoverView;

/// The constants of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GumbelSettings {
    /// Root actions that are sampled and searched (m).
    pub considered: usize,
    /// What is added to the highest visit count in the weight of Q (`c_visit`).
    pub visit_offset: f32,
    /// The weight of Q, which is taken from 0 to 1 (`c_scale`).
    pub scale: f32,
}

impl Default for GumbelSettings {
    fn default() -> GumbelSettings {
        GumbelSettings { considered: 16, visit_offset: 50.0, scale: 1.0 }
    }
}

/// For each simulation, the visits that the root action to be searched must have: sequential halving of `considered`
/// actions over `simulations`, as a table (that of the mctx library).
pub(crate) fn considered_visits(considered: usize, simulations: u32) -> Vec<u32> {
    let simulations = simulations as usize;
    if considered <= 1 {
        return (0..simulations as u32).collect();
    }
    let phases = considered.next_power_of_two().ilog2() as usize;
    let mut table = Vec::with_capacity(simulations + considered);
    let mut visits = vec![0; considered];
    let mut left = considered;
    while table.len() < simulations {
        let rounds = (simulations / (phases * left)).max(1);
        for _ in 0..rounds {
            table.extend_from_slice(&visits[..left]);
            visits[..left].iter_mut().for_each(|count| *count += 1);
        }
        left = (left / 2).max(2);
    }
    table.truncate(simulations);
    table
}

/// Fills `scores` with `log prior + σ(completed Q)` for each edge; a proven loss gets minus infinity, unless all are.
pub(crate) fn score_edges(
    edges: &[EdgeView],
    mover: Side,
    own: MoverView,
    settings: &GumbelSettings,
    scores: &mut Vec<f32>,
) {
    let completion = mixed_value(edges, own);
    let highest = edges.iter().map(|edge| edge.visits).max().unwrap_or(0);
    let weight = (settings.visit_offset + highest as f32) * settings.scale;
    let lost = |edge: &EdgeView| edge.proven_for(mover) == Some(-1);
    let all_lost = edges.iter().all(lost);
    scores.clear();
    scores.extend(edges.iter().map(|edge| {
        if lost(edge) && !all_lost {
            return f32::NEG_INFINITY;
        }
        let q = edge.value.unwrap_or(completion).0;
        edge.log_prior + weight * (q + 1.0) / 2.0
    }));
}

/// `v_mix`: the node's own value, and the visited actions' Q weighted by their priors.
fn mixed_value(edges: &[EdgeView], own: MoverView) -> MoverView {
    let (mut visits, mut prior_sum, mut weighted) = (0u32, 0.0f32, 0.0f32);
    for edge in edges {
        if let Some(value) = edge.value {
            visits += edge.visits;
            prior_sum += edge.prior;
            weighted += edge.prior * value.0;
        }
    }
    if prior_sum <= 0.0 {
        return own;
    }
    let visits = visits as f32;
    MoverView((own.0 + visits * weighted / prior_sum) / (1.0 + visits))
}

/// Turns scores into probabilities in place. Minus infinity becomes 0; at least one score must be finite.
pub fn softmax(scores: &mut [f32]) {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - highest).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
}

/// The edge to follow below the root: the one whose share of the visits lags most behind the improved policy.
pub(crate) fn select_below_root(edges: &[EdgeView], scores: &mut [f32]) -> usize {
    let allowed: f32 = edges.iter().map(|edge| edge.visits as f32).sum::<f32>() + 1.0;
    softmax(scores);
    let lag = |index: usize| match scores[index] {
        0.0 => f32::NEG_INFINITY,
        probability => probability - edges[index].visits as f32 / allowed,
    };
    argmax((0..edges.len()).map(lag))
}

/// The root's edge to search in a simulation: of those with the visits that the table asks for, the one with the
/// highest score and Gumbel noise. Where none has them (a proven loss fell out), the highest of all.
pub(crate) fn select_at_root(edges: &[EdgeView], scores: &[f32], noise: &[f32], visits: u32) -> usize {
    let score = |index: usize| scores[index] + noise[index];
    let asked = |index: usize| if edges[index].visits == visits { score(index) } else { f32::NEG_INFINITY };
    let best = argmax((0..edges.len()).map(asked));
    if asked(best) == f32::NEG_INFINITY { argmax((0..edges.len()).map(score)) } else { best }
}

/// The root's edge to play: of the most visited, the one with the highest score and noise.
pub(crate) fn choose_at_root(edges: &[EdgeView], scores: &[f32], noise: &[f32]) -> usize {
    let searched = edges.iter().zip(scores).filter(|(_, score)| score.is_finite()).map(|(edge, _)| edge.visits);
    select_at_root(edges, scores, noise, searched.max().unwrap_or(0))
}

/// The index of the highest number; of equal ones the first.
pub(crate) fn argmax(numbers: impl Iterator<Item = f32>) -> usize {
    let mut best = (0, f32::NEG_INFINITY);
    for (index, number) in numbers.enumerate() {
        if number > best.1 {
            best = (index, number);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mctx's own tests of its table: `get_sequence_of_considered_visits`.
    #[test]
    fn sequential_halving_spreads_the_simulations() {
        assert_eq!(considered_visits(4, 8), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(considered_visits(1, 4), [0, 1, 2, 3]);
        assert_eq!(considered_visits(2, 5), [0, 0, 1, 1, 2]);
        assert_eq!(considered_visits(16, 3), [0, 0, 0]);
        let table = considered_visits(16, 64);
        assert_eq!(table.len(), 64);
        // 16 actions once, 8 twice more, 4 four times more, then two.
        assert_eq!(table.iter().filter(|&&visits| visits == 0).count(), 16);
    }

    fn edge(prior: f32, visits: u32, value: Option<f32>) -> EdgeView {
        EdgeView { prior, log_prior: prior.ln(), visits, value: value.map(MoverView), proof: None }
    }

    /// By hand: visited are priors .5 and .3 with Q 1 and 0; 3 visits; own value .2.
    /// v_mix = (.2 + 3 · (.5 · 1 + .3 · 0) / .8) / 4 = .51875.
    #[test]
    fn the_mixed_value_is_as_worked_out_by_hand() {
        let edges = [edge(0.5, 2, Some(1.0)), edge(0.3, 1, Some(0.0)), edge(0.2, 0, None)];
        let mixed = mixed_value(&edges, MoverView(0.2)).0;
        assert!((mixed - 0.51875).abs() < 1e-6, "{mixed}");
        assert_eq!(mixed_value(&[edge(1.0, 0, None)], MoverView(0.2)), MoverView(0.2));
    }

    #[test]
    fn below_the_root_visits_follow_the_improved_policy() {
        let (mut visits, probabilities) = ([0u32; 3], [0.6f32, 0.3, 0.1]);
        for _ in 0..100 {
            let edges = visits.map(|visits| edge(0.1, visits, Some(0.0)));
            let mut scores = probabilities.map(f32::ln);
            visits[select_below_root(&edges, &mut scores)] += 1;
        }
        assert_eq!(visits, [60, 30, 10]);
    }
}
