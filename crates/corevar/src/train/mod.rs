//! The training loop.

mod clipping;
mod config;
mod divergence;
mod exact;
mod log;
mod no_groups;
mod snapshot;

use burn::module::{Module, ModuleVisitor, Param, ParamGroup, ParamId};
use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Tensor};
use corevar_data::groups::QuantileBins;
use corevar_data::{DataError, Dataset, Inputs, Preparation, Tip};

pub use config::{CheckedTrainConfig, Decay, TrainConfig};
pub use divergence::{Cause, Symptom};
pub use exact::check_limit;
pub(crate) use exact::{
    Point as LinearPoint, SolverLimits, path as linear_path, solve as linear_fits, words as linear_words,
};
pub(crate) use log::EpochSums;
pub use log::{EpochRecord, Log, Quiet};
pub(crate) use no_groups::NO_GROUPS_TIP;
pub use no_groups::NoGroups;
pub use snapshot::SnapshotError;
#[doc(hidden)]
pub use snapshot::is_state;
pub(crate) use snapshot::{AfterStep, CheckpointStore, NoCheckpoints, Position, Snapshot};

use self::clipping::clip;
use self::divergence::diverged;
use crate::batches::Batches;
use crate::linear::LinearError;
use crate::model::{
    InputShape, MOST_ACTIVATIONS, Model, ModelError, ModelSpec, Origin, Predictor, Scaling, Trainable,
    half_squared_weights, is_weight,
};
use crate::penalty::BatchOutputs;
use crate::rows::{Rows, Task, feature_names, slices, task};

/// More weights than this are a slip of the keyboard: a gigabyte, and several in training.
const MOST_WEIGHTS: usize = 1 << 28;

/// Rows times outputs: what a model says of all rows is in memory at once.
const MOST_OUTPUTS: usize = 1 << 31;

/// Why training stopped before its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// There is nothing to train on.
    #[error("{0}: the split `train` has no rows")]
    NoTrainingRows(String),
    /// There is nothing to learn.
    #[error("{0}: the rows have no labels")]
    NoLabels(String),
    /// The model cannot take these inputs.
    #[error("{0}: a CNN needs images, but these are features")]
    CnnOnFeatures(String),
    /// The model would not fit into memory.
    #[error(
        "the model would have more than {MOST_WEIGHTS} weights, or more than {MOST_ACTIVATIONS} activations per row"
    )]
    TooLarge,
    /// What the model says would not fit into memory.
    #[error("{outputs} classes for each of {rows} rows are more than {MOST_OUTPUTS} numbers")]
    TooManyOutputs {
        /// Of the data, in all splits.
        rows: usize,
        /// Of the model, for a row.
        outputs: usize,
    },
    /// A row could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The linear estimator has no answer.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// The model cannot be asked about the rows.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Somebody asked for it; what was trained is kept.
    #[error("interrupted in epoch {epoch} after batch {batch}")]
    Interrupted {
        /// Counted from 1.
        epoch: usize,
        /// Counted from 1.
        batch: usize,
    },
    /// Somebody asked for it before the first step.
    #[error("interrupted before it started")]
    NotStarted,
    /// The state could not be kept or read.
    #[error("the state of the run: {0}")]
    Snapshot(#[from] SnapshotError),
    /// The loss or the weights left the finite numbers. States that were kept before are good.
    #[error("{symptom} not finite in epoch {epoch}, batch {batch}; likely cause: {cause}")]
    NotFinite {
        /// Counted from 1.
        epoch: usize,
        /// Counted from 1.
        batch: usize,
        /// What is not finite.
        symptom: Symptom,
        /// What the numbers say about why.
        cause: Cause,
    },
}

impl Tip for TrainError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::NotFinite { cause, .. } => Some(cause.tip()),
            Self::TooLarge => Some(
                "choose a smaller model (the field `hidden`, the field `channels`, the field `kernel`), a smaller step of its kernels (the field `stride`) or smaller pictures \
                 (the field `image_size`)"
                    .into(),
            ),
            Self::TooManyOutputs { .. } => Some(
                "so many classes are more likely ids or numbers: name another column in the field `label_column`, or set \
                 the field `task` to regression"
                    .into(),
            ),
            Self::CnnOnFeatures(_) => Some("set the field `model` to linear or mlp".into()),
            Self::Data(cause) => cause.tip(),
            Self::Linear(cause) => cause.tip(),
            Self::Model(cause) => cause.tip(),
            Self::Snapshot(cause) => cause.tip(),
            Self::NoLabels(_) => Some("give a class or a number for every row".into()),
            Self::NoTrainingRows(_) => Some("put rows into the split `train`".into()),
            Self::Interrupted { .. } | Self::NotStarted => None,
        }
    }
}

impl TrainError {
    /// Whether somebody asked for it.
    pub(crate) fn is_interruption(&self) -> bool {
        matches!(self, Self::Interrupted { .. } | Self::NotStarted | Self::Linear(LinearError::Interrupted))
    }
}

/// Trains one model on the split `train`: a network by epochs on `device`, a linear model exactly. On the CPU the same
/// configuration and data give the same model to the last bit, whatever the number of threads.
pub fn train(
    config: &CheckedTrainConfig,
    dataset: &Dataset,
    device: &Device,
    log: &mut dyn Log,
) -> Result<Model, TrainError> {
    train_from(config, dataset, device, log, &mut NoCheckpoints)
}

/// As [`train`], from the state that `checkpoints` has, if any, and keeping it there. The model is that of an undisturbed
/// run to the last bit.
pub(crate) fn train_from(
    config: &CheckedTrainConfig,
    dataset: &Dataset,
    device: &Device,
    log: &mut dyn Log,
    checkpoints: &mut dyn CheckpointStore,
) -> Result<Model, TrainError> {
    let task = check_fit(config, dataset)?;
    if config.model == ModelSpec::Linear {
        let mut models = exact::path(config, dataset, &[config.penalty_weight], &|| false)?;
        let point = models.remove(0);
        log.step(1, 1);
        log.epoch(point.epoch);
        return Ok(point.model);
    }
    let (input, device) = (InputShape::of(dataset), device.clone().autodiff());
    let network = config.model.init(input, task.outputs(), config.seed, &device);
    let (network, scaling) = fit(network, config, dataset, &device, log, checkpoints)?;
    Ok(new_model(Predictor::Network(network.valid()), config, dataset, task, scaling))
}

/// Trains a module of your own on the split `train` by the same loop: batches that keep groups whole, penalty, ridge on
/// everything but vectors, Adam. `config.model` is not looked at.
pub fn train_module<M: Trainable>(
    module: M,
    config: &CheckedTrainConfig,
    dataset: &Dataset,
    device: &Device,
    log: &mut dyn Log,
) -> Result<M, TrainError> {
    check_rows(dataset)?;
    let device = device.clone().autodiff();
    let (module, _) =
        fit(module.to_device(&device).train(), config, dataset, &device, log, &mut NoCheckpoints)?;
    Ok(module.valid())
}

fn new_model(
    predictor: Predictor,
    config: &TrainConfig,
    dataset: &Dataset,
    task: Task,
    scaling: Option<Scaling>,
) -> Model {
    let parts = ModelParts {
        input: InputShape::of(dataset),
        features: feature_names(dataset),
        preparation: dataset.preparation().clone(),
        slices: slices(dataset, config.label_bins),
        task,
    };
    parts.model(predictor, config, scaling)
}

/// What a model says of the data that it takes.
pub(crate) struct ModelParts {
    pub input: InputShape,
    pub features: Vec<String>,
    pub preparation: Preparation,
    pub slices: Option<QuantileBins>,
    pub task: Task,
}

impl ModelParts {
    /// A model that was just trained.
    pub fn model(self, predictor: Predictor, config: &TrainConfig, scaling: Option<Scaling>) -> Model {
        let Self { input, features, preparation, slices, task } = self;
        Model {
            predictor,
            spec: config.model.clone(),
            input,
            features,
            scaling,
            preparation,
            slices,
            task,
            style: None,
            reference: None,
            origin: Origin { data: None, version: env!("CARGO_PKG_VERSION").into() },
            notes: Vec::new(),
        }
    }
}

/// A run between two steps.
struct State<M> {
    model: M,
    optimiser: ModuleOptimizer,
    position: Position,
}

/// The training rows, the scale of their features, the state to begin with, and then the loop.
fn fit<M: Trainable>(
    module: M,
    config: &CheckedTrainConfig,
    dataset: &Dataset,
    device: &Device,
    log: &mut dyn Log,
    checkpoints: &mut dyn CheckpointStore,
) -> Result<(M, Option<Scaling>), TrainError> {
    let rows = Rows::new(dataset, dataset.train(), config.label_bins);
    let scaling = scaling(config, dataset, &rows)?;
    let start = match checkpoints.earlier() {
        Some(snapshot) => snapshot.restore(module, |module| optimiser(config, module))?,
        None => State { optimiser: optimiser(config, &module), model: module, position: Position::default() },
    };
    let module = run_epochs(start, config, &rows, scaling.as_ref(), device, log, checkpoints)?;
    Ok((module, scaling))
}

/// Features are standardised if asked to; pictures have one scale already.
fn scaling(config: &TrainConfig, dataset: &Dataset, rows: &Rows) -> Result<Option<Scaling>, DataError> {
    let wanted = config.standardise && matches!(dataset.inputs(), Inputs::Features(_));
    wanted.then(|| Scaling::of(rows)).transpose()
}

/// The loop of the paper.
fn run_epochs<M: Trainable>(
    State { mut model, mut optimiser, position }: State<M>,
    config: &CheckedTrainConfig,
    rows: &Rows,
    scaling: Option<&Scaling>,
    device: &Device,
    log: &mut dyn Log,
    checkpoints: &mut dyn CheckpointStore,
) -> Result<M, TrainError> {
    let weights = relative_weights(rows);
    let batches = Batches::new(&rows.groups, config.batch_size, config.batches, config.seed);
    let Position { epoch: first_epoch, step: mut first_step, mut sums, epochs: mut done } = position;
    done.iter().for_each(|record| log.epoch(record.clone()));

    for epoch in first_epoch..config.epochs {
        let batches = batches.epoch(epoch);
        for (step, batch) in batches.iter().enumerate().skip(std::mem::take(&mut first_step)) {
            let progress = epoch as f64 + step as f64 / batches.len() as f64;
            let logits = model.forward(rows.inputs(&batch.rows, epoch, scaling, device)?);
            let losses = rows.losses(logits.clone(), &batch.rows);
            let row_weights: Option<Vec<f32>> =
                weights.as_ref().map(|weights| batch.rows.iter().map(|&row| weights[row]).collect());
            let risk = match &row_weights {
                None => losses.clone().mean(),
                Some(weights) => (losses.clone() * Tensor::from_data(weights.as_slice(), device)).mean(),
            };
            let labels: Vec<u32> = batch.rows.iter().map(|&row| rows.labels[row]).collect();
            let outputs = BatchOutputs {
                logits,
                losses,
                numbers: rows.numbers(&batch.rows, device),
                labels: &labels,
                groups: &batch.groups,
                group_weights: Some(&batch.group_weights),
                row_weights: row_weights.as_deref(),
            };
            let penalty = config.penalty.of(outputs, config.normalise);
            let share = if config.penalty.needs_groups() { batch.share(config.normalise) } else { 1.0 };
            let weight = config.penalty_weight_at(progress) * share;
            let stop = |symptom, sums: &EpochSums| diverged(symptom, config, rows, sums, [epoch, step]);
            sums.add(&risk, &penalty, share, weight).map_err(|symptom| stop(symptom, &sums))?;

            let grads = (risk + penalty * weight).backward();
            let grads = clip(GradientsParams::from_grads(grads, &model), &model, config.clip_norm);
            model = optimiser.step(config.learning_rate_at(progress), model, grads);
            log.step(step + 1, batches.len());

            let after = checkpoints.after_step();
            if after != AfterStep::GoOn {
                let position = Position { epoch, step: step + 1, sums: sums.clone(), epochs: done.clone() };
                let snapshot = Snapshot::of(&model, &optimiser, position)?;
                if !snapshot.is_finite() {
                    return Err(stop(Symptom::Weights, &sums));
                }
                checkpoints.keep(&snapshot)?;
            }
            if after == AfterStep::Stop {
                return Err(TrainError::Interrupted { epoch: epoch + 1, batch: step + 1 });
            }
        }
        let half_squared_weights = half_squared_weights(&model);
        if !half_squared_weights.is_finite() {
            let last = batches.len().saturating_sub(1);
            return Err(diverged(Symptom::Weights, config, rows, &sums, [epoch, last]));
        }
        let record = sums.finish(config.ridge * half_squared_weights);
        sums = EpochSums::start(epoch + 1);
        done.push(record.clone());
        log.epoch(record);
    }
    Ok(model)
}

/// Weights of the rows with mean 1, so that the mean over an epoch is the weighted mean; None: all alike.
fn relative_weights(rows: &Rows) -> Option<Vec<f32>> {
    let weights = rows.weights()?;
    let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    Some(weights.iter().map(|weight| (weight / mean) as f32).collect())
}

/// What a model of these data says, when they can train such a model at all.
pub fn check_fit(config: &TrainConfig, dataset: &Dataset) -> Result<Task, TrainError> {
    let task = check_rows(dataset)?;
    let (input, outputs) = (InputShape::of(dataset), task.outputs());
    if let (ModelSpec::Cnn(_), InputShape::Features(_)) = (&config.model, input) {
        return Err(TrainError::CnnOnFeatures(dataset.name().into()));
    }
    // Asked before memory is: it would end the program without a word.
    let within = |numbers: Option<usize>, most| numbers.is_some_and(|numbers| numbers <= most);
    if !within(dataset.len().checked_mul(outputs), MOST_OUTPUTS) {
        return Err(TrainError::TooManyOutputs { rows: dataset.len(), outputs });
    }
    if let Inputs::Features(features) = dataset.inputs() {
        Model::check_names(&features.names, &task)?;
    }
    let weights = within(config.model.parameters(input, outputs), MOST_WEIGHTS);
    let activations =
        config.model == ModelSpec::Linear || within(config.model.largest_map(input), MOST_ACTIVATIONS);
    if weights && activations { Ok(task) } else { Err(TrainError::TooLarge) }
}

/// There must be rows to learn from, with labels.
fn check_rows(dataset: &Dataset) -> Result<Task, TrainError> {
    if dataset.train().is_empty() {
        return Err(TrainError::NoTrainingRows(dataset.name().into()));
    }
    task(dataset).ok_or_else(|| TrainError::NoLabels(dataset.name().into()))
}

/// Adam whose weight decay is the gradient of the ridge term. Biases have none.
fn optimiser(config: &TrainConfig, model: &impl Module) -> ModuleOptimizer {
    let adam = AdamConfig::new().with_epsilon(1e-8);
    let ridge = Some(WeightDecayConfig::new(config.ridge as f32));
    let biases = ParamGroup::from_ids(biases(model));
    adam.clone().with_weight_decay(ridge).init().with_group(biases, adam.build(), None)
}

fn biases(model: &impl Module) -> Vec<ParamId> {
    struct Biases(Vec<ParamId>);
    impl ModuleVisitor for Biases {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if !is_weight::<D>() {
                self.0.push(param.id);
            }
        }
    }
    let mut biases = Biases(Vec::new());
    model.visit(&mut biases);
    biases.0
}

#[cfg(test)]
mod golden;
#[cfg(test)]
mod tests;
