//! What must not be exceeded.

use serde::{Deserialize, Serialize};

use super::Measure;
use crate::range::{ConfigError, FROM_0};

/// The largest value of each measure that passes. None: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Limits {
    /// Of the error: a share, or in units of a regression's label.
    pub error: Option<f64>,
    /// Of the flip rate: a share.
    pub flip: Option<f64>,
    /// Of the style drift, in SDs inside groups.
    pub style_drift: Option<f64>,
    /// Of the other drift, in SDs of the training rows of a class.
    pub other_drift: Option<f64>,
    /// Of the share of answers with a small style radius.
    pub low_radius: Option<f64>,
}

impl Limits {
    /// That of a measure.
    pub fn of(&self, measure: Measure) -> Option<f64> {
        match measure {
            Measure::Error => self.error,
            Measure::Flip => self.flip,
            Measure::StyleDrift => self.style_drift,
            Measure::OtherDrift => self.other_drift,
            Measure::LowRadius => self.low_radius,
        }
    }

    /// Without any limit nothing can fail.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(super) fn validate(&self) -> Result<(), ConfigError> {
        let limits = Measure::ALL.into_iter().filter_map(|measure| Some((measure, self.of(measure)?)));
        limits.into_iter().try_for_each(|(measure, limit)| FROM_0.check(measure.limit_field(), limit))
    }
}
