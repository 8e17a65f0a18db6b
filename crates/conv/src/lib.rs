//! Convolution, bias and leaky ReLU as one fast CPU operation for [Burn](https://burn.dev).
//!
//! [`conv2d_leaky_relu`] is differentiable and works on every device. On Burn's CPU backend (Flex) it has kernels of
//! its own, forward and backward; elsewhere it is made of Burn's operations. Images hold their channels last,
//! `[rows, height, width, channels]`: the values under a row of the kernel then lie side by side, and are read where
//! they are.
//!
//! The kernels use AVX2 and FMA where the processor has them, and rayon's current thread pool. Results do not depend
//! on the number of threads, bit for bit.

mod extension;
mod kernel;
#[cfg(test)]
mod naive;
mod plain;
mod shape;
#[cfg(test)]
mod tests;

use burn::backend::{Dispatch, DispatchDevice};
use burn::tensor::{DType, Tensor};

use extension::FusedConvolution;
use shape::Geometry;
pub use shape::{ConvOptions, Padding};

/// Convolution, bias and leaky ReLU of images that hold their channels last:
///
/// `y[n, i, j, o] = f(bias[o] + Σ_{k, l, c} x[n, i * stride - top + k, j * stride - left + l, c] * weight[k, l, c, o])`
///
/// with `f(v) = v` for positive and `slope * v` for negative values. Pixels outside the image count as zero.
///
/// The derivative of f at 0 follows Burn: 1, but 0 for the slope 0, which is ReLU. NaN passes through f with
/// derivative 1. No gradient is computed for an input that needs none, and nothing is kept when none needs one.
///
/// On the Flex backend with `f32`, this is one operation. On other devices and types it is Burn's convolution and
/// activation.
///
/// # Shapes
/// - x `[rows, height, width, channels_in]`
/// - weight `[kernel_h, kernel_w, channels_in, channels_out]`
/// - bias `[channels_out]`
/// - output `[rows, out_h, out_w, channels_out]`, see [`ConvOptions::output_size`]
///
/// # Panics
/// When the shapes do not fit each other, a size other than `rows` is 0, the kernel is larger than the padded image,
/// or the slope is negative or not finite.
///
/// # Example
/// ```
/// use burn::tensor::{Device, Tensor};
/// use corevar_conv::{ConvOptions, Padding, conv2d_leaky_relu};
///
/// let device = Device::flex().autodiff();
/// let x = Tensor::<4>::ones([1, 4, 4, 1], &device);
/// let weight = Tensor::<4>::ones([3, 3, 1, 2], &device).require_grad();
/// let bias = Tensor::<1>::from_floats([0.0, -9.0], &device);
/// let options = ConvOptions { stride: [2, 2], padding: Padding::Same, slope: 0.5 };
///
/// let y = conv2d_leaky_relu(x, weight.clone(), bias, options);
/// assert_eq!(y.dims(), [1, 2, 2, 2]);
/// // The kernel sees 9, 6, 6 and 4 ones. With a bias of -9 the last three are negative, and halved.
/// let expected = [9.0, 0.0, 6.0, -1.5, 6.0, -1.5, 4.0, -2.5];
/// assert_eq!(y.to_data().to_vec::<f32>().unwrap(), expected);
///
/// let gradients = y.sum().backward();
/// assert_eq!(weight.grad(&gradients).unwrap().dims(), [3, 3, 1, 2]);
/// ```
pub fn conv2d_leaky_relu(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    options: ConvOptions,
) -> Tensor<4> {
    Geometry::new(x.dims(), weight.dims(), bias.dims()[0], &options);
    if !has_kernel(&x, [weight.dtype(), bias.dtype()]) {
        return plain::conv2d_leaky_relu(x, weight, bias, options);
    }
    let inputs = [x.into_dispatch(), weight.into_dispatch(), bias.into_dispatch()];
    let [x, weight, bias] = inputs;
    Tensor::from_dispatch(Dispatch::fused_convolution(x, weight, bias, options))
}

/// Whether the tensors are where the kernels are, and of their type.
fn has_kernel(x: &Tensor<4>, other_types: [DType; 2]) -> bool {
    let device = x.device().without_autodiff();
    matches!(device.as_dispatch(), DispatchDevice::Flex(_))
        && x.dtype() == DType::F32
        && other_types == [DType::F32; 2]
}
