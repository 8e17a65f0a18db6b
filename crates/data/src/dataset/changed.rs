//! Pixels behind an intervention: nothing is copied, a picture is changed when it is read.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Pixels;
use crate::interventions::Recipe;
use crate::{DataError, ImageShape};

/// Whether a changed picture is the same every time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mode {
    /// The strengths are drawn once: a row has the same pixels in every epoch.
    #[default]
    Fixed,
    /// The strengths are drawn anew in every epoch.
    Fresh,
}

/// Rows of other pixels, some of which a recipe changes. What is drawn depends on the seed, the row and, with
/// [`Mode::Fresh`], the epoch, and on nothing else.
#[derive(Debug)]
pub struct Changed {
    pub(crate) base: Arc<Pixels>,
    pub(crate) recipe: Recipe,
    pub(crate) which: Which,
    pub(crate) mode: Mode,
    pub(crate) seed: u64,
}

/// Which rows are changed.
#[derive(Debug)]
pub(crate) enum Which {
    All,
    /// One entry a row.
    Some(Vec<bool>),
    /// Behind the rows of the base, which stay as they are, come changed copies of these.
    Copies {
        base_rows: usize,
        originals: Vec<usize>,
    },
}

impl Changed {
    /// Whether changed rows differ from one epoch to the next.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) fn rows(&self, shape: ImageShape) -> Option<usize> {
        match &self.which {
            Which::All | Which::Some(_) => self.base.rows(shape),
            Which::Copies { base_rows, originals } => Some(base_rows + originals.len()),
        }
    }

    /// The row of the base from which a row is made, and whether it is changed.
    fn source(&self, row: usize) -> (usize, bool) {
        match &self.which {
            Which::All => (row, true),
            Which::Some(changed) => (row, changed[row]),
            Which::Copies { base_rows, .. } if row < *base_rows => (row, false),
            Which::Copies { base_rows, originals } => (originals[row - base_rows], true),
        }
    }

    pub(crate) fn read(
        &self,
        shape: ImageShape,
        row: usize,
        epoch: u64,
        out: &mut [u8],
    ) -> Result<(), DataError> {
        let (source, changed) = self.source(row);
        self.base.read(shape, source, epoch, out)?;
        let epoch = if self.mode == Mode::Fresh { epoch } else { 0 };
        if changed { self.recipe.apply_at(shape, out, self.seed, row as u64, epoch) } else { Ok(()) }
    }
}
