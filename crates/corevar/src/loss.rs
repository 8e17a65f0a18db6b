//! The loss of each row.

use burn::tensor::activation::log_softmax;
use burn::tensor::{Int, Tensor};

/// Cross-entropy of each row, `-log softmax(f(x_i))_{y_i}`.
/// # Shapes
/// logits `[rows, classes]`, labels `[rows]` -> `[rows]`
pub fn cross_entropy(logits: Tensor<2>, labels: Tensor<1, Int>) -> Tensor<1> {
    log_softmax(logits, 1).gather(1, labels.unsqueeze_dim(1)).squeeze_dim::<1>(1).neg()
}

/// Squared loss of each row, `(y_i - f(x_i))²`.
/// # Shapes
/// predictions `[rows, 1]`, targets `[rows]` -> `[rows]`
pub fn squared(predictions: Tensor<2>, targets: Tensor<1>) -> Tensor<1> {
    (predictions.squeeze_dim::<1>(1) - targets).square()
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::tensor::Device;

    #[test]
    fn cross_entropy_of_even_logits_is_log_classes() {
        let device = Device::flex();
        let losses = cross_entropy(Tensor::zeros([1, 4], &device), Tensor::from_data([2], &device));
        assert!((losses.into_scalar::<f32>() - 4f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn cross_entropy_of_huge_logits_is_finite() {
        let device = Device::flex();
        let logits = Tensor::from_data([[1000.0, 0.0]], &device);
        assert_eq!(cross_entropy(logits, Tensor::from_data([1], &device)).into_scalar::<f32>(), 1000.0);
    }

    #[test]
    fn squared_loss_is_the_squared_difference() {
        let device = Device::flex();
        let losses =
            squared(Tensor::from_data([[3.0], [1.0]], &device), Tensor::from_data([1.0, 1.0], &device));
        assert_eq!(losses.into_data().try_to_vec::<f32>().unwrap(), [4.0, 0.0]);
    }
}
