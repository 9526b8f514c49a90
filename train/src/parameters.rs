//! A network's learnable numbers as one vector, of which its tensors are views: an optimizer's step is then a handful of
//! operations, not one for each of dozens of small tensors.

use seega_models::network::Network;
use tch::Tensor;

/// Where the learnable tensors of a network lie in its vector of numbers.
#[derive(Debug)]
pub(crate) struct Parameters {
    places: Vec<Place>,
}

/// A tensor's place.
#[derive(Debug)]
struct Place {
    name: String,
    start: i64,
    /// The tensor's shape, in the order in which its numbers lie.
    shape: Vec<i64>,
    /// Whether weight decay acts on it.
    decays: bool,
}

impl Parameters {
    /// The places of a network's tensors.
    pub(crate) fn of(network: &Network) -> Parameters {
        let (mut places, mut length) = (Vec::new(), 0);
        for spec in network.architecture().tensors() {
            if spec.role.has_gradient() {
                let tensor = in_order(network.tensor(&spec.name));
                let (start, shape, decays) = (length, tensor.size(), spec.role.decays());
                length += tensor.numel() as i64;
                places.push(Place { name: spec.name, start, shape, decays });
            }
        }
        Parameters { places }
    }

    /// The names of the tensors, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.places.iter().map(|place| &*place.name)
    }

    /// Lays tensors, one for each name, end to end.
    pub(crate) fn flatten(&self, tensors: &[Tensor]) -> Tensor {
        let flat: Vec<Tensor> = tensors.iter().map(|tensor| in_order(tensor).reshape([-1])).collect();
        Tensor::cat(&flat, 0)
    }

    /// The tensors that lie in a vector, each with its name, as views of it.
    pub(crate) fn views(&self, flat: &Tensor) -> impl Iterator<Item = (&str, Tensor)> {
        self.places.iter().map(|place| {
            let length = place.shape.iter().product();
            let tensor = flat.narrow(0, place.start, length).view(&*place.shape);
            (&*place.name, out_of_order(&tensor))
        })
    }

    /// The network's numbers as a vector, of which its tensors become views.
    pub(crate) fn take_over(&self, network: &mut Network) -> Tensor {
        let tensors: Vec<Tensor> = self.names().map(|name| network.tensor(name).detach()).collect();
        let flat = self.flatten(&tensors);
        for (name, view) in self.views(&flat) {
            network.set_tensor(name, view.detach().set_requires_grad(true));
        }
        flat
    }

    /// A vector with 1 for each number on which weight decay acts, and 0 for the others.
    pub(crate) fn decay_mask(&self, like: &Tensor) -> Tensor {
        let mask = like.zeros_like();
        for place in self.places.iter().filter(|place| place.decays) {
            let _ = mask.narrow(0, place.start, place.shape.iter().product()).fill_(1.0);
        }
        mask
    }
}

/// A tensor with its dimensions in the order in which networks lay out their numbers: channels last.
fn in_order(tensor: &Tensor) -> Tensor {
    if tensor.dim() == 4 { tensor.permute([0, 2, 3, 1]) } else { tensor.shallow_clone() }
}

/// Undoes [`in_order`].
fn out_of_order(tensor: &Tensor) -> Tensor {
    if tensor.dim() == 4 { tensor.permute([0, 3, 1, 2]) } else { tensor.shallow_clone() }
}

#[cfg(test)]
mod tests {
    use seega_models::architecture::Architecture;
    use seega_models::checkpoint::Checkpoint;
    use tch::{Device, Kind};

    use super::*;

    #[test]
    fn a_networks_tensors_are_views_of_its_vector() {
        let checkpoint = Checkpoint::fresh(Architecture { channels: 4, blocks: 2 }, Vec::new(), 1);
        let mut network = Network::new(&checkpoint, Device::Cpu);
        let parameters = Parameters::of(&network);
        let mut flat = parameters.take_over(&mut network);
        assert_eq!(network.checkpoint(checkpoint.about.clone()), checkpoint);
        let tensors: Vec<Tensor> = parameters.names().map(|name| network.tensor(name).shallow_clone()).collect();
        assert_eq!(parameters.flatten(&tensors), flat);
        {
            let _no_grad = tch::no_grad_guard();
            let _ = flat.g_mul_scalar_(2.0);
        }
        let twice = network.checkpoint(checkpoint.about.clone());
        for (name, values) in &twice.tensors {
            let running = name.ends_with(".norm.mean") || name.ends_with(".norm.variance");
            let factor = if running { 1.0 } else { 2.0 };
            let expected: Vec<f32> = checkpoint.tensors[name].iter().map(|value| factor * value).collect();
            assert_eq!(*values, expected, "{name}");
        }
        let decaying = parameters.decay_mask(&flat).sum(Kind::Float).double_value(&[]);
        let weights = network.architecture().tensors().into_iter().filter(|spec| spec.role.decays());
        assert_eq!(decaying as usize, weights.map(|spec| spec.shape.iter().product::<usize>()).sum::<usize>());
    }
}
