//! The forward pass of a network on libtorch: for training with batch norm, and folded for play.

use std::collections::BTreeMap;

use seega_rules::BoardSize;
use tch::{Device, Kind, Tensor};

use crate::architecture::{Architecture, NORM_EPSILON, NORM_PARTS};
use crate::checkpoint::{About, Checkpoint};
use crate::{action, input};

/// The share of a batch in the running means of batch norm.
const NORM_MOMENTUM: f64 = 0.1;

/// How batch norm takes means and variances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm {
    /// Of the batch, which moves the running ones.
    Batch,
    /// The running ones.
    Running,
}

/// A network's tensors on libtorch.
#[derive(Debug)]
pub struct Network {
    architecture: Architecture,
    tensors: BTreeMap<String, Tensor>,
    /// Whether batch norm is folded into the convolutions.
    folded: bool,
}

/// What a network says of a batch of positions, as their movers see them.
#[derive(Debug)]
pub struct Outputs {
    /// Logits of all places of the policy: `[batch, policy_len(size)]`.
    pub policy: Tensor,
    /// Logits of win, draw and loss: `[batch, 3]`.
    pub chances: Tensor,
    /// The final lead in stones over a side's stones, from -1 to 1: `[batch]`.
    pub margin: Tensor,
    /// What a forward pass for play leaves out.
    pub auxiliary: Option<Auxiliary>,
}

/// What only training needs.
#[derive(Debug)]
pub struct Auxiliary {
    /// Plies left, over [`PLIES_SCALE`]: `[batch]`.
    pub plies: Tensor,
    /// Logits of each square's final owner: mover, opponent, nobody: `[batch, 3, side, side]`.
    pub owner: Tensor,
}

/// The plies that the network calls 1.
pub const PLIES_SCALE: f32 = 64.0;

impl Network {
    /// A network with the numbers of a checkpoint.
    ///
    /// # Panics
    /// If the checkpoint's tensors are not those of its architecture, which reading one rules out.
    pub fn new(checkpoint: &Checkpoint, device: Device) -> Network {
        let architecture = checkpoint.about.architecture;
        let tensors = architecture
            .tensors()
            .into_iter()
            .map(|spec| {
                let shape: Vec<i64> = spec.shape.iter().map(|&side| side as i64).collect();
                let tensor = Tensor::from_slice(&checkpoint.tensors[&spec.name]).reshape(shape).to_device(device);
                (spec.name, if tensor.dim() == 4 { channels_last(&tensor) } else { tensor })
            })
            .collect();
        Network { architecture, tensors, folded: false }
    }

    /// The numbers of the network as a checkpoint.
    ///
    /// # Panics
    /// If batch norm is folded.
    pub fn checkpoint(&self, about: About) -> Checkpoint {
        assert!(!self.folded, "a folded network is no checkpoint");
        let values = |tensor: &Tensor| {
            let flat = tensor.detach().to_device(Device::Cpu).to_kind(Kind::Float).contiguous().view(-1);
            Vec::<f32>::try_from(flat).expect("a flat tensor of floats")
        };
        Checkpoint {
            about,
            tensors: self.tensors.iter().map(|(name, tensor)| (name.clone(), values(tensor))).collect(),
        }
    }

    /// The network once more, sharing its tensors but for batch norm's running ones, which are copied.
    #[must_use]
    pub fn replica(&self) -> Network {
        let running = |name: &str| name.ends_with(".norm.mean") || name.ends_with(".norm.variance");
        let shared = |(name, tensor): (&String, &Tensor)| {
            (name.clone(), if running(name) { tensor.copy() } else { tensor.shallow_clone() })
        };
        Network { tensors: self.tensors.iter().map(shared).collect(), ..*self }
    }

    /// The size of the network.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// A tensor by its name.
    ///
    /// # Panics
    /// If there is none.
    pub fn tensor(&self, name: &str) -> &Tensor {
        self.tensors.get(name).unwrap_or_else(|| panic!("the network has no tensor {name:?}"))
    }

    /// Puts another tensor in the place of one.
    ///
    /// # Panics
    /// If the network has no tensor of that name and shape.
    pub fn set_tensor(&mut self, name: &str, tensor: Tensor) {
        assert_eq!(self.tensor(name).size(), tensor.size(), "the shape of {name}");
        self.tensors.insert(name.to_owned(), tensor);
    }

    /// The same network with batch norm folded into the convolutions before it: faster, and for play alone. Computed
    /// in double precision.
    pub fn fold(&self) -> Network {
        let mut tensors = BTreeMap::new();
        for (name, tensor) in &self.tensors {
            match name.split_once(".norm.") {
                None => {
                    tensors.entry(name.clone()).or_insert_with(|| tensor.detach().copy());
                }
                Some((conv, "scale")) => {
                    let part = |part: &str| self.tensor(&format!("{conv}{part}")).detach().to_kind(Kind::Double);
                    let factor = part(".norm.scale") / (part(".norm.variance") + NORM_EPSILON).sqrt();
                    let weight = part(".weight") * factor.reshape([-1, 1, 1, 1]);
                    let bias = part(".norm.shift") - part(".norm.mean") * &factor;
                    tensors.insert(format!("{conv}.weight"), weight.to_kind(Kind::Float));
                    tensors.insert(format!("{conv}.bias"), bias.to_kind(Kind::Float));
                }
                Some(_) => {}
            }
        }
        Network { architecture: self.architecture, tensors, folded: true }
    }

    /// The same network with numbers of that kind.
    #[must_use]
    pub fn to_kind(&self, kind: Kind) -> Network {
        let tensors = self.tensors.iter().map(|(name, tensor)| (name.clone(), tensor.to_kind(kind))).collect();
        Network { tensors, ..*self }
    }

    /// The forward pass. `planes` is `[batch, planes, side, side]`, `scalars` is `[batch, scalars]`; see
    /// [`input`]. A folded network takes no notice of `norm`.
    pub fn forward(&self, planes: &Tensor, scalars: &Tensor, norm: Norm, auxiliary: bool) -> Outputs {
        let as_bias = |bias: Tensor| bias.unsqueeze(-1).unsqueeze(-1);
        let stem = self.conv_norm("stem.conv", planes, norm) + as_bias(self.linear("stem.scalars", scalars));
        let mut trunk = stem.relu();
        for block in 0..self.architecture.blocks {
            let mut inner = self.conv_norm(&format!("block{block}.conv1"), &trunk, norm);
            if self.architecture.pools(block) {
                inner += as_bias(self.linear(&format!("block{block}.pool"), &pool(&trunk)));
            }
            let inner = self.conv_norm(&format!("block{block}.conv2"), &inner.relu(), norm);
            trunk = (trunk + inner).relu();
        }
        let whole = pool(&trunk);
        let policy = self.conv_norm("policy.conv", &trunk, norm) + as_bias(self.linear("policy.pool", &whole));
        let policy = self.conv("policy.planes", &policy.relu()).flatten(1, -1);
        let policy = Tensor::cat(&[policy, self.linear("policy.stop", &whole)], 1);
        let value = self.conv_norm("value.conv", &trunk, norm).relu();
        let value = self.linear("value.hidden", &pool(&value)).relu();
        Outputs {
            policy,
            chances: self.linear("value.chances", &value),
            margin: self.linear("value.margin", &value).tanh().squeeze_dim(-1),
            auxiliary: auxiliary.then(|| Auxiliary {
                plies: self.linear("value.plies", &value).softplus().squeeze_dim(-1),
                owner: self.conv("owner.planes", &trunk),
            }),
        }
    }

    fn conv(&self, name: &str, x: &Tensor) -> Tensor {
        let weight = self.tensor(&format!("{name}.weight"));
        let bias = self.tensors.get(&format!("{name}.bias"));
        let padding = weight.size()[2] / 2;
        x.conv2d(weight, bias, [1, 1], [padding, padding], [1, 1], 1)
    }

    fn conv_norm(&self, name: &str, x: &Tensor, norm: Norm) -> Tensor {
        let y = self.conv(name, x);
        if self.folded {
            return y;
        }
        let [scale, shift, mean, variance] = NORM_PARTS.map(|(part, _)| self.tensor(&format!("{name}{part}")));
        let of_batch = norm == Norm::Batch;
        y.batch_norm(Some(scale), Some(shift), Some(mean), Some(variance), of_batch, NORM_MOMENTUM, NORM_EPSILON, false)
    }

    fn linear(&self, name: &str, x: &Tensor) -> Tensor {
        x.linear(self.tensor(&format!("{name}.weight")), Some(self.tensor(&format!("{name}.bias"))))
    }
}

/// The mean and the maximum of each channel over the board.
fn pool(x: &Tensor) -> Tensor {
    let mean = x.mean_dim(&[2i64, 3][..], false, x.kind());
    Tensor::cat(&[mean, x.amax([2i64, 3], false)], 1)
}

/// The numbers of one position's output for play, as the evaluator reads them: policy, chances, margin.
pub(crate) const fn play_len(size: BoardSize) -> usize {
    action::policy_len(size) + 3 + 1
}

/// The planes of a batch of positions, by [`input::encode_squares`], as a tensor: `[batch, planes, side, side]`.
///
/// # Panics
/// If they are not those of so many positions.
pub fn planes_tensor(squares: &[f32], size: BoardSize, batch: usize) -> Tensor {
    let side = i64::from(size.side());
    let tensor = Tensor::from_slice(squares).reshape([batch as i64, side, side, input::PLANES as i64]);
    tensor.permute([0, 3, 1, 2])
}

/// The same tensor of four dimensions with its second one innermost in memory, as planes by [`planes_tensor`] are. What
/// follows from such planes and weights is laid out so, too, and convolutions need not turn it round: a forward pass on
/// a CPU takes two thirds of the time.
fn channels_last(tensor: &Tensor) -> Tensor {
    tensor.permute([0, 2, 3, 1]).contiguous().permute([0, 3, 1, 2])
}
