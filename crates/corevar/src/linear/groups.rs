//! The groups of two rows or more, inside which something can vary.

use std::collections::HashMap;

use super::Normalise;

/// Rows by group, singletons left out, in the order of their first rows.
#[derive(Debug, Clone, Default)]
pub(super) struct GroupIndex {
    rows: Vec<usize>,
    /// Weight of each of `rows` inside its group; these sum to 1 over a group.
    shares: Vec<f64>,
    starts: Vec<usize>,
    /// What `mean_j` divides by: M.
    pub divisor: f64,
}

/// The rows of one group and their weights, which sum to 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group<'a> {
    pub rows: &'a [usize],
    pub shares: &'a [f64],
}

impl GroupIndex {
    /// Groups rows of equal `key`. Rows of weight 0 are left out.
    pub fn new(keys: &[usize], weights: &[f64], normalise: Normalise) -> Self {
        let mut number_of_key = HashMap::new();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (row, key) in keys.iter().enumerate().filter(|(row, _)| weights[*row] > 0.0) {
            let group = *number_of_key.entry(key).or_insert(members.len());
            match members.get_mut(group) {
                Some(rows) => rows.push(row),
                None => members.push(vec![row]),
            }
        }
        let all = members.len();
        members.retain(|rows| rows.len() > 1);
        let divisor = match normalise {
            Normalise::Grouped | Normalise::Batch => members.len(),
            Normalise::All => all,
        };
        Self { divisor: divisor as f64, ..Self::of(&members, weights) }
    }

    fn of(members: &[Vec<usize>], weights: &[f64]) -> Self {
        let mut index = Self { starts: vec![0], ..Self::default() };
        for rows in members {
            let sum: f64 = rows.iter().map(|&row| weights[row]).sum();
            index.rows.extend(rows);
            index.shares.extend(rows.iter().map(|&row| weights[row] / sum));
            index.starts.push(index.rows.len());
        }
        index
    }

    pub fn iter(&self) -> impl Iterator<Item = Group<'_>> {
        self.starts
            .windows(2)
            .map(|ends| Group { rows: &self.rows[ends[0]..ends[1]], shares: &self.shares[ends[0]..ends[1]] })
    }

    /// Number of groups.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Evenly spaced groups that have at most about this many contrasts.
    pub fn thinned(&self, contrasts: usize) -> Self {
        let stride = self.contrasts().div_ceil(contrasts.max(1)).max(1);
        let mut part = Self { starts: vec![0], divisor: self.divisor / stride as f64, ..Self::default() };
        for group in self.iter().step_by(stride) {
            part.rows.extend(group.rows);
            part.shares.extend(group.shares);
            part.starts.push(part.rows.len());
        }
        part
    }

    /// Every second group, and the others.
    pub fn halves(&self) -> [Self; 2] {
        [0, 1].map(|first| {
            let mut half = Self { starts: vec![0], ..Self::default() };
            for group in self.iter().skip(first).step_by(2) {
                half.rows.extend(group.rows);
                half.shares.extend(group.shares);
                half.starts.push(half.rows.len());
            }
            Self { divisor: half.len() as f64, ..half }
        })
    }

    /// Rows of these groups.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Directions in which the groups can vary, `Σ_j (|S_j| - 1)`.
    pub fn contrasts(&self) -> usize {
        self.rows.len() - self.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singletons_and_rows_of_weight_zero_are_left_out() {
        let groups = GroupIndex::new(&[5, 9, 5, 9, 5, 1], &[1.0, 1.0, 1.0, 0.0, 2.0, 1.0], Normalise::All);
        let only: Vec<_> = groups.iter().collect();
        assert_eq!((only.len(), only[0].rows, only[0].shares), (1, &[0, 2, 4][..], &[0.25, 0.25, 0.5][..]));
        assert_eq!((groups.divisor, groups.contrasts()), (3.0, 2));
    }

    #[test]
    fn thinning_takes_evenly_spaced_groups() {
        let groups = GroupIndex::new(&[0, 0, 1, 1, 2, 2, 3, 3], &[1.0; 8], Normalise::Grouped);
        assert_eq!((groups.thinned(2).rows(), groups.thinned(2).divisor), (&[0, 1, 4, 5][..], 2.0));
        assert_eq!(groups.thinned(9).len(), 4);
    }

    #[test]
    fn without_a_group_of_two_there_is_nothing() {
        let groups = GroupIndex::new(&[0, 1, 2], &[1.0; 3], Normalise::Grouped);
        assert!(groups.is_empty() && groups.contrasts() == 0);
    }
}
