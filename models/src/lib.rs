//! What the seega project knows of networks.
//!
//! * [`input`]: a position as the numbers that go into a network, and [`action`]: its actions as places in the policy
//!   that comes out. `FORMAT.md` beside this crate fixes both, so that other programs can use a network.
//! * [`architecture`]: which tensors a network has; [`checkpoint`]: the file that holds them.
//! * [`native`]: the forward pass on a CPU, for play; [`network`] (feature `torch`): the same on libtorch, for play and
//!   training; [`evaluator`]: the search's evaluators on both.
//! * [`onnx`] (feature `onnx`): networks as ONNX files, written and run without libtorch; [`export`] (both
//!   features): the folder with which a network goes out to other programs.
//!
//! Training is left to the crates above.

pub mod action;
pub mod architecture;
pub mod checkpoint;
pub mod evaluator;
#[cfg(all(feature = "torch", feature = "onnx"))]
pub mod export;
mod fold;
pub mod input;
pub mod native;
#[cfg(feature = "torch")]
pub mod network;
#[cfg(feature = "onnx")]
pub mod onnx;

#[cfg(feature = "torch")]
pub use tch;

/// The version of inputs and action indexing, as `FORMAT.md` fixes them. A checkpoint names it.
pub const FORMAT_VERSION: u32 = 1;
