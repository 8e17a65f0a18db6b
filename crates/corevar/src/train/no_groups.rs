//! A conditional penalty needs groups.

use corevar_data::{Dataset, Tip};

use super::TrainConfig;
use crate::penalty::Penalty;
use crate::rows::{Rows, Task, task};

/// No two training rows form a group, so that a conditional penalty would train the pooled model without a word.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{data}: no two training rows share {shared}, so {penalty} is always 0")]
pub struct NoGroups {
    /// As the data name themselves.
    pub data: String,
    /// The penalty that was asked for.
    pub penalty: Penalty,
    /// What the rows of a group would share.
    pub shared: &'static str,
}

impl NoGroups {
    /// Refuses data without a group for a conditional penalty whose weight is not 0.
    pub(crate) fn refuse(config: &TrainConfig, dataset: &Dataset) -> Result<(), Self> {
        if !config.is_penalised() || !config.penalty.needs_groups() {
            return Ok(());
        }
        match Rows::new(dataset, dataset.train(), config.label_bins).groups.is_trivial() {
            false => Ok(()),
            true => Err(Self::new(dataset, config.penalty)),
        }
    }

    fn new(dataset: &Dataset, penalty: Penalty) -> Self {
        let shared = match task(dataset) {
            Some(Task::Regression) => "an id",
            _ => "a label and an id",
        };
        Self { data: dataset.name().into(), penalty, shared }
    }
}

/// What to do without groups.
pub(crate) const NO_GROUPS_TIP: &str =
    "put the id that says \"the same object\" into the column group_id, or name its column in the field `group_column`; to train \
     the pooled estimator alone, set the field `penalty` to none";

impl Tip for NoGroups {
    fn tip(&self) -> Option<String> {
        Some(NO_GROUPS_TIP.into())
    }
}
