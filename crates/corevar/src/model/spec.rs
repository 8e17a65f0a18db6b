//! A model before it has weights.

use burn::tensor::Device;
use corevar_data::{Dataset, ImageShape, Inputs};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Cnn, CnnSpec, Mlp, Network};

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
    /// Of each row of the data.
    pub fn of(dataset: &Dataset) -> Self {
        match dataset.inputs() {
            Inputs::Features(features) => Self::Features(features.names.len()),
            Inputs::Images(images) => {
                let ImageShape { height, width, channels } = images.shape;
                Self::Image { height, width, channels }
            }
        }
    }

    /// Numbers per row.
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

/// Weights and biases of dense layers between these sizes.
pub(super) fn dense_parameters(sizes: &[usize]) -> Option<usize> {
    sizes.windows(2).try_fold(0usize, |sum, pair| {
        let weights = pair[0].checked_mul(pair[1])?;
        sum.checked_add(weights)?.checked_add(pair[1])
    })
}

impl std::fmt::Display for InputShape {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Features(count) => write!(f, "{count} features"),
            Self::Image { height, width, channels } => write!(f, "images of {height}x{width}x{channels}"),
        }
    }
}
