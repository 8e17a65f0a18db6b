//! What is trained: estimators by name, alone, side by side, or as a grid of settings.

use corevar_data::Dataset;

use super::Measure;
use crate::linear::LinearError;
use crate::penalty::Penalty;
use crate::range::{self, ConfigError};
use crate::train::{CheckedTrainConfig, TrainConfig, TrainError, check_limit};

/// A named configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimator {
    /// `pooled`, `core`, `label-variance`, `total-variance`.
    pub name: String,
    /// Tells it from the other estimators of the run, in file names and progress: its name, unless a path has several
    /// settings of that name.
    pub key: String,
    /// Its seed is that of the first run; run `r` adds `r`.
    pub config: CheckedTrainConfig,
}

impl Estimator {
    /// The estimator of a configuration, named after its penalty.
    pub fn new(config: CheckedTrainConfig) -> Self {
        let name = config.penalty.estimator_name();
        Self { name: name.into(), key: name.into(), config }
    }

    /// The pooled estimator, CoRe, and the two baselines with the same penalty weight if asked for.
    pub fn side_by_side(core: &CheckedTrainConfig, baselines: bool) -> Result<Vec<Self>, ConfigError> {
        let with = |penalty, penalty_weight| {
            let config = TrainConfig { penalty, penalty_weight, ..TrainConfig::clone(core) };
            config.check().map(Self::new)
        };
        let mut estimators = vec![with(Penalty::NONE, 0.0)?, with(core.penalty, core.penalty_weight)?];
        if baselines {
            for penalty in [Penalty::LABEL_VARIANCE, Penalty::TOTAL_VARIANCE] {
                estimators.push(with(penalty, core.penalty_weight)?);
            }
        }
        Ok(estimators)
    }

    /// One setting of a grid. Its key names the whole setting: another value in the grid must not change it.
    pub(super) fn setting(
        base: &TrainConfig,
        penalty: Penalty,
        weight: f64,
        ridge: f64,
    ) -> Result<Self, ConfigError> {
        let config = TrainConfig { penalty, penalty_weight: weight, ridge, ..base.clone() }.check()?;
        let name = penalty.estimator_name();
        let key = match penalty {
            Penalty::NONE => format!("{name}-ridge{ridge}"),
            penalty if penalty.needs_groups() => format!("{name}-{penalty}-{weight}-ridge{ridge}"),
            _ => format!("{name}-{weight}-ridge{ridge}"),
        };
        Ok(Self { key, ..Self::new(config) })
    }
}

/// Settings to choose from: all of them with all others.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// Values of λ.
    pub penalty_weights: Vec<f64>,
    /// Values of the ridge.
    pub ridges: Vec<f64>,
    /// Penalties; the pooled estimator is always trained too.
    pub penalties: Vec<Penalty>,
    /// Whether larger weights are added until the criterion of the rule has turned.
    pub grows: bool,
}

impl Grid {
    /// Where a path begins. It grows from there.
    pub const PENALTY_WEIGHTS: [f64; 6] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0];

    /// The usual weights of one penalty and ridge, and larger ones where they are needed.
    pub fn of(config: &TrainConfig) -> Self {
        Self {
            penalty_weights: Self::PENALTY_WEIGHTS.to_vec(),
            ridges: vec![config.ridge],
            penalties: vec![config.penalty],
            grows: true,
        }
    }

    /// The weights of a path that is solved exactly: 0.001 to 1000, five per decade, and infinity if all of the penalties have
    /// that limit.
    pub fn path_weights(penalties: &[Penalty]) -> Vec<f64> {
        // Two digits are enough, and read better.
        let round = |weight: f64| format!("{weight:.1e}").parse().unwrap_or(weight);
        let limit = penalties.iter().all(|penalty| penalty.has_limit()).then_some(f64::INFINITY);
        (-15..=15).map(|fifth| round(10f64.powf(f64::from(fifth) / 5.0))).chain(limit).collect()
    }

    /// Leaves λ = ∞ out where the groups of the training rows vary in so many directions that none is left for the model, and
    /// says whether it did.
    pub fn leave_out_empty_limit(
        &mut self,
        config: &TrainConfig,
        dataset: &Dataset,
    ) -> Result<bool, TrainError> {
        if !self.penalty_weights.contains(&f64::INFINITY) {
            return Ok(false);
        }
        for &penalty in &self.penalties {
            let config = TrainConfig { penalty, ..config.clone() }.check().map_err(LinearError::from)?;
            match check_limit(&config, dataset) {
                Err(TrainError::Linear(LinearError::NoDirectionLeft { .. })) => {
                    self.penalty_weights.retain(|weight| weight.is_finite());
                    return Ok(true);
                }
                other => other?,
            }
        }
        Ok(false)
    }

    /// The pooled estimator for each ridge, and every other setting of the grid.
    pub fn estimators(&self, base: &TrainConfig) -> Result<Vec<Estimator>, ConfigError> {
        check_settings_count(&[self.penalty_weights.len(), self.ridges.len(), self.penalties.len()])?;
        let mut estimators = Vec::new();
        for &ridge in &self.ridges {
            estimators.push(Estimator::setting(base, Penalty::NONE, 0.0, ridge)?);
        }
        for &penalty in &self.penalties {
            for &ridge in &self.ridges {
                for &weight in &self.penalty_weights {
                    estimators.push(Estimator::setting(base, penalty, weight, ridge)?);
                }
            }
        }
        Ok(estimators)
    }
}

/// Refuses more training runs of an estimator than anybody waits for.
pub fn check_runs(runs: usize) -> Result<(), ConfigError> {
    range::RUNS.check_all("runs", &[runs])
}

/// Refuses a grid, of lists of these lengths, with more settings than anybody waits for; before any of them is made.
pub fn check_settings_count(lists: &[usize]) -> Result<(), ConfigError> {
    let count = lists.iter().fold(1usize, |count, &list| count.saturating_mul(list));
    range::SETTINGS.check_all("penalty_weights", &[count])
}

/// One training run to do.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job<'a> {
    pub estimator: &'a Estimator,
    /// Counted from 0.
    pub run: usize,
}

impl Job<'_> {
    pub fn seed(&self) -> u64 {
        self.estimator.config.seed.wrapping_add(self.run as u64)
    }

    /// The settings of this run.
    pub fn config(&self) -> CheckedTrainConfig {
        self.estimator.config.with_seed(self.seed())
    }

    /// Tells it from the other runs, in file names.
    pub fn key(&self) -> String {
        format!("{}-{}", self.estimator.key, self.seed())
    }

    /// As it is called in progress and errors.
    pub fn name(&self) -> String {
        format!("{}, run {}", self.estimator.key, self.run + 1)
    }
}

/// All estimators are measured by the penalty of CoRe, also those that were trained without it.
pub(crate) fn measure(estimators: &[Estimator]) -> Measure {
    let core =
        estimators.iter().map(|estimator| &estimator.config).find(|config| config.penalty.needs_groups());
    let config = core.or(estimators.first().map(|estimator| &estimator.config));
    Measure {
        penalty: core.map_or(Penalty::LOGIT_VARIANCE, |config| config.penalty),
        normalise: config.map_or_else(Default::default, |config| config.normalise),
        label_bins: config.map_or_else(|| TrainConfig::default().label_bins, |config| config.label_bins),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::linear::StyleRank;
    use crate::model::ModelSpec;

    /// Groups of four rows that differ in both features.
    pub fn varying_everywhere() -> Dataset {
        let values = (0..48).map(|k| ((k * k * 7) % 31) as f32).collect();
        let labels: Vec<&str> = (0..24).map(|row| if row < 12 { "a" } else { "b" }).collect();
        let data = Dataset::features(["x", "z"], values).classes(&labels);
        data.ids((0..24).map(|row| Some(row / 4))).check().unwrap()
    }

    #[test]
    fn an_infinite_weight_is_left_out_where_it_leaves_no_direction() {
        let config = TrainConfig { model: ModelSpec::Linear, ..Default::default() };
        let data = varying_everywhere();
        let grid = |penalty_weights: &[f64]| Grid {
            penalty_weights: penalty_weights.to_vec(),
            ridges: vec![1e-3],
            penalties: vec![Penalty::LOGIT_VARIANCE],
            grows: false,
        };
        let mut usual = grid(&[0.1, f64::INFINITY]);
        assert!(usual.leave_out_empty_limit(&config, &data).unwrap());
        assert_eq!(usual, grid(&[0.1]));
        assert!(!usual.leave_out_empty_limit(&config, &data).unwrap());
        let ranked = TrainConfig { style_rank: StyleRank::Directions(1), ..config };
        assert!(!grid(&[f64::INFINITY]).leave_out_empty_limit(&ranked, &data).unwrap());
    }

    #[test]
    fn the_usual_path_ends_at_infinity_where_the_penalty_has_that_limit() {
        let of_logits = Grid::path_weights(&[Penalty::LOGIT_VARIANCE, Penalty::LOGIT_SD]);
        assert_eq!((of_logits.len(), of_logits[0], of_logits[31]), (32, 1e-3, f64::INFINITY));
        let of_loss = Grid::path_weights(&[Penalty::LOGIT_VARIANCE, Penalty::LOSS_SD]);
        assert_eq!((of_loss.len(), of_loss[30]), (31, 1e3));
    }
}
