//! One estimator of a variant in numbers: mean over the runs, standard error, and the paper's number.

use std::collections::BTreeMap;

use corevar::penalty::weight;
use corevar::results::{ClassResult, EstimatorResult, mean, standard_error};
use corevar_data::SplitName;
use serde::{Deserialize, Serialize};

use super::spec::Variant;

/// One estimator of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SettingRecord {
    /// Tells it from the others of the variant.
    pub key: String,
    /// `pooled`, `core`, or that of a baseline.
    pub estimator: String,
    /// Of training.
    pub penalty: String,
    /// λ.
    #[serde(with = "weight")]
    pub penalty_weight: f64,
    /// γ.
    pub ridge: f64,
    /// Of each run.
    pub seeds: Vec<u64>,
    /// Training time of all runs together.
    pub seconds: f64,
    /// By split.
    pub splits: BTreeMap<String, Cell>,
    /// By split and class, where the rows of the split are grouped. Records of earlier versions have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub classes: BTreeMap<String, BTreeMap<String, ClassCell>>,
}

/// One estimator on one split: mean over the runs, standard error, and the paper's number. Errors are fractions. Records of
/// earlier versions have the two variances only as their ratio.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "said above")]
pub struct Cell {
    pub error: Option<f64>,
    pub error_spread: Option<f64>,
    pub paper_error: Option<f64>,
    pub penalty: Option<f64>,
    pub penalty_spread: Option<f64>,
    pub paper_penalty: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_variance: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_variance_spread: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_variance: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_variance_spread: Option<f64>,
    pub variance_ratio: Option<f64>,
    pub variance_ratio_spread: Option<f64>,
}

/// The variances of the outputs of one class on one split: mean over the runs, and standard error.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "said above")]
pub struct ClassCell {
    pub within_variance: Option<f64>,
    pub within_variance_spread: Option<f64>,
    pub between_variance: Option<f64>,
    pub between_variance_spread: Option<f64>,
    pub variance_ratio: Option<f64>,
    pub variance_ratio_spread: Option<f64>,
}

impl SettingRecord {
    /// What came out of an estimator, beside the paper's numbers.
    pub(super) fn new(variant: &Variant, key: &str, result: &EstimatorResult) -> Self {
        let split = |name: &SplitName| (name.to_string(), Cell::new(variant, key, result, name));
        let by_class = |name: &SplitName| {
            let classes = ClassCell::of_split(result, name);
            (!classes.is_empty()).then(|| (name.to_string(), classes))
        };
        Self {
            key: key.into(),
            estimator: result.name.clone(),
            penalty: result.penalty.clone(),
            penalty_weight: result.penalty_weight,
            ridge: result.ridge,
            seeds: result.runs.iter().map(|run| run.seed).collect(),
            seconds: result.runs.iter().map(|run| run.seconds).sum(),
            splits: result.mean.keys().map(split).collect(),
            classes: result.mean.keys().filter_map(by_class).collect(),
        }
    }
}

impl Cell {
    fn new(variant: &Variant, key: &str, result: &EstimatorResult, split: &str) -> Self {
        let mean = result.mean.get(split).copied().unwrap_or_default();
        let spread = result.standard_error.get(split).copied().unwrap_or_default();
        let ours = Self {
            error: mean.error,
            error_spread: spread.error,
            penalty: mean.penalty,
            penalty_spread: spread.penalty,
            within_variance: mean.within_variance,
            within_variance_spread: spread.within_variance,
            between_variance: mean.between_variance,
            between_variance_spread: spread.between_variance,
            variance_ratio: mean.variance_ratio,
            variance_ratio_spread: spread.variance_ratio,
            ..Self::default()
        };
        ours.beside_paper(variant, key, split)
    }

    pub(super) fn beside_paper(self, variant: &Variant, key: &str, split: &str) -> Self {
        let paper = |numbers: &BTreeMap<String, BTreeMap<String, f64>>| numbers.get(key)?.get(split).copied();
        Self {
            paper_error: paper(&variant.paper).map(|percent| percent / 100.0),
            paper_penalty: paper(&variant.paper_penalty),
            ..self
        }
    }
}

impl ClassCell {
    /// Of the classes that have groups; empty where none has.
    fn of_split(result: &EstimatorResult, split: &str) -> BTreeMap<String, Self> {
        let runs: Vec<&BTreeMap<String, ClassResult>> =
            result.runs.iter().filter_map(|run| Some(&run.splits.get(split)?.by_class)).collect();
        let Some(first) = runs.first() else { return BTreeMap::new() };
        let grouped = first.iter().filter(|(_, class)| class.within_variance.is_some());
        let of_class = |(name, _): (&String, &ClassResult)| {
            let classes: Vec<&ClassResult> = runs.iter().filter_map(|run| run.get(name)).collect();
            (name.clone(), Self::over(&classes))
        };
        grouped.map(of_class).collect()
    }

    fn over(classes: &[&ClassResult]) -> Self {
        let of = |field: fn(&ClassResult) -> Option<f64>| {
            let values: Option<Vec<f64>> = classes.iter().map(|class| field(class)).collect();
            values.map_or((None, None), |values| (mean(&values), standard_error(&values)))
        };
        let (within_variance, within_variance_spread) = of(|class| class.within_variance);
        let (between_variance, between_variance_spread) = of(|class| class.between_variance);
        let (variance_ratio, variance_ratio_spread) = of(|class| class.variance_ratio);
        Self {
            within_variance,
            within_variance_spread,
            between_variance,
            between_variance_spread,
            variance_ratio,
            variance_ratio_spread,
        }
    }
}
