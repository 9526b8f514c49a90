//! The evaluator on libtorch: batch norm folded, the forward pass traced.

use std::collections::HashMap;

use seega_rules::BoardSize;
use seega_search::{Evaluations, Evaluator, Leaf, Seega};
use tch::{CModule, Device, Kind, Tensor};

use super::backend::Precision;
use super::{EvaluateError, Inputs, push};
use crate::checkpoint::Checkpoint;
use crate::network::{Network, Norm, planes_tensor, play_len};
use crate::{action, input};

/// An evaluator with batch norm folded and the forward pass traced.
#[derive(Debug)]
pub struct TorchEvaluator {
    forward: TorchForward,
    inputs: Inputs,
    outputs: Vec<f32>,
}

impl TorchEvaluator {
    /// An evaluator of a network.
    pub fn new(checkpoint: &Checkpoint, device: Device, precision: Precision) -> TorchEvaluator {
        TorchEvaluator {
            forward: TorchForward::new(checkpoint, device, precision),
            inputs: Inputs::default(),
            outputs: Vec::new(),
        }
    }

    /// Its forward pass alone.
    pub(super) fn into_forward(self) -> TorchForward {
        self.forward
    }

    pub(super) fn repeat_forward(&mut self) -> Result<(), EvaluateError> {
        self.forward.run(&self.inputs, &mut self.outputs)
    }
}

impl Evaluator<Seega> for TorchEvaluator {
    type Error = EvaluateError;

    fn evaluate(&mut self, leaves: &[Leaf<'_, Seega>], out: &mut Evaluations) -> Result<(), EvaluateError> {
        out.clear();
        self.inputs.encode(leaves)?;
        self.forward.run(&self.inputs, &mut self.outputs)?;
        read(leaves, &self.outputs, out)
    }
}

/// Reads the evaluations off the numbers that a forward pass gave.
pub(super) fn read(leaves: &[Leaf<'_, Seega>], outputs: &[f32], out: &mut Evaluations) -> Result<(), EvaluateError> {
    let Some(first) = leaves.first() else { return Ok(()) };
    let size = first.position.size();
    for (leaf, numbers) in leaves.iter().zip(outputs.chunks_exact(play_len(size))) {
        let (policy, rest) = numbers.split_at(action::policy_len(size));
        let &[win, draw, loss, margin] = rest else { unreachable!("play_len counts four") };
        push(out, leaf, |place| policy[place], [win, draw, loss], margin)?;
    }
    Ok(())
}

/// The traced forward pass, for boards of all sizes.
pub(super) struct TorchForward {
    network: Network,
    traced: HashMap<BoardSize, CModule>,
    device: Device,
    kind: Kind,
}

impl std::fmt::Debug for TorchForward {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TorchForward").field("architecture", &self.network.architecture()).finish_non_exhaustive()
    }
}

impl TorchForward {
    fn new(checkpoint: &Checkpoint, device: Device, precision: Precision) -> TorchForward {
        let _no_grad = tch::no_grad_guard();
        let kind = match precision {
            Precision::F32 => Kind::Float,
            Precision::Bf16 => Kind::BFloat16,
        };
        let network = Network::new(checkpoint, device).fold().to_kind(kind);
        TorchForward { network, traced: HashMap::new(), device, kind }
    }

    /// The forward pass of a batch: for each position the numbers of `play_len`, on the CPU again.
    pub(super) fn run(&mut self, inputs: &Inputs, outputs: &mut Vec<f32>) -> Result<(), EvaluateError> {
        outputs.clear();
        let Some(size) = inputs.size else { return Ok(()) };
        let _no_grad = tch::no_grad_guard();
        // libtorch's own threads wait for each other at every operation, and spin; batches are shared out among ours.
        tch::set_num_threads(1);
        let batch = inputs.batch;
        let scalars = Tensor::from_slice(&inputs.scalars).reshape([batch as i64, input::SCALARS.len() as i64]);
        let inputs = [planes_tensor(&inputs.planes, size, batch), scalars]
            .map(|tensor| tensor.to_device(self.device).to_kind(self.kind));
        if !self.traced.contains_key(&size) {
            let network = &self.network;
            let module = CModule::create_by_tracing("seega", "forward", &inputs, &mut |inputs| {
                let outputs = network.forward(&inputs[0], &inputs[1], Norm::Running, false);
                vec![Tensor::cat(&[outputs.policy, outputs.chances, outputs.margin.unsqueeze(1)], 1)]
            })?;
            self.traced.insert(size, module);
        }
        let numbers = self.traced[&size].forward_ts(&inputs)?.to_kind(Kind::Float).to_device(Device::Cpu);
        outputs.resize(batch * play_len(size), 0.0);
        let count = outputs.len();
        numbers.f_copy_data(outputs, count)?;
        Ok(())
    }
}
