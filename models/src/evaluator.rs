//! The search's evaluator on libtorch: one network, one thread, a batch of leaves at a time.

use std::collections::HashMap;

use seega_rules::{BoardSize, Position, Rules};
use seega_search::{Chances, Evaluations, Evaluator, Leaf, MoverView, Seega};
use tch::{CModule, Device, Kind, TchError, Tensor};
use thiserror::Error;

use crate::checkpoint::Checkpoint;
use crate::network::{Network, Norm, planes_tensor, play_len};
use crate::{action, input};

/// Why a network can't evaluate.
#[derive(Debug, Error)]
pub enum EvaluateError {
    /// The network was trained on other rules.
    #[error("the network was not trained on these rules ({rules}), but on: {known}")]
    Rules {
        /// The rules asked for.
        rules: String,
        /// Those it knows.
        known: String,
    },
    /// The leaves of a batch are on boards of different sizes.
    #[error("a batch holds one board size")]
    MixedSizes,
    /// The network gave a number that is not finite.
    #[error("the network gave a number that is not finite")]
    NotFinite,
    /// libtorch says so.
    #[error("libtorch: {}", .0.to_string().chars().take(300).collect::<String>())]
    Torch(#[from] TchError),
}

/// An evaluator with batch norm folded and the forward pass traced.
pub struct TorchEvaluator {
    network: Network,
    traced: HashMap<BoardSize, CModule>,
    planes: Vec<f32>,
    scalars: Vec<f32>,
    outputs: Vec<f32>,
}

impl std::fmt::Debug for TorchEvaluator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TorchEvaluator").field("architecture", &self.network.architecture()).finish_non_exhaustive()
    }
}

impl TorchEvaluator {
    /// An evaluator of a network.
    pub fn new(checkpoint: &Checkpoint) -> TorchEvaluator {
        let _no_grad = tch::no_grad_guard();
        TorchEvaluator {
            network: Network::new(checkpoint, Device::Cpu).fold(),
            traced: HashMap::new(),
            planes: Vec::new(),
            scalars: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// Evaluates a batch of that many starts of a game a few times. libtorch specialises a traced network in its first
    /// passes; after this a run's own batches are all computed alike.
    ///
    /// # Errors
    /// The network can't evaluate.
    pub fn warm_up(&mut self, rules: &Rules, batch: usize) -> Result<(), EvaluateError> {
        const PASSES: usize = 3;
        let position = Position::start(rules);
        let leaf = Leaf { rules, position: &position, actions: &[] };
        let mut evaluations = Evaluations::default();
        for _ in 0..PASSES {
            self.evaluate(&vec![leaf; batch], &mut evaluations)?;
        }
        Ok(())
    }

    /// The forward pass on the leaves that were evaluated last, once more: how fast it is without anything around it.
    ///
    /// # Errors
    /// libtorch fails, or what was evaluated last was on another board.
    pub fn repeat_forward(&mut self, size: BoardSize) -> Result<(), EvaluateError> {
        self.forward(size, self.planes.len() / input::planes_len(size))
    }

    /// The forward pass on the encoded leaves, into `outputs`.
    fn forward(&mut self, size: BoardSize, batch: usize) -> Result<(), EvaluateError> {
        let _no_grad = tch::no_grad_guard();
        // libtorch's own threads wait for each other at every operation, and spin; batches are shared out among ours.
        tch::set_num_threads(1);
        let planes = planes_tensor(&self.planes, size, batch);
        let scalars = Tensor::from_slice(&self.scalars).reshape([batch as i64, input::SCALARS.len() as i64]);
        let inputs = [planes, scalars];
        if !self.traced.contains_key(&size) {
            let network = &self.network;
            let module = CModule::create_by_tracing("seega", "forward", &inputs, &mut |inputs| {
                let outputs = network.forward(&inputs[0], &inputs[1], Norm::Running, false);
                vec![Tensor::cat(&[outputs.policy, outputs.chances, outputs.margin.unsqueeze(1)], 1)]
            })?;
            self.traced.insert(size, module);
        }
        let outputs = self.traced[&size].forward_ts(&inputs)?.to_kind(Kind::Float);
        self.outputs.resize(batch * play_len(size), 0.0);
        let count = self.outputs.len();
        outputs.f_copy_data(&mut self.outputs, count)?;
        Ok(())
    }
}

impl Evaluator<Seega> for TorchEvaluator {
    type Error = EvaluateError;

    fn evaluate(&mut self, leaves: &[Leaf<'_, Seega>], out: &mut Evaluations) -> Result<(), EvaluateError> {
        out.clear();
        let Some(first) = leaves.first() else { return Ok(()) };
        let size = first.position.size();
        self.planes.clear();
        self.scalars.clear();
        for leaf in leaves {
            if leaf.position.size() != size {
                return Err(EvaluateError::MixedSizes);
            }
            input::encode_planes(leaf.position, &mut self.planes);
            input::encode_scalars(leaf.rules, leaf.position, &mut self.scalars);
        }
        self.forward(size, leaves.len())?;
        for (leaf, numbers) in leaves.iter().zip(self.outputs.chunks_exact(play_len(size))) {
            let (policy, rest) = numbers.split_at(action::policy_len(size));
            let &[win, draw, loss, margin] = rest else { unreachable!("play_len counts four") };
            let chances = chances([win, draw, loss]);
            let logits = leaf.actions.iter().map(|&action| {
                policy[action::index(size, action).expect("every legal action has its place in the policy")]
            });
            out.push(logits, chances, MoverView(margin));
            if !(chances.win + chances.draw + chances.loss + margin).is_finite() {
                return Err(EvaluateError::NotFinite);
            }
        }
        Ok(())
    }
}

/// Logits as probabilities.
fn chances(logits: [f32; 3]) -> Chances {
    let highest = logits.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let [win, draw, loss] = logits.map(|logit| (logit - highest).exp());
    let sum = win + draw + loss;
    Chances { win: win / sum, draw: draw / sum, loss: loss / sum }
}

/// Refuses rules on which a network was not trained.
///
/// # Errors
/// It was not.
pub fn check_rules(checkpoint: &Checkpoint, rules: &Rules) -> Result<(), EvaluateError> {
    if checkpoint.was_trained_on(rules) {
        return Ok(());
    }
    let known: Vec<String> =
        checkpoint.about.trained_on.iter().map(|known| format!("{} ({})", known.name, known.rules.size)).collect();
    let rules = rules.to_toml().replace('\n', ", ");
    Err(EvaluateError::Rules { rules: rules.trim_end_matches(", ").to_owned(), known: known.join(", ") })
}
