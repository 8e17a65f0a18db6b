//! Rules that pick a penalty weight λ from a path. To add one, add a variant here.
//!
//! Validation rows share the bias of training, so minimising their loss always favours λ near 0. The paper takes the largest λ
//! before that loss rises considerably. [`Rule::Tolerance`] makes this a share of what there is to lose:
//!
//! ```text
//! loss(λ) <= best + tolerance · (constant - best)
//! ```
//!
//! where `best` is the lowest loss on the path and `constant` that of a prediction that knows the shares of the classes only.
//! A share of `best` itself would mean nothing where a network brings the loss close to 0.

use corevar_data::Tip;
use serde::{Deserialize, Serialize};

use crate::range::{self, ConfigError};

/// Share of what is gained over a constant prediction that robustness may cost, unless another is stated.
pub const TOLERANCE: f64 = 0.15;

/// What picks a penalty weight, with its number. In records: `"rule": "tolerance", "tolerance": 0.15`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The largest λ that costs at most a share of what is gained over a constant prediction.
    Tolerance {
        /// The share, 0 to 1.
        #[serde(default = "usual_tolerance")]
        tolerance: f64,
    },
    /// The largest λ whose loss is at most one standard error (over the runs) above the lowest.
    StandardError,
    /// The λ with the lowest `E[loss] + sqrt(ξ) · C_{l,1/2}` on held-out groups (Theorem 2).
    Guard {
        /// The size ξ of the shift to guard against, from 0.
        #[serde(default)]
        guard: f64,
    },
}

fn usual_tolerance() -> f64 {
    TOLERANCE
}

impl Default for Rule {
    fn default() -> Self {
        Self::Tolerance { tolerance: TOLERANCE }
    }
}

/// One setting of a path, as a rule sees it: means over its runs on the validation rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Candidate {
    pub penalty_weight: f64,
    pub loss: f64,
    /// Of the loss, over the runs; None for one run.
    pub standard_error: Option<f64>,
    /// `C_{l,1/2}`; None without a group of two rows.
    pub loss_sd: Option<f64>,
}

/// What a rule picked: places in the path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pick {
    pub chosen: usize,
    /// The lowest loss.
    pub arg_min: usize,
    /// The largest loss that the rule allows, where it has such a limit.
    pub limit: Option<f64>,
}

/// Why nothing could be chosen.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The split has no loss.
    #[error("there is no loss on the split `{0}` to choose a penalty weight by")]
    NoLoss(String),
    /// One run has no standard error.
    #[error("one standard error needs two runs or more of each setting")]
    OneRun,
    /// Theorem 2 needs groups.
    #[error("no validation group has two rows or more, so that nothing is known about shifts")]
    NoGroups,
}

impl Tip for SelectError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::NoLoss(_) => Some("put rows into the split `val`, or leave that split out".into()),
            Self::OneRun => Some("set the field `runs` to 3, or choose by the field `tolerance`".into()),
            Self::NoGroups => {
                Some("hold out rows that share their id, or choose by the field `tolerance`".into())
            }
        }
    }
}

impl Rule {
    /// Refuses a number out of its range.
    pub fn check(self) -> Result<(), ConfigError> {
        match self {
            Self::Tolerance { tolerance } => range::SHARE.check("tolerance", tolerance),
            Self::StandardError => Ok(()),
            Self::Guard { guard } => range::FROM_0.check("guard", guard),
        }
    }

    /// Whether it needs several runs of each setting.
    pub fn needs_runs(self) -> bool {
        self == Self::StandardError
    }

    /// What it takes, after "λ = 1:".
    pub fn words(self, split: &str) -> String {
        match self {
            Self::Tolerance { tolerance } => format!(
                "the largest that costs at most {:.0} % of what is gained on {split} over a constant prediction",
                100.0 * tolerance
            ),
            Self::StandardError => {
                format!("the largest within one standard error of the lowest loss on {split}")
            }
            Self::Guard { guard } => {
                format!("the lowest first-order loss under style shifts of size ξ = {guard}, on {split}")
            }
        }
    }

    /// The choice among the settings of a path; None of an empty one.
    pub(crate) fn pick(self, path: &[Candidate], constant_loss: f64) -> Result<Option<Pick>, SelectError> {
        let Some(arg_min) = lowest(path.iter().map(|setting| setting.loss)) else { return Ok(None) };
        let best = path[arg_min].loss;
        let limit = match self {
            Self::Tolerance { tolerance } => best + tolerance * (constant_loss - best).max(0.0),
            Self::StandardError => best + path[arg_min].standard_error.ok_or(SelectError::OneRun)?,
            Self::Guard { guard } => {
                let worst = |setting: &Candidate| Some(setting.loss + guard.sqrt() * setting.loss_sd?);
                let worst: Option<Vec<f64>> = path.iter().map(worst).collect();
                let chosen = lowest(worst.ok_or(SelectError::NoGroups)?.into_iter()).unwrap_or(arg_min);
                return Ok(Some(Pick { chosen, arg_min, limit: None }));
            }
        };
        // The largest weight within the limit; of several ridges the one with the lower loss.
        let larger = |&a: &usize, &b: &usize| {
            let [a, b] = [&path[a], &path[b]];
            a.penalty_weight.total_cmp(&b.penalty_weight).then(b.loss.total_cmp(&a.loss))
        };
        let within = (0..path.len()).filter(|&place| path[place].loss <= limit);
        let chosen = within.max_by(larger).unwrap_or(arg_min);
        Ok(Some(Pick { chosen, arg_min, limit: Some(limit) }))
    }
}

/// The first place of the lowest number.
fn lowest(numbers: impl Iterator<Item = f64>) -> Option<usize> {
    numbers.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).map(|(place, _)| place)
}
