//! The records of a run: `results.json`, schema `corevar.results/1`.

mod difference;
mod setting;

use std::collections::BTreeMap;

use corevar_data::groups::QuantileBins;
use corevar_data::{BySplit, Dataset, SplitName};
use serde::{Deserialize, Serialize};

use crate::penalty::weight;
use crate::rows::{Rows, slices};
use crate::rule::Rule;
use crate::train::{EpochRecord, TrainConfig};

pub use difference::{Difference, JudgedDifference, StyleRatio};
pub use setting::Setting;

/// Name and version of the form of `results.json`.
pub const SCHEMA: &str = "corevar.results/1";

/// The whole of `results.json`. Errors are fractions; a number that does not exist is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`SCHEMA`].
    pub schema: String,
    /// What the report is headed with, where the name of the data does not tell runs apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What was trained and tested on.
    pub data: DataSummary,
    /// In the order in which they were asked for.
    pub estimators: Vec<EstimatorResult>,
    /// How the penalty weight was picked, when it was picked from a path of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selection: Option<Selection>,
    /// Of every estimator from the pooled one, on every split but `train`. Empty without a pooled estimator, and in files of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
}

/// How a penalty weight λ was picked from a path of them. The estimators it picked say `chosen`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Selection {
    /// What picked it.
    #[serde(flatten)]
    pub rule: Rule,
    /// The largest loss that the rule allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// The split whose loss was looked at.
    pub split: String,
    /// λ of CoRe that the rule picked.
    #[serde(with = "weight")]
    pub chosen: f64,
    /// λ of CoRe with the lowest loss: not the choice, because validation rows share the bias of training.
    #[serde(with = "weight")]
    pub arg_min: f64,
    /// The best choice with hindsight, by a shifted test; for comparison alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<Oracle>,
    /// What the rule looked at, for every setting that it could choose; the pooled one is λ = 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criterion: Vec<CriterionPoint>,
    /// How many folds held rows out.
    #[serde(default)]
    pub folds: usize,
    /// Held-out rows, of all folds.
    #[serde(default)]
    pub rows: usize,
    /// Held-out groups of two rows or more, of all folds.
    #[serde(default)]
    pub groups: usize,
    /// How far swapping the styles of two classes is for the pooled model, the farthest first; only where the rule asks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub swaps: Vec<Swap>,
    /// What makes the choice uncertain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cautions: Vec<String>,
}

/// One setting as the rule saw it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionPoint {
    /// Name of the penalty; `none` for the pooled setting.
    pub penalty: String,
    /// λ.
    #[serde(with = "weight")]
    pub penalty_weight: f64,
    /// γ.
    pub ridge: f64,
    /// The criterion of the rule: for the guarded error the mean of error and guarded error, else the loss after one temperature.
    pub value: f64,
}

/// How far apart the styles of two classes are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Swap {
    /// Names of the classes; None for a regression: one SD of the label above and below its mean.
    pub between: Option<(String, String)>,
    /// In SDs inside groups of their difference of logits.
    pub sds: f64,
}

/// The λ with the lowest error on a test split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Oracle {
    /// Which test.
    pub split: String,
    /// λ.
    #[serde(with = "weight")]
    pub penalty_weight: f64,
    /// Its error there.
    pub error: f64,
}

/// What was trained and tested on. Groups are those of the training split.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DataSummary {
    /// Built-in name or path.
    pub name: String,
    /// In all splits.
    pub rows: usize,
    /// Training rows that share their group with another one.
    pub grouped_rows: usize,
    /// Training groups with two rows or more.
    pub groups: usize,
    /// Class names in the order of the outputs; empty for regression.
    pub classes: Vec<String>,
    /// Rows of each split.
    pub splits: BySplit<usize>,
    /// Rows that count nowhere, because the models do not know their label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unknown_labels: Option<UnknownLabels>,
}

/// Rows whose label the models do not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownLabels {
    /// How many rows.
    pub rows: usize,
    /// How many of each label; no more than a hundred labels.
    pub labels: BTreeMap<String, usize>,
}

/// One estimator, trained several times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EstimatorResult {
    /// `pooled`, `core`, `label-variance`, `total-variance`.
    pub name: String,
    /// Name of the penalty it was trained with.
    pub penalty: String,
    /// λ; `"inf"` in the file for ∞, which JSON cannot write as a number.
    #[serde(with = "weight")]
    pub penalty_weight: f64,
    /// γ.
    pub ridge: f64,
    /// True for the setting of a path that the rule picked; in an experiment, which has no rule, for the one of several that is
    /// its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chosen: bool,
    /// One per seed.
    pub runs: Vec<RunResult>,
    /// Over the runs, by split.
    pub mean: BySplit<Numbers>,
    /// Over the runs, by split; with n - 1. Null with one run.
    pub standard_error: BySplit<Numbers>,
}

/// One training run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// Seed of the weights and of the order of the rows.
    pub seed: u64,
    /// Training time.
    pub seconds: f64,
    /// By split.
    pub splits: BySplit<SplitResult>,
    /// What its reader should know, such as how many directions λ = ∞ left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One model on one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitResult {
    /// How many.
    pub rows: usize,
    /// Share of wrong answers; of a regression the root mean squared error.
    pub error: f64,
    /// Mean loss.
    pub loss: f64,
    /// `C`, of the penalty that CoRe was trained with.
    pub penalty: Option<f64>,
    /// Mean variance of the outputs inside groups.
    pub within_variance: Option<f64>,
    /// Variance of the group means.
    pub between_variance: Option<f64>,
    /// Within by between.
    pub variance_ratio: Option<f64>,
    /// `C_{l,1/2}`, mean over groups of two rows or more of the standard deviation of the loss: with `loss` the robustness
    /// curve of Theorem 2.
    #[serde(default)]
    pub loss_sd: Option<f64>,
    /// Expected calibration error.
    pub calibration_error: Option<f64>,
    /// By class name.
    pub by_class: BTreeMap<String, ClassResult>,
    /// The largest error over class x attribute.
    pub worst_group_error: Option<f64>,
    /// The guarded error at k = 0, 1, .. 6: the share of answers that a style shift of k SDs inside groups could turn, each class
    /// counting alike. None without held-out groups. See [`crate::style`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guarded_error: Option<Vec<f64>>,
}

/// One class of a split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassResult {
    /// How many.
    pub rows: usize,
    /// Share of wrong answers.
    pub error: f64,
    /// Mean variance of the outputs inside groups of this class.
    pub within_variance: Option<f64>,
    /// Variance of the group means of this class.
    pub between_variance: Option<f64>,
    /// Within by between.
    pub variance_ratio: Option<f64>,
}

/// One line of `metrics.jsonl`: an epoch of a run, with the whole setting that it belongs to. A number that is not finite
/// is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochLine {
    /// Name of the estimator.
    pub estimator: String,
    /// How it was trained; None in files of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setting: Option<EpochSetting>,
    /// Seed of the run.
    pub seed: u64,
    /// Counted from 1.
    pub epoch: u64,
    /// Mean loss.
    pub risk: Option<f64>,
    /// The penalty before its weight.
    pub penalty: Option<f64>,
    /// The ridge term with its weight.
    pub ridge: Option<f64>,
}

/// What tells the runs of a study apart, beside their seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochSetting {
    /// Name of the penalty.
    pub penalty: String,
    /// λ.
    #[serde(with = "weight")]
    pub penalty_weight: f64,
    /// γ.
    pub ridge: f64,
    /// `linear`, `mlp` or `cnn`.
    pub model: String,
}

impl EpochLine {
    /// An epoch of the run with this seed.
    pub(crate) fn new(estimator: &str, config: &TrainConfig, seed: u64, epoch: &EpochRecord) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        Self {
            estimator: estimator.into(),
            setting: Some(EpochSetting {
                penalty: config.penalty.to_string(),
                penalty_weight: config.penalty_weight,
                ridge: config.ridge,
                model: config.model.name().into(),
            }),
            seed,
            epoch: epoch.epoch as u64,
            risk: finite(epoch.risk),
            penalty: finite(epoch.penalty),
            ridge: finite(epoch.ridge),
        }
    }
}

/// The numbers of a [`SplitResult`] that can be averaged.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "as in SplitResult")]
pub struct Numbers {
    pub error: Option<f64>,
    pub loss: Option<f64>,
    pub penalty: Option<f64>,
    pub within_variance: Option<f64>,
    pub between_variance: Option<f64>,
    pub variance_ratio: Option<f64>,
    #[serde(default)]
    pub loss_sd: Option<f64>,
    pub calibration_error: Option<f64>,
    pub worst_group_error: Option<f64>,
}

impl DataSummary {
    /// Counts rows, groups and splits. See [`crate::train::TrainConfig::label_bins`].
    pub fn new(dataset: &Dataset, label_bins: usize) -> Self {
        Self::grouped(dataset, slices(dataset, label_bins).as_ref())
    }

    /// The same with groups by (slice of the label, id), as a model has them.
    pub(crate) fn grouped(dataset: &Dataset, slices: Option<&QuantileBins>) -> Self {
        let train = Rows::grouped(dataset, dataset.train(), slices);
        Self {
            name: dataset.name().into(),
            rows: dataset.len(),
            grouped_rows: train.groups.grouped_rows(),
            groups: train.groups.larger().count(),
            classes: dataset.labels().class_names().to_vec(),
            splits: dataset.splits().iter().map(|split| (split.name.clone(), split.rows.len())).collect(),
            unknown_labels: None,
        }
    }
}

impl DataSummary {
    /// Names of the splits, in order.
    pub fn split_names(&self) -> Vec<&str> {
        self.splits.keys().map(SplitName::as_str).collect()
    }
}

impl Results {
    /// The estimator of that name that the records speak of: the one that a rule chose, or the first.
    pub fn main(&self, name: &str) -> Option<&EstimatorResult> {
        main(&self.estimators, |estimator| (estimator.name == name, estimator.chosen))
    }
}

/// Of those that count, the chosen one, or else the first. `of` tells whether an item counts and whether it was chosen.
pub fn main<T>(items: &[T], of: impl Fn(&T) -> (bool, bool)) -> Option<&T> {
    let mut counted = items.iter().filter(|item| of(item).0);
    counted.clone().find(|item| of(item).1).or_else(|| counted.next())
}

impl EstimatorResult {
    /// A setting with its runs.
    pub(crate) fn new(setting: &Setting, runs: Vec<RunResult>) -> Self {
        let [mean, standard_error] = Self::summaries(&runs);
        Self {
            name: setting.name.clone(),
            penalty: setting.penalty.clone(),
            penalty_weight: setting.penalty_weight,
            ridge: setting.ridge,
            chosen: setting.chosen,
            runs,
            mean,
            standard_error,
        }
    }

    /// Mean and standard error of the runs by split.
    pub fn summaries(runs: &[RunResult]) -> [BySplit<Numbers>; 2] {
        let splits = runs.first().map(|run| run.splits.keys()).into_iter().flatten();
        let summary = |summarise: fn(&[f64]) -> Option<f64>| {
            let of_split = |split: &SplitName| {
                let results: Vec<&SplitResult> =
                    runs.iter().filter_map(|run| run.splits.get(split)).collect();
                (split.clone(), Numbers::over(&results, summarise))
            };
            splits.clone().map(of_split).collect()
        };
        [summary(mean), summary(standard_error)]
    }
}

impl Numbers {
    fn over(results: &[&SplitResult], summarise: fn(&[f64]) -> Option<f64>) -> Self {
        let of = |field: fn(&SplitResult) -> Option<f64>| {
            let values: Option<Vec<f64>> = results.iter().map(|result| field(result)).collect();
            values.and_then(|values| summarise(&values))
        };
        Self {
            error: of(|r| Some(r.error)),
            loss: of(|r| Some(r.loss)),
            penalty: of(|r| r.penalty),
            within_variance: of(|r| r.within_variance),
            between_variance: of(|r| r.between_variance),
            variance_ratio: of(|r| r.variance_ratio),
            loss_sd: of(|r| r.loss_sd),
            calibration_error: of(|r| r.calibration_error),
            worst_group_error: of(|r| r.worst_group_error),
        }
    }
}

/// None of no value.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Of the mean; None of a single value.
pub fn standard_error(values: &[f64]) -> Option<f64> {
    let count = values.len() as f64;
    let centre = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    (values.len() > 1).then(|| (squares / (count - 1.0) / count).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_divides_by_one_less() {
        // 1, 2, 3: sum of squares 2, variance 1, over 3 runs.
        assert_eq!(standard_error(&[1.0, 2.0, 3.0]), Some((1.0f64 / 3.0).sqrt()));
        assert_eq!(standard_error(&[1.0]), None);
    }

    fn setting(penalty_weight: f64, chosen: bool) -> EstimatorResult {
        EstimatorResult {
            name: "core".into(),
            penalty: "logit-variance".into(),
            penalty_weight,
            ridge: 0.0,
            chosen,
            runs: Vec::new(),
            mean: BySplit::default(),
            standard_error: BySplit::default(),
        }
    }

    #[test]
    fn an_infinite_weight_is_a_word_in_json() {
        let text = serde_json::to_string(&setting(f64::INFINITY, true)).unwrap();
        assert!(text.contains(r#""penalty_weight":"inf""#) && text.contains(r#""chosen":true"#), "{text}");
        let back: EstimatorResult = serde_json::from_str(&text).unwrap();
        assert_eq!(back, setting(f64::INFINITY, true));
        let wrong =
            serde_json::from_str::<EstimatorResult>(&text.replace("\"inf\"", "\"much\"")).unwrap_err();
        assert!(wrong.to_string().contains("a number or `inf`"), "{wrong}");
    }

    #[test]
    fn what_was_not_chosen_does_not_speak_of_it() {
        let text = serde_json::to_string(&setting(0.5, false)).unwrap();
        assert!(text.contains(r#""penalty_weight":0.5"#) && !text.contains("chosen"), "{text}");
        assert_eq!(serde_json::from_str::<EstimatorResult>(&text).unwrap(), setting(0.5, false));
    }
}
