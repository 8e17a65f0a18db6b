//! Rows held out of training to choose settings by: the split `val`, one part of the training ids, or every id once.

use corevar_data::{DataError, Dataset, Groups, Split, SplitName};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::model::InputShape;
use crate::rows::Rows;

/// One part in so many is held out at a time.
pub const PARTS: usize = 5;

/// The same for pictures where every id is held out once: each fold trains every setting.
pub const PARTS_OF_PICTURES: usize = 3;

/// With fewer held-out groups or rows than these, every id is held out once: the SDs inside 50 groups are known to 10 %.
const ENOUGH_GROUPS: usize = 50;
const ENOUGH_ROWS: usize = 500;

/// Draws the parts; the seeds of the runs must not change them.
const SEED: u64 = 0;

/// One way to hold out rows.
pub(super) struct Fold {
    /// With `val`; None stands for the splits that the data have.
    splits: Option<Vec<Split>>,
}

/// How rows are held out, and what the user should know about it.
pub(super) struct Folds {
    pub folds: Vec<Fold>,
    pub note: Option<String>,
}

impl Fold {
    /// The data with their rows held out; None when they are as they were. Made anew each time, because features are copied.
    pub fn dataset(&self, dataset: &Dataset) -> Result<Option<Dataset>, DataError> {
        self.splits.clone().map(|splits| dataset.with_splits(splits)).transpose()
    }

    /// Rows of `val`.
    pub fn validation<'a>(&'a self, dataset: &'a Dataset) -> &'a [usize] {
        let splits = self.splits.as_deref().unwrap_or(dataset.splits());
        let held = splits.iter().find(|split| split.name == SplitName::validation());
        held.map_or(&[], |split| &split.rows)
    }
}

impl Folds {
    /// As many folds as asked for: 1 holds out one part in five, more hold out every id once. Without a wish, as few as can tell:
    /// one where the split `val`, or one part in five, has enough rows and groups.
    pub fn new(dataset: &Dataset, wanted: Option<usize>, label_bins: usize) -> Self {
        let train = Rows::new(dataset, dataset.train(), label_bins);
        let own = dataset.split(SplitName::VALIDATION).filter(|rows| !rows.is_empty());
        let own = own.map(|rows| Rows::new(dataset, rows, label_bins));
        let count = wanted.unwrap_or_else(|| match &own {
            Some(own) if is_enough(own, 1) => 1,
            None if is_enough(&train, PARTS) => 1,
            _ if matches!(InputShape::of(dataset), InputShape::Image { .. }) => PARTS_OF_PICTURES,
            _ => PARTS,
        });
        if own.is_some() && count == 1 {
            return Self { folds: vec![Fold { splits: None }], note: None };
        }
        let part_of_row = parts(&train, if count == 1 { PARTS } else { count });
        let fold = |part: usize| Fold { splits: Some(splits(dataset, &part_of_row, part)) };
        let folds: Vec<Fold> = (0..count).map(fold).collect();
        let note = note(&folds, dataset, own.is_some());
        Self { folds, note: Some(note) }
    }
}

fn is_enough(rows: &Rows, parts: usize) -> bool {
    rows.groups.larger().count() / parts >= ENOUGH_GROUPS && rows.len() / parts >= ENOUGH_ROWS
}

fn note(folds: &[Fold], dataset: &Dataset, has_own: bool) -> String {
    let why = if has_own { "Few rows or groups in the split `val`" } else { "No split `val`" };
    match folds {
        [only] => format!(
            "{why}: holding out {} training rows (whole groups) to choose the penalty weight",
            only.validation(dataset).len()
        ),
        _ => {
            let count = folds.len();
            let joined = if has_own { ", beside the rows of `val`" } else { "" };
            format!(
                "{why}: choosing the penalty weight over {count} folds, so that every training group is held out once{joined}"
            )
        }
    }
}

/// The splits with the rows of one part in `val`, beside those that are there, in place of `train`.
fn splits(dataset: &Dataset, part_of_row: &[Option<usize>], part: usize) -> Vec<Split> {
    let of = |held: bool| {
        let rows = dataset.train().iter().zip(part_of_row);
        rows.filter(move |(_, of_row)| (**of_row == Some(part)) == held).map(|(row, _)| *row)
    };
    let own = dataset.validation().iter().copied();
    let is_other = |split: &&Split| !split.name.is_train() && split.name != SplitName::validation();
    let others = dataset.splits().iter().filter(is_other).cloned();
    let held = of(true).chain(own);
    let made = [Split::new(SplitName::train(), of(false)), Split::new(SplitName::validation(), held)];
    made.into_iter().chain(others).collect()
}

/// The part of each row. Whole ids go together, also those with two labels: an id is never on both sides. Grouped and single rows of
/// each class are dealt out evenly. The only id of its kind has no part: it stays in training, or its class might be missing there.
/// A pure function of its arguments.
fn parts(rows: &Rows, count: usize) -> Vec<Option<usize>> {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut part_of_row = vec![None; rows.len()];
    let ids = Groups::by_id((0..rows.len()).map(|position| rows.id(position)));
    let mut groups: Vec<&[usize]> = ids.iter().collect();
    groups.shuffle(&mut rng);
    // Stable: inside a class and kind the shuffled order stays.
    groups.sort_by_key(|group| (rows.labels[group[0]], group.len() > 1));
    let alike =
        |a: &&[usize], b: &&[usize]| rows.labels[a[0]] == rows.labels[b[0]] && (a.len() > 1) == (b.len() > 1);
    // Dealing goes on where the last kind ended, so that small kinds do not all fall into the first part.
    let mut next = 0;
    for kind in groups.chunk_by(alike).filter(|kind| kind.len() > 1) {
        for group in kind {
            group.iter().for_each(|&row| part_of_row[row] = Some(next % count));
            next += 1;
        }
    }
    part_of_row
}

#[cfg(test)]
mod tests {
    use corevar_data::synthetic::{Sizes, find};

    use super::*;

    fn data(rows: usize, groups: usize) -> Dataset {
        find("linear").unwrap().generate(&Sizes { rows, groups, test_rows: 20 }, 1).unwrap()
    }

    fn folds(dataset: &Dataset, wanted: Option<usize>) -> Vec<Dataset> {
        let folds = Folds::new(dataset, wanted, 1).folds;
        folds.iter().filter_map(|fold| fold.dataset(dataset).unwrap()).collect()
    }

    #[test]
    fn one_fold_holds_out_a_fifth_of_the_rows_and_of_the_groups() {
        let dataset = folds(&data(300, 30), Some(1)).remove(0);
        let [train, val] =
            ["train", "val"].map(|split| Rows::new(&dataset, dataset.split(split).unwrap(), 1));
        assert_eq!(train.len() + val.len(), 300);
        assert!((58..=62).contains(&val.len()), "{}", val.len());
        assert_eq!((train.groups.larger().count(), val.groups.larger().count()), (24, 6));
    }

    #[test]
    fn no_group_is_cut_and_every_row_is_held_out_once() {
        let folds = folds(&data(300, 30), Some(4));
        assert_eq!(folds.len(), 4);
        let mut held: Vec<usize> = folds.iter().flat_map(|fold| fold.validation().to_vec()).collect();
        held.sort_unstable();
        assert_eq!(held, data(300, 30).train());
        for fold in folds {
            let ids = |split| -> Vec<u32> {
                fold.split(split).unwrap().iter().filter_map(|&row| fold.ids()[row]).collect()
            };
            assert!(ids("val").iter().all(|id| !ids("train").contains(id)));
        }
    }

    #[test]
    fn few_groups_are_held_out_in_turn_and_many_in_one_part() {
        assert_eq!(folds(&data(3000, 100), None).len(), 5);
        assert_eq!(folds(&data(3000, 500), None).len(), 1);
    }

    #[test]
    fn a_split_that_is_there_is_taken_if_it_has_enough_groups() {
        let with_own = folds(&data(6000, 1000), Some(1)).remove(0);
        assert!(matches!(Folds::new(&with_own, None, 1).folds[..], [Fold { splits: None }]));
        // 6 groups are not enough: its rows stand beside those of every fold.
        let with_few = folds(&data(300, 30), Some(1)).remove(0);
        let own = with_few.validation().len();
        let folds = folds(&with_few, None);
        assert_eq!(folds.len(), 5);
        assert_eq!(folds.iter().map(|fold| fold.validation().len() - own).sum::<usize>(), 300 - own);
    }

    #[test]
    fn the_only_id_of_its_kind_stays_in_training() {
        let labels = ["a", "a", "b", "b", "b", "c"];
        let ids = [Some(1), Some(1), Some(2), Some(2), None, None];
        let data = Dataset::features(["x"], vec![0.0; 6]).classes(&labels).ids(ids).check().unwrap();
        let rows = Rows::new(&data, data.train(), 1);
        assert_eq!(parts(&rows, 3), [None; 6]);
    }
}
