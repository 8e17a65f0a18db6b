//! Groups: the rows that share a label and an id, `S_1..S_m` in the paper.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::Labels;

/// A partition of `n` rows into `m` groups. A row without an id is a group of its own.
///
/// Groups are numbered in the order of their first rows, and rows keep their order inside a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Groups {
    /// Group of each row.
    of_row: Vec<usize>,
    /// Rows sorted by group; group `j` owns `rows[starts[j]..starts[j + 1]]`.
    rows: Vec<usize>,
    starts: Vec<usize>,
}

impl Groups {
    /// The groups of some rows of a data set, by the rule of their task: classes by (label, id), numbers by id. Numbers in
    /// `slices` by (slice, id), as in the paper; every split must then have the slices of the training rows.
    ///
    /// # Panics
    /// When a row is not one of `labels` and `ids`.
    pub fn of_task(
        labels: &Labels,
        ids: &[Option<u32>],
        rows: &[usize],
        slices: Option<&QuantileBins>,
    ) -> Self {
        let of_rows = || rows.iter().map(|&row| ids[row]);
        let by_label = |label: &dyn Fn(usize) -> u32| {
            let labels: Vec<u32> = rows.iter().map(|&row| label(row)).collect();
            Self::new(&labels, &of_rows().collect::<Vec<_>>())
        };
        match (labels, slices) {
            (Labels::Classes { of_row, .. }, _) => by_label(&|row| of_row[row]),
            (Labels::Numbers(values), Some(slices)) => by_label(&|row| slices.of(values[row])),
            (Labels::Numbers(_), None) | (Labels::Unknown { .. }, _) => Self::by_id(of_rows()),
        }
    }

    /// Groups by (label, id), whatever the label is. [`Groups::of_task`] knows the rule of a data set.
    ///
    /// An id seen with two labels makes two groups; [`ids_with_several`] lists such ids.
    ///
    /// # Panics
    /// When the two slices differ in length.
    pub fn new(labels: &[u32], ids: &[Option<u32>]) -> Self {
        assert_eq!(labels.len(), ids.len(), "one label and one id (or None) a row");
        let mut group_of_key = HashMap::new();
        let mut count = 0;
        let mut next = || {
            count += 1;
            count - 1
        };
        let of_row = labels
            .iter()
            .zip(ids)
            .map(|(&label, &id)| match id {
                Some(id) => *group_of_key.entry((label, id)).or_insert_with(&mut next),
                None => next(),
            })
            .collect();
        Self::from_group_of_row(of_row)
    }

    /// Groups by id alone, whatever the label: the groups of a regression, and the rows that must not be torn apart.
    pub fn by_id(ids: impl IntoIterator<Item = Option<u32>>) -> Self {
        // A row without an id is a group of its own, so its number is its key.
        Self::by_key(ids.into_iter().enumerate().map(|(row, id)| id.ok_or(row)))
    }

    /// Groups by an arbitrary key: equal keys, same group.
    pub fn by_key<K: std::hash::Hash + Eq>(keys: impl IntoIterator<Item = K>) -> Self {
        let mut group_of_key = HashMap::new();
        let of_row = keys
            .into_iter()
            .map(|key| {
                let next = group_of_key.len();
                *group_of_key.entry(key).or_insert(next)
            })
            .collect();
        Self::from_group_of_row(of_row)
    }

    fn from_group_of_row(of_row: Vec<usize>) -> Self {
        let groups = of_row.iter().max().map_or(0, |last| last + 1);
        let mut starts = vec![0; groups + 1];
        for &group in &of_row {
            starts[group + 1] += 1;
        }
        for j in 0..groups {
            starts[j + 1] += starts[j];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; of_row.len()];
        for (row, &group) in of_row.iter().enumerate() {
            rows[next[group]] = row;
            next[group] += 1;
        }
        Self { of_row, rows, starts }
    }

    /// Number of rows, `n`.
    pub fn rows(&self) -> usize {
        self.of_row.len()
    }

    /// Number of groups, singletons included: `m`.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The paper's number of grouped observations, `c = n - m`: 50 pairs count 50.
    pub fn grouped_observations(&self) -> usize {
        self.rows() - self.count()
    }

    /// Rows that share their group with another row: 50 pairs count 100.
    pub fn grouped_rows(&self) -> usize {
        self.larger().map(|group| group.len()).sum()
    }

    /// The group of a row.
    pub fn of_row(&self, row: usize) -> usize {
        self.of_row[row]
    }

    /// The rows of each group, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.starts.windows(2).map(|ends| &self.rows[ends[0]..ends[1]])
    }

    /// The groups with two rows or more: those inside which something can vary.
    pub fn larger(&self) -> impl Iterator<Item = &[usize]> {
        self.iter().filter(|rows| rows.len() > 1)
    }

    /// True when no two rows share a group, so that CoRe is the pooled estimator.
    pub fn is_trivial(&self) -> bool {
        self.count() == self.rows()
    }
}

/// Ids whose rows differ in `value`, ascending: more than one label, or more than one split.
pub fn ids_with_several<T: PartialEq + Copy>(ids: &[Option<u32>], values: &[T]) -> Vec<u32> {
    let mut first = HashMap::new();
    let mut several: Vec<u32> = values
        .iter()
        .zip(ids)
        .filter_map(|(value, id)| id.filter(|&id| first.entry(id).or_insert(*value) != value))
        .collect();
    several.sort_unstable();
    several.dedup();
    several
}

/// Continuous labels cut into bins of equal counts, so that rows can be grouped by them (sliced inverse regression).
/// Equal values share a bin, and no bin is empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QuantileBins {
    /// Least value of each bin, ascending.
    edges: Vec<f32>,
}

impl QuantileBins {
    /// At most `bins` bins of these values; of no values one bin.
    ///
    /// # Panics
    /// When `bins` is 0 or a value is NaN.
    pub fn new(values: &[f32], bins: usize) -> Self {
        assert!(bins > 0, "at least one bin");
        assert!(values.iter().all(|value| !value.is_nan()), "labels are numbers");
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        // With more bins than values every value has its own already.
        let bins = bins.min(values.len());
        let mut edges: Vec<f32> =
            (0..bins).filter_map(|bin| sorted.get(bin * values.len() / bins).copied()).collect();
        edges.dedup();
        Self { edges }
    }

    /// The bin of a value; a value equal to an edge opens the bin above it.
    pub fn of(&self, value: f32) -> u32 {
        self.edges.partition_point(|&edge| edge <= value).saturating_sub(1) as u32
    }

    /// Least value of each bin.
    pub fn edges(&self) -> &[f32] {
        &self.edges
    }

    /// Whether the edges are numbers in ascending order: files may say anything.
    pub fn is_valid(&self) -> bool {
        self.edges.iter().all(|edge| edge.is_finite()) && self.edges.windows(2).all(|pair| pair[0] < pair[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_the_same_label_and_id_form_a_group() {
        let groups = Groups::new(&[0, 0, 1, 0], &[Some(7), None, Some(7), Some(7)]);
        assert_eq!(groups.iter().collect::<Vec<_>>(), [&[0, 3][..], &[1], &[2]]);
        assert_eq!((groups.rows(), groups.count(), groups.grouped_observations()), (4, 3, 1));
        assert_eq!(groups.grouped_rows(), 2);
    }

    #[test]
    fn missing_ids_are_singletons() {
        let groups = Groups::new(&[0, 0, 0], &[None; 3]);
        assert_eq!(groups.count(), 3);
        assert!(groups.is_trivial());
        assert_eq!(groups.larger().count(), 0);
    }

    #[test]
    fn an_id_with_two_labels_is_two_groups_and_is_reported() {
        let (labels, ids) = ([0, 1, 1, 0], [Some(5), Some(5), Some(2), Some(5)]);
        assert_eq!(Groups::new(&labels, &ids).count(), 3);
        assert_eq!(ids_with_several(&ids, &labels), [5]);
    }

    #[test]
    fn no_rows_make_no_groups() {
        let groups = Groups::new(&[], &[]);
        assert_eq!((groups.rows(), groups.count(), groups.grouped_observations()), (0, 0, 0));
    }

    #[test]
    fn by_id_the_label_does_not_matter_and_missing_ids_stay_alone() {
        let groups = Groups::by_id([Some(1), None, Some(0), Some(1), None]);
        assert_eq!(groups.iter().collect::<Vec<_>>(), [&[0, 3][..], &[1], &[2], &[4]]);
    }

    #[test]
    fn more_bins_than_values_are_as_many_as_values_and_take_no_more_memory() {
        let values = [3.0, 1.0, 2.0, 2.0];
        assert_eq!(QuantileBins::new(&values, usize::MAX), QuantileBins::new(&values, 4));
        assert_eq!(QuantileBins::new(&values, 1_000_000_000_000).edges(), [1.0, 2.0, 3.0]);
        assert_eq!(quantile_bins(&[], 1_000_000_000_000), Vec::<u32>::new());
    }

    #[test]
    fn equal_keys_share_a_group() {
        assert_eq!(Groups::by_key(["a", "b", "a"]).iter().collect::<Vec<_>>(), [&[0, 2][..], &[1]]);
    }

    /// Rows 0 and 3 show one object, rows 1 and 4 another. Slices from 1 and from 3.
    #[test]
    fn a_task_decides_what_rows_of_an_id_share() {
        let ids = [Some(0), Some(1), None, Some(0), Some(1)];
        let of = |labels: &Labels, slices: Option<&QuantileBins>| {
            let groups = Groups::of_task(labels, &ids, &[0, 1, 3, 4], slices);
            groups.larger().map(<[usize]>::to_vec).collect::<Vec<_>>()
        };
        let classes = Labels::Classes { names: vec!["a".into(), "b".into()], of_row: vec![0, 1, 0, 0, 0] };
        assert_eq!(of(&classes, None), [[0, 2]]);
        let numbers = Labels::Numbers(vec![1.0, 2.0, 9.0, 4.0, 2.5]);
        assert_eq!(of(&numbers, None), [[0, 2], [1, 3]]);
        assert_eq!(of(&numbers, Some(&QuantileBins { edges: vec![1.0, 3.0] })), [[1, 3]]);
    }

    #[test]
    fn edges_that_do_not_ascend_are_none() {
        let is_valid = |edges: &[f32]| QuantileBins { edges: edges.to_vec() }.is_valid();
        assert!(is_valid(&[]) && is_valid(&[1.0, 2.0]));
        assert!(!is_valid(&[1.0, 1.0]) && !is_valid(&[2.0, 1.0]) && !is_valid(&[f32::NAN]));
    }

    fn quantile_bins(values: &[f32], bins: usize) -> Vec<u32> {
        let bins = QuantileBins::new(values, bins);
        values.iter().map(|&value| bins.of(value)).collect()
    }

    #[test]
    fn bins_hold_equal_counts() {
        assert_eq!(quantile_bins(&[5.0, 1.0, 4.0, 2.0, 3.0, 6.0], 3), [2, 0, 1, 0, 1, 2]);
    }

    #[test]
    fn equal_values_share_a_bin_and_no_bin_is_empty() {
        assert_eq!(quantile_bins(&[1.0; 4], 2), [0; 4]);
        assert_eq!(quantile_bins(&[1.0, 1.0, 1.0, 2.0], 4), [0, 0, 0, 1]);
        assert_eq!(quantile_bins(&[], 4), Vec::<u32>::new());
    }
}
