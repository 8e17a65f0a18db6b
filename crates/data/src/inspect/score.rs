//! How well one number predicts the label, and how much of it varies inside groups.

use std::collections::HashMap;

/// Ranks from 1; equal values share the mean of theirs.
pub(super) fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut smaller = 0;
    for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
        equal.iter().for_each(|place| ranks[*place] = smaller as f64 + (equal.len() + 1) as f64 / 2.0);
        smaller += equal.len();
    }
    ranks
}

/// The area under the ROC curve among rows of one id only: the chance that of a row of the class and another with the same id
/// the former has the larger value. `None` if there is no such pair.
pub(super) fn within_ids(values: &[f64], classes: &[u32], ids: &[Option<u32>], class: u32) -> Option<f64> {
    let mut of_id: HashMap<u32, [Vec<f64>; 2]> = HashMap::new();
    for ((value, other), id) in values.iter().zip(classes).zip(ids) {
        let Some(id) = id else { continue };
        of_id.entry(*id).or_default()[usize::from(*other == class)].push(*value);
    }
    let (mut right, mut pairs) = (0.0, 0.0);
    for [others, own] in of_id.values_mut() {
        others.sort_unstable_by(f64::total_cmp);
        for value in own.iter() {
            let below = others.partition_point(|other| other < value) as f64;
            let not_above = others.partition_point(|other| other <= value) as f64;
            right += (below + not_above) / 2.0;
        }
        pairs += (own.len() * others.len()) as f64;
    }
    (pairs > 0.0).then(|| right / pairs)
}

/// Variances of one or many numbers, summed: inside groups, and inside the classes that have groups.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Variance {
    inside_groups: f64,
    inside_classes: f64,
}

impl Variance {
    /// Adds one number of every row. `groups` hold positions of `values`; each lies in one class. Rows without a group count for the
    /// variance of their class: a few groups alone would tell it badly.
    pub(super) fn add(&mut self, values: &[f64], classes: &[u32], groups: &[Vec<usize>]) {
        let count = classes.iter().max().map_or(0, |last| *last as usize + 1);
        let mut has_groups = vec![false; count];
        groups.iter().for_each(|group| has_groups[classes[group[0]] as usize] = true);
        let of_class = values.iter().zip(classes).filter(|(_, class)| has_groups[**class as usize]);
        let (class_values, its_classes): (Vec<f64>, Vec<u32>) = of_class.unzip();
        self.inside_classes += variance_in_classes(&class_values, &its_classes);
        let of_group = groups
            .iter()
            .enumerate()
            .flat_map(|(number, group)| group.iter().map(move |place| (values[*place], number as u32)));
        let (group_values, its_groups): (Vec<f64>, Vec<u32>) = of_group.unzip();
        self.inside_groups += variance_in_classes(&group_values, &its_groups);
    }

    /// The variance inside groups, summed over the numbers.
    pub(super) fn inside_groups(&self) -> f64 {
        self.inside_groups
    }

    /// The share of the variance among rows of the same label that lies inside groups: 0 when a group never varies, 1 when
    /// rows of a group are no more alike than any two of their class. `None` without variance.
    pub(super) fn share(&self) -> Option<f64> {
        (self.inside_classes > 0.0).then(|| (self.inside_groups / self.inside_classes).min(1.0))
    }
}

/// Variance of the values about the means of their classes, pooled and unbiased: the sum of squares over rows less
/// classes. 0 where no class has two rows.
pub(super) fn variance_in_classes(values: &[f64], classes: &[u32]) -> f64 {
    let count = classes.iter().max().map_or(0, |last| *last as usize + 1);
    let (mut rows, mut means) = (vec![0.0; count], vec![0.0; count]);
    for (value, class) in values.iter().zip(classes) {
        rows[*class as usize] += 1.0;
        means[*class as usize] += value;
    }
    means.iter_mut().zip(&rows).for_each(|(mean, rows)| *mean /= f64::max(*rows, 1.0));
    let squares: f64 =
        values.iter().zip(classes).map(|(value, class)| (value - means[*class as usize]).powi(2)).sum();
    let freedom = values.len() as f64 - rows.iter().filter(|rows| **rows > 0.0).count() as f64;
    if freedom > 0.0 { squares / freedom } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_of_their_ranks() {
        assert_eq!(ranks(&[3.0, 1.0, 3.0, -2.0]), [3.5, 2.0, 3.5, 1.0]);
        assert_eq!(ranks(&[]), [0.0; 0]);
    }

    #[test]
    fn within_ids_only_rows_of_one_id_are_compared() {
        // Id 1: 5 against 3, told; id 2: 1 against 4, not told; the row without an id plays no part.
        let (values, classes) = ([5.0, 3.0, 1.0, 4.0, 9.0], [1, 0, 1, 0, 1]);
        let ids = [Some(1), Some(1), Some(2), Some(2), None];
        assert_eq!(within_ids(&values, &classes, &ids, 1), Some(0.5));
        assert_eq!(within_ids(&values, &classes, &[None; 5], 1), None);
    }

    #[test]
    fn the_share_inside_groups_goes_from_none_to_all() {
        let share = |values: &[f64]| {
            let mut variance = Variance::default();
            variance.add(values, &[0; 4], &[vec![0, 1], vec![2, 3]]);
            variance.share()
        };
        assert_eq!(share(&[1.0, 1.0, 3.0, 3.0]), Some(0.0));
        assert_eq!(share(&[1.0, 3.0, 1.0, 3.0]), Some(1.0));
        assert_eq!(share(&[2.0; 4]), None);
        // Inside: (2 + 2) / 2 = 2. Of the class: 0, 2, 4, 6 about 3 give 20 / 3.
        assert!((share(&[0.0, 2.0, 4.0, 6.0]).unwrap() - 0.3).abs() < 1e-12);
    }

    #[test]
    fn rows_without_a_group_count_for_their_class_and_classes_without_groups_do_not() {
        let mut variance = Variance::default();
        // Inside the pair: 2. Of class 0: 1, 3, 5, 7 about 4 give 20 / 3. Class 1 has no group.
        variance.add(&[1.0, 3.0, 5.0, 7.0, 0.0, 900.0], &[0, 0, 0, 0, 1, 1], &[vec![0, 1]]);
        assert!((variance.share().unwrap() - 0.3).abs() < 1e-12);
    }

    #[test]
    fn the_difference_between_classes_does_not_count() {
        let mut variance = Variance::default();
        variance.add(&[0.0, 2.0, 100.0, 102.0], &[0, 0, 1, 1], &[vec![0, 1], vec![2, 3]]);
        assert_eq!(variance.share(), Some(1.0));
    }
}
