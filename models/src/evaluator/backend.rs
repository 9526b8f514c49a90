//! Which forward pass a network runs on, and evaluators for as many threads as there are.

use std::fmt;
use std::str::FromStr;

use seega_rules::Rules;
use seega_search::{Evaluations, Evaluator, Leaf, Seega};
use tch::{Cuda, Device};
use thiserror::Error;

use super::{EvaluateError, NativeEvaluator, SharedEvaluator, TorchEvaluator};
use crate::checkpoint::Checkpoint;

/// What a network runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Backend {
    /// This crate's own forward pass, one for each thread.
    Native,
    /// libtorch on a CPU, one for each thread.
    Torch(Precision),
    /// libtorch on a CPU, one that all threads feed: how a GPU is fed, where there is none.
    TorchShared,
    /// libtorch on a GPU, one that all threads feed.
    Cuda(Precision),
}

/// The numbers in which libtorch computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Floats of 32 bits.
    F32,
    /// Floats of 16 bits with the exponent of those of 32. Fast where the processor has them.
    Bf16,
}

/// A word that names no backend.
#[derive(Debug, Error)]
#[error("{0:?} is no evaluator; there are {names}", names = Backend::ALL.map(Backend::name).join(", "))]
pub struct ParseBackendError(String);

impl Backend {
    /// All of them.
    pub const ALL: [Backend; 6] = [
        Backend::Native,
        Backend::Torch(Precision::F32),
        Backend::Torch(Precision::Bf16),
        Backend::TorchShared,
        Backend::Cuda(Precision::F32),
        Backend::Cuda(Precision::Bf16),
    ];

    /// The name by which people choose it.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Native => "native",
            Backend::Torch(Precision::F32) => "torch",
            Backend::Torch(Precision::Bf16) => "torch-bf16",
            Backend::TorchShared => "torch-shared",
            Backend::Cuda(Precision::F32) => "cuda",
            Backend::Cuda(Precision::Bf16) => "cuda-bf16",
        }
    }

    /// Those that may be the fastest on this machine.
    pub fn candidates() -> Vec<Backend> {
        let mut candidates = vec![Backend::Native, Backend::Torch(Precision::F32)];
        if has_bf16() {
            candidates.push(Backend::Torch(Precision::Bf16));
        }
        if Cuda::is_available() {
            candidates.extend([Backend::Cuda(Precision::F32), Backend::Cuda(Precision::Bf16)]);
        }
        candidates
    }
}

/// Whether the CPU multiplies floats of 16 bits by itself.
fn has_bf16() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512bf16");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = ParseBackendError;

    fn from_str(text: &str) -> Result<Backend, ParseBackendError> {
        let found = Backend::ALL.into_iter().find(|backend| backend.name() == text);
        found.ok_or_else(|| ParseBackendError(text.chars().take(60).collect()))
    }
}

/// Where the threads of a process get their evaluators of one network.
#[derive(Debug)]
pub struct Evaluators<'a> {
    checkpoint: &'a Checkpoint,
    backend: Backend,
    /// The one that all feed, where there is one.
    shared: Option<SharedEvaluator>,
}

impl Evaluators<'_> {
    /// Evaluators of a network.
    ///
    /// # Errors
    /// The machine has no such backend.
    pub fn new(checkpoint: &Checkpoint, backend: Backend) -> Result<Evaluators<'_>, EvaluateError> {
        let shared = |device, precision| SharedEvaluator::new(TorchEvaluator::new(checkpoint, device, precision));
        let shared = match backend {
            Backend::Native | Backend::Torch(_) => None,
            Backend::TorchShared => Some(shared(Device::Cpu, Precision::F32)),
            Backend::Cuda(_) if !Cuda::is_available() => return Err(EvaluateError::NoCuda),
            Backend::Cuda(precision) => Some(shared(Device::Cuda(0), precision)),
        };
        Ok(Evaluators { checkpoint, backend, shared })
    }

    /// An evaluator for one thread.
    pub fn for_thread(&self) -> NetworkEvaluator {
        match (&self.shared, self.backend) {
            (Some(shared), _) => NetworkEvaluator::Shared(shared.clone()),
            (None, Backend::Torch(precision)) => {
                NetworkEvaluator::Torch(TorchEvaluator::new(self.checkpoint, Device::Cpu, precision))
            }
            (None, _) => NetworkEvaluator::Native(Box::new(NativeEvaluator::new(self.checkpoint))),
        }
    }
}

/// An evaluator of a network on one of the backends.
#[derive(Debug)]
pub enum NetworkEvaluator {
    /// On this crate's own forward pass.
    Native(Box<NativeEvaluator>),
    /// On libtorch.
    Torch(TorchEvaluator),
    /// On one of libtorch's that all threads feed.
    Shared(SharedEvaluator),
}

impl NetworkEvaluator {
    /// Makes ready for batches of that many leaves: libtorch specialises a traced network in its first passes, and
    /// computes all batches alike after them.
    ///
    /// # Errors
    /// The network can't evaluate.
    pub fn warm_up(&mut self, rules: &Rules, batch: usize) -> Result<(), EvaluateError> {
        match self {
            NetworkEvaluator::Native(_) => Ok(()),
            NetworkEvaluator::Torch(evaluator) => super::warm_up(evaluator, rules, batch),
            NetworkEvaluator::Shared(evaluator) => super::warm_up(evaluator, rules, batch),
        }
    }

    /// The forward pass on the leaves that were evaluated last, once more: how fast it is without anything around it.
    ///
    /// # Errors
    /// The network can't evaluate.
    pub fn repeat_forward(&mut self) -> Result<(), EvaluateError> {
        match self {
            NetworkEvaluator::Native(evaluator) => {
                evaluator.repeat_forward();
                Ok(())
            }
            NetworkEvaluator::Torch(evaluator) => evaluator.repeat_forward(),
            NetworkEvaluator::Shared(evaluator) => evaluator.repeat_forward(),
        }
    }
}

impl Evaluator<Seega> for NetworkEvaluator {
    type Error = EvaluateError;

    fn evaluate(&mut self, leaves: &[Leaf<'_, Seega>], out: &mut Evaluations) -> Result<(), EvaluateError> {
        match self {
            NetworkEvaluator::Native(evaluator) => evaluator.evaluate(leaves, out),
            NetworkEvaluator::Torch(evaluator) => evaluator.evaluate(leaves, out),
            NetworkEvaluator::Shared(evaluator) => evaluator.evaluate(leaves, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_are_read_as_they_are_written() {
        for backend in Backend::ALL {
            assert_eq!(backend.to_string().parse::<Backend>().unwrap(), backend);
        }
        assert!("tourch".parse::<Backend>().unwrap_err().to_string().contains("torch-bf16"));
    }
}
