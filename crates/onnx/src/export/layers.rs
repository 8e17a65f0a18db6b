//! A model as a chain of layers, in the order of axes that ONNX and PyTorch share: images are channels x height x width.

use std::collections::HashMap;

use corevar::Model;
use corevar::linear::LinearModel;
use corevar::model::{CnnSpec, InputShape, ModelSpec, Scaling, Weight, WeightValues};
use corevar_conv::Padding;
use corevar_data::MissingRule;

use super::ExportError;

/// A model as a chain of layers.
#[derive(Debug)]
pub(super) struct Layers {
    /// Of the features that the first layer sees; a linear model takes them as they are.
    pub scaling: Option<Scaling>,
    /// From input to output.
    pub chain: Vec<Layer>,
}

/// One step of the chain.
#[derive(Debug)]
pub(super) enum Layer {
    /// A correlation, then leaky ReLU.
    Conv(Conv),
    /// Maps to one row of numbers: channels, height, width.
    Flatten,
    /// `x W + b`.
    Dense(Dense),
    /// `log(1 + exp(x))`
    Softplus,
}

/// A correlation of images with kernels, then leaky ReLU.
#[derive(Debug)]
pub(super) struct Conv {
    /// `[channels out, channels in, kernel, kernel]`
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
    pub channels: usize,
    pub kernel: usize,
    pub stride: usize,
    /// Zeros at top, bottom, left, right.
    pub padding: [usize; 4],
    /// Of values below zero.
    pub slope: f32,
}

/// `x W + b`
#[derive(Debug)]
pub(super) struct Dense {
    pub inputs: usize,
    /// `[inputs, outputs]`
    pub weight: WeightValues,
    pub bias: WeightValues,
}

impl Conv {
    /// Of the image that the kernel runs over.
    pub fn channels_in(&self) -> usize {
        self.weight.len() / (self.channels * self.kernel * self.kernel).max(1)
    }
}

impl Dense {
    pub fn outputs(&self) -> usize {
        self.bias.len()
    }

    pub fn is_double(&self) -> bool {
        matches!(self.bias, WeightValues::F64(_))
    }
}

impl Layers {
    pub fn of(model: &Model) -> Result<Self, ExportError> {
        refuse_preparation(model)?;
        if let Some(linear) = model.linear() {
            return Ok(Self { scaling: None, chain: vec![Layer::Dense(linear_layer(linear))] });
        }
        if model.scaling().is_some() && !matches!(model.input(), InputShape::Features(_)) {
            return Err(ExportError::UnknownModel { reason: "it has means and scales of pixels".into() });
        }
        let mut tensors = Tensors::of(model);
        let chain = match model.spec() {
            ModelSpec::Linear => tensors.mlp(0)?,
            ModelSpec::Mlp { hidden } => tensors.mlp(hidden.len())?,
            ModelSpec::Cnn(spec) => tensors.cnn(spec, model.input())?,
            other => {
                return Err(ExportError::UnknownModel {
                    reason: format!("it is of the kind {}", other.name()),
                });
            }
        };
        Ok(Self { scaling: model.scaling().cloned(), chain })
    }

    /// Whether images go in as channels x height x width; otherwise as one row of numbers, height x width x channels.
    pub fn takes_maps(&self) -> bool {
        matches!(self.chain.first(), Some(Layer::Conv(_) | Layer::Flatten))
    }

    /// Whether the outputs come in double precision.
    pub fn is_double(&self) -> bool {
        matches!(self.chain.last(), Some(Layer::Dense(dense)) if dense.is_double())
    }
}

/// What is done to the features of a row before the first layer sees them.
fn refuse_preparation(model: &Model) -> Result<(), ExportError> {
    let preparation = model.preparation();
    if let Some(transform) = &preparation.transform {
        let what = format!("its features are transformed with {transform}, which the file cannot hold");
        return Err(ExportError::Preparation { what });
    }
    match &preparation.missing {
        Some(MissingRule::Medians(_)) => {
            let what = "it fills missing numbers with medians, which the file cannot hold".into();
            Err(ExportError::Preparation { what })
        }
        _ => Ok(()),
    }
}

fn linear_layer(linear: &LinearModel) -> Dense {
    let rows = linear.logit_weights();
    let weight = (0..linear.columns()).flat_map(|column| rows.iter().map(move |row| row[column])).collect();
    Dense {
        inputs: linear.columns(),
        weight: WeightValues::F64(weight),
        bias: WeightValues::F64(linear.logit_intercepts()),
    }
}

/// The tensors of a network, by name; see [`Model::weights`].
struct Tensors(HashMap<String, Vec<f32>>);

impl Tensors {
    fn of(model: &Model) -> Self {
        let single = |Weight { name, values, .. }: Weight| match values {
            WeightValues::F32(values) => Some((name, values)),
            WeightValues::F64(_) => None,
        };
        Self(model.weights().into_iter().filter_map(single).collect())
    }

    fn take(&mut self, name: &str) -> Result<Vec<f32>, ExportError> {
        let found = self.0.remove(name).filter(|values| !values.is_empty());
        found.ok_or_else(|| ExportError::UnknownModel { reason: format!("it has no weights `{name}`") })
    }

    fn dense(&mut self, name: &str) -> Result<Dense, ExportError> {
        let (weight, bias) = (self.take(&format!("{name}.weight"))?, self.take(&format!("{name}.bias"))?);
        let inputs = weight.len() / bias.len();
        Ok(Dense { inputs, weight: WeightValues::F32(weight), bias: WeightValues::F32(bias) })
    }

    fn mlp(&mut self, hidden: usize) -> Result<Vec<Layer>, ExportError> {
        let mut chain = Vec::new();
        for place in 0..hidden {
            chain.push(Layer::Dense(self.dense(&format!("Mlp.hidden.{place}"))?));
            chain.push(Layer::Softplus);
        }
        chain.push(Layer::Dense(self.dense("Mlp.output")?));
        Ok(chain)
    }

    fn cnn(&mut self, spec: &CnnSpec, input: InputShape) -> Result<Vec<Layer>, ExportError> {
        let InputShape::Image { mut height, mut width, mut channels } = input else {
            return Err(ExportError::UnknownModel { reason: format!("it is a CNN on {input}") });
        };
        let (kernel, stride) = ([spec.kernel; 2], [spec.stride; 2]);
        let mut chain = Vec::new();
        for (place, &after) in spec.channels.iter().enumerate() {
            let weight = self.take(&format!("Cnn.layers.{place}.weight"))?;
            chain.push(Layer::Conv(Conv {
                weight: to_outputs_first(&weight, spec.kernel * spec.kernel, channels, after),
                bias: self.take(&format!("Cnn.layers.{place}.bias"))?,
                channels: after,
                kernel: spec.kernel,
                stride: spec.stride,
                padding: Padding::Same.amounts([height, width], kernel, stride),
                slope: spec.negative_slope,
            }));
            [height, width] = [height, width].map(|size| size.div_ceil(spec.stride));
            channels = after;
        }
        let mut output = self.dense("Cnn.output")?;
        if let WeightValues::F32(weight) = &output.weight {
            output.weight = WeightValues::F32(to_channels_first(weight, height * width, channels));
        }
        chain.extend([Layer::Flatten, Layer::Dense(output)]);
        Ok(chain)
    }
}

/// `[taps, channels in, channels out]` -> `[channels out, channels in, taps]`
fn to_outputs_first(weight: &[f32], taps: usize, inputs: usize, outputs: usize) -> Vec<f32> {
    let of_output = |output: usize| {
        (0..inputs).flat_map(move |input| {
            (0..taps).map(move |tap| weight[(tap * inputs + input) * outputs + output])
        })
    };
    (0..outputs).flat_map(of_output).collect()
}

/// Rows of a matrix from the order positions x channels to channels x positions.
fn to_channels_first(weight: &[f32], positions: usize, channels: usize) -> Vec<f32> {
    let outputs = weight.len() / (positions * channels).max(1);
    let rows = (0..channels).flat_map(|channel| (0..positions).map(move |place| place * channels + channel));
    rows.flat_map(|row| &weight[row * outputs..(row + 1) * outputs]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_change_places() {
        // Two taps, two channels in, three out: tap, channel in and channel out are the digits.
        let weight = [0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112].map(|n| n as f32);
        let turned = [0, 100, 10, 110, 1, 101, 11, 111, 2, 102, 12, 112].map(|n| n as f32);
        assert_eq!(to_outputs_first(&weight, 2, 2, 3), turned);
        // Two positions, three channels, two outputs.
        let weight = [0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121].map(|n| n as f32);
        let turned = [0, 1, 100, 101, 10, 11, 110, 111, 20, 21, 120, 121].map(|n| n as f32);
        assert_eq!(to_channels_first(&weight, 2, 3), turned);
    }
}
