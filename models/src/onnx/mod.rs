//! Networks as ONNX files, written and run without libtorch. `FORMAT.md` tells what is in a file.
//!
//! * `proto`: the messages of ONNX that are needed; `graph`: a graph that is being built; `write`: the graph of a network,
//!   whose batch norms `fold` has folded into convolutions, and its file.
//! * `run`: the forward pass of such a file, on `rten`.
//!
//! Which positions a file is checked on, and what else goes out with it, is left to `export`.

mod graph;
mod proto;
mod run;
mod write;

pub use run::{OnnxError, OnnxNetwork, OnnxOutputs};
pub use write::to_onnx;

/// The operators' version that files ask for.
const OPSET: i64 = 17;

/// The version of the file format itself.
const IR_VERSION: i64 = 8;

/// The names of the inputs and outputs, in order.
const INPUTS: [&str; 2] = ["planes", "scalars"];
const OUTPUTS: [&str; 3] = ["policy", "chances", "margin"];
