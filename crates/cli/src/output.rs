//! All that the program prints: results on stdout, everything else on stderr.
//!
//! Names from files of strangers go through here: a terminal obeys escape sequences, so control characters are shown and not
//! obeyed, and a very long text is cut. A stdout that cannot be written is an error, but for a reader that went away, such as
//! `head`; a stderr that cannot be written is nobody's loss.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use corevar_data::writers::Sink;
use serde::Serialize;

/// Longer lines are cut: no person reads them.
const LONGEST_LINE: usize = 4000;

/// The text as one line that a terminal shows and does not obey.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(LONGEST_LINE));
    let mut letters = text.chars();
    for (count, letter) in letters.by_ref().enumerate() {
        match letter {
            letter if is_harmless(letter) => line.push(letter),
            letter => drop(write!(line, "{}", letter.escape_default())),
        }
        if count + 1 == LONGEST_LINE {
            break;
        }
    }
    match letters.count() {
        0 => line,
        more => format!("{line} .. and {more} characters more"),
    }
}

/// Neither a control character nor one that changes the direction of the text after it.
fn is_harmless(letter: char) -> bool {
    let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !letter.is_control() && !turns
}

/// Several lines, of which none but the first begins at the margin: a name with a line break in it cannot pass for a line of ours.
fn indented(text: &str) -> String {
    let line = |(place, line): (usize, &str)| match place {
        0 => one_line(line),
        _ => format!("  {}", one_line(line.trim_start())),
    };
    text.trim_end().split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// A line on stderr.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", one_line(line));
}

/// A line on stderr that begins with a word of ours, such as `error`; the text may have several lines.
pub fn message(word: &str, text: &str) {
    let _ = writeln!(io::stderr().lock(), "{word}: {}", indented(text));
}

/// Writes lines as they are, but for control characters.
pub fn text(text: &str) -> io::Result<()> {
    let lines: String = text.split_inclusive('\n').map(clean).collect();
    raw(&lines)
}

/// A line with its end.
fn clean(line: &str) -> String {
    match line.strip_suffix('\n') {
        Some(line) => one_line(line) + "\n",
        None => one_line(line),
    }
}

fn raw(text: &str) -> io::Result<()> {
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
    let coloured = |(place, line): (usize, &str)| {
        let line = one_line(line);
        match (place, line.contains(" *")) {
            (0, _) => format!("\x1b[1m{line}\x1b[0m\n"),
            (_, true) => format!("\x1b[32m{line}\x1b[0m\n"),
            _ if line.starts_with("pooled") => format!("\x1b[33m{line}\x1b[0m\n"),
            _ if line.starts_with("core") => format!("\x1b[36m{line}\x1b[0m\n"),
            _ => format!("{line}\n"),
        }
    };
    raw(&table.lines().enumerate().map(coloured).collect::<String>())
}

/// Writes a line.
pub fn line(line: &str) -> io::Result<()> {
    text(&format!("{line}\n"))
}

/// Writes a document. JSON itself escapes only the first 32 characters; a terminal obeys more.
pub fn json(document: &impl Serialize) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(document)?;
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' => escaped.push('\n'),
            letter if is_harmless(letter) => escaped.push(letter),
            // All of these lie below 2¹⁶, and stand in strings only.
            letter => drop(write!(escaped, "\\u{:04x}", u32::from(letter))),
        }
    }
    Ok(raw(&(escaped + "\n"))?)
}

/// Whether a person reads stdout.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Stdout as a place for tables of any length. Bytes pass as they are, but to a terminal, which gets text only.
pub fn sink() -> Box<dyn Sink> {
    match io::stdout().is_terminal() {
        true => Box::new(Terminal(Vec::new())),
        false => Box::new(Plain(io::stdout())),
    }
}

struct Plain(io::Stdout);

impl Write for Plain {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Sink for Plain {
    fn keep(mut self: Box<Self>) -> io::Result<()> {
        self.flush()
    }
}

/// Holds the beginning of a line until its end comes.
struct Terminal(Vec<u8>);

impl Write for Terminal {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        let whole = self.0.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let lines: Vec<u8> = self.0.drain(..whole).collect();
        text(&String::from_utf8_lossy(&lines))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Terminal {
    fn keep(self: Box<Self>) -> io::Result<()> {
        text(&String::from_utf8_lossy(&self.0))
    }
}

/// Whether nobody reads stdout any more.
pub fn is_closed(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_are_shown_and_not_obeyed() {
        assert_eq!(one_line("red \x1b[31m\u{9b}2J\r\u{202e}"), "red \\u{1b}[31m\\u{9b}2J\\r\\u{202e}");
        assert_eq!(one_line("glasses, été, λ = ∞"), "glasses, été, λ = ∞");
    }

    #[test]
    fn a_line_break_in_a_name_forges_no_line_of_ours() {
        assert_eq!(indented("no column `a\nerror: b`"), "no column `a\n  error: b`");
        assert_eq!(one_line("a\nerror: b"), "a\\nerror: b");
    }

    #[test]
    fn a_very_long_text_is_cut() {
        let line = one_line(&"x".repeat(1_000_000));
        assert!(line.len() < 5000 && line.ends_with(".. and 996000 characters more"), "{}", line.len());
    }
}
