//! A model before it has weights.

use burn::tensor::Device;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Cnn, CnnSpec, Mlp, Network};
use crate::range::{self, ConfigError};
use crate::rows::InputShape;

/// A model before it has weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
#[non_exhaustive]
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

/// A model without its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ModelKind {
    /// [`ModelSpec::Linear`]
    Linear,
    /// [`ModelSpec::Mlp`]
    Mlp,
    /// [`ModelSpec::Cnn`]
    Cnn,
}

impl ModelKind {
    /// The model with its usual sizes, those of the paper.
    pub fn spec(self) -> ModelSpec {
        match self {
            Self::Linear => ModelSpec::Linear,
            Self::Mlp => ModelSpec::Mlp { hidden: vec![500, 500] },
            Self::Cnn => ModelSpec::Cnn(CnnSpec::default()),
        }
    }
}

impl ModelSpec {
    /// The model without its sizes.
    pub fn kind(&self) -> ModelKind {
        match self {
            Self::Linear => ModelKind::Linear,
            Self::Mlp { .. } => ModelKind::Mlp,
            Self::Cnn(_) => ModelKind::Cnn,
        }
    }

    /// The usual model: a CNN for pictures, a linear one for features.
    pub fn usual(input: InputShape) -> Self {
        match input {
            InputShape::Image { .. } => Self::Cnn(Default::default()),
            InputShape::Features(_) => Self::Linear,
        }
    }

    /// `linear`, `mlp` or `cnn`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Mlp { .. } => "mlp",
            Self::Cnn(_) => "cnn",
        }
    }

    /// Refuses sizes that make no sense.
    pub fn check(&self) -> Result<(), ConfigError> {
        match self {
            Self::Linear => Ok(()),
            Self::Mlp { hidden } => range::AT_LEAST_1.check_all("hidden", hidden),
            Self::Cnn(CnnSpec { channels, kernel, stride, negative_slope }) => {
                range::AT_LEAST_1.check_all("channels", channels)?;
                range::AT_LEAST_1.check_all("kernel", &[*kernel])?;
                range::AT_LEAST_1.check_all("stride", &[*stride])?;
                // As the user typed it, not as a double writes an f32.
                let slope = negative_slope.to_string().parse().unwrap_or(f64::NAN);
                range::SLOPE.check("negative_slope", slope)
            }
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

    /// Numbers that the last layer sees of a row; None when that is more than a `usize` holds or the input does not fit.
    pub(crate) fn hidden_width(&self, input: InputShape) -> Option<usize> {
        match self {
            Self::Linear => input.checked_len(),
            Self::Mlp { hidden } => hidden.last().copied().or(input.checked_len()),
            Self::Cnn(spec) => spec.hidden_width(input),
        }
    }

    /// Counts up when the same settings and seed begin from other weights than before. Records of an earlier edition are of other
    /// models.
    pub fn edition(&self) -> u32 {
        match self {
            Self::Mlp { hidden } if !hidden.is_empty() => 2,
            Self::Mlp { .. } | Self::Linear | Self::Cnn(_) => 1,
        }
    }

    /// The network with zero biases and random weights, drawn from `seed` and nothing else: He-normal in the hidden layers of an
    /// MLP, Glorot-uniform elsewhere.
    ///
    /// # Panics
    /// For a CNN on features: [`crate::train::TrainConfig`] refuses that before.
    pub(crate) fn init(&self, input: InputShape, outputs: usize, seed: u64, device: &Device) -> Network {
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
