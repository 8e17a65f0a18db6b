//! The estimator in a few words.

use burn::tensor::Device;
use corevar_data::{BySplit, Dataset, Split, Tip};

use crate::check::Reference;
use crate::model::{InputShape, Model, ModelError, ModelSpec, Outputs};
use crate::penalty::Penalty;
use crate::range::ConfigError;
use crate::style::{StyleSpread, held_out};
use crate::train::{CheckedTrainConfig, NoGroups, Quiet, TrainConfig, TrainError, train};

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
    pub(crate) config: TrainConfig,
    pub(crate) model: Option<ModelSpec>,
    pub(crate) device: Option<Device>,
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
    /// A conditional penalty without a group would train the pooled model: [`Core::pooled`] says so.
    #[error(transparent)]
    NoGroups(#[from] NoGroups),
}

impl FitError {
    /// Whether the observer stopped it.
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Train(cause) if cause.is_interruption())
    }
}

impl Tip for FitError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::Config(cause) => cause.tip(),
            Self::Train(cause) => cause.tip(),
            Self::NoGroups(cause) => cause.tip(),
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

    /// The settings, checked, of a model that suits such inputs.
    pub(crate) fn checked(&self, input: InputShape) -> Result<CheckedTrainConfig, ConfigError> {
        let model = self.model.clone().unwrap_or_else(|| ModelSpec::usual(input));
        TrainConfig { model, ..self.config.clone() }.check()
    }

    pub(crate) fn device_or_cpu(&self) -> Device {
        self.device.clone().unwrap_or_else(Device::flex)
    }

    /// Trains the model.
    pub fn fit(&self, data: &Dataset) -> Result<Model, FitError> {
        let config = self.checked(InputShape::of(data))?;
        NoGroups::refuse(&config, data)?;
        with_style(train(&config, data, &self.device_or_cpu(), &mut Quiet::default())?, data)
    }
}

/// The model with the style of the groups that it was not trained on, and what new rows are compared with.
pub(crate) fn with_style(mut model: Model, data: &Dataset) -> Result<Model, FitError> {
    model.style = style(&model, data).map_err(TrainError::from)?;
    model.reference = Some(Reference::of(&model, data).map_err(TrainError::from)?);
    Ok(model)
}

/// How much the outputs vary inside groups that were not trained on.
fn style(model: &Model, data: &Dataset) -> Result<Option<StyleSpread>, ModelError> {
    let splits = data.splits().iter().filter(|split| !split.rows.is_empty() && !split.name.is_train());
    let outputs = |split: &Split| Ok((split.name.clone(), model.outputs(&model.rows(data, &split.rows))?));
    let outputs: BySplit<Outputs> = splits.map(outputs).collect::<Result<_, ModelError>>()?;
    Ok(StyleSpread::of_parts(&held_out(data, &outputs, model.label_slices())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_features() -> corevar_data::DatasetBuilder {
        let values = (0..16).map(|k| ((k * 5) % 7) as f32).collect();
        Dataset::features(["a", "b"], values).name("rows")
    }

    #[test]
    fn without_a_group_a_conditional_penalty_is_refused_and_the_pooled_model_is_not() {
        let classes = two_features().classes(&["x", "y", "x", "y", "x", "y", "x", "y"]);
        let classes = classes.ids([0, 0, 1, 1, 2, 2, 3, 3].map(Some)).check().unwrap();
        let error = Core::new().fit(&classes).unwrap_err();
        let message = "rows: no two training rows share a label and an id, so logit-variance is always 0";
        assert_eq!(error.to_string(), message);
        assert!(error.tip().unwrap().contains("set the field `penalty` to none"));
        for core in
            [Core::pooled(), Core::new().penalty_weight(0.0), Core::new().penalty(Penalty::TOTAL_VARIANCE)]
        {
            assert!(core.fit(&classes).is_ok());
        }
    }

    /// The same ids are groups of a regression, whose labels need not be equal.
    #[test]
    fn rows_of_a_regression_need_an_id_in_common_only() {
        let numbers = || two_features().numbers([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let pairs = numbers().ids([0, 0, 1, 1, 2, 2, 3, 3].map(Some)).check().unwrap();
        assert!(Core::new().fit(&pairs).is_ok());
        let error = Core::new().fit(&numbers().check().unwrap()).unwrap_err().to_string();
        assert_eq!(error, "rows: no two training rows share an id, so logit-variance is always 0");
    }
}
