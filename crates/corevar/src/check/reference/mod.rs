//! What a model keeps of its training rows, so that later rows can be compared with them.

mod build;
mod centres;
mod directions;
mod numbers;

use corevar_data::{Dataset, SplitName};
use serde::{Deserialize, Serialize};

use super::measure::Measure;
use super::{CheckConfig, look};
use crate::linear::dot;
use crate::model::{Model, ModelError};
use crate::rows::Task;

pub(super) use centres::{Centres, class_and_score};
use directions::Directions;

/// Numbers that the header of a model has of its training rows at most.
pub(super) const MOST_NUMBERS: usize = 1 << 21;

/// Bytes that they take in the header, as base64.
pub(crate) const MOST_BYTES: usize = 16 * MOST_NUMBERS / 3 + (1 << 16);

/// Directions of style, and others, that are kept.
const MOST_DIRECTIONS: usize = 16;

/// For `check`: what the model knew when it was trained.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reference {
    /// What drift is measured against. None where the rows are too wide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftReference>,
    /// The same measures on the split `val`. None without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<ValidationRecord>,
}

/// Means of the training rows by the class that the model gives them, directions in which training groups vary, and the variation
/// around the means in all others; all of what the last layer sees.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DriftReference {
    /// Numbers that the last layer sees of a row.
    pub(super) width: usize,
    /// Training groups with two rows or more that the directions of style come from.
    pub(super) groups: usize,
    pub(super) centres: Centres,
    /// Directions of style with their SDs inside groups, strongest first.
    pub(super) style: Directions,
    /// Share of the variance inside groups that they hold.
    pub(super) style_share: f64,
    /// Leading directions of what is orthogonal to them, with SDs around the class.
    pub(super) other: Directions,
    /// SD in one of the directions that are not kept; 0 where there is none.
    pub(super) rest_sd: f64,
    /// How many directions they are worth: `(Σ λ)² / Σ λ²` of their variances λ.
    pub(super) rest_directions: f64,
}

/// The measures on rows that were held out in training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidationRecord {
    /// How many.
    pub rows: usize,
    /// As in [`CheckConfig::radius`].
    pub radius: f64,
    /// What could be measured, with the upper end of its 95 % interval.
    pub measured: Vec<(Measure, f64, f64)>,
}

impl Reference {
    /// Of a model that was just trained on the split `train` of these data.
    pub(crate) fn of(model: &Model, data: &Dataset) -> Result<Self, ModelError> {
        // What a reader would refuse is not written: extreme features may leave the range of single precision.
        let outputs = model.task().outputs();
        let is_regression = *model.task() == Task::Regression;
        let drift =
            build::drift_reference(model, data)?.filter(|drift| drift.is_valid(outputs, is_regression));
        let model = Model { reference: Some(Self { drift, validation: None }), ..model.clone() };
        let validation = ValidationRecord::of(&model, data)?;
        let drift = model.reference.and_then(|reference| reference.drift);
        Ok(Self { drift, validation })
    }

    /// Whether it can be that of such a model: files may say anything.
    pub(crate) fn is_valid(&self, width: Option<usize>, outputs: usize, is_regression: bool) -> bool {
        let drift = self.drift.as_ref();
        drift.is_none_or(|drift| Some(drift.width) == width && drift.is_valid(outputs, is_regression))
            && self.validation.as_ref().is_none_or(ValidationRecord::is_valid)
    }
}

impl ValidationRecord {
    fn of(model: &Model, data: &Dataset) -> Result<Option<Self>, ModelError> {
        let Some(rows) = data.split(SplitName::VALIDATION).filter(|rows| !rows.is_empty()) else {
            return Ok(None);
        };
        let rows = model.rows(data, rows);
        let outputs = model.outputs(&rows)?;
        let report = look(model, data.name(), &rows, &outputs, &CheckConfig::default())?;
        let measured = report.findings.iter().filter_map(|one| Some((one.measure, one.value?, one.high?)));
        Ok(Some(Self { rows: report.rows, radius: report.radius, measured: measured.collect() }))
    }

    fn is_valid(&self) -> bool {
        let is_sound = |number: f64| number.is_finite() && number >= 0.0;
        self.measured.len() <= Measure::ALL.len()
            && is_sound(self.radius)
            && self.measured.iter().all(|(_, value, high)| is_sound(*value) && is_sound(*high))
    }
}

impl DriftReference {
    /// Training groups with two rows or more that the directions of style come from.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// How many directions of style are kept, and which share of the variance inside groups they hold.
    pub fn style_directions(&self) -> (usize, f64) {
        (self.style.len(), self.style_share)
    }

    /// All directions that are kept.
    pub(super) fn kept(&self) -> usize {
        self.style.len() + self.other.len()
    }

    /// Whether anything varies outside the directions of style.
    pub(super) fn has_others(&self) -> bool {
        !self.other.is_empty() || self.rest_sd > 0.0
    }

    /// Along the directions of style, then along the others.
    pub(super) fn coordinates(&self, row: &[f64]) -> Vec<f64> {
        let along = |directions: &Directions| -> Vec<f64> {
            directions.vectors(self.width).map(|direction| dot(&direction, row)).collect()
        };
        [along(&self.style), along(&self.other)].concat()
    }

    fn is_valid(&self, outputs: usize, is_regression: bool) -> bool {
        let is_sound = |number: f64| number.is_finite() && number >= 0.0;
        self.width > 0
            && self.centres.is_valid(self.width, outputs, is_regression)
            && self.style.is_valid(self.width)
            && self.other.is_valid(self.width)
            && [self.style_share, self.rest_sd, self.rest_directions].into_iter().all(is_sound)
    }
}
