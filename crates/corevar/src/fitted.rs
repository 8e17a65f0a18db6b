//! A fit that can be followed and stopped, and that tells how it went; also of rows that stay where they are in memory.

use burn::tensor::Device;
use corevar_data::groups::{Groups, QuantileBins};
use corevar_data::{Dataset, Labels, Preparation};

use crate::core::{Core, FitError, with_style};
use crate::evaluate::decompose;
use crate::linear::{DesignMatrix, LinearData, Targets};
use crate::model::{InputShape, Model, ModelSpec, Outputs, Predictor};
use crate::penalty::Normalise;
use crate::rows::{Rows, Scaling, Task};
use crate::study::{Observer, StoppedBy};
use crate::style::StyleSpread;
use crate::train::{
    CheckedTrainConfig, EpochRecord, Log, ModelParts, NoGroups, SolverLimits, TrainConfig, TrainError,
    linear_fits, linear_path, linear_words, train_from,
};

/// A model, and how its training went.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// Risk, penalty and ridge of each epoch; of a linear model once, at its minimum.
    pub epochs: Vec<EpochRecord>,
    /// Iterations of the linear solver, or epochs of a network.
    pub iterations: usize,
    /// Variance of the outputs inside the training groups, relative to that between them. None where either is missing.
    pub variance_ratio: Option<f64>,
    /// How much the outputs vary inside the training groups: less than inside new groups, since the model has seen these. None
    /// without a group of two rows.
    pub spread: Option<StyleSpread>,
}

/// Rows for a linear model that stay where they are: nothing is copied.
#[derive(Clone)]
pub struct MatrixRows<'a> {
    /// The features, `[rows, columns]`.
    pub features: &'a dyn DesignMatrix,
    /// Names of the columns.
    pub names: Vec<String>,
    /// One per row.
    pub labels: &'a Labels,
    /// One per row; None where it was not observed.
    pub ids: &'a [Option<u32>],
    /// What each row counts, 0 or more; None: all alike.
    pub weights: Option<&'a [f64]>,
    /// Gradient and iterations at which the solver ends, see [`crate::linear::LinearConfig`]; None: as for data.
    pub limits: Option<(f64, usize)>,
}

impl MatrixRows<'_> {
    fn limits(&self) -> SolverLimits {
        let usual = SolverLimits::default();
        self.limits.map_or(usual, |(tolerance, max_iterations)| SolverLimits {
            tolerance,
            max_iterations,
            ..usual
        })
    }
}

impl Core {
    /// As [`Core::fit`], followed by an observer that may also stop it.
    pub fn fit_observed(&self, data: &Dataset, observer: &dyn Observer) -> Result<Fitted, FitError> {
        let config = self.checked(InputShape::of(data))?;
        NoGroups::refuse(&config, data)?;
        let (model, epochs, iterations) = match config.model {
            ModelSpec::Linear => linear(&config, data, observer)?,
            _ => network(&config, data, &self.device_or_cpu(), observer)?,
        };
        let model = with_style(model, data)?;
        let rows = Rows::new(data, data.train(), config.label_bins);
        // Without a group there is nothing to look at: the outputs are not computed.
        if rows.groups.is_trivial() {
            return Ok(Fitted { model, epochs, iterations, variance_ratio: None, spread: None });
        }
        let outputs = model.outputs(&rows).map_err(TrainError::from)?;
        let residuals = rows.residuals(&outputs);
        let looked = Inside::of(&residuals, &outputs, &rows.groups, config.normalise);
        Ok(looked.fitted(model, epochs, iterations))
    }

    /// Fits a linear model to rows that stay where they are. The result is that of [`Core::fit`] on the same numbers, to the last
    /// bit.
    pub fn fit_matrix(&self, rows: &MatrixRows, observer: &dyn Observer) -> Result<Fitted, FitError> {
        let input = InputShape::Features(rows.features.columns());
        let config = Self { model: Some(ModelSpec::Linear), ..self.clone() }.checked(input)?;
        let prepared = Prepared::new(&config, rows)?;
        let stop = || observer.is_interrupted();
        let data = prepared.data(rows);
        let weights = [config.penalty_weight];
        let limits = SolverLimits { standardise: config.standardise, ..rows.limits() };
        let mut fits = linear_fits(&config, &data, limits, &weights, &stop).map_err(TrainError::from)?;
        let fit = fits.remove(0);
        let (epoch, notes) = linear_words(&config, &fit);
        let scaling = Scaling { means: fit.coordinates.means, scales: fit.coordinates.scales };
        let outputs = match prepared.groups.is_trivial() {
            true => None,
            false => Some(fit.model.logits(rows.features).map_err(TrainError::from)?),
        };
        let parts = ModelParts {
            input,
            features: rows.names.clone(),
            preparation: Preparation::default(),
            slices: prepared.slices,
            task: prepared.task,
        };
        let scaling = Some(scaling).filter(|_| config.standardise);
        let model = Model { notes, ..parts.model(Predictor::Linear(fit.model), &config, scaling) };
        let iterations = fit.optimality.iterations;
        let Some(values) = outputs else {
            let (variance_ratio, spread) = (None, None);
            return Ok(Fitted { model, epochs: vec![epoch], iterations, variance_ratio, spread });
        };
        let outputs = Outputs { values, columns: model.task.outputs() };
        let residuals = residuals(&outputs, rows.labels);
        let looked = Inside::of(&residuals, &outputs, &prepared.groups, config.normalise);
        Ok(looked.fitted(model, vec![epoch], iterations))
    }
}

fn linear(
    config: &CheckedTrainConfig,
    data: &Dataset,
    observer: &dyn Observer,
) -> Result<(Model, Vec<EpochRecord>, usize), TrainError> {
    let stop = || observer.is_interrupted();
    let point = linear_path(config, data, &[config.penalty_weight], &stop)?.remove(0);
    Ok((point.model, vec![point.epoch], point.iterations))
}

fn network(
    config: &CheckedTrainConfig,
    data: &Dataset,
    device: &Device,
    observer: &dyn Observer,
) -> Result<(Model, Vec<EpochRecord>, usize), TrainError> {
    let mut log =
        Kept { shown: observer.started(config.penalty.estimator_name(), config.epochs), epochs: Vec::new() };
    let model = train_from(config, data, device, &mut log, &mut StoppedBy(observer))?;
    Ok((model, log.epochs, config.epochs))
}

/// Shows the epochs and keeps them.
struct Kept {
    shown: Box<dyn Log>,
    epochs: Vec<EpochRecord>,
}

impl Log for Kept {
    fn step(&mut self, step: usize, steps: usize) {
        self.shown.step(step, steps);
    }

    fn epoch(&mut self, record: EpochRecord) {
        self.epochs.push(record.clone());
        self.shown.epoch(record);
    }
}

/// What the outputs do inside the training groups.
struct Inside {
    variance_ratio: Option<f64>,
    spread: Option<StyleSpread>,
}

impl Inside {
    fn of(residuals: &Outputs, outputs: &Outputs, groups: &Groups, normalise: Normalise) -> Self {
        Self {
            variance_ratio: decompose(residuals, outputs, groups, normalise).ratio(),
            spread: StyleSpread::of_groups(residuals, groups),
        }
    }

    fn fitted(self, model: Model, epochs: Vec<EpochRecord>, iterations: usize) -> Fitted {
        Fitted { model, epochs, iterations, variance_ratio: self.variance_ratio, spread: self.spread }
    }
}

/// Labels and groups of a matrix as the solver takes them.
struct Prepared {
    task: Task,
    groups: Groups,
    group_of_row: Vec<usize>,
    /// Slices of the label that group rows; None for classes, and where there is one slice.
    slices: Option<QuantileBins>,
    /// Quantile bins of a regression's label.
    bins: Option<Vec<u32>>,
}

impl Prepared {
    fn new(config: &TrainConfig, rows: &MatrixRows) -> Result<Self, FitError> {
        let count = rows.features.rows();
        check_lengths(rows, count)?;
        let task = task_of(rows.labels).ok_or_else(|| TrainError::NoLabels(MEMORY.into()))?;
        Model::check_names(&rows.names, &task).map_err(TrainError::from)?;
        let numbers = rows.labels.numbers();
        let slices = numbers.filter(|_| config.label_bins > 1);
        let slices = slices.map(|numbers| QuantileBins::new(numbers, config.label_bins));
        let all: Vec<usize> = (0..count).collect();
        let groups = Groups::of_task(rows.labels, rows.ids, &all, slices.as_ref());
        NoGroups::refuse_among(config, &groups, Some(&task), MEMORY)?;
        let bins = numbers.map(|numbers| {
            let bins = slices.clone().unwrap_or_else(|| QuantileBins::new(numbers, crate::rows::BINS));
            numbers.iter().map(|&number| bins.of(number)).collect()
        });
        let group_of_row = (0..count).map(|row| groups.of_row(row)).collect();
        Ok(Self { task, groups, group_of_row, slices, bins })
    }

    fn data<'a>(&'a self, rows: &'a MatrixRows) -> LinearData<'a> {
        let targets = match rows.labels {
            Labels::Classes { names, of_row } => Targets::Classes { of_row, count: names.len() },
            Labels::Numbers(values) => Targets::Numbers { values, bins: self.bins.as_deref() },
            // Refused in `new`.
            _ => Targets::Numbers { values: &[], bins: None },
        };
        LinearData {
            features: rows.features,
            targets,
            group_of_row: &self.group_of_row,
            sample_weights: rows.weights,
        }
    }
}

/// As data that were built in memory name themselves.
const MEMORY: &str = "memory";

fn check_lengths(rows: &MatrixRows, count: usize) -> Result<(), FitError> {
    let lengths = [
        ("the list of names", rows.names.len(), rows.features.columns()),
        ("the list of labels", rows.labels.len(), count),
        ("the list of ids", rows.ids.len(), count),
    ];
    match lengths.into_iter().find(|(_, found, wanted)| found != wanted) {
        Some((what, found, rows)) => {
            Err(TrainError::Linear(crate::linear::LinearError::Length { what, found, rows }).into())
        }
        None => Ok(()),
    }
}

fn task_of(labels: &Labels) -> Option<Task> {
    match labels {
        Labels::Classes { names, .. } => Some(Task::Classes(names.clone())),
        Labels::Numbers(_) => Some(Task::Regression),
        _ => None,
    }
}

/// The residual `f - y` of a regression, the logits of classes.
fn residuals(outputs: &Outputs, labels: &Labels) -> Outputs {
    match labels.numbers() {
        Some(numbers) => Outputs {
            values: outputs.values.iter().zip(numbers).map(|(f, &y)| f - f64::from(y)).collect(),
            columns: outputs.columns,
        },
        None => outputs.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::{ColumnMajorMatrix, MemoryMatrix};
    use crate::study::{Unobserved, example};

    fn rows() -> (Vec<f32>, Labels, Vec<Option<u32>>, Dataset) {
        let (values, labels, ids) = example();
        let data =
            Dataset::features(["core", "style"], values.clone()).classes(&labels).ids(ids).check().unwrap();
        (values, data.labels().clone(), data.ids().to_vec(), data)
    }

    fn weights(model: &Model) -> Vec<f64> {
        model.linear().unwrap().weights.clone()
    }

    #[test]
    fn rows_that_stay_where_they_are_give_the_same_bits() {
        let (values, labels, ids, data) = rows();
        let by_column: Vec<f32> = (0..2).flat_map(|c| values.iter().skip(c).step_by(2).copied()).collect();
        let matrix = MemoryMatrix::new(&values, 2).unwrap();
        let columns = ColumnMajorMatrix::new(&by_column, 2).unwrap();
        for penalty_weight in [3.0, f64::INFINITY] {
            let core = Core::new().penalty_weight(penalty_weight);
            let wanted = core.fit(&data).unwrap();
            let observed = core.fit_observed(&data, &Unobserved).unwrap();
            assert_eq!(weights(&wanted), weights(&observed.model));
            for features in [&matrix as &dyn DesignMatrix, &columns] {
                let names = vec!["core".into(), "style".into()];
                let rows =
                    MatrixRows { features, names, labels: &labels, ids: &ids, weights: None, limits: None };
                let fitted = core.fit_matrix(&rows, &Unobserved).unwrap();
                assert_eq!(weights(&wanted), weights(&fitted.model));
                assert_eq!(fitted.variance_ratio, observed.variance_ratio);
                assert_eq!(fitted.spread, observed.spread);
                let far = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-12 * b.abs().max(1.0);
                let (own, other) = (fitted.model.scaling().unwrap(), wanted.scaling().unwrap());
                assert!(!own.scales.iter().zip(&other.scales).any(far));
                assert!(!own.means.iter().zip(&other.means).any(far));
            }
        }
    }

    /// A row of weight 2 stands for two rows.
    #[test]
    fn a_weight_counts_as_repeated_rows() {
        let (values, _, _, data) = rows();
        let of_row: Vec<f64> = (0..120).map(|row| 1.0 + f64::from(row % 3)).collect();
        let weighted = data.edit().weights(of_row.clone()).check().unwrap();
        let (_, labels, ids) = example();
        let order: Vec<usize> =
            (0..120).flat_map(|row| std::iter::repeat_n(row, of_row[row] as usize)).collect();
        let repeated = Dataset::features(
            ["core", "style"],
            order.iter().flat_map(|&row| values[2 * row..2 * row + 2].to_vec()).collect(),
        );
        let labels: Vec<&str> = order.iter().map(|&row| labels[row]).collect();
        let repeated = repeated.classes(&labels).ids(order.iter().map(|&row| ids[row])).check().unwrap();
        let core = Core::new().penalty_weight(3.0);
        let (a, b) = (core.fit(&weighted).unwrap(), core.fit(&repeated).unwrap());
        assert!(weights(&a).iter().zip(weights(&b)).all(|(a, b)| (a - b).abs() < 1e-7));
    }

    #[test]
    fn without_a_group_a_matrix_is_refused_as_data_are() {
        let (values, labels, _, _) = rows();
        let features = &MemoryMatrix::new(&values, 2).unwrap();
        let (names, ids) = (vec!["core".into(), "style".into()], vec![None; 120]);
        let rows = MatrixRows { features, names, labels: &labels, ids: &ids, weights: None, limits: None };
        let error = Core::new().fit_matrix(&rows, &Unobserved).unwrap_err().to_string();
        assert_eq!(
            error,
            "memory: no two training rows share a label and an id, so logit-variance is always 0"
        );
    }

    #[test]
    fn an_observer_stops_a_fit() {
        struct Stops;
        impl Observer for Stops {
            fn is_interrupted(&self) -> bool {
                true
            }
        }
        let data = rows().3;
        for model in [ModelSpec::Linear, ModelSpec::Mlp { hidden: vec![2] }] {
            let error = Core::new().model(model).fit_observed(&data, &Stops).unwrap_err();
            assert!(error.is_interruption(), "{error}");
        }
    }
}
