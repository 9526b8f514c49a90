//! The forward pass of a network on a CPU, without libtorch.
//!
//! Boards are small here: on 5x5 a general library spends most of its time around the arithmetic, and wants large
//! batches. This one goes through a few boards at a time, all of whose numbers stay in the nearest caches, and costs the
//! same for each whatever the batch. `layer` holds the weights, `simd` the loops; this file says what follows what, as
//! `network` does for libtorch. Only for play: what training alone needs is left out, and batch norm is folded.

mod layer;
mod simd;

use std::collections::BTreeMap;

use pulp::Arch;
use seega_rules::BoardSize;

use crate::architecture::Architecture;
use crate::checkpoint::Checkpoint;
use crate::fold::{Folded, fold};
use crate::{action, input};
use layer::{Layer, Numbers, padded, zeros};
use simd::{Convolution, Finish, Linear, Pooling};

/// Boards that go through a layer before the next layer begins: its weights are so read from the second cache once for
/// all of them, and their numbers still fit beside.
const GROUP: usize = 8;

/// A network, and room for the numbers of a few boards.
pub struct NativeNetwork {
    architecture: Architecture,
    arch: Arch,
    layers: Layers,
    room: Room,
}

impl std::fmt::Debug for NativeNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NativeNetwork").field("architecture", &self.architecture).finish_non_exhaustive()
    }
}

/// What a network says of a batch of positions, as their movers see them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NativeOutputs {
    size: Option<BoardSize>,
    /// `[batch, squares, POLICY]`.
    policy: Vec<f32>,
    /// `[batch]`.
    stop: Vec<f32>,
    /// `[batch]`.
    chances: Vec<[f32; 3]>,
    /// `[batch]`.
    margin: Vec<f32>,
}

/// The length of a square's row in the policy.
const POLICY: usize = padded(action::PLANES);

impl NativeOutputs {
    /// The logit of a place in a position's policy, as [`action::index`] counts them.
    ///
    /// # Panics
    /// If there is no such position or place.
    pub fn policy(&self, position: usize, place: usize) -> f32 {
        let squares = usize::from(self.size.expect("there was a forward pass").squares());
        if place == action::PLANES * squares {
            return self.stop[position];
        }
        let (plane, square) = (place / squares, place % squares);
        assert!(plane < action::PLANES, "the policy has no place {place}");
        self.policy[(position * squares + square) * POLICY + plane]
    }

    /// Logits of a position's win, draw and loss.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn chances(&self, position: usize) -> [f32; 3] {
        self.chances[position]
    }

    /// A position's final lead in stones over a side's stones, from -1 to 1.
    ///
    /// # Panics
    /// If there is no such position.
    pub fn margin(&self, position: usize) -> f32 {
        self.margin[position]
    }

    fn clear(&mut self, size: BoardSize) {
        self.size = Some(size);
        self.stop.clear();
        self.chances.clear();
        self.margin.clear();
    }
}

struct Block {
    conv1: Layer,
    /// What pooling adds to the first convolution, with that one's bias.
    pool: Option<Layer>,
    conv2: Layer,
}

struct Layers {
    stem: Layer,
    /// With the stem's bias.
    scalars: Layer,
    blocks: Vec<Block>,
    policy: Layer,
    /// With the bias of `policy`.
    policy_pool: Layer,
    policy_planes: Layer,
    policy_stop: Layer,
    value: Layer,
    value_hidden: Layer,
    value_chances: Layer,
    value_margin: Layer,
}

impl Layers {
    fn new(architecture: Architecture, tensors: &BTreeMap<String, Folded>) -> Layers {
        let whole = |name: &str, inputs: usize| Layer::new(tensors, name, inputs, |input| input);
        let inner = |name: &str| Layer::padded(tensors, name);
        let pooled = |name: &str| Layer::pooled(tensors, name);
        let stem = whole("stem.conv", input::PLANES);
        let policy = inner("policy.conv");
        let blocks = (0..architecture.blocks).map(|block| {
            let conv1 = inner(&format!("block{block}.conv1"));
            let pool = architecture.pools(block).then(|| pooled(&format!("block{block}.pool")).with_bias_of(&conv1));
            Block { conv1, pool, conv2: inner(&format!("block{block}.conv2")) }
        });
        Layers {
            scalars: whole("stem.scalars", input::SCALARS.len()).with_bias_of(&stem),
            stem,
            blocks: blocks.collect(),
            policy_pool: pooled("policy.pool").with_bias_of(&policy),
            policy,
            policy_planes: inner("policy.planes"),
            policy_stop: pooled("policy.stop"),
            value: inner("value.conv"),
            value_hidden: pooled("value.hidden"),
            value_chances: inner("value.chances"),
            value_margin: inner("value.margin"),
        }
    }
}

/// Numbers on their way through the layers, for a group of boards.
struct Room {
    /// `[group, squares, channels]`.
    trunk: Numbers,
    /// The same, within blocks and heads.
    inner: Numbers,
    /// `[group, 2 * channels]`: what pooling gives.
    pooled: Numbers,
    /// `[group, outputs]` of a linear layer.
    rows: Numbers,
    /// The same, of the next one.
    next_rows: Numbers,
}

impl Room {
    fn new(architecture: Architecture) -> Room {
        let squares = usize::from(BoardSize::Nine.squares());
        let row = padded(architecture.channels).max(padded(architecture.policy_channels())).max(POLICY);
        let hidden = padded(architecture.value_hidden()).max(row);
        Room {
            trunk: zeros(GROUP * squares * row),
            inner: zeros(GROUP * squares * row),
            pooled: zeros(GROUP * 2 * row),
            rows: zeros(GROUP * hidden),
            next_rows: zeros(GROUP * hidden),
        }
    }
}

impl NativeNetwork {
    /// A network with the numbers of a checkpoint.
    ///
    /// # Panics
    /// If the checkpoint's tensors are not those of its architecture, which reading one rules out.
    pub fn new(checkpoint: &Checkpoint) -> NativeNetwork {
        let architecture = checkpoint.about.architecture;
        NativeNetwork {
            architecture,
            arch: Arch::new(),
            layers: Layers::new(architecture, &fold(checkpoint)),
            room: Room::new(architecture),
        }
    }

    /// The size of the network.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The forward pass. Of each position `planes` has the squares by [`input::encode_squares`], and `scalars` the
    /// scalars.
    ///
    /// # Panics
    /// If both are not those of equally many positions.
    pub fn forward(&mut self, size: BoardSize, planes: &[f32], scalars: &[f32], out: &mut NativeOutputs) {
        let (board_len, scalars_len) = (input::planes_len(size), input::SCALARS.len());
        assert_eq!(planes.len() / board_len, scalars.len() / scalars_len, "planes and scalars of as many positions");
        out.clear(size);
        // All of it is written anew, so that what stands there need not be zeroed.
        out.policy.resize(planes.len() / board_len * usize::from(size.squares()) * POLICY, 0.0);
        let groups = planes.chunks(GROUP * board_len).zip(scalars.chunks(GROUP * scalars_len));
        for (planes, scalars) in groups {
            let boards = scalars.len() / scalars_len;
            Pass { arch: self.arch, size, boards, layers: &self.layers }.run(&mut self.room, planes, scalars, out);
        }
    }
}

/// A forward pass of a group of boards.
struct Pass<'a> {
    arch: Arch,
    size: BoardSize,
    boards: usize,
    layers: &'a Layers,
}

impl Pass<'_> {
    fn run(&self, room: &mut Room, planes: &[f32], scalars: &[f32], out: &mut NativeOutputs) {
        let Pass { layers, boards, .. } = *self;
        let channels = layers.stem.outputs;
        let Room { trunk, inner, pooled, rows, next_rows } = room;

        self.linear(&layers.scalars, scalars, rows, Finish::Write);
        self.convolve(&layers.stem, Some(rows), planes, trunk, Finish::Relu);
        for block in &layers.blocks {
            match &block.pool {
                Some(layer) => {
                    self.pool(channels, trunk, pooled);
                    self.linear(layer, pooled, rows, Finish::Write);
                    self.convolve(&block.conv1, Some(rows), trunk, inner, Finish::Relu);
                }
                None => self.convolve(&block.conv1, None, trunk, inner, Finish::Relu),
            }
            self.convolve(&block.conv2, None, inner, trunk, Finish::AddRelu);
        }

        self.pool(channels, trunk, pooled);
        self.linear(&layers.policy_pool, pooled, rows, Finish::Write);
        self.convolve(&layers.policy, Some(rows), trunk, inner, Finish::Relu);
        let first = out.margin.len() * self.squares() * POLICY;
        self.convolve(&layers.policy_planes, None, inner, &mut out.policy[first..], Finish::Write);
        self.linear(&layers.policy_stop, pooled, rows, Finish::Write);
        out.stop.extend(rows.chunks_exact(layers.policy_stop.outputs).take(boards).map(|row| row[0]));

        self.convolve(&layers.value, None, trunk, inner, Finish::Relu);
        self.pool(layers.value.outputs, inner, pooled);
        self.linear(&layers.value_hidden, pooled, rows, Finish::Relu);
        self.linear(&layers.value_chances, rows, next_rows, Finish::Write);
        let chances = next_rows.chunks_exact(layers.value_chances.outputs).take(boards);
        out.chances.extend(chances.map(|row| [row[0], row[1], row[2]]));
        self.linear(&layers.value_margin, rows, next_rows, Finish::Write);
        out.margin.extend(next_rows.chunks_exact(layers.value_margin.outputs).take(boards).map(|row| row[0].tanh()));
    }

    fn squares(&self) -> usize {
        usize::from(self.size.squares())
    }

    /// A layer on every square; the sums begin with a row of the board's own, or with the layer's bias.
    fn convolve(&self, layer: &Layer, starts: Option<&[f32]>, from: &[f32], to: &mut [f32], finish: Finish) {
        let squares = self.boards * self.squares();
        let starts = starts.map_or(&layer.bias[..], |starts| &starts[..self.boards * layer.outputs]);
        let (from, to) = (&from[..squares * layer.inputs], &mut to[..squares * layer.outputs]);
        Convolution { layer, size: self.size, starts, from, to, finish }.run(self.arch);
    }

    /// A linear layer on a row of each board.
    fn linear(&self, layer: &Layer, from: &[f32], to: &mut [f32], finish: Finish) {
        let (from, to) = (&from[..self.boards * layer.inputs], &mut to[..self.boards * layer.outputs]);
        Linear { layer, from, to, finish }.run(self.arch);
    }

    /// Means and maxima of rows of that length over each board.
    fn pool(&self, row: usize, from: &[f32], to: &mut [f32]) {
        let squares = self.squares();
        let (from, to) = (&from[..self.boards * squares * row], &mut to[..self.boards * 2 * row]);
        Pooling { row, from, squares, to }.run(self.arch);
    }
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    /// Registers of every width that the CPU has: those that round once.
    fn fused() -> Vec<Arch> {
        let mut archs = Vec::new();
        archs.extend(pulp::x86::V3::try_new().map(Arch::V3));
        archs.extend(pulp::x86::V4::try_new().map(Arch::V4));
        archs
    }

    /// How far the numbers of two passes are apart at most.
    fn apart(a: &NativeOutputs, b: &NativeOutputs) -> f32 {
        let numbers = |outputs: &NativeOutputs| -> Vec<f32> {
            let chances = outputs.chances.as_flattened();
            [&outputs.policy, &outputs.stop, chances, &outputs.margin].concat()
        };
        let pairs = numbers(a).into_iter().zip(numbers(b));
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn a_network_says_the_same_on_registers_of_any_width() {
        let mut random = SmallRng::seed_from_u64(1);
        for (channels, blocks) in [(4, 2), (20, 2), (48, 1)] {
            let checkpoint = Checkpoint::fresh(Architecture { channels, blocks }, Vec::new(), 1);
            for size in BoardSize::ALL {
                // More than a group, and not a whole number of groups.
                let boards = GROUP + 3;
                let planes: Vec<f32> =
                    (0..boards * input::planes_len(size)).map(|_| random.random_range(0.0..1.0)).collect();
                let scalars: Vec<f32> =
                    (0..boards * input::SCALARS.len()).map(|_| random.random_range(0.0..1.0)).collect();
                let forward = |arch| {
                    let mut network = NativeNetwork { arch, ..NativeNetwork::new(&checkpoint) };
                    let mut outputs = NativeOutputs::default();
                    network.forward(size, &planes, &scalars, &mut outputs);
                    outputs
                };
                let scalar = forward(Arch::Scalar);
                assert_eq!(scalar.margin.len(), boards);
                assert!(scalar.margin[0] != scalar.margin[1], "the network says nothing");
                let outputs: Vec<NativeOutputs> = fused().into_iter().map(forward).collect();
                for other in &outputs {
                    assert!(*other == outputs[0], "{channels}x{blocks} on {size}");
                    // Without vectors each step rounds twice.
                    let apart = apart(other, &scalar);
                    assert!(apart < 1e-4, "{channels}x{blocks} on {size}: {apart} apart");
                }
            }
        }
    }
}
