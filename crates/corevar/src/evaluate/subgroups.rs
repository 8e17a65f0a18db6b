//! Errors by subgroup: a class, crossed with each attribute of few levels.

use std::collections::BTreeMap;

use corevar_data::Dataset;

use crate::rows::Rows;

/// An attribute with more levels than this is a name or a measurement, and no subgroup.
pub(crate) const MOST_LEVELS: usize = 20;

/// The largest error over the subgroups (class x level of one attribute, or classes without attributes).
pub(super) fn worst_error(dataset: &Dataset, rows: &Rows, wrong: &[bool]) -> Option<f64> {
    let usable = dataset.attributes().iter().enumerate().filter(|(_, a)| a.levels.len() <= MOST_LEVELS);
    let mut counts: BTreeMap<_, (usize, usize)> = BTreeMap::new();
    let mut add = |cell, wrong| {
        let (all, bad) = counts.entry(cell).or_default();
        *all += 1;
        *bad += usize::from(wrong);
    };
    for (position, &wrong) in wrong.iter().enumerate() {
        add((rows.labels[position], None), wrong);
        for (index, attribute) in usable.clone() {
            add((rows.labels[position], Some((index, attribute.of_row[rows.row(position)]))), wrong);
        }
    }
    counts.values().map(|&(all, bad)| bad as f64 / all as f64).reduce(f64::max)
}
