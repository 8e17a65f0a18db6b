//! A matrix that can be taken away: every pass of a fit reads it block by block, and so notices soon that it is to stop.

use std::ops::Range;

use super::LinearError;
use super::matrix::{Block, DesignMatrix, Scratch};
use crate::stop::Stop;

/// Another matrix, as long as nobody asks to stop.
pub(crate) struct Interruptible<'a> {
    matrix: &'a dyn DesignMatrix,
    stop: Stop<'a>,
}

impl<'a> Interruptible<'a> {
    pub fn new(matrix: &'a dyn DesignMatrix, stop: Stop<'a>) -> Self {
        Self { matrix, stop }
    }
}

impl DesignMatrix for Interruptible<'_> {
    fn rows(&self) -> usize {
        self.matrix.rows()
    }

    fn columns(&self) -> usize {
        self.matrix.columns()
    }

    fn rounding(&self) -> f64 {
        self.matrix.rounding()
    }

    fn block<'a>(&'a self, rows: Range<usize>, scratch: &'a mut Scratch) -> Result<Block<'a>, LinearError> {
        if (self.stop)() { Err(LinearError::Interrupted) } else { self.matrix.block(rows, scratch) }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::{LinearConfig, LinearData, MemoryMatrix, Targets, fit};
    use super::*;

    #[test]
    fn a_fit_stops_at_any_block_and_is_not_changed_by_being_asked() {
        let x: Vec<f64> = (0..40).map(|k| f64::from(k * k % 17)).collect();
        let matrix = MemoryMatrix::new(&x, 2).unwrap();
        let labels: Vec<u32> = (0..20).map(|row| row % 3 / 2).collect();
        let groups: Vec<usize> = (0..20).map(|row| row / 2).collect();
        let fitted = |features: &dyn DesignMatrix| {
            let targets = Targets::Classes { of_row: &labels, count: 2 };
            let data = LinearData { features, targets, group_of_row: &groups, sample_weights: None };
            fit(&LinearConfig::default().check().unwrap(), &data)
        };
        let whole = fitted(&matrix).unwrap().model;
        let asked = AtomicUsize::new(0);
        let never = || asked.fetch_add(1, Ordering::Relaxed) == usize::MAX;
        assert_eq!(fitted(&Interruptible::new(&matrix, &never)).unwrap().model, whole);
        for last in 0..asked.into_inner() {
            let asked = AtomicUsize::new(0);
            let then = || asked.fetch_add(1, Ordering::Relaxed) >= last;
            let stopped = fitted(&Interruptible::new(&matrix, &then));
            assert!(matches!(stopped, Err(LinearError::Interrupted)), "block {last}");
        }
    }
}
