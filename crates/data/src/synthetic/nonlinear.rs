//! Motivating example 2 of the paper: the distance from the origin is core, the polar angle is style.

use rand::RngExt;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::plan::{Plan, Row};
use super::{Generator, Sizes};
use crate::{DataError, Dataset, Features, Inputs};

/// Radii of class 0 and class 1: the circle of radius 5.25 separates them.
const RADIUS: [(f64, f64); 2] = [(3.0, 4.5), (6.0, 7.5)];
/// Mean and spread of the angle in training, in degrees; class 0 has the mirror image of class 1. The
/// tails of the two just overlap, or nothing in the data would tell a circle from a line.
const ANGLE: (f64, f64) = (40.0, 20.0);
/// The same in test2, where the classes have changed sides.
const SHIFTED_ANGLE: (f64, f64) = (-52.0, 5.0);

/// Core: radius. Style: angle.
pub(super) struct Nonlinear;

impl Generator for Nonlinear {
    fn name(&self) -> &'static str {
        "nonlinear"
    }

    fn summary(&self) -> &'static str {
        "two classes in the plane; the radius is core, the angle is style and changes sides in test2"
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

/// `x = radius * (cos angle, sin angle)`.
fn point(row: &Row, seed: u64) -> [f32; 2] {
    let class = row.class as usize;
    let (nearest, farthest) = RADIUS[class];
    let radius = row.person_rng(seed).random_range(nearest..farthest);
    let (mean, sd) = if row.split == 2 { SHIFTED_ANGLE } else { ANGLE };
    let degrees = mean + sd * row.view_rng(seed).sample::<f64, _>(StandardNormal);
    let angle = if class == 1 { degrees.to_radians() } else { -degrees.to_radians() };
    [(radius * angle.cos()) as f32, (radius * angle.sin()) as f32]
}
