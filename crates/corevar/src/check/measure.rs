//! What is measured, what came out, and whether it is within its limit.

use serde::{Deserialize, Serialize};

use super::reference::MOST_NUMBERS;

/// What a check looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Measure {
    /// Share of wrong answers; of a regression the root mean squared error.
    Error,
    /// Share of groups whose answers differ.
    Flip,
    /// How far the rows have moved along the directions of style.
    StyleDrift,
    /// How far they have moved along all others.
    OtherDrift,
    /// Share of answers that a small style shift could turn.
    LowRadius,
}

impl Measure {
    /// All of them, in the order of a report.
    pub const ALL: [Self; 5] = [Self::Error, Self::Flip, Self::StyleDrift, Self::OtherDrift, Self::LowRadius];

    /// In tables and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Flip => "flip-rate",
            Self::StyleDrift => "style-drift",
            Self::OtherDrift => "other-drift",
            Self::LowRadius => "low-radius",
        }
    }

    /// The field of its limit.
    pub fn limit_field(self) -> &'static str {
        match self {
            Self::Error => "max_error",
            Self::Flip => "max_flip",
            Self::StyleDrift => "max_style_drift",
            Self::OtherDrift => "max_other_drift",
            Self::LowRadius => "max_low_radius",
        }
    }

    /// Whether it is a share of rows or groups, from 0 to 1.
    pub fn is_share(self, is_regression: bool) -> bool {
        match self {
            Self::Error => !is_regression,
            Self::Flip | Self::LowRadius => true,
            Self::StyleDrift | Self::OtherDrift => false,
        }
    }

    /// A value for people: shares in percent, drift in standard deviations.
    pub fn show(self, value: f64, is_regression: bool) -> String {
        match self {
            Self::StyleDrift | Self::OtherDrift => format!("{value:.2} SD"),
            _ if self.is_share(is_regression) => format!("{:.2} %", 100.0 * value),
            _ => format!("{value:.4}"),
        }
    }
}

/// A value with its 95 % interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// On the rows.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// What its reader should know.
    pub notes: Vec<String>,
}

/// Why something is not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotMeasured {
    /// Of the error.
    #[error("the rows have no labels")]
    NoLabels,
    /// Of the flip rate.
    #[error("no two rows share an id (and a label)")]
    NoRepeatedIds,
    /// Of the flip rate and the style radius.
    #[error("the answers are numbers, which do not flip")]
    Numbers,
    /// Of drift: a model of an earlier version, or of very wide rows.
    #[error(
        "the model file holds no statistics of its training rows: an earlier version wrote it, or its last layer sees too many \
         numbers per row (with all classes more than {MOST_NUMBERS})"
    )]
    NoReference,
    /// Of style drift.
    #[error("no two training rows shared a label and an id, so the directions of style are not known")]
    NoTrainingGroups,
    /// Of style drift.
    #[error("the rows of the training groups do not differ, so there are no directions of style")]
    NoStyle,
    /// Of other drift.
    #[error("the training groups vary in every direction, so there is no other")]
    NoOtherDirections,
    /// Of drift.
    #[error("the model gives the rows classes that it gave no training row")]
    NoCentre,
    /// Of the style radius.
    #[error("the model knows no group that it was not trained on, so its answers have no style radius")]
    NoStyleRadius,
    /// A sum is not finite.
    #[error("an output, a loss or a feature is not finite")]
    NotFinite,
}

/// Whether a value is within its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// It has no limit.
    NoLimit,
    /// At its limit or below.
    Pass,
    /// Above its limit.
    Broken,
    /// It has a limit and could not be measured.
    Unmeasured,
}

/// One measure on the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which.
    pub measure: Measure,
    /// None where it cannot be measured.
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// None where nobody set one.
    pub limit: Option<f64>,
    /// Whether it is within its limit.
    pub verdict: Verdict,
    /// Why it cannot be measured, and what its reader should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Finding {
    pub(super) fn new(measure: Measure, measured: Result<Measured, NotMeasured>, limit: Option<f64>) -> Self {
        match measured {
            Ok(Measured { value, low, high, mut notes }) => {
                let verdict = match limit {
                    None => Verdict::NoLimit,
                    Some(limit) if value > limit => Verdict::Broken,
                    Some(_) => Verdict::Pass,
                };
                if limit.is_some_and(|limit| low <= limit && limit < high) {
                    notes.push("the limit lies inside the interval: with other rows like these it could come out either way".into());
                }
                Self { measure, value: Some(value), low: Some(low), high: Some(high), limit, verdict, notes }
            }
            Err(why) => {
                let verdict = if limit.is_some() { Verdict::Unmeasured } else { Verdict::NoLimit };
                let notes = vec![format!("not measured: {why}")];
                Self { measure, value: None, low: None, high: None, limit, verdict, notes }
            }
        }
    }
}
