//! The directions in which rows of a group differ most from one another.
//!
//! A style need not show in one column or in the brightness of a whole picture. Whatever it is, it is what differs inside
//! groups: the principal components of the rows about the means of their groups. No label is used to find them.

use super::linear_algebra::{add, dot};
use super::sample::thinned;
use super::vectors::Vectors;
use crate::random;

/// Rows that decide on the directions, at most, and the numbers of all their columns.
const MOST_ROWS: usize = 2000;
const MOST_NUMBERS: usize = 1 << 24;
/// Sets the random numbers apart from those of other purposes.
const PURPOSE: u64 = 0x4449_5245;
const STEPS: usize = 40;

/// Up to `count` directions of unit length, the one of largest variance first. `groups` hold row numbers.
pub(super) fn directions(
    vectors: &Vectors<'_>,
    groups: &[Vec<usize>],
    count: usize,
    seed: u64,
) -> Vec<Vec<f64>> {
    let most = MOST_ROWS.min(MOST_NUMBERS / vectors.width.max(1));
    let groups = thinned(groups, most, &mut random::stream([seed, PURPOSE, 0, 0]));
    let differences = differences(vectors, &groups);
    let mut found: Vec<Vec<f64>> = Vec::new();
    for _ in 0..count.min(vectors.width) {
        match largest(&differences, vectors.width, &found) {
            Some(direction) => found.push(direction),
            None => break,
        }
    }
    found
}

/// Rows less the means of their groups.
fn differences(vectors: &Vectors<'_>, groups: &[Vec<usize>]) -> Vec<f64> {
    let mut out = Vec::new();
    for group in groups {
        let rows: Vec<Vec<f64>> = group.iter().map(|row| vectors.row(*row)).collect();
        let mut mean = vec![0.0; vectors.width];
        rows.iter().for_each(|row| add(&mut mean, 1.0 / rows.len() as f64, row));
        for row in &rows {
            out.extend(row.iter().zip(&mean).map(|(value, mean)| value - mean));
        }
    }
    out
}

/// The largest principal direction across those found already, by power iteration; `None` when nothing is left.
fn largest(differences: &[f64], width: usize, found: &[Vec<f64>]) -> Option<Vec<f64>> {
    let length = |row: &&[f64]| row.iter().map(|value| value * value).sum::<f64>();
    let start = differences.chunks_exact(width).max_by(|a, b| length(a).total_cmp(&length(b)))?;
    // A little of every axis, in case the longest row lies in a direction found before.
    let mut direction: Vec<f64> =
        start.iter().enumerate().map(|(i, value)| value + 1e-3 * (1.0 + (i % 7) as f64)).collect();
    let whole: f64 = differences.iter().map(|value| value * value).sum();
    for _ in 0..STEPS {
        remove(&mut direction, found);
        normalise(&mut direction)?;
        let mut next = vec![0.0; width];
        for row in differences.chunks_exact(width) {
            add(&mut next, dot(row, &direction), row);
        }
        remove(&mut next, found);
        // What is left is rounding.
        if dot(&next, &next).sqrt() <= 1e-9 * whole {
            return None;
        }
        direction = next;
    }
    normalise(&mut direction)?;
    Some(direction)
}

fn remove(direction: &mut [f64], found: &[Vec<f64>]) {
    for other in found {
        let along = dot(direction, other);
        add(direction, -along, other);
    }
}

fn normalise(direction: &mut [f64]) -> Option<()> {
    let length = dot(direction, direction).sqrt();
    if length == 0.0 || !length.is_finite() {
        return None;
    }
    direction.iter_mut().for_each(|value| *value /= length);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(rows: &[f64]) -> Vectors<'_> {
        Vectors::new(2, |row, column| rows[2 * row + column])
    }

    #[test]
    fn the_directions_are_those_of_the_differences() {
        // Pairs differ by (3, 4), (6, 8) and (-4, 3) / 2; the groups lie far apart, which does not matter.
        let rows = [0.0, 0.0, 3.0, 4.0, 100.0, 0.0, 106.0, 8.0, 0.0, 50.0, -2.0, 51.5];
        let found = directions(&vectors(&rows), &[vec![0, 1], vec![2, 3], vec![4, 5]], 3, 0);
        assert_eq!(found.len(), 2);
        let parallel = |a: &[f64], b: [f64; 2]| (dot(a, &b).abs() - 1.0).abs() < 1e-6;
        assert!(parallel(&found[0], [0.6, 0.8]) && parallel(&found[1], [-0.8, 0.6]), "{found:?}");
    }

    #[test]
    fn groups_that_do_not_vary_have_none() {
        assert!(directions(&vectors(&[1.0, 2.0, 1.0, 2.0]), &[vec![0, 1]], 3, 0).is_empty());
        assert!(directions(&vectors(&[]), &[], 3, 0).is_empty());
    }
}
