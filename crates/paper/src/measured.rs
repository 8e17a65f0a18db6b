//! Numbers of the records that figures and findings are about.

use serde::{Deserialize, Serialize};

use super::cell::{Cell, SettingRecord};
use super::record::VariantRecord;
use corevar::penalty::Penalty;

/// A number of an estimator on a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Measured {
    /// Share of wrong answers.
    #[default]
    Error,
    /// Standard error of the share of wrong answers, over the runs.
    ErrorSpread,
    /// The penalty that CoRe was trained with.
    Penalty,
    /// Mean variance of the outputs inside groups.
    WithinVariance,
    /// Variance of the group means.
    BetweenVariance,
    /// Within by between groups.
    VarianceRatio,
}

/// Mean over the runs, and its standard error; None of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Mean {
    pub mean: f64,
    pub spread: Option<f64>,
}

impl Measured {
    /// Whether it is shown in percent.
    pub fn is_share(self) -> bool {
        matches!(self, Self::Error | Self::ErrorSpread)
    }

    /// Whether it exists for a class alone.
    pub(super) fn is_by_class(self) -> bool {
        matches!(self, Self::WithinVariance | Self::BetweenVariance | Self::VarianceRatio)
    }

    /// What the record has of it on a split, of one class if one is named. None where it was not measured.
    pub(super) fn of(
        self,
        variant: &VariantRecord,
        setting: &SettingRecord,
        split: &str,
        class: Option<&str>,
    ) -> Option<Mean> {
        let (mean, spread) = match class {
            Some(class) => self.of_class(setting, split, class)?,
            None => self.of_split(variant, setting, setting.splits.get(split)?)?,
        };
        Some(Mean { mean, spread })
    }

    fn of_split(
        self,
        variant: &VariantRecord,
        setting: &SettingRecord,
        cell: &Cell,
    ) -> Option<(f64, Option<f64>)> {
        match self {
            Self::Error => Some((cell.error?, cell.error_spread)),
            Self::ErrorSpread => Some((cell.error_spread?, None)),
            Self::Penalty => Some((cell.penalty?, cell.penalty_spread)),
            Self::VarianceRatio => Some((cell.variance_ratio?, cell.variance_ratio_spread)),
            Self::WithinVariance => {
                let kept = cell.within_variance.map(|within| (within, cell.within_variance_spread));
                kept.or_else(|| within_of_penalty(variant, cell))
            }
            Self::BetweenVariance => {
                let kept = cell.between_variance.map(|between| (between, cell.between_variance_spread));
                kept.or_else(|| between_of_one_run(variant, setting, cell))
            }
        }
    }

    fn of_class(self, setting: &SettingRecord, split: &str, class: &str) -> Option<(f64, Option<f64>)> {
        let cell = setting.classes.get(split)?.get(class)?;
        match self {
            Self::WithinVariance => Some((cell.within_variance?, cell.within_variance_spread)),
            Self::BetweenVariance => Some((cell.between_variance?, cell.between_variance_spread)),
            Self::VarianceRatio => Some((cell.variance_ratio?, cell.variance_ratio_spread)),
            Self::Error | Self::ErrorSpread | Self::Penalty => None,
        }
    }
}

/// Records of earlier versions do not name the variance inside groups, but it is the penalty `logit-variance`.
fn within_of_penalty(variant: &VariantRecord, cell: &Cell) -> Option<(f64, Option<f64>)> {
    let is_variance = variant.measured_penalty() == Penalty::LOGIT_VARIANCE.to_string();
    is_variance.then_some((cell.penalty?, cell.penalty_spread))
}

/// Of one run it is within by ratio; the mean over several is not in the records of earlier versions.
fn between_of_one_run(
    variant: &VariantRecord,
    setting: &SettingRecord,
    cell: &Cell,
) -> Option<(f64, Option<f64>)> {
    let ratio = cell.variance_ratio.filter(|ratio| setting.seeds.len() == 1 && *ratio > 0.0)?;
    let (within, _) = within_of_penalty(variant, cell)?;
    Some((within / ratio, None))
}
