//! An ONNX graph that is being built: each method adds an operator and gives the name of its output.

use std::collections::BTreeMap;

use super::proto::{self, Attribute, Extent, Node, Tensor, ValueInfo};
use crate::fold::Folded;

/// A graph under construction. Values are known by name.
#[derive(Debug)]
pub struct GraphBuilder {
    tensors: BTreeMap<String, Folded>,
    nodes: Vec<Node>,
    constants: Vec<Tensor>,
}

impl GraphBuilder {
    /// An empty graph over those tensors; only the tensors that are used become part of it.
    pub fn new(tensors: BTreeMap<String, Folded>) -> GraphBuilder {
        GraphBuilder { tensors, nodes: Vec::new(), constants: Vec::new() }
    }

    /// The graph with its inputs and outputs.
    pub fn finish(self, name: &str, input: Vec<ValueInfo>, output: Vec<ValueInfo>) -> proto::Graph {
        proto::Graph { node: self.nodes, name: Some(name.to_owned()), initializer: self.constants, input, output }
    }

    /// A convolution with bias that keeps the board's size, by the tensors of that name.
    pub fn conv(&mut self, name: &str, x: &str) -> String {
        let (weight, shape) = self.tensor(&format!("{name}.weight"));
        let (bias, _) = self.tensor(&format!("{name}.bias"));
        let (width, padding) = (shape[2], shape[2] / 2);
        let attributes = vec![ints("kernel_shape", &[width, width]), ints("pads", &[padding; 4])];
        self.node("Conv", name, &[x, &weight, &bias], attributes)
    }

    /// A linear layer, by the tensors of that name: from `[batch, inputs]` to `[batch, outputs]`.
    pub fn linear(&mut self, name: &str, x: &str) -> String {
        self.linear_to(name, name, x)
    }

    /// A linear layer whose output is called otherwise than its tensors.
    pub fn linear_to(&mut self, output: &str, name: &str, x: &str) -> String {
        let (weight, _) = self.tensor(&format!("{name}.weight"));
        let (bias, _) = self.tensor(&format!("{name}.bias"));
        self.node("Gemm", output, &[x, &weight, &bias], vec![int("transB", 1)])
    }

    /// The sum of two values of one shape.
    pub fn add(&mut self, name: &str, a: &str, b: &str) -> String {
        self.node("Add", name, &[a, b], Vec::new())
    }

    /// The sum of `[batch, channels, side, side]` and, on every square, `[batch, channels]`.
    pub fn add_to_channels(&mut self, name: &str, x: &str, bias: &str) -> String {
        let axes = self.axes("axes.board", &[2, 3]);
        let bias = self.node("Unsqueeze", &format!("{name}.bias"), &[bias, &axes], Vec::new());
        self.add(name, x, &bias)
    }

    /// What is above 0.
    pub fn relu(&mut self, name: &str, x: &str) -> String {
        self.node("Relu", name, &[x], Vec::new())
    }

    /// The hyperbolic tangent.
    pub fn tanh(&mut self, name: &str, x: &str) -> String {
        self.node("Tanh", name, &[x], Vec::new())
    }

    /// The means of all channels over the board, then their maxima: `[batch, 2 * channels]`.
    pub fn pool(&mut self, name: &str, x: &str) -> String {
        let over_board = || vec![ints("axes", &[2, 3]), int("keepdims", 0)];
        let mean = self.node("ReduceMean", &format!("{name}.mean"), &[x], over_board());
        let max = self.node("ReduceMax", &format!("{name}.max"), &[x], over_board());
        self.concat(name, &mean, &max)
    }

    /// Two values side by side, along the second axis.
    pub fn concat(&mut self, name: &str, a: &str, b: &str) -> String {
        self.node("Concat", name, &[a, b], vec![int("axis", 1)])
    }

    /// All but the batch as one axis.
    pub fn flatten(&mut self, name: &str, x: &str) -> String {
        self.node("Flatten", name, &[x], vec![int("axis", 1)])
    }

    /// `[batch, 1]` as `[batch]`.
    pub fn squeeze(&mut self, name: &str, x: &str) -> String {
        let axes = self.axes("axes.last", &[1]);
        self.node("Squeeze", name, &[x, &axes], Vec::new())
    }

    /// Adds an operator; `name` becomes its name and that of its output.
    fn node(&mut self, operator: &str, name: &str, inputs: &[&str], attribute: Vec<Attribute>) -> String {
        debug_assert!(self.nodes.iter().all(|node| node.name.as_deref() != Some(name)), "{name} is there twice");
        self.nodes.push(Node {
            input: inputs.iter().map(|&input| input.to_owned()).collect(),
            output: vec![name.to_owned()],
            name: Some(name.to_owned()),
            op_type: Some(operator.to_owned()),
            attribute,
        });
        name.to_owned()
    }

    /// Makes a tensor part of the graph: its name there, and its shape.
    fn tensor(&mut self, name: &str) -> (String, Vec<i64>) {
        let Folded { shape, values } = self.tensors.get(name).unwrap_or_else(|| panic!("no tensor is called {name:?}"));
        let dims: Vec<i64> = shape.iter().map(|&side| side as i64).collect();
        self.constants.push(Tensor {
            dims: dims.clone(),
            data_type: Some(proto::FLOAT),
            name: Some(name.to_owned()),
            raw_data: Some(values.iter().flat_map(|value| value.to_le_bytes()).collect()),
        });
        (name.to_owned(), dims)
    }

    /// A constant that names axes, made on its first use.
    fn axes(&mut self, name: &str, axes: &[i64]) -> String {
        if self.constants.iter().all(|constant| constant.name.as_deref() != Some(name)) {
            self.constants.push(Tensor {
                dims: vec![axes.len() as i64],
                data_type: Some(proto::INT64),
                name: Some(name.to_owned()),
                raw_data: Some(axes.iter().flat_map(|axis| axis.to_le_bytes()).collect()),
            });
        }
        name.to_owned()
    }
}

/// An input or output of floats.
pub fn value(name: &str, sides: &[Extent]) -> ValueInfo {
    let dim = sides.iter().map(|side| proto::Dimension { extent: Some(side.clone()) }).collect();
    let tensor = proto::TensorType { elem_type: Some(proto::FLOAT), shape: Some(proto::Shape { dim }) };
    ValueInfo { name: Some(name.to_owned()), kind: Some(proto::Type { tensor: Some(tensor) }) }
}

fn int(name: &str, value: i64) -> Attribute {
    Attribute { name: Some(name.to_owned()), i: Some(value), ints: Vec::new(), kind: Some(proto::INT) }
}

fn ints(name: &str, values: &[i64]) -> Attribute {
    Attribute { name: Some(name.to_owned()), i: None, ints: values.to_vec(), kind: Some(proto::INTS) }
}
