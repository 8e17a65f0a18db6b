//! Results on stdout. A reader that went away, such as `head`, is no failure.

use std::io::{self, IsTerminal, Write};

use serde::Serialize;

/// Writes text as it is.
pub fn text(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Writes a table; on a terminal the head is bold and a setting that was chosen green.
pub fn table(table: &str) -> io::Result<()> {
    let plain = !io::stdout().is_terminal() || std::env::var_os("NO_COLOR").is_some();
    if plain {
        return text(table);
    }
    let coloured = |(place, line): (usize, &str)| match (place, line.contains(" *")) {
        (0, _) => format!("\x1b[1m{line}\x1b[0m\n"),
        (_, true) => format!("\x1b[32m{line}\x1b[0m\n"),
        _ if line.starts_with("pooled") => format!("\x1b[33m{line}\x1b[0m\n"),
        _ if line.starts_with("core") => format!("\x1b[36m{line}\x1b[0m\n"),
        _ => format!("{line}\n"),
    };
    text(&table.lines().enumerate().map(coloured).collect::<String>())
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
