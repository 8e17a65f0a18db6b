//! The training loop.

mod config;
mod divergence;
mod exact;
mod log;
mod snapshot;

use burn::grad_clipping::GradientClippingConfig;
use burn::module::{Module, ModuleVisitor, Param, ParamGroup, ParamId};
use burn::optim::decay::WeightDecayConfig;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::tensor::{Device, Tensor};
use corevar_data::{DataError, Dataset};

pub use config::{CheckedTrainConfig, ConfigError, Decay, TrainConfig};
pub use divergence::{Cause, Symptom};
pub(crate) use exact::{exact_record, linear_config};
pub use log::{EpochRecord, EpochSums, Log, Quiet};
pub use snapshot::{Keep, NotKept, Position, Snapshot, SnapshotError, Wish};

use self::divergence::diverged;
use crate::batches::Batches;
use crate::linear::LinearError;
use crate::model::{InputShape, ModelSpec, Network, Predictor, is_weight};
use crate::penalty::Predictions;
use crate::task::{Rows, Task, feature_names, input_shape, task};

/// More weights than this, or numbers that one row becomes, are a slip of the keyboard: a gigabyte, and several in training.
const MOST_NUMBERS: usize = 1 << 28;

/// A model after training, with what is needed to use it.
#[derive(Debug, Clone)]
pub struct Trained {
    /// The model itself.
    pub predictor: Predictor,
    /// How it is built.
    pub spec: ModelSpec,
    /// What it takes.
    pub input: InputShape,
    /// Names of the features, in their order; empty for pictures.
    pub features: Vec<String>,
    /// What it says.
    pub task: Task,
    /// What its user should know, such as how many directions λ = ∞ left.
    pub notes: Vec<String>,
}

/// Why training stopped before its end.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// There is nothing to train on.
    #[error("{0}: the split `train` has no rows")]
    NoTrainingRows(String),
    /// The model cannot take these inputs.
    #[error("{0}: a CNN needs images, but these are features")]
    CnnOnFeatures(String),
    /// The model would not fit into memory.
    #[error("the model would have more than {MOST_NUMBERS} weights, or make as many numbers of a row")]
    TooLarge,
    /// A row could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The linear estimator has no answer.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// Somebody asked for it; what was trained is kept.
    #[error("interrupted in epoch {epoch} after batch {batch}")]
    Interrupted {
        /// Counted from 1.
        epoch: usize,
        /// Counted from 1.
        batch: usize,
    },
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

impl TrainError {
    /// What to do about it.
    pub fn tip(&self) -> Option<String> {
        match self {
            Self::NotFinite { cause, .. } => Some(cause.tip()),
            Self::TooLarge => Some(
                "choose a smaller model (`hidden`, `channels`, `kernel`) or smaller pictures (`image-size`)"
                    .into(),
            ),
            Self::CnnOnFeatures(_) => Some("choose the model linear or mlp".into()),
            Self::Data(cause) => cause.tip(),
            Self::Linear(LinearError::Data(cause)) => cause.tip(),
            Self::Snapshot(cause) => Some(cause.tip().into()),
            Self::NoTrainingRows(_) => Some("put rows into the split `train`".into()),
            Self::Linear(_) | Self::Interrupted { .. } => None,
        }
    }
}

/// Trains one model on the split `train`: a network by epochs, a linear model exactly. The same configuration and data give the same model to the
/// last bit, whatever the number of threads.
pub fn train(
    config: &CheckedTrainConfig,
    dataset: &Dataset,
    log: &mut dyn Log,
) -> Result<Trained, TrainError> {
    train_from(config, dataset, log, &mut NotKept)
}

/// As [`train`], from the state that `keep` has, if any, and keeping it there. The model is that of an undisturbed run to
/// the last bit.
pub fn train_from(
    config: &CheckedTrainConfig,
    dataset: &Dataset,
    log: &mut dyn Log,
    keep: &mut dyn Keep,
) -> Result<Trained, TrainError> {
    let rows = training_rows(config, dataset)?;
    let (input, task) = (input_shape(dataset), task(dataset));
    let (predictor, notes) = match config.model {
        ModelSpec::Linear => exact::fit(config, &rows, log)?,
        ModelSpec::Mlp { .. } | ModelSpec::Cnn(_) => {
            let device = Device::flex().autodiff();
            let model = config.model.init(input, task.outputs(), config.seed, &device);
            let start = match keep.earlier() {
                Some(snapshot) => snapshot.restore(model, |model| optimiser(config, model))?,
                None => State { optimiser: optimiser(config, &model), model, position: Position::default() },
            };
            let network = fit(start, config, &rows, &device, log, keep)?;
            (Predictor::Network(network.valid()), Vec::new())
        }
    };
    Ok(Trained {
        predictor,
        spec: config.model.clone(),
        input,
        features: feature_names(dataset),
        task,
        notes,
    })
}

/// A run between two steps.
struct State {
    model: Network,
    optimiser: ModuleOptimizer,
    position: Position,
}

/// The loop of the paper.
fn fit(
    State { mut model, mut optimiser, position }: State,
    config: &CheckedTrainConfig,
    rows: &Rows,
    device: &Device,
    log: &mut dyn Log,
    keep: &mut dyn Keep,
) -> Result<Network, TrainError> {
    let batches = Batches::new(&rows.groups, config.batch_size, config.batches, config.seed);
    let Position { epoch: first_epoch, step: mut first_step, mut sums, epochs: mut done } = position;
    done.iter().for_each(|record| log.epoch(record.clone()));

    for epoch in first_epoch..config.epochs {
        let batches = batches.epoch(epoch);
        for (step, batch) in batches.iter().enumerate().skip(std::mem::take(&mut first_step)) {
            let progress = epoch as f64 + step as f64 / batches.len() as f64;
            let logits = model.forward(rows.inputs_at(&batch.rows, epoch, device)?);
            let losses = rows.losses(logits.clone(), &batch.rows);
            let risk = losses.clone().mean();
            let labels: Vec<u32> = batch.rows.iter().map(|&row| rows.labels[row]).collect();
            let predictions = Predictions { logits, losses, labels: &labels, groups: &batch.groups };
            let penalty = config.penalty.of(predictions, config.normalise);
            let share = if config.penalty.needs_groups() { batch.share(config.normalise) } else { 1.0 };
            let weight = config.penalty_weight_at(progress) * share;
            let stop = |symptom, sums: &EpochSums| diverged(symptom, config, rows, sums, [epoch, step]);
            sums.add(&risk, &penalty, share, weight).map_err(|symptom| stop(symptom, &sums))?;

            let grads = (risk + penalty * weight).backward();
            let grads = GradientsParams::from_grads(grads, &model);
            model = optimiser.step(config.learning_rate_at(progress), model, grads);
            log.step(step + 1, batches.len());

            let wish = keep.wish();
            if wish != Wish::GoOn {
                let position = Position { epoch, step: step + 1, sums: sums.clone(), epochs: done.clone() };
                let snapshot = Snapshot::of(&model, &optimiser, position)?;
                if !snapshot.is_finite() {
                    return Err(stop(Symptom::Weights, &sums));
                }
                keep.keep(&snapshot)?;
            }
            if wish == Wish::Stop {
                return Err(TrainError::Interrupted { epoch: epoch + 1, batch: step + 1 });
            }
        }
        let half_squared_weights = model.half_squared_weights();
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

/// Whether these data can train such a model at all.
pub fn check_fit(config: &TrainConfig, dataset: &Dataset) -> Result<(), TrainError> {
    if dataset.split("train").unwrap_or_default().is_empty() {
        return Err(TrainError::NoTrainingRows(dataset.name.clone()));
    }
    let (input, outputs) = (input_shape(dataset), task(dataset).outputs());
    if let (ModelSpec::Cnn(_), InputShape::Features(_)) = (&config.model, input) {
        return Err(TrainError::CnnOnFeatures(dataset.name.clone()));
    }
    // Asked before memory is: it would end the program without a word.
    let numbers = [config.model.parameters(input, outputs), config.model.largest_map(input)];
    match numbers.map(|numbers| numbers.is_some_and(|numbers| numbers <= MOST_NUMBERS)) {
        [true, true] => Ok(()),
        _ => Err(TrainError::TooLarge),
    }
}

fn training_rows<'a>(config: &TrainConfig, dataset: &'a Dataset) -> Result<Rows<'a>, TrainError> {
    check_fit(config, dataset)?;
    Ok(Rows::new(dataset, dataset.split("train").unwrap_or_default(), config.label_bins))
}

/// Adam whose weight decay is the gradient of the ridge term. Biases have none.
fn optimiser(config: &TrainConfig, model: &Network) -> ModuleOptimizer {
    let clipping = config.clip_norm.map(|norm| GradientClippingConfig::Norm(norm as f32));
    let adam = AdamConfig::new().with_epsilon(1e-8).with_grad_clipping(clipping.clone());
    let ridge = Some(WeightDecayConfig::new(config.ridge as f32));
    adam.clone().with_weight_decay(ridge).init().with_group(
        ParamGroup::from_ids(biases(model)),
        adam.build(),
        clipping.map(|clipping| clipping.init()),
    )
}

fn biases(model: &Network) -> Vec<ParamId> {
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
