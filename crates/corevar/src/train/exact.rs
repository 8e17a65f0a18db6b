//! Linear models are not trained by epochs but solved: see [`crate::linear`].

use corevar_data::Dataset;

use super::{CheckedTrainConfig, EpochRecord, TrainConfig, TrainError, check_fit, new_model, scaling};
use crate::linear::{
    self, Interruptible, LinearConfig, LinearData, LinearError, LinearFit, Note, NullSpace, PathConfig,
    RowsMatrix,
};
use crate::model::{Model, Predictor};
use crate::rows::Rows;
use crate::stop::Stop;

/// The linear models of `config` at these penalty weights, in the order given, each fit started from the one before:
/// ascending is fastest. The objective of each comes as one epoch. `stop` is asked again and again; true ends it all.
pub(crate) fn path(
    config: &CheckedTrainConfig,
    dataset: &Dataset,
    penalty_weights: &[f64],
    stop: Stop,
) -> Result<Vec<Point>, TrainError> {
    let task = check_fit(config, dataset)?;
    let rows = Rows::new(dataset, dataset.train(), config.label_bins);
    let scaling = scaling(config, dataset, &rows)?;
    let limits = SolverLimits { standardise: scaling.is_some(), ..SolverLimits::default() };
    let fits = solve(config, &RowsMatrix::new(&rows).data(), limits, penalty_weights, stop)?;
    let model = |fit: LinearFit| {
        let (epoch, notes) = words(config, &fit);
        let model = new_model(Predictor::Linear(fit.model), config, dataset, task.clone(), scaling.clone());
        Point { model: Model { notes, ..model }, epoch, iterations: fit.optimality.iterations }
    };
    Ok(fits.into_iter().map(model).collect())
}

/// One model of a path.
pub(crate) struct Point {
    pub model: Model,
    /// The objective at its minimum.
    pub epoch: EpochRecord,
    /// Iterations of the solver.
    pub iterations: usize,
}

/// What a fit says of itself: the objective at its minimum, and notes.
pub(crate) fn words(config: &TrainConfig, fit: &LinearFit) -> (EpochRecord, Vec<String>) {
    (record(config, fit), notes(fit))
}

/// What the solver is told beside the settings of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SolverLimits {
    pub standardise: bool,
    /// See [`LinearConfig::tolerance`].
    pub tolerance: f64,
    /// See [`LinearConfig::max_iterations`].
    pub max_iterations: usize,
}

impl Default for SolverLimits {
    fn default() -> Self {
        let LinearConfig { standardise, tolerance, max_iterations, .. } = LinearConfig::default();
        Self { standardise, tolerance, max_iterations }
    }
}

/// The fits of `config` to these rows, at these penalty weights.
pub(crate) fn solve(
    config: &TrainConfig,
    data: &LinearData,
    limits: SolverLimits,
    penalty_weights: &[f64],
    stop: Stop,
) -> Result<Vec<LinearFit>, LinearError> {
    let interruptible = Interruptible::new(data.features, stop);
    let data = LinearData { features: &interruptible, ..*data };
    let path = PathConfig {
        fit: LinearConfig {
            standardise: limits.standardise,
            tolerance: limits.tolerance,
            max_iterations: limits.max_iterations,
            ..linear_config(config)
        },
        penalty_weights: penalty_weights.to_vec(),
        ridges: Vec::new(),
    };
    linear::path(&path.check()?, &data)
}

/// The objective at the minimum.
fn record(config: &TrainConfig, fit: &LinearFit) -> EpochRecord {
    EpochRecord {
        epoch: 1,
        risk: fit.objective.risk,
        penalty: fit.objective.penalty,
        ridge: config.ridge * fit.objective.half_squared_norm,
    }
}

/// The part of the settings that the solver takes.
fn linear_config(config: &TrainConfig) -> LinearConfig {
    LinearConfig {
        penalty: config.penalty,
        normalise: config.normalise,
        penalty_weight: config.penalty_weight,
        ridge: config.ridge,
        style_rank: config.style_rank,
        ..Default::default()
    }
}

fn notes(fit: &LinearFit) -> Vec<String> {
    // Whether there are groups is said, or refused, before anything is trained.
    let of_fit = fit.notes.iter().filter(|note| **note != Note::NoGroupOfTwo).map(Note::to_string);
    of_fit.chain(fit.null_space.map(limit_note)).collect()
}

/// What λ = ∞ took and left.
fn limit_note(space: NullSpace) -> String {
    let NullSpace { rank, varying, share, free, tolerance, largest_spread, .. } = space;
    let taken = match varying {
        _ if rank < varying => format!(
            "at penalty weight inf the {rank} strongest of {varying} directions in which the groups vary are taken as style, \
             {:.1} % of the variance inside groups",
            100.0 * share
        ),
        1 => format!(
            "at penalty weight inf the groups vary in 1 direction (singular values above {tolerance:.1e})"
        ),
        _ => format!(
            "at penalty weight inf the groups vary in {varying} directions (singular values above {tolerance:.1e})"
        ),
    };
    format!(
        "{taken}, which leaves {free} of {}; the logits inside a group differ by at most {largest_spread:.1e}",
        free + rank
    )
}

/// Whether λ = ∞ leaves a linear model a direction of the training rows; [`LinearError::NoDirectionLeft`] where it does not.
pub fn check_limit(config: &CheckedTrainConfig, dataset: &Dataset) -> Result<(), TrainError> {
    check_fit(config, dataset)?;
    let rows = Rows::new(dataset, dataset.train(), config.label_bins);
    let scaling = scaling(config, dataset, &rows)?;
    let config = LinearConfig { standardise: scaling.is_some(), ..linear_config(config) };
    let config = config.check().map_err(LinearError::from)?;
    Ok(linear::check_limit(&config, &RowsMatrix::new(&rows).data())?)
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use corevar_data::ImageShape;
    use corevar_data::synthetic::{Sizes, find};

    use super::super::{Quiet, TrainConfig, train};
    use super::*;
    use crate::model::ModelSpec;

    #[test]
    fn at_infinity_no_logit_varies_inside_a_group() {
        let sizes = Sizes { rows: 400, groups: 40, test_rows: 50 };
        let dataset = find("linear").unwrap().generate(&sizes, 1).unwrap();
        let config =
            TrainConfig { model: ModelSpec::Linear, penalty_weight: f64::INFINITY, ..Default::default() };
        let model =
            train(&config.check().unwrap(), &dataset, &Device::flex(), &mut Quiet::default()).unwrap();
        assert!(model.notes[0].contains("the groups vary in 1 direction "), "{:?}", model.notes);
        let rows = Rows::new(&dataset, dataset.train(), 1);
        let outputs = model.outputs(&rows).unwrap();
        for group in rows.groups.larger() {
            let logits = group.iter().map(|&row| outputs.values[2 * row]);
            let (low, high) = logits.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
            assert!(high - low < 1e-8, "{}", high - low);
        }
    }

    #[test]
    fn every_point_of_a_path_is_the_fit_of_its_own_weight() {
        let dataset =
            find("linear").unwrap().generate(&Sizes { rows: 200, groups: 30, test_rows: 50 }, 1).unwrap();
        let config = TrainConfig { model: ModelSpec::Linear, ..Default::default() };
        let weights = [0.1, 1.0, f64::INFINITY];
        let path = path(&config.clone().check().unwrap(), &dataset, &weights, &|| false).unwrap();
        for (point, penalty_weight) in path.iter().zip(weights) {
            let alone = TrainConfig { penalty_weight, ..config.clone() }.check().unwrap();
            let alone = train(&alone, &dataset, &Device::flex(), &mut Quiet::default()).unwrap();
            let (a, b) = (point.model.linear().unwrap(), alone.linear().unwrap());
            let far = a.weights.iter().zip(&b.weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-6, "{penalty_weight}: {far}");
        }
    }

    #[test]
    fn pixels_have_one_scale_and_keep_it() {
        let shape = ImageShape { height: 1, width: 2, channels: 1 };
        let pixels = (0..40u8).flat_map(|row| [row * 5, 100 + row % 3]).collect();
        let labels: Vec<&str> = (0..40).map(|row| if row % 4 < row / 10 { "yes" } else { "no" }).collect();
        let dataset = Dataset::images(shape, pixels).classes(&labels).check().unwrap();
        let weights = |standardise| {
            let config = TrainConfig { model: ModelSpec::Linear, standardise, ..Default::default() };
            let models = path(&config.check().unwrap(), &dataset, &[0.0], &|| false).unwrap();
            assert!(models[0].model.scaling().is_none());
            models[0].model.linear().unwrap().weights.clone()
        };
        assert_eq!(weights(true), weights(false));
    }
}
