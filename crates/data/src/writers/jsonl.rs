//! One JSON object per line. A missing value is null. JSON has no infinite numbers: they are the words `inf` and `-inf`.

use std::io::{self, Write};

use super::{ColumnBlock, ColumnHead, Sink, TableWriter, write_text};

pub(super) struct JsonlWriter {
    /// `"name":` of each column.
    keys: Vec<Vec<u8>>,
    sink: Box<dyn Sink>,
}

impl JsonlWriter {
    pub(super) fn new(heads: &[ColumnHead], sink: Box<dyn Sink>) -> Self {
        let key = |head: &ColumnHead| {
            let mut key = Vec::new();
            push_text(&mut key, &head.name);
            key.push(b':');
            key
        };
        Self { keys: heads.iter().map(key).collect(), sink }
    }
}

impl TableWriter for JsonlWriter {
    fn write(&mut self, rows: usize, columns: &[ColumnBlock<'_>]) -> io::Result<()> {
        let keys = &self.keys;
        write_text(&mut *self.sink, rows, |row, line| {
            for (place, (key, column)) in keys.iter().zip(columns).enumerate() {
                line.push(if place == 0 { b'{' } else { b',' });
                line.extend_from_slice(key);
                match column {
                    ColumnBlock::CountsFrom(first) => drop(write!(line, "{}", first + row as u64)),
                    ColumnBlock::Numbers(values) => push_number(line, values[row]),
                    texts => match texts.text(row) {
                        "" => line.extend_from_slice(b"null"),
                        text => push_text(line, text),
                    },
                }
            }
            line.extend_from_slice(b"}\n");
        })
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.sink.keep()
    }
}

fn push_number(line: &mut Vec<u8>, value: f64) {
    let word = match value {
        value if value.is_nan() => "null",
        f64::INFINITY => "\"inf\"",
        f64::NEG_INFINITY => "\"-inf\"",
        value => {
            // Writing to memory does not fail.
            let _ = write!(line, "{value:?}");
            return;
        }
    };
    line.extend_from_slice(word.as_bytes());
}

fn push_text(line: &mut Vec<u8>, text: &str) {
    line.push(b'"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => line.extend_from_slice(&[b'\\', letter as u8]),
            letter if letter.is_control() => drop(write!(line, "\\u{:04x}", u32::from(letter))),
            letter => line.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    line.push(b'"');
}
