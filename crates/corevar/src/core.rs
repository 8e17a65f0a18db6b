//! The estimator in a few words.

use burn::tensor::Device;
use corevar_data::{BySplit, Dataset, Split, Tip};

use crate::model::{InputShape, Model, ModelError, ModelSpec, Outputs};
use crate::penalty::Penalty;
use crate::range::ConfigError;
use crate::rows::Rows;
use crate::style::{StyleSpread, held_out};
use crate::train::{Quiet, TrainConfig, TrainError, train};

/// The CoRe estimator: fits one model on the split `train` of the data. What is not said is the default of
/// [`TrainConfig`]; without a model, pictures get a CNN and features a linear model that is solved exactly.
///
/// ```
/// use corevar::Core;
///
/// # let (values, labels, ids) = corevar::study::example();
/// # let data = corevar::Dataset::features(["core", "style"], values).classes(&labels).ids(ids).check()?;
/// let pooled = Core::pooled().fit(&data)?;
/// let robust = Core::new().penalty_weight(f64::INFINITY).fit(&data)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "`fit` trains the model"]
pub struct Core {
    config: TrainConfig,
    model: Option<ModelSpec>,
    device: Option<Device>,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A setting makes no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Training failed.
    #[error(transparent)]
    Train(#[from] TrainError),
}

impl Tip for FitError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::Config(cause) => cause.tip(),
            Self::Train(cause) => cause.tip(),
        }
    }
}

impl Default for Core {
    fn default() -> Self {
        Self::new()
    }
}

impl Core {
    /// With the variance of the logits as the penalty, weight 1.
    pub fn new() -> Self {
        Self { config: TrainConfig::default(), model: None, device: None }
    }

    /// The ordinary model: no penalty.
    pub fn pooled() -> Self {
        Self::new().penalty(Penalty::NONE).penalty_weight(0.0)
    }

    /// What is penalised.
    pub fn penalty(self, penalty: Penalty) -> Self {
        self.with(|config| config.penalty = penalty)
    }

    /// Weight λ of the penalty, from 0. Linear models also take ∞.
    pub fn penalty_weight(self, penalty_weight: f64) -> Self {
        self.with(|config| config.penalty_weight = penalty_weight)
    }

    /// Weight of half the squared weights, from 0.
    pub fn ridge(self, ridge: f64) -> Self {
        self.with(|config| config.ridge = ridge)
    }

    /// Which model.
    pub fn model(self, model: ModelSpec) -> Self {
        Self { model: Some(model), ..self }
    }

    /// Passes of a network over the training rows.
    pub fn epochs(self, epochs: usize) -> Self {
        self.with(|config| config.epochs = epochs)
    }

    /// Decides the weights of a network at the start and the order of the rows.
    pub fn seed(self, seed: u64) -> Self {
        self.with(|config| config.seed = seed)
    }

    /// Every other setting.
    pub fn with(mut self, change: impl FnOnce(&mut TrainConfig)) -> Self {
        change(&mut self.config);
        self
    }

    /// Where networks are trained; the CPU unless said.
    pub fn device(self, device: Device) -> Self {
        Self { device: Some(device), ..self }
    }

    /// Trains the model.
    pub fn fit(&self, data: &Dataset) -> Result<Model, FitError> {
        let model = self.model.clone().unwrap_or_else(|| ModelSpec::usual(InputShape::of(data)));
        let config = TrainConfig { model, ..self.config.clone() }.check()?;
        let device = self.device.clone().unwrap_or_else(Device::flex);
        let mut model = train(&config, data, &device, &mut Quiet::default())?;
        model.style = style(&model, data, config.label_bins).map_err(TrainError::from)?;
        Ok(model)
    }
}

/// How much the outputs vary inside groups that were not trained on.
fn style(model: &Model, data: &Dataset, label_bins: usize) -> Result<Option<StyleSpread>, ModelError> {
    let splits = data.splits().iter().filter(|split| !split.rows.is_empty() && !split.name.is_train());
    let outputs =
        |split: &Split| Ok((split.name.clone(), model.outputs(&Rows::new(data, &split.rows, label_bins))?));
    let outputs: BySplit<Outputs> = splits.map(outputs).collect::<Result<_, ModelError>>()?;
    Ok(StyleSpread::of_parts(&held_out(data, &outputs, label_bins)))
}
