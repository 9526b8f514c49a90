//! Batch norm folded into the convolution before it, in double precision.

use std::collections::BTreeMap;

use crate::architecture::{NORM_EPSILON, NORM_PARTS};
use crate::checkpoint::Checkpoint;

/// A tensor's shape and numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Folded {
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// The checkpoint's tensors, but each convolution with batch norm as one with a bias.
///
/// # Panics
/// If the checkpoint's tensors are not those of its architecture, which reading one rules out.
pub fn fold(checkpoint: &Checkpoint) -> BTreeMap<String, Folded> {
    let tensor = |name: &str| -> &[f32] {
        checkpoint.tensors.get(name).unwrap_or_else(|| panic!("the checkpoint has no tensor {name:?}"))
    };
    let mut folded = BTreeMap::new();
    for spec in checkpoint.about.architecture.tensors() {
        if spec.name.contains(".norm.") {
            continue;
        }
        let mut values = tensor(&spec.name).to_vec();
        let convolution = spec.name.strip_suffix(".weight").filter(|convolution| {
            let (first, _) = NORM_PARTS[0];
            checkpoint.tensors.contains_key(&format!("{convolution}{first}"))
        });
        if let Some(convolution) = convolution {
            let [scale, shift, mean, variance] = NORM_PARTS.map(|(part, _)| tensor(&format!("{convolution}{part}")));
            let outputs = spec.shape[0];
            let inputs = values.len() / outputs;
            let mut bias = Vec::with_capacity(outputs);
            for (channel, weights) in values.chunks_exact_mut(inputs).enumerate() {
                let factor = f64::from(scale[channel]) / (f64::from(variance[channel]) + NORM_EPSILON).sqrt();
                weights.iter_mut().for_each(|weight| *weight = (f64::from(*weight) * factor) as f32);
                bias.push((f64::from(shift[channel]) - f64::from(mean[channel]) * factor) as f32);
            }
            folded.insert(format!("{convolution}.bias"), Folded { shape: vec![outputs], values: bias });
        }
        folded.insert(spec.name, Folded { shape: spec.shape, values });
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::architecture::Architecture;

    #[test]
    fn a_convolution_takes_over_its_norm() {
        let mut checkpoint = Checkpoint::fresh(Architecture { channels: 4, blocks: 1 }, Vec::new(), 1);
        for (part, value) in [("weight", 3.0), ("norm.scale", 2.0), ("norm.shift", 1.0), ("norm.mean", 5.0)] {
            checkpoint.tensors.get_mut(&format!("stem.conv.{part}")).unwrap().fill(value);
        }
        checkpoint.tensors.get_mut("stem.conv.norm.variance").unwrap().fill(16.0 - 1e-5);
        let folded = fold(&checkpoint);
        // A factor of 2 / √16: weights of 3 · 0.5, a bias of 1 − 5 · 0.5.
        assert_eq!(folded["stem.conv.weight"].shape, [4, 5, 3, 3]);
        assert!(folded["stem.conv.weight"].values.iter().all(|weight| (weight - 1.5).abs() < 1e-6));
        assert_eq!(folded["stem.conv.bias"].shape, [4]);
        assert!(folded["stem.conv.bias"].values.iter().all(|bias| (bias + 1.5).abs() < 1e-6));
        assert_eq!(folded["policy.planes.weight"].values, checkpoint.tensors["policy.planes.weight"]);
        assert!(folded.keys().all(|name| !name.contains(".norm.")));
    }
}
