//! Results on stdout. A reader that went away, such as `head`, is no failure.

use std::io::{self, Write};

use serde::Serialize;

/// Writes text as it is.
pub fn text(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a line.
pub fn line(line: &str) -> io::Result<()> {
    text(&format!("{line}\n"))
}

/// Writes a document.
pub fn json(document: &impl Serialize) -> anyhow::Result<()> {
    Ok(line(&serde_json::to_string_pretty(document)?)?)
}

/// Whether nobody reads stdout any more.
pub fn is_closed(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
