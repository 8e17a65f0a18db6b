//! From the records of a run to one HTML file.
//!
//! [`write()`] reads `config.toml`, `results.json`, `evidence.json` and `metrics.jsonl` of a run folder and nothing else, and
//! writes `report.html`: one file without network or foreign font, in the light or dark of its reader. One small script adds a
//! slider and tips; the page is complete without it. [`html`] is the same without a disk.
//!
//! A section is a file in `sections/` and a line in `sections::SECTIONS`. It gets the [`Records`] and returns
//! markup, in which `maud` escapes every name that comes from the data. Plots are drawn by `plotters`
//! through `plot::svg`, which puts the page's colours into them.

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

pub use error::ReportError;
pub use records::{EpochLine, Records, Setting};
pub use reproductions::{write_reproduction, write_reproductions};

/// Name of the report in the folder of its run.
pub const FILE: &str = "report.html";

/// Reads the records in the folder `run` and writes its `report.html`, whole or not at all. Returns its path.
///
/// # Errors
/// Without a readable `results.json`, or when a record is not what its form says. A missing `config.toml`,
/// `metrics.jsonl` or `evidence.json` is no error: sections say so or are left out.
pub fn write(run: &Path) -> Result<PathBuf, ReportError> {
    let records = Records::read(run)?;
    let path = run.join(FILE);
    corevar::run_folder::write_whole(&path, html(&records).as_bytes())
        .map_err(|cause| ReportError::Write { path: path.clone(), cause })?;
    Ok(path)
}

/// The whole page.
pub fn html(records: &Records) -> String {
    page::page(records).into_string()
}

#[cfg(test)]
mod tests;
