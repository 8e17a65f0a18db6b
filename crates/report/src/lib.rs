//! From the records of a run to one HTML file.
//!
//! [`write()`] reads `config.toml`, `results.json`, `evidence.json` and `metrics.jsonl` of a run folder and nothing else, and
//! writes `report.html`: one file without network or foreign font, in the light or dark of its reader. One small script adds a
//! slider and tips; the page is complete without it. [`html`] is the same without a disk.
//!
//! [`write_card`] writes `MODEL_CARD.md` for the model that the run stands for.
//!
//! A section is a file in `sections/` and a line in `sections::SECTIONS`. It gets the [`Records`] and returns
//! markup, in which `maud` escapes every name that comes from the data. Plots are SVG, which `plot` writes
//! through `maud` too, in the colours of the page.

mod card;
mod error;
mod format;
mod measure;
mod models;
mod names;
mod page;
mod plot;
mod records;
mod reproductions;
#[cfg(test)]
mod samples;
mod sections;
mod weights;

use std::path::{Path, PathBuf};

use corevar::Outcome;

pub use card::{CARD_FILE, write_card};
pub use corevar::results::EpochLine;
pub use error::ReportError;
pub use records::{Records, Setting};
pub use reproductions::{write_reproduction, write_reproductions};

/// Name of the report in the folder of its run.
pub use corevar::study::layout::REPORT as FILE;

/// Reads the records in the folder `run` and writes its `report.html`, whole or not at all. Returns its path.
///
/// # Errors
/// Without a readable `results.json`, or when a record is not what its form says. A missing `config.toml`,
/// `metrics.jsonl` or `evidence.json` is no error: sections say so or are left out.
pub fn write(run: &Path) -> Result<PathBuf, ReportError> {
    write_page(run, &html(&Records::read(run)?))
}

/// Writes the report of a study into its folder, from what the study has in memory. None without a folder.
///
/// # Errors
/// When the file cannot be written.
pub fn write_outcome(outcome: &Outcome) -> Result<Option<PathBuf>, ReportError> {
    let Some(folder) = outcome.folder() else { return Ok(None) };
    let records = Records::of(outcome, folder)?;
    write_page(folder.path(), &html(&records)).map(Some)
}

fn write_page(folder: &Path, page: &str) -> Result<PathBuf, ReportError> {
    let path = folder.join(FILE);
    corevar::write_whole(&path, page.as_bytes())
        .map_err(|cause| ReportError::Write { path: path.clone(), cause })?;
    Ok(path)
}

/// The whole page.
pub fn html(records: &Records) -> String {
    page::page(records).into_string()
}

#[cfg(test)]
mod tests;
