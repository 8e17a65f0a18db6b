//! Who is in which row: splits, classes, persons and ids, before any number is drawn.
//!
//! Every person and every view of one has its own stream of random numbers, so rows can be drawn in any
//! order and in parallel.

use rand::rngs::ChaCha8Rng;

use super::Sizes;
use crate::{Attribute, DataError, Dataset, Inputs, Labels, Split, random};

/// More rows than this, over all splits, are refused: the largest pictures would take 37 GB.
const MAX_ROWS: usize = 4_000_000;

/// Held-out pairs in each test split, at most: enough to measure the variance inside groups.
const MAX_TEST_PAIRS: usize = 250;

/// One row to draw: a view of a person.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Position in the generator's list of splits.
    pub split: usize,
    /// Number of the person within the split.
    pub person: usize,
    /// 0, or 1 for the second row of a pair.
    pub view: usize,
    /// The classes take turns, so they are balanced among pairs and among single rows.
    pub class: u32,
}

impl Row {
    /// Random numbers that all views of a person share: the core.
    pub fn person_rng(&self, seed: u64) -> ChaCha8Rng {
        self.rng(seed, 0)
    }

    /// Random numbers of this view alone: the style.
    pub fn view_rng(&self, seed: u64) -> ChaCha8Rng {
        self.rng(seed, 1 + self.view as u64)
    }

    fn rng(&self, seed: u64, stream: u64) -> ChaCha8Rng {
        random::stream([seed, self.split as u64, self.person as u64, stream])
    }
}

/// All rows of a data set. In each split the pairs come first, the two rows of a pair next to each other.
#[derive(Debug)]
pub struct Plan {
    /// One entry a row.
    pub rows: Vec<Row>,
    ids: Vec<Option<u32>>,
    id_names: Vec<String>,
    splits: Vec<Split>,
}

impl Plan {
    /// Lays out `splits`, the first of which is `train`, for two classes.
    pub fn new(generator: &'static str, sizes: &Sizes, splits: &[&str]) -> Result<Plan, DataError> {
        check(generator, sizes, splits.len())?;
        let mut plan = Plan { rows: vec![], ids: vec![], id_names: vec![], splits: vec![] };
        for (split, name) in splits.iter().enumerate() {
            let first = plan.rows.len();
            match split {
                0 => plan.add_split(split, "p", sizes.rows, sizes.groups),
                _ => {
                    let pairs = MAX_TEST_PAIRS.min(sizes.test_rows / 4);
                    plan.add_split(split, &format!("{name}-p"), sizes.test_rows, pairs);
                }
            }
            plan.splits.push(Split::new(*name, first..plan.rows.len()));
        }
        Ok(plan)
    }

    fn add_split(&mut self, split: usize, id_prefix: &str, rows: usize, pairs: usize) {
        for person in 0..rows - pairs {
            let paired = person < pairs;
            let id = paired.then(|| {
                self.id_names.push(format!("{id_prefix}{person:05}"));
                (self.id_names.len() - 1) as u32
            });
            for view in 0..if paired { 2 } else { 1 } {
                self.rows.push(Row { split, person, view, class: (person % 2) as u32 });
                self.ids.push(id);
            }
        }
    }

    /// The data set of these rows and what was drawn for them.
    pub fn into_dataset(
        self,
        name: &str,
        classes: [&str; 2],
        inputs: Inputs,
        attributes: Vec<Attribute>,
    ) -> Result<Dataset, DataError> {
        let names = classes.map(str::to_owned).to_vec();
        let of_row = self.rows.iter().map(|row| row.class).collect();
        self.into_labelled(name, Labels::Classes { names, of_row }, inputs, attributes)
    }

    /// The same with other labels.
    pub fn into_labelled(
        self,
        name: &str,
        labels: Labels,
        inputs: Inputs,
        attributes: Vec<Attribute>,
    ) -> Result<Dataset, DataError> {
        Dataset::of(inputs)
            .name(name)
            .labels(labels)
            .id_indices(self.ids, self.id_names)
            .split_rows(self.splits)
            .attributes(attributes)
            .check()
    }
}

/// Fails where sizes contradict each other, or ask for too many rows.
pub fn check(generator: &'static str, sizes: &Sizes, splits: usize) -> Result<(), DataError> {
    let Sizes { rows, groups, test_rows } = *sizes;
    let fail = |problem: String, tip: String| Err(DataError::Sizes { generator, problem, tip });
    if rows < 2 || test_rows < 2 {
        let problem = format!("{rows} rows in train and {test_rows} in each test split");
        return fail(problem, "ask for at least 2 of each, one for each class".into());
    }
    if groups > rows / 2 {
        let problem = format!("{groups} pairs do not fit into {rows} rows, a pair takes 2");
        return fail(problem, format!("ask for at most {} pairs, or for more rows", rows / 2));
    }
    if rows - groups < 2 {
        let problem = format!("{rows} rows with {groups} pairs hold one person, so one class");
        return fail(problem, "ask for more rows or fewer pairs".into());
    }
    let total = test_rows.checked_mul(splits - 1).and_then(|tests| tests.checked_add(rows));
    if total.is_none_or(|total| total > MAX_ROWS) {
        let problem = format!("{rows} rows in train and {test_rows} in each of {} test splits", splits - 1);
        return fail(problem, format!("ask for at most {MAX_ROWS} rows over all splits"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Tip;
    use rand::RngExt;

    use super::*;

    const SPLITS: [&str; 2] = ["train", "test1"];

    fn plan(rows: usize, groups: usize, test_rows: usize) -> Result<Plan, DataError> {
        Plan::new("linear", &Sizes { rows, groups, test_rows }, &SPLITS)
    }

    #[test]
    fn pairs_come_first_and_classes_take_turns() {
        let plan = plan(7, 2, 2).unwrap();
        let train: Vec<_> = plan.rows[..7].iter().map(|row| (row.person, row.view, row.class)).collect();
        assert_eq!(train, [(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1), (2, 0, 0), (3, 0, 1), (4, 0, 0)]);
        assert_eq!(plan.ids[..7], [Some(0), Some(0), Some(1), Some(1), None, None, None]);
    }

    #[test]
    fn ids_name_other_persons_in_each_split() {
        let plan = plan(4, 1, 8).unwrap();
        assert_eq!(plan.id_names, ["p00000", "test1-p00000", "test1-p00001"]);
        assert_eq!(plan.splits[1], Split::new("test1", 4..12));
    }

    #[test]
    fn test_splits_hold_at_most_250_pairs() {
        let pairs = |test_rows| plan(2, 0, test_rows).unwrap().id_names.len();
        assert_eq!([pairs(3), pairs(4), pairs(999), pairs(1000), pairs(5000)], [0, 1, 249, 250, 250]);
    }

    #[test]
    fn views_share_the_person_and_not_the_style() {
        let plan = plan(4, 1, 2).unwrap();
        let [first, second, other, ..] = &plan.rows[..] else { panic!("four rows") };
        let core = |row: &Row| row.person_rng(5).random::<u64>();
        let style = |row: &Row| row.view_rng(5).random::<u64>();
        assert_eq!(core(first), core(second));
        assert_ne!(core(first), core(other));
        assert_ne!(style(first), style(second));
        assert_ne!(core(first), style(first));
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused_with_a_tip() {
        let message = |rows, groups, test_rows| {
            let error = plan(rows, groups, test_rows).unwrap_err();
            format!("{error}; {}", error.tip().unwrap())
        };
        assert_eq!(
            message(10, 6, 2),
            "linear: 6 pairs do not fit into 10 rows, a pair takes 2; ask for at most 5 pairs, or for more rows"
        );
        assert!(message(1, 0, 2).contains("1 rows in train"));
        assert!(message(2, 0, 0).contains("0 in each test split"));
        assert!(message(2, 1, 2).contains("one class"));
        assert!(message(usize::MAX, 0, 2).contains("at most 4000000 rows"));
        assert!(message(2, usize::MAX, 2).contains("do not fit"));
        assert!(message(2, 0, usize::MAX).contains("at most 4000000 rows"));
    }
}
