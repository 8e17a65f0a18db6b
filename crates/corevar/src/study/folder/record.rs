//! What is kept of a training run beside its model.

use serde::{Deserialize, Serialize};

use crate::evaluate::Measure;
use crate::files::digest;
use crate::results::RunResult;
use crate::train::{EpochRecord, TrainConfig};

/// Name and version of the form of a [`RunRecord`].
pub(super) const RECORD: &str = "corevar.run/1";

/// One finished training run: `runs/<key>.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunRecord {
    pub(super) schema: String,
    /// [`crate::fingerprint::fingerprint`] of the data.
    pub data: String,
    /// Its settings, seed included.
    pub config: TrainConfig,
    /// How it was evaluated.
    pub measure: Measure,
    /// Its numbers.
    pub result: RunResult,
    /// How it got there.
    pub epochs: Vec<EpochRecord>,
    /// [`digest`] of the model's file; None in records of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_digest: Option<String>,
}

impl RunRecord {
    /// All that is kept of a run beside its model.
    pub fn new(
        data: String,
        config: TrainConfig,
        measure: Measure,
        result: RunResult,
        epochs: Vec<EpochRecord>,
    ) -> Self {
        Self { schema: RECORD.into(), data, config, measure, result, epochs, model_digest: None }
    }

    /// Whether this is the record of the model in these bytes, as far as it says.
    pub fn is_of(&self, model: &[u8]) -> bool {
        self.model_digest.as_ref().is_none_or(|kept| *kept == digest(model))
    }
}
