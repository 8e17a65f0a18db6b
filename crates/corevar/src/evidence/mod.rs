//! The evidence behind the numbers of a run: `evidence.json`, schema `corevar.evidence/1`.
//!
//! `gather` looks at the trained models once more, split by split, and keeps what pictures are drawn of: confusion
//! matrices, reliability, errors by attribute, robustness curves, intervals, decision boundaries, and the pictures on which the
//! pooled model and CoRe differ. Everything random is drawn from one seed.

mod answers;
mod attributes;
pub(crate) mod bootstrap;
mod boundary;
mod changes;
mod confusion;
mod contrast;
mod differences;
#[cfg(test)]
mod golden;
mod linear;
mod picture;
mod rescued;
mod robustness;
mod stress;
mod subject;
#[cfg(test)]
mod tests;
mod versions;

use std::time::Instant;

use corevar_data::inspect::{InspectOptions, inspect};
use corevar_data::{BySplit, Dataset, ReadReport, SplitName};
use serde::{Deserialize, Serialize};

pub(crate) use answers::Answers;
pub use attributes::{AttributeErrors, LevelError, WorstGroup};
pub use bootstrap::{DRAWS, Interval, LEVEL};
pub use boundary::{Map, Plane, Point, SplitPoints};
pub use changes::{Judged, MindChange};
pub use confusion::{ConfusedPair, Confusion};
use contrast::Contrast;
pub(crate) use differences::{Compared, differences};
pub use linear::{Coefficient, LinearEvidence};
pub use picture::{PictureGroup, Pictures};
pub use rescued::{Answer, Rescued, RescuedExample};
pub use stress::{StressCurve, StressPoint};
pub(crate) use subject::Subject;
pub use versions::{Times, Versions};

pub use crate::certificate::{CurvePoint, RobustnessCurve};
pub use crate::evaluate::ReliabilityBin;
use crate::evaluate::{Measure, reliability};
pub use crate::linear::StyleDimension;
use crate::model::ModelError;
use crate::results::Setting;
use crate::rows::Rows;
use crate::stop::Stop;
use crate::style::{self, HeldOut, held_out};
pub use crate::style::{GuardedCurve, GuardedPoint};

/// Name and version of the form of `evidence.json`.
pub const SCHEMA: &str = "corevar.evidence/1";

/// The whole of `evidence.json`. What does not exist for these data is left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// [`SCHEMA`].
    pub schema: String,
    /// Of the draws: bootstrap, samples of rows.
    pub seed: u64,
    /// One per model that was looked at: of a run the first of each setting.
    pub models: Vec<ModelEvidence>,
    /// Linear models of named features.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub linear: Vec<LinearEvidence>,
    /// How many directions style has in the training groups, for linear models of named features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style_dimension: Option<StyleDimension>,
    /// Decision boundaries, for data of two features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<Plane>,
    /// Pictures, for data of images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pictures: Option<Pictures>,
    /// What `inspect` says of the data: `{"lines": ["..", ..]}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inspect: Option<serde_json::Value>,
    /// Errors under growing interventions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stress: Vec<StressCurve>,
    /// What it was made with.
    pub versions: Versions,
    /// When it was made.
    pub times: Times,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelEvidence {
    /// How it was trained.
    #[serde(flatten)]
    pub setting: Setting,
    /// By split; splits without rows are left out.
    pub splits: BySplit<SplitEvidence>,
}

/// One model on one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitEvidence {
    /// How many.
    pub rows: usize,
    /// Different ids among them; a row without an id counts as one.
    pub ids: usize,
    /// Share of wrong answers, or root mean squared error, with its interval. None when a loss is not finite.
    pub error: Option<Interval>,
    /// Mean loss with its interval. None when a loss is not finite.
    pub loss: Option<Interval>,
    /// Classes only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confusion: Option<Confusion>,
    /// Classes only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reliability: Vec<ReliabilityBin>,
    /// One an attribute of few levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_attribute: Vec<AttributeErrors>,
    /// The class, or class and level of an attribute, with the largest error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_group: Option<WorstGroup>,
    /// How the loss would rise if the style shifted; on held-out groups of two rows or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub robustness: Option<RobustnessCurve>,
    /// How many answers a style shift could turn; on held-out rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guarded: Option<GuardedCurve>,
}

/// Looks at the models on every split.
///
/// The pooled model is the first one of that name; CoRe is the chosen setting of `core`, or the first. `measure` is that of
/// the comparison, `seed` that of the draws, `report` that of the reader of the data. `stress` stays empty: who has it puts it in.
/// None when `stop`, which is asked between the parts, says so.
pub(crate) fn gather(
    dataset: &Dataset,
    subjects: &[Subject<'_>],
    measure: Measure,
    seed: u64,
    report: Option<&ReadReport>,
    stop: Stop,
) -> Result<Option<Evidence>, ModelError> {
    let start = Instant::now();
    let mut models: Vec<ModelEvidence> = subjects.iter().map(ModelEvidence::new).collect();
    let mut contrast = Contrast::new(dataset, subjects, seed);
    // Models that are looked at together group their rows alike.
    let slices = subjects.first().and_then(|subject| subject.model.label_slices());
    for split in dataset.splits().iter().filter(|split| !split.rows.is_empty()) {
        let rows = Rows::grouped(dataset, &split.rows, slices);
        let mut kept = Vec::new();
        for (index, subject) in subjects.iter().enumerate() {
            let Some(outputs) = subject.outputs.get(&split.name) else { continue };
            if stop() {
                return Ok(None);
            }
            let answers = Answers::new(outputs, &rows);
            let evidence = SplitEvidence::new(dataset, &split.name, &rows, &answers, seed);
            models[index].splits.insert(split.name.clone(), evidence);
            if contrast.needs(index) {
                kept.push((index, answers));
            }
        }
        contrast.look(&split.name, &rows, &kept);
    }
    for (model, subject) in models.iter_mut().zip(subjects) {
        if stop() {
            return Ok(None);
        }
        model.guard(&held_out(dataset, subject.outputs, slices), subject, seed);
    }
    let usual = InspectOptions::default();
    // One bin would say that all labels are the same.
    let label_bins = if measure.label_bins > 1 { measure.label_bins } else { usual.label_bins };
    let options = InspectOptions { label_bins, ..usual };
    let lines = inspect(dataset, report, &options)?.lines_of_text();
    if stop() {
        return Ok(None);
    }
    Ok(Some(Evidence {
        models,
        linear: linear::linear(dataset, subjects)?,
        style_dimension: linear::dimension(dataset, subjects)?,
        plane: boundary::plane(dataset, subjects, contrast.most_gained(), seed)?,
        pictures: contrast.pictures()?,
        inspect: Some(serde_json::json!({ "lines": lines })),
        times: Times::since(start),
        ..Evidence::empty(seed)
    }))
}

impl Evidence {
    /// Of no models.
    pub(crate) fn empty(seed: u64) -> Self {
        Self {
            schema: SCHEMA.into(),
            seed,
            models: Vec::new(),
            linear: Vec::new(),
            style_dimension: None,
            plane: None,
            pictures: None,
            inspect: None,
            stress: Vec::new(),
            versions: Versions::here(),
            times: Times::since(Instant::now()),
        }
    }
}

impl ModelEvidence {
    fn new(subject: &Subject<'_>) -> Self {
        Self { setting: subject.setting.clone(), splits: BySplit::default() }
    }

    /// Adds how many answers a style shift could turn.
    fn guard(&mut self, parts: &[HeldOut<'_>], subject: &Subject<'_>, seed: u64) {
        for (split, curve) in style::curves(parts, subject.model.style(), seed) {
            if let Some(evidence) = self.splits.get_mut(&split) {
                evidence.guarded = Some(curve);
            }
        }
    }
}

impl SplitEvidence {
    fn new(dataset: &Dataset, split: &SplitName, rows: &Rows, answers: &Answers, seed: u64) -> Self {
        let clusters = bootstrap::clusters(rows, answers);
        let [error, loss] = bootstrap::intervals(&clusters, answers.is_regression(), seed);
        let is_held_out = !split.is_train();
        Self {
            rows: rows.len(),
            ids: clusters.len(),
            error,
            loss,
            confusion: Confusion::new(rows, answers),
            reliability: match answers.is_regression() {
                true => Vec::new(),
                false => reliability(answers.outputs, &rows.labels),
            },
            by_attribute: attributes::by_attribute(dataset, rows, answers),
            worst_group: attributes::worst_group(dataset, rows, answers),
            robustness: is_held_out.then(|| robustness::curve(rows, answers, seed)).flatten(),
            guarded: None,
        }
    }
}
