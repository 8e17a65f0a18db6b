//! The operation through Burn.

use burn::tensor::{Device, Distribution, Tensor, TensorData};

use crate::{ConvOptions, Padding, conv2d_leaky_relu, has_kernel, plain};

/// Output and the three gradients of `sum(y * direction)`.
fn with_gradients(
    operation: fn(Tensor<4>, Tensor<4>, Tensor<1>, ConvOptions) -> Tensor<4>,
    (x, weight, bias): (Tensor<4>, Tensor<4>, Tensor<1>),
    options: ConvOptions,
) -> [TensorData; 4] {
    let (x, weight, bias) = (x.require_grad(), weight.require_grad(), bias.require_grad());
    let y = operation(x.clone(), weight.clone(), bias.clone(), options);
    let direction = Tensor::<1, burn::tensor::Int>::arange(0..y.shape().num_elements() as i64, &y.device());
    let direction = direction.float().sin().reshape(y.shape());
    let gradients = (y.clone() * direction).sum().backward();
    [
        y.into_data(),
        x.grad(&gradients).unwrap().into_data(),
        weight.grad(&gradients).unwrap().into_data(),
        bias.grad(&gradients).unwrap().into_data(),
    ]
}

fn random_inputs(x: [usize; 4], kernel: [usize; 2], channels: usize) -> (Tensor<4>, Tensor<4>, Tensor<1>) {
    let device = Device::flex().autodiff();
    let range = Distribution::Uniform(-1.0, 1.0);
    (
        Tensor::random(x, range, &device),
        Tensor::random([kernel[0], kernel[1], x[3], channels], range, &device),
        Tensor::random([channels], range, &device),
    )
}

fn assert_close(found: &TensorData, expected: &TensorData, tolerance: f32) {
    assert_eq!(found.shape(), expected.shape());
    let pairs = found.iter::<f32>().zip(expected.iter::<f32>());
    let worst = pairs.fold(0.0f32, |worst, (f, e)| worst.max((f - e).abs() / (1.0 + e.abs())));
    assert!(worst <= tolerance, "off by {worst}");
}

#[test]
fn agrees_with_burns_own_operations() {
    let explicit = Padding::Explicit { top: 0, bottom: 2, left: 3, right: 1 };
    for (x, kernel, channels, stride, padding, slope) in [
        ([7, 16, 12, 3], [5, 5], 16, [2, 2], Padding::Same, 0.2),
        ([3, 9, 8, 17], [3, 2], 20, [1, 2], Padding::Valid, 0.0),
        ([2, 6, 5, 4], [2, 4], 5, [3, 1], explicit, 1.0),
    ] {
        let inputs = random_inputs(x, kernel, channels);
        let options = ConvOptions { stride, padding, slope };
        let found = with_gradients(conv2d_leaky_relu, inputs.clone(), options);
        let expected = with_gradients(plain::conv2d_leaky_relu, inputs, options);
        for (found, expected) in found.iter().zip(&expected) {
            assert_close(found, expected, 1e-4);
        }
    }
}

#[test]
fn derivative_at_zero_is_that_of_burn() {
    let device = Device::flex().autodiff();
    for slope in [0.0, 0.2, 1.0] {
        let options = ConvOptions { slope, ..Default::default() };
        let inputs = || {
            let x = Tensor::<4>::from_floats([[[[-1.0], [0.0], [1.0]]]], &device);
            (x, Tensor::<4>::ones([1, 1, 1, 1], &device), Tensor::<1>::zeros([1], &device))
        };
        let found = with_gradients(conv2d_leaky_relu, inputs(), options);
        let expected = with_gradients(plain::conv2d_leaky_relu, inputs(), options);
        assert_eq!(found, expected, "slope {slope}");
    }
}

/// `(f(w + h) - f(w - h)) / 2h` for some weights, pixels and biases.
/// Without an activation: a step over a kink of the ReLU has no slope to compare with.
#[test]
fn agrees_with_finite_differences() {
    let options = ConvOptions { stride: [2, 1], padding: Padding::Same, slope: 1.0 };
    let inputs = random_inputs([2, 5, 4, 3], [3, 3], 4);
    let [_, dx, dw, db] = with_gradients(conv2d_leaky_relu, inputs.clone(), options);
    let (x, weight, bias) = inputs;
    let value = |x: &Tensor<4>, weight: &Tensor<4>, bias: &Tensor<1>| {
        let y = conv2d_leaky_relu(x.clone(), weight.clone(), bias.clone(), options);
        y.into_data()
            .iter::<f32>()
            .enumerate()
            .map(|(i, y)| f64::from(y) * (i as f32).sin() as f64)
            .sum::<f64>()
    };
    let step = 1e-2f32;
    let check = |found: &TensorData, moved: &dyn Fn(usize, f32) -> f64| {
        for (i, found) in found.iter::<f32>().enumerate() {
            let slope = (moved(i, step) - moved(i, -step)) / (2.0 * f64::from(step));
            assert!((slope - f64::from(found)).abs() < 1e-2, "{slope}, found {found}");
        }
    };
    check(&dx, &|i, step| value(&moved(&x, i, step), &weight, &bias));
    check(&dw, &|i, step| value(&x, &moved(&weight, i, step), &bias));
    check(&db, &|i, step| value(&x, &weight, &moved(&bias, i, step)));
}

fn moved<const D: usize>(tensor: &Tensor<D>, index: usize, step: f32) -> Tensor<D> {
    let mut values: Vec<f32> = tensor.to_data().iter::<f32>().collect();
    values[index] += step;
    Tensor::from_data(TensorData::new(values, tensor.shape()), &tensor.device())
}

#[test]
fn tensors_that_are_not_contiguous() {
    let options = ConvOptions { stride: [2, 2], padding: Padding::Same, slope: 0.2 };
    let (x, weight, bias) = random_inputs([4, 6, 5, 3], [3, 3], 8);
    let expected = with_gradients(conv2d_leaky_relu, (x.clone(), weight.clone(), bias.clone()), options);
    let permuted = x.clone().permute([0, 3, 1, 2]).into_data();
    let permuted = Tensor::<4>::from_data(permuted, &x.device()).permute([0, 2, 3, 1]);
    let sliced = Tensor::cat(vec![x.clone(), x], 0).slice([2..6, 0..6, 0..5, 0..3]);
    let found = with_gradients(conv2d_leaky_relu, (permuted, weight.clone(), bias.clone()), options);
    assert_eq!(found, expected);
    // Rows 2, 3, 0, 1 of x.
    let y = conv2d_leaky_relu(sliced, weight, bias, options).slice([2..4, 0..3, 0..3, 0..8]);
    let all = Tensor::<4>::from_data(expected[0].clone(), &Device::flex()).slice([0..2, 0..3, 0..3, 0..8]);
    assert_eq!(y.into_data(), all.into_data());
}

#[test]
fn data_without_autodiff_meets_weights_with() {
    let options = ConvOptions { slope: 0.2, ..Default::default() };
    let (x, weight, bias) = random_inputs([2, 4, 4, 1], [3, 3], 2);
    let weight = weight.require_grad();
    let y = conv2d_leaky_relu(x.inner(), weight.clone(), bias.clone(), options);
    let gradients = y.sum().backward();
    assert!(weight.grad(&gradients).is_some());
    assert!(bias.grad(&gradients).is_none());
}

#[test]
fn gradient_checkpointing_changes_nothing() {
    let options = ConvOptions { stride: [2, 2], padding: Padding::Same, slope: 0.2 };
    let inputs = random_inputs([3, 6, 5, 4], [3, 3], 8);
    let checkpointing = Device::flex().autodiff().gradient_checkpointing();
    let again = (
        Tensor::from_data(inputs.0.to_data(), &checkpointing),
        Tensor::from_data(inputs.1.to_data(), &checkpointing),
        Tensor::from_data(inputs.2.to_data(), &checkpointing),
    );
    // A product before the convolution is cheap, so that checkpointing computes it again.
    let operation = |x: Tensor<4>, weight: Tensor<4>, bias, options| {
        conv2d_leaky_relu(x * 2.0, weight * 0.5, bias, options)
    };
    assert_eq!(with_gradients(operation, again, options), with_gradients(operation, inputs, options));
}

#[test]
fn other_types_have_no_kernel_but_work() {
    let (x, weight, bias) = random_inputs([2, 4, 4, 1], [3, 3], 2);
    let options = ConvOptions { slope: 0.2, ..Default::default() };
    let expected = conv2d_leaky_relu(x.clone(), weight.clone(), bias.clone(), options);
    let double = burn::tensor::DType::F64;
    let (x, weight, bias) = (x.cast(double), weight.cast(double), bias.cast(double));
    assert!(!has_kernel(&x, [weight.dtype(), bias.dtype()]));
    let y = conv2d_leaky_relu(x, weight, bias, options);
    assert_eq!(y.dtype(), double);
    assert_close(&y.into_data().convert::<f32>(), &expected.into_data(), 1e-5);
}

#[test]
#[should_panic(expected = "bias has 3 values")]
fn bias_that_does_not_fit() {
    let (x, weight, _) = random_inputs([2, 4, 4, 1], [3, 3], 2);
    let bias = Tensor::zeros([3], &x.device());
    conv2d_leaky_relu(x, weight, bias, ConvOptions::default());
}
