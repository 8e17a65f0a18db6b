//! Rows as they were read, some of which could not be.

use std::path::PathBuf;

use crate::DataError;

/// Rows one after the other.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) rows: usize,
    /// File of each row as written, where there is such a column.
    pub(super) files: Vec<String>,
    /// The files themselves, where their names as text may not be enough to find them.
    pub(super) paths: Vec<PathBuf>,
    /// Line of each row, where its picture comes later.
    pub(super) lines: Vec<u64>,
    /// Id of each row as written, where there is such a column.
    pub(super) ids: Vec<String>,
    /// Features of the rows that could be read.
    pub(super) values: Vec<f32>,
    /// Rows that could not be read, in ascending order, and why.
    pub(super) unreadable: Vec<(usize, DataError)>,
}

impl Block {
    /// Puts the rows of another block after these.
    pub(super) fn append(&mut self, mut other: Block) {
        let before = self.rows;
        self.rows += other.rows;
        self.files.append(&mut other.files);
        self.paths.append(&mut other.paths);
        self.lines.append(&mut other.lines);
        self.ids.append(&mut other.ids);
        self.values.append(&mut other.values);
        self.unreadable.extend(other.unreadable.into_iter().map(|(row, error)| (before + row, error)));
    }

    /// Adds rows that could not be read after all.
    pub(super) fn spoil(&mut self, more: Vec<(usize, DataError)>) {
        self.unreadable.extend(more);
        self.unreadable.sort_by_key(|(row, _)| *row);
    }

    /// Whether each row could be read.
    pub(super) fn is_readable(&self) -> Vec<bool> {
        let mut readable = vec![true; self.rows];
        self.unreadable.iter().for_each(|(row, _)| readable[*row] = false);
        readable
    }
}
