//! Memory for the kernels: aligned to cache lines, and kept by each thread from call to call.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

/// One cache line.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([f32; LINE]);

const LINE: usize = 16;

/// Floats that start at a cache line, so that a vector of a panel never lies across two.
pub(crate) struct Buffer {
    lines: Vec<Line>,
    len: usize,
}

impl Buffer {
    pub fn zeros(len: usize) -> Self {
        Self { lines: vec![Line([0.0; LINE]); len.div_ceil(LINE)], len }
    }

    /// Some floats, whatever they are; keeps the memory if there is enough.
    fn resize(&mut self, len: usize) {
        let lines = len.div_ceil(LINE);
        if lines > self.lines.len() {
            // A fresh allocation of zeros, since the old values need no copy.
            self.lines = vec![Line([0.0; LINE]); lines];
        }
        self.len = len;
    }
}

impl Deref for Buffer {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: `Line` is 16 floats without padding and `len` is at most 16 * lines.len().
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as in `deref`, and the borrow is unique.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

thread_local! {
    /// One buffer a [`Use`].
    static KEPT: [Cell<Option<Buffer>>; 2] = const { [Cell::new(None), Cell::new(None)] };
}

/// What memory is for. A thread that waits for tasks may run one of them itself, so they do not share memory.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    /// One call of the operation.
    Call,
    /// One task of a call.
    Task,
}

/// Above this many floats a buffer is given back: 64 MB.
const KEEP: usize = 16 << 20;

/// Calls `body` with slices of these lengths, of any values, in memory that this thread keeps for the next call.
/// Without this, every call would ask the system for fresh pages, which costs more than the arithmetic on them.
pub(crate) fn with_memory<const N: usize, R>(
    purpose: Use,
    lens: [usize; N],
    body: impl FnOnce([&mut [f32]; N]) -> R,
) -> R {
    let mut buffer = KEPT.with(|kept| kept[purpose as usize].take()).unwrap_or_else(|| Buffer::zeros(0));
    buffer.resize(lens.iter().map(|len| len.next_multiple_of(LINE)).sum());
    let mut rest = &mut buffer[..];
    let result = body(lens.map(|len| {
        let (slice, others) = std::mem::take(&mut rest).split_at_mut(len.next_multiple_of(LINE));
        rest = others;
        &mut slice[..len]
    }));
    if buffer.len() <= KEEP {
        KEPT.with(|kept| kept[purpose as usize].set(Some(buffer)));
    }
    result
}
