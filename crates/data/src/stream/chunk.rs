//! What a stream gives out.

use super::KeyColumns;
use super::block::Block;
use crate::{DataError, Inputs};

/// Rows one after the other, as a model sees them.
#[derive(Debug)]
pub struct Chunk {
    /// Number of the first row, counted from 1.
    pub first: u64,
    /// Number of rows, with those that could not be read.
    pub rows: usize,
    /// File of each row as the source names it, where the stream has such a key.
    pub files: Option<Vec<String>>,
    /// Id of each row, empty where it was not observed; where the stream has such a key.
    pub ids: Option<Vec<String>>,
    /// Inputs of the rows that could be read, in order.
    pub inputs: Inputs,
    /// Rows of this chunk that could not be read, counted from 0 in ascending order, and why.
    pub unreadable: Vec<(usize, DataError)>,
}

impl Chunk {
    pub(super) fn new(first: u64, block: Block, inputs: Inputs, keys: &KeyColumns) -> Self {
        Self {
            first,
            rows: block.rows,
            files: keys.file.is_some().then_some(block.files),
            ids: keys.id.is_some().then_some(block.ids),
            inputs,
            unreadable: block.unreadable,
        }
    }

    /// Whether each row could be read.
    pub fn is_readable(&self) -> Vec<bool> {
        let mut readable = vec![true; self.rows];
        self.unreadable.iter().for_each(|(row, _)| readable[*row] = false);
        readable
    }
}
