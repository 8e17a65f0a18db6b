//! Which classes are taken for which.

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
        let mut counts = vec![vec![0; names.len()]; names.len()];
        for (&truth, &predicted) in labels.iter().zip(predicted) {
            counts[truth as usize][predicted as usize] += 1;
        }
        if names.len() <= MOST_CLASSES {
            return Self::Counts(counts);
        }
        let pair = |truth: usize, predicted: usize| ConfusedPair {
            truth: names[truth].clone(),
            predicted: names[predicted].clone(),
            rows: counts[truth][predicted],
            of: counts[truth].iter().sum(),
        };
        let classes = 0..names.len();
        let mut pairs: Vec<ConfusedPair> = classes
            .clone()
            .flat_map(|truth| classes.clone().map(move |predicted| (truth, predicted)))
            .filter(|&(truth, predicted)| truth != predicted && counts[truth][predicted] > 0)
            .map(|(truth, predicted)| pair(truth, predicted))
            .collect();
        pairs.sort_by_key(|pair| std::cmp::Reverse(pair.rows));
        pairs.truncate(MOST_PAIRS);
        Self::Pairs(pairs)
    }
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
    fn forty_classes_still_have_a_matrix() {
        assert!(matches!(Confusion::of(&names(40), &[], &[]), Confusion::Counts(_)));
    }
}
