//! The model card of a run: one page of Markdown with a header that the Hugging Face Hub reads.
//!
//! A run has one card, for the model that it stands for: the first run of its chosen, else its first CoRe estimator (the first of all
//! where there is none), as [`pick_models`] knows it. A section is a function in `sections.rs` and a line in `SECTIONS`; one
//! without content is left out. Names from the data go through `escape.rs`.

mod escape;
mod header;
mod sections;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use corevar::Task;
use corevar::evidence::ModelEvidence;
use corevar::model::InputShape;
use corevar::results::EstimatorResult;
use corevar::study::{FoundModel, Pick, layout, pick_models};

use crate::{Records, ReportError};

/// Name of the card in the folder of its run.
pub use corevar::study::layout::CARD as CARD_FILE;

/// What a card is about.
struct Subject<'a> {
    records: &'a Records,
    found: &'a FoundModel,
    /// Its setting with all runs.
    estimator: &'a EstimatorResult,
    evidence: Option<&'a ModelEvidence>,
    /// Path of the model's file from the folder of the run.
    file: String,
}

impl Subject<'_> {
    fn is_regression(&self) -> bool {
        *self.found.model.task() == Task::Regression
    }

    fn are_images(&self) -> bool {
        matches!(self.found.model.input(), InputShape::Image { .. })
    }

    /// What the run is called.
    fn name(&self) -> &str {
        self.records.results.title.as_deref().unwrap_or(&self.records.results.data.name)
    }
}

/// Writes the card of the run in this folder from its records and its model, whole or not at all. None where the folder has no models,
/// as that of an evaluation.
///
/// # Errors
/// When a record or the model cannot be read, or the file cannot be written.
pub fn write_card(run: &Path) -> Result<Option<PathBuf>, ReportError> {
    if !run.join(layout::MODEL).is_file() && !run.join(layout::MODELS).is_dir() {
        return Ok(None);
    }
    let mut found = pick_models(run, &Pick::default())?;
    let Some(text) = card(&Records::read(run)?, &found.swap_remove(0), run) else { return Ok(None) };
    let path = run.join(CARD_FILE);
    corevar::write_whole(&path, text.as_bytes())
        .map_err(|cause| ReportError::Write { path: path.clone(), cause })?;
    Ok(Some(path))
}

/// The card of a model. None where the records do not speak of it.
fn card(records: &Records, found: &FoundModel, run: &Path) -> Option<String> {
    let estimator = records.results.estimators.iter().find(|one| found.setting.is_of(one))?;
    let models = records.evidence.iter().flat_map(|evidence| &evidence.models);
    let file = found.file.strip_prefix(run).unwrap_or(&found.file);
    let subject = Subject {
        records,
        found,
        estimator,
        evidence: models.into_iter().find(|model| model.setting.is_of(estimator)),
        file: file.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/"),
    };
    let mut text = header::header(&subject);
    text += &sections::title(&subject);
    for (title, body) in sections::SECTIONS {
        if let Some(body) = body(&subject) {
            text += &format!("\n## {title}\n\n{}\n", body.trim_end());
        }
    }
    Some(text)
}
