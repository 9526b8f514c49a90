//! The numbers of a layer, laid out as the loops of `simd` read them.

use std::collections::BTreeMap;

use aligned_vec::{AVec, ConstAlign};

use crate::fold::Folded;

/// Numbers that begin at a cache line, so that no vector of them lies in two.
pub(super) type Numbers = AVec<f32, ConstAlign<64>>;

/// Rows of numbers are a whole multiple of this long, the floats of a cache line and of the widest registers. What a row
/// has too many is 0 everywhere: a weight of 0 keeps it so.
const LANES: usize = 16;

/// The length of a row of so many numbers.
pub(super) const fn padded(numbers: usize) -> usize {
    numbers.next_multiple_of(LANES)
}

/// So many zeros.
pub(super) fn zeros(count: usize) -> Numbers {
    AVec::from_iter(64, std::iter::repeat_n(0.0, count))
}

/// A convolution, or a linear layer, which is a convolution of width 1.
#[derive(Debug)]
pub(super) struct Layer {
    /// 3 or 1.
    pub(super) width: usize,
    /// The length of a row that goes in.
    pub(super) inputs: usize,
    /// The length of a row that comes out.
    pub(super) outputs: usize,
    /// `[width, inputs, width, outputs]`: by lines of the filter, inputs, squares of a line, outputs.
    pub(super) weight: Numbers,
    /// `[outputs]`.
    pub(super) bias: Numbers,
}

impl Layer {
    /// The layer of that name. `place` tells at which place of a row an input stands, and `inputs` the row's length.
    pub(super) fn new(
        tensors: &BTreeMap<String, Folded>,
        name: &str,
        inputs: usize,
        place: impl Fn(usize) -> usize,
    ) -> Layer {
        let Folded { shape, values } = &tensors[&format!("{name}.weight")];
        let (all_outputs, all_inputs) = (shape[0], shape[1]);
        let width = shape.get(2).copied().unwrap_or(1);
        let outputs = padded(all_outputs);
        let taps = width * width;
        let mut weight = zeros(taps * inputs * outputs);
        for (output, weights) in values.chunks_exact(all_inputs * taps).enumerate() {
            for (input, weights) in weights.chunks_exact(taps).enumerate() {
                for (tap, &value) in weights.iter().enumerate() {
                    let (dy, dx) = (tap / width, tap % width);
                    weight[((dy * inputs + place(input)) * width + dx) * outputs + output] = value;
                }
            }
        }
        let mut bias = zeros(outputs);
        bias[..all_outputs].copy_from_slice(&tensors[&format!("{name}.bias")].values);
        Layer { width, inputs, outputs, weight, bias }
    }

    /// A layer on a row as the layer before gives it.
    pub(super) fn padded(tensors: &BTreeMap<String, Folded>, name: &str) -> Layer {
        let inputs = tensors[&format!("{name}.weight")].shape[1];
        Layer::new(tensors, name, padded(inputs), |input| input)
    }

    /// A layer on what pooling gives: a row of means and then a row of maxima.
    pub(super) fn pooled(tensors: &BTreeMap<String, Folded>, name: &str) -> Layer {
        let channels = tensors[&format!("{name}.weight")].shape[1] / 2;
        let row = padded(channels);
        let place = |input| if input < channels { input } else { row + input - channels };
        Layer::new(tensors, name, 2 * row, place)
    }

    /// Adds the bias of another layer to this one's: the outputs of both are summed.
    pub(super) fn with_bias_of(mut self, other: &Layer) -> Layer {
        self.bias.iter_mut().zip(other.bias.iter()).for_each(|(bias, other)| *bias += other);
        self
    }
}
