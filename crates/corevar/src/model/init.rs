//! Weights drawn from the run's own generator.

use burn::module::Param;
use burn::nn::Linear;
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use rand_distr::StandardNormal;

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

/// He-normal: `N(0, 2 / fan_in)`.
fn he(rng: &mut ChaCha8Rng, fan_in: usize, outputs: usize, device: &Device) -> Param<Tensor<2>> {
    let sd = (2.0 / fan_in as f32).sqrt();
    let values: Vec<f32> =
        (0..fan_in * outputs).map(|_| sd * rng.sample::<f32, _>(StandardNormal)).collect();
    Param::from_data(TensorData::new(values, [fan_in, outputs]), device)
}

/// A zero bias.
pub(super) fn zeros(length: usize, device: &Device) -> Param<Tensor<1>> {
    Param::from_data(TensorData::zeros::<f32, _>([length]), device)
}

/// A dense layer before an activation.
pub(super) fn hidden(rng: &mut ChaCha8Rng, inputs: usize, outputs: usize, device: &Device) -> Linear {
    Linear { weight: he(rng, inputs, outputs, device), bias: Some(zeros(outputs, device)) }
}

/// The last dense layer.
pub(super) fn dense(rng: &mut ChaCha8Rng, inputs: usize, outputs: usize, device: &Device) -> Linear {
    Linear {
        weight: glorot(rng, [inputs, outputs], [inputs, outputs], device),
        bias: Some(zeros(outputs, device)),
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Golden {
        shares: Vec<f64>,
        layers: Vec<Layer>,
    }

    #[derive(Deserialize)]
    struct Layer {
        inputs: usize,
        outputs: usize,
        variance: f64,
        kurtosis: f64,
        quantiles: Vec<f64>,
    }

    /// PyTorch's `kaiming_normal_` (`tests/golden/start.json`, made by `scripts/golden/start.py`).
    #[test]
    fn hidden_layers_start_as_those_of_pytorch() {
        let golden: Golden = serde_json::from_str(include_str!("../../tests/golden/start.json")).unwrap();
        let device = Device::flex();
        for layer in &golden.layers {
            let mut rng = ChaCha8Rng::seed_from_u64(0);
            let draws = 400_000_usize.div_ceil(layer.inputs * layer.outputs);
            let mut weights: Vec<f64> = Vec::new();
            for _ in 0..draws {
                let drawn = hidden(&mut rng, layer.inputs, layer.outputs, &device);
                assert_eq!(drawn.weight.val().dims(), [layer.inputs, layer.outputs]);
                assert!(drawn.bias.unwrap().val().into_data().iter::<f32>().all(|bias| bias == 0.0));
                weights.extend(drawn.weight.val().into_data().iter::<f32>().map(f64::from));
            }
            weights.sort_unstable_by(f64::total_cmp);
            let mean = |power: i32| weights.iter().map(|w| w.powi(power)).sum::<f64>() / weights.len() as f64;
            let (variance, count) = (mean(2), weights.len() as f64);
            assert!((variance / layer.variance - 1.0).abs() < 0.01, "{variance}, {}", layer.variance);
            assert!((variance * layer.inputs as f64 - 2.0).abs() < 0.02);
            assert!((mean(4) / variance.powi(2) - 3.0 - layer.kurtosis).abs() < 0.05);
            for (share, quantile) in golden.shares.iter().zip(&layer.quantiles) {
                let found = weights[(share * count) as usize] / variance.sqrt();
                assert!((found - quantile).abs() < 0.03, "{share}: {found}, {quantile}");
            }
        }
    }
}
