//! Splits for data that come without: by id, so that no object is on both sides.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

/// Names and shares of the splits that are made here.
pub(crate) const SHARES: [(&str, f64); 3] = [("train", 0.6), ("val", 0.2), ("test", 0.2)];

/// Split of each row as an index into [`SHARES`].
///
/// All rows of an id go together, a row without one goes alone. Classes are divided one by one (by
/// the class of an id's first row), so that each is in the training rows; the shares are met as
/// closely as whole ids allow. A pure function of its arguments.
pub(crate) fn by_id(ids: &[Option<u32>], classes: Option<&[u32]>, seed: u64) -> Vec<usize> {
    let units = units(ids);
    let class = |unit: &[usize]| classes.map_or(0, |classes| classes[unit[0]] as usize);
    let mut strata: Vec<Vec<usize>> = vec![Vec::new(); 1 + units.iter().map(|u| class(u)).max().unwrap_or(0)];
    for (number, unit) in units.iter().enumerate() {
        strata[class(unit)].push(number);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut split_of_row = vec![0; ids.len()];
    let mut divider = Divider::default();
    for mut stratum in strata {
        stratum.shuffle(&mut rng);
        divider.divide(&stratum, &units, &mut split_of_row);
    }
    split_of_row
}

/// Rows that must stay together, in order of appearance.
fn units(ids: &[Option<u32>]) -> Vec<Vec<usize>> {
    let names = ids.iter().flatten().max().map_or(0, |id| *id as usize + 1);
    let mut unit_of_id = vec![usize::MAX; names];
    let mut units: Vec<Vec<usize>> = Vec::new();
    for (row, id) in ids.iter().enumerate() {
        match id.map(|id| &mut unit_of_id[id as usize]) {
            Some(unit) if *unit != usize::MAX => units[*unit].push(row),
            Some(unit) => {
                *unit = units.len();
                units.push(vec![row]);
            }
            None => units.push(vec![row]),
        }
    }
    units
}

/// Rows given so far, over all classes: small classes even each other out.
#[derive(Default)]
struct Divider {
    given: [f64; SHARES.len()],
}

impl Divider {
    /// Gives each unit of a class to the split that lacks most rows; the first to train.
    fn divide(&mut self, stratum: &[usize], units: &[Vec<usize>], split_of_row: &mut [usize]) {
        for (place, unit) in stratum.iter().map(|number| &units[*number]).enumerate() {
            let total = self.given.iter().sum::<f64>() + unit.len() as f64;
            let lack = |split: usize| SHARES[split].1 * total - self.given[split];
            let neediest =
                (1..SHARES.len()).fold(0, |best, next| if lack(next) > lack(best) { next } else { best });
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
        let split = by_id(&ids, Some(&classes), 1);
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
        let split = by_id(&[None; 5], Some(&[0, 1, 2, 2, 2]), 7);
        assert_eq!(&split[..2], &[0, 0]);
        assert!(split[2..].contains(&0));
        let many: Vec<u32> = (0..300).map(|row| row / 3).collect();
        let split = by_id(&[None; 300], Some(&many), 7);
        assert!((0..100).all(|class| split[3 * class..3 * class + 3].contains(&0)));
        assert_eq!(split.iter().filter(|split| **split == 2).count(), 60);
    }

    #[test]
    fn the_seed_decides() {
        let ids = vec![None; 100];
        assert_eq!(by_id(&ids, None, 3), by_id(&ids, None, 3));
        assert_ne!(by_id(&ids, None, 3), by_id(&ids, None, 4));
    }
}
