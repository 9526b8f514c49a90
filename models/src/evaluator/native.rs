//! The evaluator on this crate's own forward pass.

use seega_search::{Evaluations, Evaluator, Leaf, Seega};

use super::{EvaluateError, Inputs, push};
use crate::checkpoint::Checkpoint;
use crate::native::{NativeNetwork, NativeOutputs};

/// An evaluator for one thread of a CPU. What it says of a leaf does not depend on the other leaves of the batch.
#[derive(Debug)]
pub struct NativeEvaluator {
    network: NativeNetwork,
    inputs: Inputs,
    outputs: NativeOutputs,
}

impl NativeEvaluator {
    /// An evaluator of a network.
    pub fn new(checkpoint: &Checkpoint) -> NativeEvaluator {
        NativeEvaluator {
            network: NativeNetwork::new(checkpoint),
            inputs: Inputs::default(),
            outputs: NativeOutputs::default(),
        }
    }

    /// The forward pass on the leaves that were evaluated last, once more.
    pub fn repeat_forward(&mut self) {
        if let Some(size) = self.inputs.size {
            self.network.forward(size, &self.inputs.planes, &self.inputs.scalars, &mut self.outputs);
        }
    }
}

impl Evaluator<Seega> for NativeEvaluator {
    type Error = EvaluateError;

    fn evaluate(&mut self, leaves: &[Leaf<'_, Seega>], out: &mut Evaluations) -> Result<(), EvaluateError> {
        out.clear();
        self.inputs.encode(leaves)?;
        self.repeat_forward();
        for (index, leaf) in leaves.iter().enumerate() {
            let outputs = &self.outputs;
            let policy = |place| outputs.policy(index, place);
            push(out, leaf, policy, outputs.chances(index), outputs.margin(index))?;
        }
        Ok(())
    }
}
