//! Splits for data that come without: by id, so that no object is on both sides.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::SplitName;
use crate::groups::Groups;

/// Names and shares of the splits that are made for a table without any.
pub(crate) const SHARES: [(&str, f64); 3] =
    [(SplitName::TRAIN, 0.6), (SplitName::VALIDATION, 0.2), (SplitName::TEST, 0.2)];

/// Names and shares when a test of this share is all that is wanted.
pub(crate) fn train_and_test(test_share: f64) -> [(&'static str, f64); 2] {
    [(SplitName::TRAIN, 1.0 - test_share), (SplitName::TEST, test_share)]
}

/// Split of each row as an index into `shares`, the first of which is that of `train`.
///
/// All rows of an id go together, a row without one goes alone. Classes are divided one by one (by
/// the class of an id's first row), so that each is in the training rows; the shares are met as
/// closely as whole ids allow. A pure function of its arguments.
pub(crate) fn by_id(
    ids: &[Option<u32>],
    classes: Option<&[u32]>,
    shares: &[(&str, f64)],
    seed: u64,
) -> Vec<usize> {
    let units = Groups::by_id(ids.iter().copied());
    let units: Vec<&[usize]> = units.iter().collect();
    let class = |unit: &[usize]| classes.map_or(0, |classes| classes[unit[0]] as usize);
    let mut strata: Vec<Vec<usize>> = vec![Vec::new(); 1 + units.iter().map(|u| class(u)).max().unwrap_or(0)];
    for (number, unit) in units.iter().enumerate() {
        strata[class(unit)].push(number);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut split_of_row = vec![0; ids.len()];
    let mut divider = Divider { shares, given: vec![0.0; shares.len()] };
    for mut stratum in strata {
        stratum.shuffle(&mut rng);
        divider.divide(&stratum, &units, &mut split_of_row);
    }
    split_of_row
}

/// Rows given so far, over all classes: small classes even each other out.
struct Divider<'a> {
    shares: &'a [(&'a str, f64)],
    given: Vec<f64>,
}

impl Divider<'_> {
    /// Gives each unit of a class to the split that lacks most rows; the first to train.
    fn divide(&mut self, stratum: &[usize], units: &[&[usize]], split_of_row: &mut [usize]) {
        for (place, unit) in stratum.iter().map(|number| units[*number]).enumerate() {
            let total = self.given.iter().sum::<f64>() + unit.len() as f64;
            let lack = |split: usize| self.shares[split].1 * total - self.given[split];
            let neediest = (1..self.shares.len())
                .fold(0, |best, next| if lack(next) > lack(best) { next } else { best });
            let split = if place == 0 { 0 } else { neediest };
            self.given[split] += unit.len() as f64;
            unit.iter().for_each(|row| split_of_row[*row] = split);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_never_on_both_sides_and_the_shares_are_met() {
        let ids: Vec<Option<u32>> = (0..1000).map(|row| (row % 3 > 0).then_some(row / 7)).collect();
        let classes: Vec<u32> = (0..1000).map(|row| row % 2).collect();
        let split = by_id(&ids, Some(&classes), &SHARES, 1);
        for a in 0..1000 {
            for b in 0..a {
                assert!(ids[a].is_none() || ids[a] != ids[b] || split[a] == split[b]);
            }
        }
        let counts = [0, 1, 2].map(|which| split.iter().filter(|split| **split == which).count());
        assert!((590..=610).contains(&counts[0]) && (190..=210).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn every_class_is_in_train() {
        let split = by_id(&[None; 5], Some(&[0, 1, 2, 2, 2]), &SHARES, 7);
        assert_eq!(&split[..2], &[0, 0]);
        assert!(split[2..].contains(&0));
        let many: Vec<u32> = (0..300).map(|row| row / 3).collect();
        let split = by_id(&[None; 300], Some(&many), &SHARES, 7);
        assert!((0..100).all(|class| split[3 * class..3 * class + 3].contains(&0)));
        assert_eq!(split.iter().filter(|split| **split == 2).count(), 60);
    }

    #[test]
    fn the_seed_decides() {
        let ids = vec![None; 100];
        assert_eq!(by_id(&ids, None, &SHARES, 3), by_id(&ids, None, &SHARES, 3));
        assert_ne!(by_id(&ids, None, &SHARES, 3), by_id(&ids, None, &SHARES, 4));
    }
}
