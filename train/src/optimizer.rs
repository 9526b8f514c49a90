//! AdamW (Loshchilov and Hutter, 2019), with its state in our hands: libtorch's binding can't save it.

use tch::Tensor;

/// The decay of the mean of gradients.
const BETA1: f64 = 0.9;
/// The decay of the mean of their squares.
const BETA2: f64 = 0.999;
/// What keeps the division sound.
const EPSILON: f64 = 1e-8;

/// The optimizer's state of a vector of numbers.
#[derive(Debug)]
pub(crate) struct Moments {
    /// The mean of the gradients.
    pub(crate) first: Tensor,
    /// The mean of their squares.
    pub(crate) second: Tensor,
}

impl Moments {
    pub(crate) fn zeros(tensor: &Tensor) -> Moments {
        Moments { first: tensor.zeros_like().detach(), second: tensor.zeros_like().detach() }
    }

    /// Changes the numbers by their gradient. `step` counts from 1; `decay` is each number's weight decay.
    pub(crate) fn update(&mut self, tensor: &Tensor, gradient: &Tensor, step: u64, rate: f64, decay: &Tensor) {
        self.first = &self.first * BETA1 + gradient * (1.0 - BETA1);
        self.second = &self.second * BETA2 + gradient * gradient * (1.0 - BETA2);
        let exponent = step.min(i32::MAX as u64) as i32;
        let first = &self.first / (1.0 - BETA1.powi(exponent));
        let second = &self.second / (1.0 - BETA2.powi(exponent));
        let change = first / (second.sqrt() + EPSILON) + tensor * decay;
        let mut tensor = tensor.shallow_clone();
        let _ = tensor.g_sub_(&(change * rate));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first step of Adam is the rate, whatever the gradient: here 1 − 0.1 · (1 + 0.5 · 1) for a decay of 0.5.
    #[test]
    fn the_first_steps_are_as_worked_out_by_hand() {
        let tensor = Tensor::from_slice(&[1.0f64, -2.0]);
        let mut moments = Moments::zeros(&tensor);
        moments.update(&tensor, &Tensor::from_slice(&[0.3f64, -5.0]), 1, 0.1, &tensor.full_like(0.5));
        let values = Vec::<f64>::try_from(&tensor).unwrap();
        assert!((values[0] - 0.85).abs() < 1e-6 && (values[1] + 1.8).abs() < 1e-6, "{values:?}");
    }

    #[test]
    fn it_finds_the_bottom_of_a_bowl() {
        let tensor = Tensor::from_slice(&[3.0f64, -7.0]);
        let mut moments = Moments::zeros(&tensor);
        for step in 1..=2000 {
            let gradient = (&tensor - Tensor::from_slice(&[1.0f64, 2.0])) * 2.0;
            moments.update(&tensor, &gradient, step, 0.02, &tensor.zeros_like());
        }
        let values = Vec::<f64>::try_from(&tensor).unwrap();
        assert!((values[0] - 1.0).abs() < 1e-3 && (values[1] - 2.0).abs() < 1e-3, "{values:?}");
    }
}
