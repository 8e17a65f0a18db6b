//! The style radius of a row.

use super::spread::Sds;

/// `min_b d_yb / s_yb`: how many SDs of style inside groups the answer `label` withstands. Negative where another class is ahead
/// already. Where style does not move a difference of logits at all, the radius is infinite, or minus infinity for a margin of 0 or
/// less.
pub(crate) fn radius(logits: &[f64], label: usize, sds: &Sds) -> f64 {
    let others = (0..logits.len()).filter(|&other| other != label);
    let to_other = |other: usize| match (logits[label] - logits[other], sds.of(label, other)) {
        (margin, 0.0) if margin > 0.0 => f64::INFINITY,
        (_, 0.0) => f64::NEG_INFINITY,
        (margin, sd) => margin / sd,
    };
    others.map(to_other).fold(f64::INFINITY, f64::min)
}
