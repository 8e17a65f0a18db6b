//! Models: linear, multi-layer perceptron, convolutional network, as Burn modules.

mod cnn;
mod init;
mod mlp;

use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Device, Tensor};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::linear::LinearModel;

pub use cnn::{Cnn, CnnSpec};
pub use mlp::Mlp;

/// What the model sees of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputShape {
    /// So many numbers.
    Features(usize),
    /// A picture.
    Image {
        /// Rows of pixels.
        height: usize,
        /// Columns of pixels.
        width: usize,
        /// 1 for grey, 3 for RGB.
        channels: usize,
    },
}

impl InputShape {
    /// Numbers a row.
    pub fn len(self) -> usize {
        match self {
            Self::Features(count) => count,
            Self::Image { height, width, channels } => height * width * channels,
        }
    }

    /// As [`InputShape::len`], None instead of an overflow.
    pub(crate) fn checked_len(self) -> Option<usize> {
        match self {
            Self::Features(count) => Some(count),
            Self::Image { height, width, channels } => height.checked_mul(width)?.checked_mul(channels),
        }
    }

    /// True when there is nothing to see.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// A model before it has weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum ModelSpec {
    /// Multinomial logistic (or linear) regression, solved exactly: see [`crate::linear`].
    Linear,
    /// Dense layers with softplus between them.
    Mlp {
        /// Width of each hidden layer.
        hidden: Vec<usize>,
    },
    /// Convolutions, then one dense layer.
    Cnn(CnnSpec),
}

impl ModelSpec {
    /// `linear`, `mlp` or `cnn`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Mlp { .. } => "mlp",
            Self::Cnn(_) => "cnn",
        }
    }

    /// Number of weights and biases; None when that is more than a `usize` holds or the input does not fit.
    pub fn parameters(&self, input: InputShape, outputs: usize) -> Option<usize> {
        match self {
            Self::Linear => dense_parameters(&[input.checked_len()?, outputs]),
            Self::Mlp { hidden } => {
                let sizes = [&[input.checked_len()?], hidden.as_slice(), &[outputs]].concat();
                dense_parameters(&sizes)
            }
            Self::Cnn(spec) => spec.parameters(input, outputs),
        }
    }

    /// Numbers of the largest map that a row becomes on its way; None when that is more than a `usize` holds.
    pub(crate) fn largest_map(&self, input: InputShape) -> Option<usize> {
        match self {
            Self::Linear => input.checked_len(),
            Self::Mlp { hidden } => hidden.iter().copied().chain([input.checked_len()?]).max(),
            Self::Cnn(spec) => spec.largest_map(input),
        }
    }

    /// The network with Glorot-uniform weights and zero biases, drawn from `seed` and nothing else.
    ///
    /// # Panics
    /// For a CNN on features: [`crate::train::TrainConfig`] refuses that before.
    pub fn init(&self, input: InputShape, outputs: usize, seed: u64, device: &Device) -> Network {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        match self {
            Self::Linear => Network::Mlp(Mlp::init(&mut rng, input.len(), &[], outputs, device)),
            Self::Mlp { hidden } => Network::Mlp(Mlp::init(&mut rng, input.len(), hidden, outputs, device)),
            Self::Cnn(spec) => Network::Cnn(Cnn::init(&mut rng, input, spec, outputs, device)),
        }
    }
}

/// What says something about a row: a network, or the linear model, which has numbers of twice the length.
#[derive(Debug, Clone)]
pub enum Predictor {
    /// On a device without autodiff.
    Network(Network),
    /// From the exact solver.
    Linear(LinearModel),
}

/// A network with weights.
#[derive(Module, Debug)]
pub enum Network {
    /// Dense layers with softplus between them; one alone is a linear model.
    Mlp(Mlp),
    /// Convolutions, then one dense layer.
    Cnn(Cnn),
}

impl Network {
    /// Logits, or the prediction in one column for regression.
    /// # Shapes
    /// inputs `[rows, numbers a row]`, pictures as height x width x channels -> `[rows, outputs]`
    pub fn forward(&self, inputs: Tensor<2>) -> Tensor<2> {
        match self {
            Self::Mlp(mlp) => mlp.forward(inputs),
            Self::Cnn(cnn) => cnn.forward(inputs),
        }
    }

    /// `1/2 |weights|²`, biases left out.
    pub fn half_squared_weights(&self) -> f64 {
        struct Sum(f64);
        impl ModuleVisitor for Sum {
            fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
                if is_weight::<D>() {
                    self.0 += 0.5 * f64::from(param.val().inner().square().sum().into_scalar::<f32>());
                }
            }
        }
        let mut sum = Sum(0.0);
        self.visit(&mut sum);
        sum.0
    }
}

/// Weights and biases of dense layers between these sizes.
fn dense_parameters(sizes: &[usize]) -> Option<usize> {
    sizes.windows(2).try_fold(0usize, |sum, pair| {
        let weights = pair[0].checked_mul(pair[1])?;
        sum.checked_add(weights)?.checked_add(pair[1])
    })
}

/// In the models here a bias is a vector and a weight is not.
pub(crate) const fn is_weight<const D: usize>() -> bool {
    D > 1
}
