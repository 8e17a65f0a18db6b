//! A conditional penalty needs groups.

use corevar_data::{Dataset, Groups, Tip};

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
        let groups = Rows::new(dataset, dataset.train(), config.label_bins).groups;
        Self::refuse_among(config, &groups, task(dataset).as_ref(), dataset.name())
    }

    /// Refuses these groups of the training rows likewise.
    pub(crate) fn refuse_among(
        config: &TrainConfig,
        groups: &Groups,
        task: Option<&Task>,
        data: &str,
    ) -> Result<(), Self> {
        if !config.is_penalised() || !config.penalty.needs_groups() || !groups.is_trivial() {
            return Ok(());
        }
        let shared = match task {
            Some(Task::Regression) => "an id",
            _ => "a label and an id",
        };
        Err(Self { data: data.into(), penalty: config.penalty, shared })
    }
}

/// What to do without groups.
pub(crate) const NO_GROUPS_TIP: &str = "put the id that says \"the same object\" into the column group_id, or name its column in the field `group_column`; to train \
     the pooled estimator alone, set the field `penalty` to none";

impl Tip for NoGroups {
    fn tip(&self) -> Option<String> {
        Some(NO_GROUPS_TIP.into())
    }
}
