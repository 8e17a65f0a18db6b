//! Weights drawn from the run's own generator.

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// Glorot-uniform: `U(-a, a)` with `a = sqrt(6 / (fan_in + fan_out))`.
pub(super) fn glorot<const D: usize>(
    rng: &mut ChaCha8Rng,
    shape: [usize; D],
    [fan_in, fan_out]: [usize; 2],
    device: &Device,
) -> Param<Tensor<D>> {
    let limit = (6.0 / (fan_in + fan_out) as f32).sqrt();
    let values: Vec<f32> = (0..shape.iter().product()).map(|_| rng.random_range(-limit..limit)).collect();
    Param::from_data(TensorData::new(values, shape), device)
}

/// A zero bias.
pub(super) fn zeros(length: usize, device: &Device) -> Param<Tensor<1>> {
    Param::from_data(TensorData::zeros::<f32, _>([length]), device)
}

/// A dense layer.
pub(super) fn dense(rng: &mut ChaCha8Rng, inputs: usize, outputs: usize, device: &Device) -> Linear {
    Linear {
        weight: glorot(rng, [inputs, outputs], [inputs, outputs], device),
        bias: Some(zeros(outputs, device)),
    }
}
