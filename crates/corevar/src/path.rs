//! A whole path of penalty weights for a linear model, each fit started from the one before.

use std::time::Instant;

use corevar_data::Dataset;

use crate::compare::evaluate_splits;
use crate::evaluate::Measure;
use crate::linear::{self, PathConfig, RowsMatrix};
use crate::model::Predictor;
use crate::results::RunResult;
use crate::task::{Rows, feature_names, input_shape, task};
use crate::train::{CheckedTrainConfig, EpochRecord, TrainError, Trained, exact_record, linear_config};

/// One point of the path.
#[derive(Debug, Clone)]
pub struct PathPoint {
    /// λ.
    pub penalty_weight: f64,
    /// The model there.
    pub trained: Trained,
    /// Its numbers on each split. The seconds are those of the whole path, shared evenly.
    pub result: RunResult,
    /// The objective, as one epoch.
    pub epoch: EpochRecord,
}

/// Fits the linear model of `config` at every penalty weight, in the order given; ascending is fastest.
pub fn linear_path(
    config: &CheckedTrainConfig,
    dataset: &Dataset,
    penalty_weights: &[f64],
    measure: Measure,
) -> Result<Vec<PathPoint>, TrainError> {
    let train = dataset.split("train").unwrap_or_default();
    let rows = Rows::new(dataset, train, config.label_bins);
    let matrix = RowsMatrix::new(&rows);
    let path = PathConfig {
        fit: linear_config(config),
        penalty_weights: penalty_weights.to_vec(),
        ridges: Vec::new(),
    };
    let start = Instant::now();
    let fits = linear::path(&path.check()?, &matrix.data())?;
    let seconds = start.elapsed().as_secs_f64() / fits.len().max(1) as f64;
    fits.into_iter()
        .map(|fit| {
            let (epoch, notes) = exact_record(config, &fit);
            let trained = Trained {
                predictor: Predictor::Linear(fit.model),
                spec: config.model.clone(),
                input: input_shape(dataset),
                features: feature_names(dataset),
                task: task(dataset),
                notes,
            };
            let splits = evaluate_splits(&trained, dataset, measure)?;
            let result = RunResult { seed: config.seed, seconds, splits, notes: trained.notes.clone() };
            Ok(PathPoint { penalty_weight: fit.penalty_weight, trained, result, epoch })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use corevar_data::synthetic::{Sizes, find};

    use super::*;
    use crate::model::ModelSpec;
    use crate::penalty::{Normalise, Penalty};
    use crate::train::{Quiet, TrainConfig, train};

    #[test]
    fn every_point_is_the_fit_of_its_own_weight() {
        let dataset =
            find("linear").unwrap().generate(&Sizes { rows: 200, groups: 30, test_rows: 50 }, 1).unwrap();
        let measure =
            Measure { penalty: Penalty::LogitVariance, normalise: Normalise::Grouped, label_bins: 1 };
        let config = TrainConfig { model: ModelSpec::Linear, ..Default::default() };
        let weights = [0.1, 1.0, f64::INFINITY];
        let path = linear_path(&config.clone().check().unwrap(), &dataset, &weights, measure).unwrap();
        for (point, penalty_weight) in path.iter().zip(weights) {
            let alone = TrainConfig { penalty_weight, ..config.clone() }.check().unwrap();
            let alone = train(&alone, &dataset, &mut Quiet::default()).unwrap();
            let (Predictor::Linear(a), Predictor::Linear(b)) = (&point.trained.predictor, &alone.predictor)
            else {
                unreachable!()
            };
            let far = a.weights.iter().zip(&b.weights).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-6, "{penalty_weight}: {far}");
        }
    }
}
