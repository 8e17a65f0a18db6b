//! A gate for pipelines: whether a model may be trusted with new rows.
//!
//! [`check`] takes a model and new rows and finds out, as far as the rows can tell:
//!
//! | measure | needs | file |
//! |---|---|---|
//! | error, with its interval | labels | `error_rate.rs` |
//! | flip rate: share of groups whose answers differ | ids that repeat | `flips.rs` |
//! | style drift, other drift: how far the rows have moved since training | nothing | `drift.rs` |
//! | share of answers with a small style radius | held-out groups at training time | `low_radius.rs` |
//!
//! What the drift is measured against is in the model file: [`DriftReference`]. A value above its limit breaks it; a limit on what
//! cannot be measured is an error and no pass.
//!
//! ```
//! use corevar::check::{CheckConfig, Limits, check};
//! use corevar::{Core, Dataset};
//!
//! # let (values, labels, ids) = corevar::study::example();
//! let data = Dataset::features(["core", "style"], values).classes(&labels).ids(ids).check()?;
//! let model = Core::new().penalty_weight(10.0).fit(&data)?;
//! let limits = Limits { style_drift: Some(3.0), ..Default::default() };
//! let report = check(&model, &data, data.train(), &CheckConfig { limits, ..Default::default() })?;
//! assert!(report.broken().next().is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod drift;
mod error_rate;
mod flips;
mod junit;
mod limits;
mod low_radius;
mod measure;
mod propose;
mod reference;
#[cfg(test)]
mod tests;

use corevar_data::{Dataset, Tip};
use serde::{Deserialize, Serialize};

use crate::model::{Model, ModelError};
use crate::outputs::Outputs;
use crate::range::{ConfigError, FROM_0};
use crate::rows::{Rows, Task};

pub use junit::junit;
pub use limits::Limits;
pub use measure::{Finding, Measure, Measured, NotMeasured, Verdict};
pub use propose::{Proposal, ProposedFrom, proposals};
pub(crate) use reference::MOST_BYTES as MOST_REFERENCE_BYTES;
pub use reference::{DriftReference, Reference, ValidationRecord};

/// Name and version of the form of a report as JSON.
pub const SCHEMA: &str = "corevar.check/1";

/// What is asked of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CheckConfig {
    /// What must not be exceeded.
    pub limits: Limits,
    /// Answers with a style radius below this count as uncertain; from 0.
    pub radius: f64,
    /// Of the draws of ids.
    pub seed: u64,
}

impl Default for CheckConfig {
    fn default() -> Self {
        Self { limits: Limits::default(), radius: 1.0, seed: 0 }
    }
}

impl CheckConfig {
    /// Refuses limits that make no sense.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.limits.validate()?;
        FROM_0.check("radius", self.radius)
    }
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// A limit makes no sense.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The model cannot be asked about the rows.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Nothing to look at.
    #[error("{0}: there are no rows to check")]
    NoRows(String),
}

impl Tip for CheckError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::Config(cause) => cause.tip(),
            Self::Model(cause) => cause.tip(),
            Self::NoRows(_) => Some("name another split in the field `split`".into()),
        }
    }
}

/// What was found: one entry per measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheckReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// As the data name themselves.
    pub data: String,
    /// How many were looked at.
    pub rows: usize,
    /// Different ids among them; a row without an id counts as one.
    pub ids: usize,
    /// True where the answers are numbers: the error is the root mean squared error, in units of the label.
    pub is_regression: bool,
    /// Answers with a style radius below this count as uncertain.
    pub radius: f64,
    /// In the order of [`Measure::ALL`].
    pub findings: Vec<Finding>,
}

impl CheckReport {
    /// What is above its limit.
    pub fn broken(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.verdict == Verdict::Broken)
    }

    /// What has a limit and could not be measured.
    pub fn unmeasured(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.verdict == Verdict::Unmeasured)
    }

    /// What was found of one measure.
    pub fn of(&self, measure: Measure) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.measure == measure)
    }
}

/// Looks at these rows of the data, whose features are in the order in which the model takes them ([`Model::prepare`]). Labels and
/// ids are used where they are there.
pub fn check(
    model: &Model,
    data: &Dataset,
    rows: &[usize],
    config: &CheckConfig,
) -> Result<CheckReport, CheckError> {
    config.validate()?;
    if rows.is_empty() {
        return Err(CheckError::NoRows(data.name().into()));
    }
    let rows = model.rows(data, rows);
    let outputs = model.outputs(&rows)?;
    Ok(look(model, data.name(), &rows, &outputs, config)?)
}

/// As [`check`], from what the model says of the rows.
fn look(
    model: &Model,
    data: &str,
    rows: &Rows,
    outputs: &Outputs,
    config: &CheckConfig,
) -> Result<CheckReport, ModelError> {
    let ids = corevar_data::Groups::by_id((0..rows.len()).map(|position| rows.id(position)));
    let [style, other] = drift::drift(model, rows, outputs)?;
    let measured = [
        (Measure::Error, error_rate::error_rate(rows, outputs, config.seed)),
        (Measure::Flip, flips::flip_rate(model, rows, outputs)),
        (Measure::StyleDrift, style),
        (Measure::OtherDrift, other),
        (Measure::LowRadius, low_radius::low_radius(model, &ids, outputs, config)),
    ];
    let finding = |(measure, measured)| Finding::new(measure, measured, config.limits.of(measure));
    Ok(CheckReport {
        schema: SCHEMA.into(),
        data: data.into(),
        rows: rows.len(),
        ids: ids.count(),
        is_regression: *model.task() == Task::Regression,
        radius: config.radius,
        findings: measured.into_iter().map(finding).collect(),
    })
}
