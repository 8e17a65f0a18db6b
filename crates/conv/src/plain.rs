//! The same operation out of Burn's own operations, for devices that have no kernel here.

use burn::tensor::{
    Tensor,
    activation::{leaky_relu, relu},
    module::conv2d,
    ops::ConvOptions as BurnConvOptions,
};

use crate::ConvOptions;

/// [`conv2d_leaky_relu`](crate::conv2d_leaky_relu) with Burn's convolution, on any device.
pub fn conv2d_leaky_relu(
    x: Tensor<4>,
    weight: Tensor<4>,
    bias: Tensor<1>,
    options: ConvOptions,
) -> Tensor<4> {
    let [_, height, width, _] = x.dims();
    let [kernel_h, kernel_w, _, _] = weight.dims();
    let [top, bottom, left, right] =
        options.padding.amounts([height, width], [kernel_h, kernel_w], options.stride);
    let x = x.permute([0, 3, 1, 2]).pad((left, right, top, bottom), 0.0);
    let weight = weight.permute([3, 2, 0, 1]);
    let y = conv2d(x, weight, Some(bias), BurnConvOptions::new(options.stride, [0, 0], [1, 1], 1));
    activation(y, options.slope).permute([0, 2, 3, 1])
}

fn activation(y: Tensor<4>, slope: f32) -> Tensor<4> {
    match slope {
        0.0 => relu(y),
        1.0 => y,
        slope => leaky_relu(y, f64::from(slope)),
    }
}
