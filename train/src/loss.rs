//! What the network is blamed for: the policy, the value, and the auxiliary targets that teach it the game sooner.

use seega_models::network::Outputs;
use tch::{Kind, Reduction, Tensor};

use crate::batch::Batch;
use crate::recipe::Numbers;

/// The parts of a loss, each a mean over the batch, unweighted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Cross entropy of the policy, over legal actions, less the target's own entropy: 0 is perfect.
    pub policy: f64,
    /// Cross entropy of the result.
    pub result: f64,
    /// Squared difference to the search's value.
    pub value: f64,
    /// Squared difference of the lead in stones.
    pub margin: f64,
    /// Cross entropy of the final owner of a square.
    pub owner: f64,
    /// Smooth absolute difference of the plies left.
    pub plies: f64,
}

impl Losses {
    /// Each part with its name.
    pub fn parts(&self) -> [(&'static str, f64); 6] {
        [
            ("policy", self.policy),
            ("result", self.result),
            ("value", self.value),
            ("margin", self.margin),
            ("owner", self.owner),
            ("plies", self.plies),
        ]
    }

    /// The sum with another, for means.
    #[must_use]
    pub(crate) fn plus(self, other: Losses, weight: f64) -> Losses {
        let add = |mine: f64, others: f64| mine + weight * others;
        Losses {
            policy: add(self.policy, other.policy),
            result: add(self.result, other.result),
            value: add(self.value, other.value),
            margin: add(self.margin, other.margin),
            owner: add(self.owner, other.owner),
            plies: add(self.plies, other.plies),
        }
    }
}

/// The loss to be made small, and its parts: `[policy, result, value, margin, owner, plies]`, detached.
pub(crate) fn loss(outputs: &Outputs, batch: &Batch, weights: &Numbers) -> (Tensor, Tensor) {
    let policy = policy_loss(outputs, batch);
    let result = outputs.chances.cross_entropy_loss::<Tensor>(&batch.end, None, Reduction::Mean, -100, 0.0);
    let chances = outputs.chances.softmax(-1, Kind::Float);
    let expected = chances.select(1, 0) - chances.select(1, 2);
    let value = expected.mse_loss(&batch.root_value, Reduction::Mean);
    let margin = outputs.margin.mse_loss(&batch.margin, Reduction::Mean);
    let nothing = || Tensor::zeros([], (Kind::Float, outputs.policy.device()));
    let (owner, plies) = match &outputs.auxiliary {
        Some(auxiliary) => (
            auxiliary.owner.cross_entropy_loss::<Tensor>(&batch.owner, None, Reduction::Mean, -100, 0.0),
            auxiliary.plies.smooth_l1_loss(&batch.plies, Reduction::Mean, 1.0),
        ),
        None => (nothing(), nothing()),
    };
    // The search's value teaches the expected value alone; the result teaches all three chances.
    let total = &policy
        + &result * (1.0 - weights.value_mix)
        + &value * weights.value_mix
        + &margin * weights.margin_loss
        + &owner * weights.owner_loss
        + &plies * weights.plies_loss;
    let parts = Tensor::stack(&[policy, result, value, margin, owner, plies], 0).detach();
    (total, parts)
}

/// The divergence of the network's policy over legal actions from the improved one, averaged over the positions that
/// have one.
fn policy_loss(outputs: &Outputs, batch: &Batch) -> Tensor {
    let masked = outputs.policy.masked_fill(&batch.legal.logical_not(), -1e9);
    let log_policy = masked.log_softmax(-1, Kind::Float);
    let log_target = batch.policy.clamp_min(1e-12).log();
    let divergence = (&batch.policy * (log_target - log_policy)).sum_dim_intlist(-1, false, Kind::Float);
    (divergence * &batch.has_policy).sum(Kind::Float) / batch.has_policy.sum(Kind::Float).clamp_min(1.0)
}

/// Reads the parts of a loss off its tensor.
pub(crate) fn read_parts(parts: &Tensor) -> Losses {
    let at = |index: i64| parts.double_value(&[index]);
    Losses { policy: at(0), result: at(1), value: at(2), margin: at(3), owner: at(4), plies: at(5) }
}
