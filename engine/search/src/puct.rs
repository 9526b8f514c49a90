//! PUCT: the rule of AlphaZero, as the alternative to Gumbel.
//!
//! After Silver et al., "A general reinforcement learning algorithm that masters chess, shogi and Go through self-play"
//! (2018), with their constants. An action without a visit has the value of its node less `first_play_urgency`.

use seega_rules::Side;

use crate::gumbel::argmax;
use crate::tree::EdgeView;
use crate::value::MoverView;

/// The constants of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuctSettings {
    /// The weight of exploration at few visits (`c_init`).
    pub exploration: f32,
    /// The visits after which that weight grows by the logarithm (`c_base`).
    pub exploration_base: f32,
    /// By how much an action without a visit is thought worse than its node, in values from -1 to 1.
    pub first_play_urgency: f32,
    /// The share of noise in the root's priors, where noise is asked for.
    pub noise_share: f32,
    /// The sum of the parameters of the Dirichlet noise, divided evenly among the root's actions.
    pub noise_total: f32,
}

impl Default for PuctSettings {
    fn default() -> PuctSettings {
        PuctSettings {
            exploration: 1.25,
            exploration_base: 19_652.0,
            first_play_urgency: 0.25,
            noise_share: 0.25,
            noise_total: 10.0,
        }
    }
}

/// The edge to follow. `noise` holds a probability for each edge at a root with noise, and is empty elsewhere. Proven
/// losses are passed over while there is anything else.
pub(crate) fn select(
    edges: &[EdgeView],
    mover: Side,
    node_value: MoverView,
    noise: &[f32],
    settings: &PuctSettings,
) -> usize {
    let visits: f32 = edges.iter().map(|edge| edge.visits as f32).sum();
    let growth = ((visits + settings.exploration_base + 1.0) / settings.exploration_base).ln();
    let weight = (settings.exploration + growth) * visits.max(1.0).sqrt();
    let unvisited = node_value.0 - settings.first_play_urgency;
    let all_lost = edges.iter().all(|edge| edge.proven_for(mover) == Some(-1));
    argmax(edges.iter().enumerate().map(|(index, edge)| {
        if edge.proven_for(mover) == Some(-1) && !all_lost {
            return f32::NEG_INFINITY;
        }
        let prior = match noise.get(index) {
            Some(noise) => (1.0 - settings.noise_share) * edge.prior + settings.noise_share * noise,
            None => edge.prior,
        };
        edge.value.map_or(unvisited, |value| value.0) + weight * prior / (1.0 + edge.visits as f32)
    }))
}

/// The root's edge to play: the most visited, proven losses aside.
pub(crate) fn choose(edges: &[EdgeView], mover: Side) -> usize {
    argmax(edges.iter().map(|edge| match edge.proven_for(mover) {
        Some(-1) => -1.0,
        _ => edge.visits as f32,
    }))
}
