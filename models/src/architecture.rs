//! Which tensors a network has: the one list from which networks are made, checked and exported.
//!
//! A residual network (He et al., 2016) with global pooling (Wu, "Accelerating self-play learning in Go", 2019), so that
//! it serves boards of all sizes: convolutions over the board, scalars as a bias for each channel, means and maxima over
//! the board as what is known of the whole.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{action, input};

/// The size of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// Channels of the trunk, 4 to 256.
    pub channels: usize,
    /// Residual blocks, 1 to 40.
    pub blocks: usize,
}

impl Default for Architecture {
    fn default() -> Architecture {
        Architecture { channels: 32, blocks: 4 }
    }
}

/// An architecture out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a network has 4 to 256 channels and 1 to 40 blocks, not {} and {}", .0.channels, .0.blocks)]
pub struct ArchitectureError(pub Architecture);

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A weight: it begins as normal noise with this many inputs to each output (He et al., 2015).
    Weight {
        /// Inputs of an output.
        inputs: usize,
    },
    /// Begins as zeros.
    Zeros,
    /// Begins as ones.
    Ones,
    /// A running mean of batch norm: begins as zeros and has no gradient.
    RunningMean,
    /// A running variance of batch norm: begins as ones and has no gradient.
    RunningVariance,
}

impl Role {
    /// Whether training changes the tensor by its gradient.
    pub const fn has_gradient(self) -> bool {
        !matches!(self, Role::RunningMean | Role::RunningVariance)
    }

    /// Whether weight decay acts on it.
    pub const fn decays(self) -> bool {
        matches!(self, Role::Weight { .. })
    }
}

/// A tensor of a network: its name, shape and role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// The name, as in checkpoints.
    pub name: String,
    /// The shape.
    pub shape: Vec<usize>,
    /// What it is for.
    pub role: Role,
}

/// What batch norm adds to a variance, so that nothing is divided by zero.
pub const NORM_EPSILON: f64 = 1e-5;

/// The tensors that a convolution followed by batch norm adds to its name.
pub(crate) const NORM_PARTS: [(&str, Role); 4] = [
    (".norm.scale", Role::Ones),
    (".norm.shift", Role::Zeros),
    (".norm.mean", Role::RunningMean),
    (".norm.variance", Role::RunningVariance),
];

impl Architecture {
    /// Checks the bounds.
    ///
    /// # Errors
    /// Channels or blocks are out of bounds.
    pub fn check(self) -> Result<Architecture, ArchitectureError> {
        let fits = (4..=256).contains(&self.channels) && (1..=40).contains(&self.blocks);
        if fits { Ok(self) } else { Err(ArchitectureError(self)) }
    }

    /// Whether global pooling feeds the block: every second one.
    pub const fn pools(self, block: usize) -> bool {
        block % 2 == 1
    }

    /// Channels of the policy head.
    pub const fn policy_channels(self) -> usize {
        self.channels
    }

    /// Channels of the value head.
    pub const fn value_channels(self) -> usize {
        self.channels / 2
    }

    /// Units of the value head's hidden layer.
    pub const fn value_hidden(self) -> usize {
        2 * self.channels
    }

    /// Every tensor, in order.
    pub fn tensors(self) -> Vec<TensorSpec> {
        let mut list = Tensors(Vec::new());
        let trunk = self.channels;
        list.conv_norm("stem.conv", trunk, input::PLANES, 3);
        list.linear("stem.scalars", trunk, input::SCALARS.len());
        for block in 0..self.blocks {
            list.conv_norm(&format!("block{block}.conv1"), trunk, trunk, 3);
            if self.pools(block) {
                list.linear(&format!("block{block}.pool"), trunk, 2 * trunk);
            }
            list.conv_norm(&format!("block{block}.conv2"), trunk, trunk, 3);
        }
        list.conv_norm("policy.conv", self.policy_channels(), trunk, 1);
        list.linear("policy.pool", self.policy_channels(), 2 * trunk);
        list.conv("policy.planes", action::PLANES, self.policy_channels(), 1);
        list.linear("policy.stop", 1, 2 * trunk);
        list.conv_norm("value.conv", self.value_channels(), trunk, 1);
        list.linear("value.hidden", self.value_hidden(), 2 * self.value_channels());
        list.linear("value.chances", 3, self.value_hidden());
        list.linear("value.margin", 1, self.value_hidden());
        list.linear("value.plies", 1, self.value_hidden());
        list.conv("owner.planes", 3, trunk, 1);
        list.0
    }

    /// The values with which a fresh network begins, a tensor after the other: the same for the same seed.
    pub fn initial_values(self, seed: u64) -> Vec<(TensorSpec, Vec<f32>)> {
        let mut random = SmallRng::seed_from_u64(seed);
        let values = |spec: &TensorSpec, random: &mut SmallRng| {
            let count: usize = spec.shape.iter().product();
            match spec.role {
                Role::Zeros | Role::RunningMean => vec![0.0; count],
                Role::Ones | Role::RunningVariance => vec![1.0; count],
                Role::Weight { inputs } => {
                    // Heads begin quiet, so that a fresh network is nearly uniform.
                    let gain = if is_output(&spec.name) { 0.1 } else { 2f32.sqrt() };
                    let deviation = gain / (inputs as f32).sqrt();
                    (0..count)
                        .map(|_| {
                            let noise: f32 = StandardNormal.sample(random);
                            noise * deviation
                        })
                        .collect()
                }
            }
        };
        self.tensors()
            .into_iter()
            .map(|spec| {
                let values = values(&spec, &mut random);
                (spec, values)
            })
            .collect()
    }
}

fn is_output(name: &str) -> bool {
    let outputs = ["policy.planes", "policy.stop", "value.chances", "value.margin", "value.plies", "owner.planes"];
    outputs.iter().any(|output| name.starts_with(output))
}

struct Tensors(Vec<TensorSpec>);

impl Tensors {
    fn add(&mut self, name: String, shape: &[usize], role: Role) {
        self.0.push(TensorSpec { name, shape: shape.to_vec(), role });
    }

    fn conv_norm(&mut self, name: &str, outputs: usize, inputs: usize, width: usize) {
        let role = Role::Weight { inputs: inputs * width * width };
        self.add(format!("{name}.weight"), &[outputs, inputs, width, width], role);
        for (part, role) in NORM_PARTS {
            self.add(format!("{name}{part}"), &[outputs], role);
        }
    }

    fn conv(&mut self, name: &str, outputs: usize, inputs: usize, width: usize) {
        let role = Role::Weight { inputs: inputs * width * width };
        self.add(format!("{name}.weight"), &[outputs, inputs, width, width], role);
        self.add(format!("{name}.bias"), &[outputs], Role::Zeros);
    }

    fn linear(&mut self, name: &str, outputs: usize, inputs: usize) {
        self.add(format!("{name}.weight"), &[outputs, inputs], Role::Weight { inputs });
        self.add(format!("{name}.bias"), &[outputs], Role::Zeros);
    }
}
