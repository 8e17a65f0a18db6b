//! Adult or child (paper, "Stickmen image-based age classification"): drawn, not taken from an album.

use super::does_not_fit;
use crate::synthetic::{Sizes, find};
use crate::{DataError, Dataset};

/// Children move and adults stand still in train and test1; in test2 and test3 all move, in test3 more.
#[derive(Debug, Clone, PartialEq)]
pub struct Stickmen {
    /// Training rows n.
    pub rows: usize,
    /// Pairs c of the same person.
    pub groups: usize,
    /// Rows of each test set.
    pub test_rows: usize,
}

impl Default for Stickmen {
    fn default() -> Stickmen {
        Stickmen { rows: 20_000, groups: 50, test_rows: 20_000 }
    }
}

impl Stickmen {
    /// The data set with the splits train and test1 to test3.
    pub fn build(&self, seed: u64) -> Result<Dataset, DataError> {
        let generator = find("stickmen").ok_or_else(|| {
            does_not_fit("stickmen", "the generator is missing".into(), "build the project whole".into())
        })?;
        let Stickmen { rows, groups, test_rows } = *self;
        generator.generate(&Sizes { rows, groups, test_rows }, seed)
    }
}
