//! The search's evaluators on networks: a batch of leaves is encoded, goes through a forward pass, and what the search
//! asked about is read from what comes out.
//!
//! [`NativeEvaluator`] runs everywhere. With the feature `torch` there is [`TorchEvaluator`], and [`Evaluators`] are made
//! on any [`Backend`], one for each thread or one that all feed. A [`Trial`] tells how fast a backend is.

#[cfg(feature = "torch")]
mod backend;
mod native;
#[cfg(feature = "torch")]
mod shared;
#[cfg(feature = "torch")]
mod torch;
#[cfg(feature = "torch")]
mod trial;
mod turned;

#[cfg(feature = "torch")]
use seega_rules::Position;
use seega_rules::{BoardSize, Rules};
#[cfg(feature = "torch")]
use seega_search::Evaluator;
use seega_search::{Chances, Evaluations, Leaf, MoverView, Seega};
use thiserror::Error;

use crate::checkpoint::Checkpoint;
use crate::{action, input};

#[cfg(feature = "torch")]
pub use backend::{Backend, Evaluators, NetworkEvaluator, ParseBackendError, Precision};
pub use native::NativeEvaluator;
#[cfg(feature = "torch")]
pub use shared::SharedEvaluator;
#[cfg(feature = "torch")]
pub use torch::TorchEvaluator;
#[cfg(feature = "torch")]
pub use trial::{Trial, fastest};
pub use turned::Turned;

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
    /// The evaluator that threads share is gone.
    #[error("the shared evaluator has ended")]
    Ended,
    /// libtorch finds no GPU.
    #[error("this machine has no GPU that libtorch can use, or its libtorch is built without CUDA")]
    NoCuda,
    /// libtorch says so.
    #[cfg(feature = "torch")]
    #[error("libtorch: {}", .0.to_string().chars().take(300).collect::<String>())]
    Torch(#[from] tch::TchError),
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

/// A batch of leaves as a forward pass takes it. It is used again and again.
#[derive(Clone, Debug, Default)]
struct Inputs {
    /// The size of all boards; `None` without a leaf.
    size: Option<BoardSize>,
    batch: usize,
    /// By [`input::encode_squares`].
    planes: Vec<f32>,
    scalars: Vec<f32>,
}

impl Inputs {
    /// Forgets everything, keeping the memory.
    fn clear(&mut self) {
        self.size = None;
        self.batch = 0;
        self.planes.clear();
        self.scalars.clear();
    }

    /// Takes a batch in the place of the last.
    fn encode(&mut self, leaves: &[Leaf<'_, Seega>]) -> Result<(), EvaluateError> {
        self.clear();
        self.size = leaves.first().map(|leaf| leaf.position.size());
        self.batch = leaves.len();
        for leaf in leaves {
            if Some(leaf.position.size()) != self.size {
                return Err(EvaluateError::MixedSizes);
            }
            input::encode_squares(leaf.position, &mut self.planes);
            input::encode_scalars(leaf.rules, leaf.position, &mut self.scalars);
        }
        Ok(())
    }

    /// Adds another batch, on boards of the same size.
    #[cfg(feature = "torch")]
    fn append(&mut self, other: &Inputs) {
        self.size = other.size;
        self.batch += other.batch;
        self.planes.extend_from_slice(&other.planes);
        self.scalars.extend_from_slice(&other.scalars);
    }
}

/// Evaluates a batch of that many starts of a game a few times.
#[cfg(feature = "torch")]
fn warm_up(
    evaluator: &mut impl Evaluator<Seega, Error = EvaluateError>,
    rules: &Rules,
    batch: usize,
) -> Result<(), EvaluateError> {
    const PASSES: usize = 3;
    let position = Position::start(rules);
    let leaf = Leaf { rules, position: &position, actions: &[] };
    let mut evaluations = Evaluations::default();
    (0..PASSES).try_for_each(|_| evaluator.evaluate(&vec![leaf; batch], &mut evaluations))
}

/// Adds what a network says of a leaf: `policy` tells the logit of a place, `value` those of win, draw and loss.
fn push(
    out: &mut Evaluations,
    leaf: &Leaf<'_, Seega>,
    policy: impl Fn(usize) -> f32,
    value: [f32; 3],
    margin: f32,
) -> Result<(), EvaluateError> {
    let size = leaf.position.size();
    let chances = chances(value);
    let mut finite = (chances.win + chances.draw + chances.loss + margin).is_finite();
    let logits = leaf.actions.iter().map(|&action| {
        let logit = policy(action::index(size, action).expect("every legal action has its place in the policy"));
        finite &= logit.is_finite();
        logit
    });
    out.push(logits, chances, MoverView(margin));
    if finite { Ok(()) } else { Err(EvaluateError::NotFinite) }
}

/// Logits as probabilities.
fn chances(logits: [f32; 3]) -> Chances {
    let highest = logits.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let [win, draw, loss] = logits.map(|logit| (logit - highest).exp());
    let sum = win + draw + loss;
    Chances { win: win / sum, draw: draw / sum, loss: loss / sum }
}
