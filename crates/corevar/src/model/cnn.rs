use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::{Device, Tensor};
use corevar_conv::{ConvOptions, Padding, conv2d_leaky_relu};
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::InputShape;
use super::init::{dense, glorot, zeros};
use super::spec::dense_parameters;

/// Convolutions of one kernel, stride and activation; a dense layer last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CnnSpec {
    /// Output channels of each convolution.
    pub channels: Vec<usize>,
    /// Side of the square kernel.
    pub kernel: usize,
    /// Step of the kernel, both ways.
    pub stride: usize,
    /// Slope of the leaky ReLU below zero; 0 is ReLU.
    pub negative_slope: f32,
}

impl Default for CnnSpec {
    /// The paper's network for faces and stickmen.
    fn default() -> Self {
        Self { channels: vec![16, 32, 64, 128], kernel: 5, stride: 2, negative_slope: 0.2 }
    }
}

impl CnnSpec {
    /// Pixels along a side after all convolutions: SAME padding leaves `ceil(size / stride)` of each.
    fn shrink(&self, size: usize) -> usize {
        self.channels.iter().fold(size, |size, _| size.div_ceil(self.stride))
    }

    /// Numbers that the dense layer takes.
    fn flat(&self, height: usize, width: usize, channels: usize) -> Option<usize> {
        let last = self.channels.last().copied().unwrap_or(channels);
        self.shrink(height).checked_mul(self.shrink(width))?.checked_mul(last)
    }

    /// See [`super::ModelSpec::hidden_width`].
    pub(super) fn hidden_width(&self, input: InputShape) -> Option<usize> {
        let InputShape::Image { height, width, channels } = input else { return None };
        if self.stride == 0 { None } else { self.flat(height, width, channels) }
    }

    /// See [`super::ModelSpec::largest_map`]. The edge of zeros around a map is part of it, and so is what fills it up to whole strides:
    /// training cuts a map into `stride x stride` smaller ones.
    pub(super) fn largest_map(&self, input: InputShape) -> Option<usize> {
        let InputShape::Image { mut height, mut width, channels } = input else { return None };
        let mut largest = input.checked_len()?;
        let mut before = channels;
        for &after in &self.channels {
            let padded =
                |size: usize| size.checked_add(self.kernel)?.checked_next_multiple_of(self.stride.max(1));
            let padded = padded(height)?.checked_mul(padded(width)?)?;
            [height, width] = [height, width].map(|size| size.div_ceil(self.stride.max(1)));
            let map = height.checked_mul(width)?.checked_mul(after)?;
            largest = largest.max(map).max(padded.checked_mul(before)?);
            before = after;
        }
        Some(largest)
    }

    /// See [`super::ModelSpec::parameters`].
    pub(super) fn parameters(&self, input: InputShape, outputs: usize) -> Option<usize> {
        let InputShape::Image { height, width, channels } = input else { return None };
        if self.stride == 0 {
            return None;
        }
        let area = self.kernel.checked_mul(self.kernel)?;
        let mut sum = dense_parameters(&[self.flat(height, width, channels)?, outputs])?;
        let mut before = channels;
        for &after in &self.channels {
            sum = sum.checked_add(dense_parameters(&[area.checked_mul(before)?, after])?)?;
            before = after;
        }
        Some(sum)
    }
}

/// Convolutions with SAME padding and leaky ReLU, then one dense layer.
#[derive(Module, Debug)]
pub struct Cnn {
    layers: Vec<ConvLayer>,
    output: Linear,
    #[module(skip)]
    input: [usize; 3],
}

#[derive(Module, Debug)]
struct ConvLayer {
    /// `[kernel, kernel, channels in, channels out]`
    weight: Param<Tensor<4>>,
    bias: Param<Tensor<1>>,
    #[module(skip)]
    stride: usize,
    #[module(skip)]
    negative_slope: f32,
}

impl ConvLayer {
    fn init(
        rng: &mut ChaCha8Rng,
        channels_in: usize,
        channels_out: usize,
        spec: &CnnSpec,
        device: &Device,
    ) -> Self {
        let area = spec.kernel * spec.kernel;
        let shape = [spec.kernel, spec.kernel, channels_in, channels_out];
        Self {
            weight: glorot(rng, shape, [area * channels_in, area * channels_out], device),
            bias: zeros(channels_out, device),
            stride: spec.stride,
            negative_slope: spec.negative_slope,
        }
    }

    fn forward(&self, x: Tensor<4>) -> Tensor<4> {
        let options =
            ConvOptions { stride: [self.stride; 2], padding: Padding::Same, slope: self.negative_slope };
        conv2d_leaky_relu(x, self.weight.val(), self.bias.val(), options)
    }
}

impl Cnn {
    /// # Panics
    /// When the input is not an image.
    pub(super) fn init(
        rng: &mut ChaCha8Rng,
        input: InputShape,
        spec: &CnnSpec,
        outputs: usize,
        device: &Device,
    ) -> Self {
        let InputShape::Image { height, width, channels } = input else {
            panic!("a CNN needs images");
        };
        let mut before = channels;
        let mut layers = Vec::new();
        for &after in &spec.channels {
            layers.push(ConvLayer::init(rng, before, after, spec, device));
            before = after;
        }
        let flat = spec.flat(height, width, channels).expect("a picture that fits memory");
        Self { layers, output: dense(rng, flat, outputs, device), input: [height, width, channels] }
    }

    /// # Shapes
    /// inputs `[rows, height x width x channels]` -> `[rows, outputs]`
    pub fn forward(&self, inputs: Tensor<2>) -> Tensor<2> {
        self.output.forward(self.features(inputs))
    }

    /// What the dense layer sees: the outputs of the last convolution.
    /// # Shapes
    /// inputs `[rows, height x width x channels]` -> `[rows, features]`
    pub fn features(&self, inputs: Tensor<2>) -> Tensor<2> {
        let rows = inputs.dims()[0];
        let [height, width, channels] = self.input;
        let pictures = inputs.reshape([rows, height, width, channels]);
        let maps = self.layers.iter().fold(pictures, |x, layer| layer.forward(x));
        maps.flatten(1, 3)
    }
}
