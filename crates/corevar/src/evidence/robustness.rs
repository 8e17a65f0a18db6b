//! The robustness curve of a model on held-out groups.

use super::answers::Answers;
use crate::certificate::{CurveConfig, RobustnessCurve, robustness_curve};
use crate::rows::Rows;

/// None without a group of two rows or more, or when a loss is not finite.
pub(super) fn curve(rows: &Rows, answers: &Answers, seed: u64) -> Option<RobustnessCurve> {
    if rows.groups.is_trivial() {
        return None;
    }
    let groups: Vec<usize> = (0..rows.len()).map(|position| rows.groups.of_row(position)).collect();
    let config = CurveConfig { seed, ..Default::default() }.check().ok()?;
    robustness_curve(&config, &answers.losses, &groups).ok()
}
