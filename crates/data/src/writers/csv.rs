//! Comma-separated text.

use std::io::{self, Write};

use super::{ColumnBlock, ColumnHead, Sink, TableWriter, write_text};

pub(super) struct CsvWriter {
    sink: Box<dyn Sink>,
}

impl CsvWriter {
    pub(super) fn new(heads: &[ColumnHead], mut sink: Box<dyn Sink>) -> io::Result<Self> {
        let mut line = Vec::new();
        for (place, head) in heads.iter().enumerate() {
            if place > 0 {
                line.push(b',');
            }
            push_text(&mut line, &head.name);
        }
        line.push(b'\n');
        sink.write_all(&line)?;
        Ok(Self { sink })
    }
}

impl TableWriter for CsvWriter {
    fn write(&mut self, rows: usize, columns: &[ColumnBlock<'_>]) -> io::Result<()> {
        write_text(&mut *self.sink, rows, |row, line| {
            for (place, column) in columns.iter().enumerate() {
                if place > 0 {
                    line.push(b',');
                }
                match column {
                    ColumnBlock::CountsFrom(first) => drop(write!(line, "{}", first + row as u64)),
                    ColumnBlock::Numbers(values) => push_number(line, values[row]),
                    texts => push_text(line, texts.text(row)),
                }
            }
            line.push(b'\n');
        })
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.sink.keep()
    }
}

/// The shortest text that reads back to the same number, with an exponent where there would be many zeros.
fn push_number(line: &mut Vec<u8>, value: f64) {
    // Writing to memory does not fail.
    let _ = if value.is_nan() {
        Ok(())
    } else if value == value.trunc() && value.abs() < 1e15 {
        write!(line, "{value}")
    } else {
        write!(line, "{value:?}")
    };
}

fn push_text(line: &mut Vec<u8>, text: &str) {
    let is_plain = !text.contains([',', '"', '\n', '\r', ';', '\t']) && text.trim() == text;
    if is_plain {
        line.extend_from_slice(text.as_bytes());
        return;
    }
    line.push(b'"');
    for byte in text.bytes() {
        if byte == b'"' {
            line.push(b'"');
        }
        line.push(byte);
    }
    line.push(b'"');
}
