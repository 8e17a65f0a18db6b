//! Motivating example 1 of the paper: two classes in the plane, style moves points along (1, -0.75).

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::plan::{Plan, Row};
use super::{Generator, Sizes};
use crate::{DataError, Dataset, Features, Inputs};

/// Along (1, -0.75); of length 5.
const STYLE: [f64; 2] = [4.0, -3.0];
/// Unit vector across it.
const CORE: [f64; 2] = [0.6, 0.8];
/// The core of class 1 lies in this interval, that of class 0 in its mirror image: a gap of 0.8 between.
const CORE_RANGE: (f64, f64) = (0.4, 1.6);
/// Centre of the style of class 1 in training, minus that of class 0. With the core it puts the centres of
/// the classes at (0, ±1.25), so the boundary that fits best is horizontal.
const STYLE_CENTRE: f64 = -0.75;
/// Centre of the style of class 1 in test2, far on the other side of a horizontal boundary.
const SHIFTED_CENTRE: f64 = 4.0;
/// As wide as the core, or else a plain fit would learn from the spread alone to discount the style.
const STYLE_SD: f64 = 0.35;

/// Core: position across (1, -0.75). Style: position along it.
pub(super) struct Linear;

impl Generator for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn summary(&self) -> &'static str {
        "two classes in the plane; style moves points along (1, -0.75), and class 1 far along it in test2"
    }

    fn default_sizes(&self) -> Sizes {
        Sizes { rows: 20_000, groups: 500, test_rows: 5_000 }
    }

    fn splits(&self) -> &'static [&'static str] {
        &["train", "test1", "test2"]
    }

    fn generate(&self, sizes: &Sizes, seed: u64) -> Result<Dataset, DataError> {
        let plan = Plan::new(self.name(), sizes, self.splits())?;
        let values = plan.rows.par_iter().flat_map_iter(|row| point(row, seed)).collect();
        let features = Features { names: vec!["x1".into(), "x2".into()], values };
        plan.into_dataset(self.name(), ["0", "1"], Inputs::Features(features), vec![])
    }
}

/// Coordinates are multiples of this, which f32 holds exactly.
const GRID: f64 = 1.0 / 16384.0;

/// `x = core * (0.6, 0.8) + style * (0.8, -0.6)`, on a grid: the two views of a pair differ by a multiple of (4, -3)
/// exactly, and not up to rounding.
fn point(row: &Row, seed: u64) -> [f32; 2] {
    let sign = if row.class == 1 { 1.0 } else { -1.0 };
    let core = sign * row.person_rng(seed).random_range(CORE_RANGE.0..CORE_RANGE.1);
    let shifted = row.split == 2 && row.class == 1;
    let centre = if shifted { SHIFTED_CENTRE } else { sign * STYLE_CENTRE };
    let style = centre + STYLE_SD * row.view_rng(seed).sample::<f64, _>(StandardNormal);
    let steps = (style / 5.0 / GRID).round();
    [0, 1].map(|axis| (GRID * ((core * CORE[axis] / GRID).round() + steps * STYLE[axis])) as f32)
}
