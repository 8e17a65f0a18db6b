//! Which rows are looked at: some of the training rows, and rows of as many of their groups as fit.

use rand::rngs::ChaCha8Rng;
use rand::seq::{SliceRandom, index};
use rand::{Rng, SeedableRng};

use super::InspectOptions;
use crate::{Dataset, Groups};

/// Rows to be measured. `scored` and `grouped` hold positions in `rows`.
pub(super) struct Sample {
    /// The training rows, or all rows where none is in `train`.
    pub(super) studied: Vec<usize>,
    /// All groups of two rows or more among them, by row.
    pub(super) groups: Vec<Vec<usize>>,
    /// Rows that are measured, ascending.
    pub(super) rows: Vec<usize>,
    /// Class of each of them.
    pub(super) classes: Vec<u32>,
    /// Id of each of them.
    pub(super) ids: Vec<Option<u32>>,
    /// A fair sample of the studied rows.
    pub(super) scored: Vec<usize>,
    /// Groups, each with its positions; of large ones some rows.
    pub(super) grouped: Vec<Vec<usize>>,
}

impl Sample {
    pub(super) fn of(dataset: &Dataset, classes: &[u32], options: &InspectOptions) -> Sample {
        let studied = match dataset.train() {
            [] => (0..dataset.len()).collect(),
            rows => rows.to_vec(),
        };
        let groups = groups(&studied, classes, dataset.ids());
        let mut rng = ChaCha8Rng::seed_from_u64(options.seed);
        let mut scored = studied.clone();
        scored.shuffle(&mut rng);
        scored.truncate(options.max_rows);
        let grouped = thinned(&groups, options.max_rows, &mut rng);
        let mut rows: Vec<usize> = scored.iter().chain(grouped.iter().flatten()).copied().collect();
        rows.sort_unstable();
        rows.dedup();
        let position = |row: &usize| rows.partition_point(|other| other < row);
        let mut scored: Vec<usize> = scored.iter().map(position).collect();
        scored.sort_unstable();
        Sample {
            scored,
            grouped: grouped.iter().map(|group| group.iter().map(position).collect()).collect(),
            classes: rows.iter().map(|row| classes[*row]).collect(),
            ids: rows.iter().map(|row| dataset.ids()[*row]).collect(),
            studied,
            groups,
            rows,
        }
    }
}

/// Groups with at most `rows` rows together, in random order. Large groups lose rows before any group is left out:
/// what varies inside a group of a million rows can be seen from some of them.
pub(super) fn thinned(groups: &[Vec<usize>], mut rows: usize, rng: &mut impl Rng) -> Vec<Vec<usize>> {
    let most = rows_per_group(groups, rows);
    let mut order: Vec<&Vec<usize>> = groups.iter().collect();
    order.shuffle(rng);
    let mut kept = Vec::new();
    for group in order {
        let size = group.len().min(most);
        if size > rows {
            break;
        }
        rows -= size;
        let mut places = index::sample(rng, group.len(), size).into_vec();
        places.sort_unstable();
        kept.push(places.iter().map(|place| group[*place]).collect());
    }
    kept
}

/// The most rows of a group such that all groups fit into `rows`; at least 2, or nothing can vary.
fn rows_per_group(groups: &[Vec<usize>], rows: usize) -> usize {
    let together = |most: usize| groups.iter().map(|group| group.len().min(most)).sum::<usize>();
    let (mut fits, mut too_many) = (2, groups.iter().map(Vec::len).max().unwrap_or(0) + 1);
    while fits + 1 < too_many {
        let most = fits.midpoint(too_many);
        if together(most) <= rows { fits = most } else { too_many = most }
    }
    fits
}

/// Rows with the same label and id, where there are two or more, in order of their first row.
pub(super) fn groups(rows: &[usize], classes: &[u32], ids: &[Option<u32>]) -> Vec<Vec<usize>> {
    let (labels, ids): (Vec<u32>, Vec<Option<u32>>) =
        rows.iter().map(|&row| (classes[row], ids[row])).unzip();
    let by_row = |positions: &[usize]| positions.iter().map(|&position| rows[position]).collect();
    Groups::new(&labels, &ids).larger().map(by_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::synthetic::{Sizes, find};

    #[test]
    fn a_group_is_a_label_and_an_id_with_two_rows() {
        let ids = [Some(1), Some(1), None, Some(1), Some(2), Some(1)];
        assert_eq!(groups(&[0, 1, 2, 3, 4, 5], &[0, 1, 0, 0, 0, 0], &ids), [[0, 3, 5]]);
        assert_eq!(groups(&[1, 2, 3, 4, 5], &[0, 1, 0, 0, 0, 0], &ids), [[3, 5]]);
    }

    #[test]
    fn large_data_are_sampled_fairly_and_groups_stay_whole() {
        let sizes = Sizes { rows: 1000, groups: 50, test_rows: 10 };
        let data = find("linear").unwrap().generate(&sizes, 0).unwrap();
        let classes: Vec<u32> = vec![0; data.len()];
        let sample = Sample::of(&data, &classes, &InspectOptions { max_rows: 60, ..Default::default() });
        assert_eq!((sample.studied.len(), sample.groups.len()), (1000, 50));
        assert_eq!((sample.scored.len(), sample.grouped.len()), (60, 30));
        for group in &sample.grouped {
            assert_eq!(sample.ids[group[0]], sample.ids[group[1]]);
            assert!(sample.ids[group[0]].is_some());
        }
    }

    #[test]
    fn large_groups_lose_rows_before_small_ones_are_left_out() {
        let sizes = |sizes: &[usize], rows: usize| {
            let groups: Vec<Vec<usize>> = sizes.iter().map(|size| (0..*size).collect()).collect();
            let mut thin: Vec<usize> =
                thinned(&groups, rows, &mut ChaCha8Rng::seed_from_u64(0)).iter().map(Vec::len).collect();
            thin.sort_unstable();
            thin
        };
        assert_eq!(sizes(&[2, 3, 5], 10), [2, 3, 5]);
        assert_eq!(sizes(&[2, 3, 1000], 10), [2, 3, 5]);
        assert_eq!(sizes(&[1_000_000], 100), [100]);
        assert_eq!(sizes(&[4, 4, 4, 4], 5), [2, 2]);
        assert_eq!(sizes(&[2, 2], 1), [0; 0]);
        assert_eq!(sizes(&[], 5), [0; 0]);
    }
}
