//! Tables whose rows are looked at in parallel.
//!
//! Text without quotes is cut into lines, which threads share. From the first quote on the parser of quoted text goes on: only it
//! knows where a row ends.

use std::io::{Cursor, ErrorKind, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use csv::ByteRecord;
use memchr::{memchr, memchr_iter};
use rayon::prelude::*;

use super::block::Block;
use super::plan::Plan;
use super::{BlockRows, StreamOptions};
use crate::DataError;
use crate::error::{Place, TableProblem};
use crate::table::delimited::{DelimitedRows, LONGEST_ROW, Source};
use crate::table::rows::{Cell, Rows};

/// Bytes that are read before rows are looked for.
const READ_BYTES: usize = 4 << 20;

/// Rows of a slow pipe wait no longer for more of them.
const PATIENCE: Duration = Duration::from_millis(100);

/// Rows that one thread looks at at a time.
const ROWS_AT_ONCE: usize = 512;

/// A table as text.
pub(super) struct TextRows {
    plan: Plan,
    form: Form,
}

enum Form {
    Plain(Lines),
    Quoted(Box<DelimitedRows>),
    /// Between the two.
    Gone,
}

/// Lines without quotes.
struct Lines {
    path: PathBuf,
    source: Source,
    delimiter: u8,
    /// The first line, with its end.
    header: Vec<u8>,
    /// What was read, of which what lies before `start` is done with.
    buffer: Vec<u8>,
    start: usize,
    /// Number of the line that begins at `start`.
    line: u64,
    is_over: bool,
}

/// Some lines of the buffer.
struct Cut {
    /// Without their ends, with their numbers.
    lines: Vec<(Range<usize>, u64)>,
    /// Where the next line begins.
    end: usize,
    /// Lines up to there, also empty ones.
    count: u64,
}

impl TextRows {
    /// Reads the header.
    pub(super) fn open(
        path: &Path,
        mut source: Source,
        options: &StreamOptions,
    ) -> Result<(Self, Plan), DataError> {
        let (mut buffer, mut is_over) = (Vec::new(), false);
        let header = loop {
            if let Some(end) = memchr(b'\n', &buffer) {
                break end + 1;
            }
            if is_over || buffer.len() > LONGEST_ROW {
                break buffer.len();
            }
            is_over = read_more(&mut source, &mut buffer).map_err(DataError::io(path, "read"))?;
        };
        if buffer.starts_with(b"PAR1") {
            let reason = "Parquet must be in a file: it cannot be read from a pipe".to_string();
            return Err(Place::file(path).table(TableProblem::Malformed(reason)));
        }
        let first = buffer[..header].to_vec();
        let is_plain = !first.contains(&b'"') && !first.trim_ascii().is_empty() && is_one_line_each(&first);
        if !is_plain {
            let source = Box::new(Cursor::new(buffer).chain(source));
            let rows = DelimitedRows::open(path, source)?;
            let plan = Plan::of(path, rows.columns(), options)?;
            return Ok((Self { plan: plan.clone(), form: Form::Quoted(Box::new(rows)) }, plan));
        }
        let rows = DelimitedRows::open(path, Box::new(Cursor::new(first.clone())))?;
        let plan = Plan::of(path, rows.columns(), options)?;
        let lines = Lines {
            path: path.into(),
            source,
            delimiter: rows.delimiter(),
            header: first,
            buffer,
            start: header,
            line: 2,
            is_over,
        };
        Ok((Self { plan: plan.clone(), form: Form::Plain(lines) }, plan))
    }

    /// From the present row on, as quoted text.
    fn quoted(&mut self) -> Result<(), DataError> {
        if let Form::Plain(lines) = std::mem::replace(&mut self.form, Form::Gone) {
            let Lines { path, source, mut header, buffer, start, line, .. } = lines;
            header.extend_from_slice(&buffer[start..]);
            let source = Box::new(Cursor::new(header).chain(source));
            self.form = Form::Quoted(Box::new(DelimitedRows::open_behind(&path, source, line - 2)?));
        }
        Ok(())
    }
}

impl BlockRows for TextRows {
    fn next_block(&mut self, most_rows: usize) -> Result<Option<Block>, DataError> {
        if let Form::Plain(lines) = &mut self.form {
            match lines.cut(most_rows)? {
                None => self.quoted()?,
                Some(cut) if cut.lines.is_empty() => return Ok(None),
                Some(cut) => {
                    let block = lines.read(&cut, &self.plan);
                    lines.start = cut.end;
                    lines.line += cut.count;
                    return Ok(Some(block));
                }
            }
        }
        match &mut self.form {
            Form::Quoted(rows) => next_records(rows, &self.plan, most_rows),
            Form::Plain(_) | Form::Gone => Ok(None),
        }
    }
}

impl Lines {
    /// The next lines, none after the last; None where a line is not a row, or may not be.
    fn cut(&mut self, most_rows: usize) -> Result<Option<Cut>, DataError> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let mut wanted = READ_BYTES;
        loop {
            let begin = Instant::now();
            while self.buffer.len() < wanted && !self.is_over {
                let read = read_more(&mut self.source, &mut self.buffer);
                self.is_over = read.map_err(DataError::io(&self.path, "read"))?;
                if begin.elapsed() > PATIENCE && memchr(b'\n', &self.buffer).is_some() {
                    break;
                }
            }
            let cut = self.lines(most_rows);
            if cut.lines.is_empty() && !self.is_over {
                if self.buffer.len() > LONGEST_ROW {
                    let reason = format!("a row is longer than {LONGEST_ROW} bytes");
                    return Err(Place::line(&self.path, self.line).table(TableProblem::Malformed(reason)));
                }
                wanted = 2 * self.buffer.len();
                continue;
            }
            let text = &self.buffer[..cut.end];
            return Ok((memchr(b'"', text).is_none() && is_one_line_each(text)).then_some(cut));
        }
    }

    /// Whole lines of the buffer; its last one only where nothing follows.
    fn lines(&self, most_rows: usize) -> Cut {
        let mut cut = Cut { lines: Vec::new(), end: 0, count: 0 };
        let push = |cut: &mut Cut, end: usize, next: usize| {
            let line = &self.buffer[cut.end..end];
            let length = line.len() - usize::from(line.ends_with(b"\r"));
            if length > 0 {
                cut.lines.push((cut.end..cut.end + length, self.line + cut.count));
            }
            cut.end = next;
            cut.count += 1;
        };
        for end in memchr_iter(b'\n', &self.buffer) {
            push(&mut cut, end, end + 1);
            if cut.lines.len() == most_rows {
                return cut;
            }
        }
        if self.is_over && cut.end < self.buffer.len() {
            push(&mut cut, self.buffer.len(), self.buffer.len());
        }
        cut
    }

    fn read(&self, cut: &Cut, plan: &Plan) -> Block {
        let (buffer, delimiter) = (&self.buffer, self.delimiter);
        let part = |lines: &[(Range<usize>, u64)]| {
            let (mut block, mut fields) = (Block::default(), Vec::with_capacity(plan.width()));
            for (range, line) in lines {
                fields.clear();
                split(&buffer[range.clone()], delimiter, &mut fields);
                push(plan, &mut block, *line, fields.len(), |place| fields[place]);
            }
            block
        };
        in_order(cut.lines.par_chunks(ROWS_AT_ONCE).map(part).collect())
    }
}

/// The next rows of quoted text.
fn next_records(rows: &mut DelimitedRows, plan: &Plan, most_rows: usize) -> Result<Option<Block>, DataError> {
    let (mut records, mut bytes) = (Vec::new(), 0);
    while records.len() < most_rows && bytes < READ_BYTES && rows.advance_record()? {
        let record = rows.take_record();
        bytes += record.as_slice().len();
        records.push((rows.line(), record));
    }
    let part = |records: &[(u64, ByteRecord)]| {
        let mut block = Block::default();
        for (line, record) in records {
            push(plan, &mut block, *line, record.len(), |place| record.get(place).unwrap_or(b""));
        }
        block
    };
    Ok((!records.is_empty()).then(|| in_order(records.par_chunks(ROWS_AT_ONCE).map(part).collect())))
}

fn in_order(parts: Vec<Block>) -> Block {
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    parts.for_each(|part| all.append(part));
    all
}

fn push<'a>(plan: &Plan, block: &mut Block, line: u64, found: usize, field: impl Fn(usize) -> &'a [u8]) {
    if found != plan.width() {
        return plan.push_ragged(block, line, found);
    }
    plan.push(block, line, |place| match std::str::from_utf8(field(place)) {
        Ok(text) => Ok(Cell::of_text(text)),
        Err(_) => Err(plan.not_utf8(line, place)),
    });
}

fn split<'a>(line: &'a [u8], delimiter: u8, fields: &mut Vec<&'a [u8]>) {
    let mut start = 0;
    for (place, byte) in line.iter().enumerate() {
        if *byte == delimiter {
            fields.push(&line[start..place]);
            start = place + 1;
        }
    }
    fields.push(&line[start..]);
}

/// A lone carriage return ends a row, too, for the parser.
fn is_one_line_each(text: &[u8]) -> bool {
    memchr_iter(b'\r', text).all(|place| text.get(place + 1).is_none_or(|next| *next == b'\n'))
}

/// Reads what the source has, up to twice what a pipe holds; true at the end.
fn read_more(source: &mut Source, buffer: &mut Vec<u8>) -> std::io::Result<bool> {
    const MOST_BYTES: usize = 1 << 17;
    let before = buffer.len();
    buffer.resize(before + MOST_BYTES, 0);
    let read = loop {
        match source.read(&mut buffer[before..]) {
            Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    buffer.truncate(before + *read.as_ref().unwrap_or(&0));
    Ok(read? == 0)
}

/// Rows of a table that is not text.
pub(super) struct OtherRows {
    pub(super) rows: Box<dyn Rows>,
    pub(super) plan: Plan,
}

impl BlockRows for OtherRows {
    fn next_block(&mut self, most_rows: usize) -> Result<Option<Block>, DataError> {
        let mut block = Block::default();
        while block.rows < most_rows && self.rows.advance()? {
            let rows = &self.rows;
            self.plan.push(&mut block, rows.line(), |place| rows.cell(place));
        }
        Ok((block.rows > 0).then_some(block))
    }
}
