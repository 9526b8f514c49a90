//! The forward pass of an ONNX file on `rten`, which is Rust alone.

use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value};
use seega_rules::BoardSize;
use thiserror::Error;

use super::{INPUTS, OUTPUTS};
use crate::{FORMAT_VERSION, action, input};

/// A network from an ONNX file that this project wrote.
pub struct OnnxNetwork {
    model: Model,
    inputs: [NodeId; 2],
    outputs: [NodeId; 3],
    options: RunOptions,
}

/// What a network says of a batch of positions, as their movers see them: row by row what `FORMAT.md` names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnnxOutputs {
    /// Logits of all places of the policy, `policy_len(size)` for each position.
    pub policy: Vec<f32>,
    /// Logits of win, draw and loss, three for each position.
    pub chances: Vec<f32>,
    /// The final lead, from -1 to 1, one for each position.
    pub margin: Vec<f32>,
}

/// A file that is no network of this project, or one that does not run.
#[derive(Debug, Error)]
pub enum OnnxError {
    /// The file can't be loaded.
    #[error("not an ONNX file that can be run: {0}")]
    Load(String),
    /// Something that a network of this project has is not there.
    #[error("not a network of this project: it has no {0}")]
    Lacks(&'static str),
    /// The network is of another version.
    #[error("the network has format version {found:?}; this program reads version {FORMAT_VERSION}")]
    Version {
        /// The network's version.
        found: String,
    },
    /// The inputs' lengths are not those of a batch.
    #[error("{planes} numbers of planes and {scalars} scalars are no batch of positions on {size}")]
    Inputs {
        /// Numbers of planes.
        planes: usize,
        /// Numbers of scalars.
        scalars: usize,
        /// The board.
        size: BoardSize,
    },
    /// The forward pass failed.
    #[error("the ONNX file can't be run: {0}")]
    Run(String),
    /// An output has another shape than it must.
    #[error("the output {name} has the shape {found:?}, not {expected:?}")]
    Shape {
        /// The output.
        name: &'static str,
        /// Its shape.
        found: Vec<usize>,
        /// The shape it must have.
        expected: Vec<usize>,
    },
}

impl std::fmt::Debug for OnnxNetwork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OnnxNetwork").finish_non_exhaustive()
    }
}

impl OnnxNetwork {
    /// The network of a file's bytes. It runs on one thread.
    ///
    /// # Errors
    /// The bytes are no such network, or one of another format version.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<OnnxNetwork, OnnxError> {
        // Only the operators that `graph` writes: others need not be in the program.
        let operators =
            rten::op_registry!(Add, Concat, Conv, Flatten, Gemm, ReduceMax, ReduceMean, Relu, Squeeze, Tanh, Unsqueeze);
        let model = ModelOptions::with_ops(operators).load(bytes).map_err(|error| OnnxError::Load(shortened(error)))?;
        let told = |key| model.metadata().get(key);
        if told("project") != Some("seega") {
            return Err(OnnxError::Lacks("metadata \"project\" that say seega"));
        }
        let found = told("format").ok_or(OnnxError::Lacks("metadata \"format\""))?;
        if found != FORMAT_VERSION.to_string() {
            return Err(OnnxError::Version { found: shortened(found) });
        }
        let node = |name: &'static str| model.node_id(name).map_err(|_| OnnxError::Lacks(name));
        let [planes, scalars] = INPUTS;
        let [policy, chances, margin] = OUTPUTS;
        let inputs = [node(planes)?, node(scalars)?];
        let outputs = [node(policy)?, node(chances)?, node(margin)?];
        let options = RunOptions::default().with_thread_pool(Some(Arc::new(ThreadPool::with_num_threads(1))));
        Ok(OnnxNetwork { model, inputs, outputs, options })
    }

    /// The forward pass for a batch of positions on boards of one size, encoded one after the other by
    /// [`input`].
    ///
    /// # Errors
    /// The inputs are no batch, or the network is not what it must be.
    pub fn run(&self, size: BoardSize, planes: &[f32], scalars: &[f32]) -> Result<OnnxOutputs, OnnxError> {
        let batch = scalars.len() / input::SCALARS.len();
        let side = usize::from(size.side());
        let wrong = || OnnxError::Inputs { planes: planes.len(), scalars: scalars.len(), size };
        if batch == 0 {
            return Err(wrong());
        }
        let planes = Value::from_shape(&[batch, input::PLANES, side, side], planes.to_vec()).map_err(|_| wrong())?;
        let scalars = Value::from_shape(&[batch, input::SCALARS.len()], scalars.to_vec()).map_err(|_| wrong())?;
        let [planes_id, scalars_id] = self.inputs;
        let inputs = vec![(planes_id, planes.into()), (scalars_id, scalars.into())];
        let outputs = self
            .model
            .run_n(inputs, self.outputs, Some(self.options.clone()))
            .map_err(|error| OnnxError::Run(shortened(error)))?;
        let [policy, chances, margin] = outputs;
        Ok(OnnxOutputs {
            policy: numbers(OUTPUTS[0], policy, [batch, action::policy_len(size)])?,
            chances: numbers(OUTPUTS[1], chances, [batch, 3])?,
            margin: numbers(OUTPUTS[2], margin, [batch])?,
        })
    }
}

/// The numbers of an output, if it has that shape.
fn numbers<const N: usize>(name: &'static str, value: Value, expected: [usize; N]) -> Result<Vec<f32>, OnnxError> {
    let (found, numbers) = value.into_shape_vec::<f32, N>().map_err(|error| OnnxError::Run(shortened(error)))?;
    if found != expected {
        return Err(OnnxError::Shape { name, found: found.to_vec(), expected: expected.to_vec() });
    }
    Ok(numbers)
}

/// A library's message on one line of bounded length.
fn shortened(message: impl ToString) -> String {
    message.to_string().replace('\n', " ").chars().take(300).collect()
}
