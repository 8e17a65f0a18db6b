//! Which classes are taken for which.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::answers::Answers;
use crate::rows::{Rows, Task};

/// With more classes than this, only the most confused pairs are kept.
const MOST_CLASSES: usize = 40;
/// So many of them.
const MOST_PAIRS: usize = 40;

/// Rows by true and predicted class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Confusion {
    /// `counts[truth][predicted]`, classes in the order of `data.classes` of the results.
    Counts(Vec<Vec<usize>>),
    /// Of many classes: the pairs that are confused most often, the most frequent first.
    Pairs(Vec<ConfusedPair>),
}

/// Rows of one class that were taken for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfusedPair {
    /// Their class.
    pub truth: String,
    /// What the model said.
    pub predicted: String,
    /// How many.
    pub rows: usize,
    /// All rows of the true class.
    pub of: usize,
}

impl Confusion {
    /// None for a regression.
    pub(super) fn new(rows: &Rows, answers: &Answers) -> Option<Self> {
        match rows.task() {
            Some(Task::Regression) | None => None,
            Some(Task::Classes(names)) => Some(Self::of(&names, &rows.labels, answers.predicted())),
        }
    }

    fn of(names: &[String], labels: &[u32], predicted: &[u32]) -> Self {
        match names.len() <= MOST_CLASSES {
            true => Self::Counts(matrix(names.len(), labels, predicted)),
            false => Self::Pairs(most_confused(names, labels, predicted)),
        }
    }
}

fn matrix(classes: usize, labels: &[u32], predicted: &[u32]) -> Vec<Vec<usize>> {
    let mut counts = vec![vec![0; classes]; classes];
    for (&truth, &predicted) in labels.iter().zip(predicted) {
        counts[truth as usize][predicted as usize] += 1;
    }
    counts
}

/// Without a matrix: of many classes it would be mostly zeros, and larger than memory.
fn most_confused(names: &[String], labels: &[u32], predicted: &[u32]) -> Vec<ConfusedPair> {
    let mut rows_of = vec![0; names.len()];
    labels.iter().for_each(|&truth| rows_of[truth as usize] += 1);
    let wrong = labels.iter().copied().zip(predicted.iter().copied()).filter(|(truth, said)| truth != said);
    let mut counts: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    wrong.for_each(|pair| *counts.entry(pair).or_default() += 1);
    let mut pairs: Vec<((u32, u32), usize)> = counts.into_iter().collect();
    // Stable: equals stay in the order of the classes.
    pairs.sort_by_key(|(_, rows)| std::cmp::Reverse(*rows));
    pairs.truncate(MOST_PAIRS);
    let named = |((truth, predicted), rows): ((u32, u32), usize)| ConfusedPair {
        truth: names[truth as usize].clone(),
        predicted: names[predicted as usize].clone(),
        rows,
        of: rows_of[truth as usize],
    };
    pairs.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|class| format!("c{class}")).collect()
    }

    #[test]
    fn rows_are_counted_by_truth_and_answer() {
        let confusion = Confusion::of(&names(2), &[0, 0, 0, 1], &[0, 1, 1, 1]);
        assert_eq!(confusion, Confusion::Counts(vec![vec![1, 2], vec![0, 1]]));
    }

    #[test]
    fn of_many_classes_the_most_confused_pairs_are_kept() {
        let confusion = Confusion::of(&names(41), &[7, 7, 7, 9, 0], &[8, 8, 7, 7, 0]);
        let pair = |truth: &str, predicted: &str, rows, of| ConfusedPair {
            truth: truth.into(),
            predicted: predicted.into(),
            rows,
            of,
        };
        assert_eq!(confusion, Confusion::Pairs(vec![pair("c7", "c8", 2, 3), pair("c9", "c7", 1, 1)]));
    }

    #[test]
    fn a_million_classes_take_no_more_memory_than_their_rows() {
        // A matrix of them would have a million million entries.
        let confusion = Confusion::of(&names(1_000_000), &[7, 7, 999_999, 0], &[8, 8, 3, 0]);
        let Confusion::Pairs(pairs) = confusion else { panic!("a matrix") };
        let shown: Vec<_> = pairs.iter().map(|pair| (pair.truth.as_str(), pair.rows, pair.of)).collect();
        assert_eq!(shown, [("c7", 2, 2), ("c999999", 1, 1)]);
    }

    #[test]
    fn forty_classes_still_have_a_matrix() {
        assert!(matches!(Confusion::of(&names(40), &[], &[]), Confusion::Counts(_)));
    }
}
