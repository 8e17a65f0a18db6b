//! Rows held out of training to choose settings by.

use corevar_data::{Dataset, Groups, Split, SplitName};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::rows::Rows;

/// The splits with one more, `val`, cut from the training rows. None when there is one already.
///
/// Whole ids move, grouped and single rows of each class in the same share: validation rows keep their groups, so
/// that style is seen to vary there. At least one group of each kind stays. A pure function of its arguments.
pub(crate) fn with_validation(
    dataset: &Dataset,
    share: f64,
    label_bins: usize,
    seed: u64,
) -> Option<Vec<Split>> {
    if dataset.split(SplitName::VALIDATION).is_some() {
        return None;
    }
    let held = held_out(&Rows::new(dataset, dataset.train(), label_bins), share, seed);
    let of = |wanted: bool| {
        let rows = dataset.train().iter().zip(&held);
        rows.filter(move |(_, held)| **held == wanted).map(|(row, _)| *row)
    };
    let others = dataset.splits().iter().filter(|split| !split.name.is_train()).cloned();
    let made = [Split::new(SplitName::train(), of(false)), Split::new(SplitName::validation(), of(true))];
    Some(made.into_iter().chain(others).collect())
}

/// Whether each of the rows is held out.
fn held_out(rows: &Rows, share: f64, seed: u64) -> Vec<bool> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut held = vec![false; rows.len()];
    // Whole ids, also those with two labels: an id is never on both sides.
    let ids = Groups::by_id((0..rows.len()).map(|position| rows.id(position)));
    let mut groups: Vec<&[usize]> = ids.iter().collect();
    groups.shuffle(&mut rng);
    // Stable: inside a class and kind the shuffled order stays.
    groups.sort_by_key(|group| (rows.labels[group[0]], group.len() > 1));
    let alike =
        |a: &&[usize], b: &&[usize]| rows.labels[a[0]] == rows.labels[b[0]] && (a.len() > 1) == (b.len() > 1);
    for kind in groups.chunk_by(alike) {
        let count = ((share * kind.len() as f64).round() as usize).min(kind.len() - 1);
        kind[..count].iter().copied().flatten().for_each(|&row| held[row] = true);
    }
    held
}

#[cfg(test)]
mod tests {
    use corevar_data::synthetic::{Sizes, find};

    use super::*;

    fn data() -> Dataset {
        let sizes = Sizes { rows: 300, groups: 30, test_rows: 20 };
        find("linear").unwrap().generate(&sizes, 1).unwrap()
    }

    fn cut(share: f64) -> Dataset {
        let dataset = data();
        let splits = with_validation(&dataset, share, 1, 3).unwrap();
        dataset.edit().split_rows(splits).check().unwrap()
    }

    #[test]
    fn a_fifth_of_the_rows_and_of_the_groups_is_held_out() {
        let dataset = cut(0.2);
        let [train, val] =
            ["train", "val"].map(|split| Rows::new(&dataset, dataset.split(split).unwrap(), 1));
        assert_eq!(train.len() + val.len(), 300);
        assert!((58..=62).contains(&val.len()), "{}", val.len());
        assert_eq!((train.groups.larger().count(), val.groups.larger().count()), (24, 6));
    }

    #[test]
    fn no_group_is_cut() {
        let dataset = cut(0.3);
        let ids = |split| -> Vec<u32> {
            dataset.split(split).unwrap().iter().filter_map(|&row| dataset.ids()[row]).collect()
        };
        assert!(ids("val").iter().all(|id| !ids("train").contains(id)));
    }

    #[test]
    fn a_split_that_is_there_stays() {
        assert_eq!(with_validation(&cut(0.2), 0.5, 1, 9), None);
    }
}
