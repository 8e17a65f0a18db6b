//! Gradient clipping by the norm of the whole gradient, as PyTorch's `clip_grad_norm_`. Burn clips each tensor by itself,
//! which changes the direction of the step.

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;

/// The gradient `g` of all parameters, as `g · largest_norm / |g|` where `|g|` is larger, otherwise untouched to the bit.
///
/// Where `|g|` overflows the gradient becomes zero, and infinite entries NaN. NaN stays: the loop reports both.
pub(super) fn clip<M: Module>(
    mut grads: GradientsParams,
    model: &M,
    largest_norm: Option<f64>,
) -> GradientsParams {
    let Some(largest_norm) = largest_norm else { return grads };
    let norm = norm(&grads, model);
    if norm > largest_norm {
        model.visit(&mut Scale { grads: &mut grads, factor: largest_norm / norm });
    }
    grads
}

/// Euclidean norm of the gradients of all parameters together.
fn norm<M: Module>(grads: &GradientsParams, model: &M) -> f64 {
    struct SquaredNorms<'a> {
        grads: &'a GradientsParams,
        of_tensor: Vec<Tensor<1>>,
    }
    impl ModuleVisitor for SquaredNorms<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if let Some(gradient) = self.grads.get::<D>(param.id) {
                // By columns first: Flex sums millions of numbers in an order that depends on the number of threads.
                self.of_tensor.push(gradient.square().sum_dim(0).sum());
            }
        }
    }
    let mut squares = SquaredNorms { grads, of_tensor: Vec::new() };
    model.visit(&mut squares);
    match squares.of_tensor.is_empty() {
        true => 0.0,
        // One number leaves the device, not one per tensor.
        false => f64::from(Tensor::cat(squares.of_tensor, 0).sum().into_scalar::<f32>()).sqrt(),
    }
}

/// Multiplies the gradients of all parameters.
struct Scale<'a> {
    grads: &'a mut GradientsParams,
    factor: f64,
}

impl ModuleVisitor for Scale<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        if let Some(gradient) = self.grads.remove::<D>(param.id) {
            self.grads.register(param.id, gradient.mul_scalar(self.factor as f32));
        }
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Device, TensorData};
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};
    use serde::Deserialize;

    use super::*;
    use crate::model::{InputShape, ModelSpec, Network};

    /// `scripts/golden/clipping.py` makes `tests/golden/clipping.json`.
    #[derive(Deserialize)]
    struct Golden {
        gradient: Vec<Vec<f32>>,
        norm: f64,
        clipped: Vec<Clipped>,
    }

    #[derive(Deserialize)]
    struct Clipped {
        largest_norm: f64,
        gradient: Vec<Vec<f32>>,
    }

    /// Weights `[3, 4]` and `[4, 2]`, each with its biases.
    fn model() -> Network {
        let spec = ModelSpec::Mlp { hidden: vec![4] };
        spec.init(InputShape::Features(3), 2, 0, &Device::flex().autodiff())
    }

    /// Gives the parameters these gradients, in the order of the module.
    struct Assign<'a> {
        values: std::slice::Iter<'a, Vec<f32>>,
        grads: GradientsParams,
    }

    impl ModuleVisitor for Assign<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let data = TensorData::new(self.values.next().unwrap().clone(), param.val().shape());
            self.grads.register(param.id, Tensor::<D>::from_data(data, &Device::flex()));
        }
    }

    struct Read<'a> {
        grads: &'a GradientsParams,
        values: Vec<Vec<f32>>,
    }

    impl ModuleVisitor for Read<'_> {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            self.values.push(self.grads.get::<D>(param.id).unwrap().into_data().try_to_vec().unwrap());
        }
    }

    fn clipped(gradient: &[Vec<f32>], largest_norm: Option<f64>) -> Vec<Vec<f32>> {
        let model = model();
        let mut assign = Assign { values: gradient.iter(), grads: GradientsParams::new() };
        model.visit(&mut assign);
        let mut read = Read { grads: &clip(assign.grads, &model, largest_norm), values: Vec::new() };
        model.visit(&mut read);
        read.values
    }

    fn norm_of(gradient: &[Vec<f32>]) -> f64 {
        gradient.iter().flatten().map(|&g| f64::from(g).powi(2)).sum::<f64>().sqrt()
    }

    fn random(seed: u64, size: f32) -> Vec<Vec<f32>> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        [12, 4, 8, 2].map(|count| (0..count).map(|_| rng.random_range(-size..size)).collect()).into()
    }

    #[test]
    fn a_longer_gradient_gets_the_largest_norm_and_keeps_its_direction() {
        for seed in 0..20 {
            let gradient = random(seed, 10f32.powi(seed as i32 % 7 - 3));
            let (norm, largest) = (norm_of(&gradient), 0.9f64.powi(1 + seed as i32));
            let found = clipped(&gradient, Some(largest * norm));
            assert!((norm_of(&found) / (largest * norm) - 1.0).abs() < 1e-6, "{seed}");
            for (found, before) in found.iter().flatten().zip(gradient.iter().flatten()) {
                assert!((f64::from(found / before) / largest - 1.0).abs() < 1e-6, "{seed}: {found} {before}");
            }
        }
    }

    #[test]
    fn a_shorter_gradient_is_untouched_to_the_bit() {
        for seed in 0..20 {
            let gradient = random(seed, 2.0);
            let norm = norm_of(&gradient);
            for largest in [Some(1.00001 * norm), Some(2.0 * norm), Some(f64::MAX), None] {
                assert_eq!(clipped(&gradient, largest), gradient);
            }
        }
        let zero = [12, 4, 8, 2].map(|count| vec![0.0; count]);
        assert_eq!(clipped(&zero, Some(1e-30)), zero);
    }

    /// One tensor of 3, another of 4: the whole gradient has norm 5. By tensor, both would be clipped to 1.
    #[test]
    fn the_norm_is_that_of_all_parameters_together() {
        let mut gradient = [12, 4, 8, 2].map(|count| vec![0.0; count]);
        (gradient[0][5], gradient[3][1]) = (3.0, -4.0);
        let found = clipped(&gradient, Some(1.0));
        assert!((found[0][5] - 0.6).abs() < 1e-7 && (found[3][1] + 0.8).abs() < 1e-7, "{found:?}");
    }

    #[test]
    fn a_gradient_that_is_not_finite_stays_so() {
        for value in [f32::NAN, f32::INFINITY] {
            let mut gradient = random(3, 1.0);
            gradient[2][0] = value;
            assert!(!clipped(&gradient, Some(1.0))[2][0].is_finite());
        }
    }

    #[test]
    fn clipping_agrees_with_pytorch() {
        let golden: Golden = serde_json::from_str(include_str!("../../tests/golden/clipping.json")).unwrap();
        assert!((norm_of(&golden.gradient) / golden.norm - 1.0).abs() < 1e-6);
        for Clipped { largest_norm, gradient: expected } in &golden.clipped {
            let found = clipped(&golden.gradient, Some(*largest_norm));
            for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
                // PyTorch adds 1e-6 to the norm before it divides.
                assert!(
                    (found - expected).abs() <= 2e-6 * expected.abs(),
                    "{largest_norm}: {found}, {expected}"
                );
            }
        }
    }
}
