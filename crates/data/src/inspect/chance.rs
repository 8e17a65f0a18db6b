//! What chance may bring: how far labels that were shuffled over ids can be told apart by the best of all properties.

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::score::ranks;
use super::units::{SHUFFLES, Units};
use crate::random;

/// Properties times units that are visited in a shuffle, about: four million take a second or two for all shuffles.
const VISITS: usize = 4_000_000;
/// Units that are tested, at least: with these a score of 0.6 is seen among thousands of properties.
const LEAST_UNITS: usize = 1000;
/// Sets the random numbers apart from those of other purposes.
const PURPOSE: u64 = 0x554e_4954;

/// How well a class is told from the others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Told {
    pub(super) class: u32,
    /// The area under the ROC curve: the chance that of a row of the class and another row the former has the larger
    /// value, ties counting half.
    pub(super) area: f64,
    /// Its distance from 1/2 over the standard error, ids being independent and rows not.
    pub(super) z: f64,
}

/// The units of some rows.
pub(super) struct Tested<'a> {
    all: &'a Units,
    /// Positions of the rows among those that are measured.
    pub(super) rows: Vec<usize>,
    /// Units that have any of them.
    units: Vec<usize>,
    /// For each row the place of its unit in `units`.
    unit_of_row: Vec<usize>,
    /// For each unit its id, numbered from 0 among those that are here.
    id_of_unit: Vec<usize>,
    /// Rows of each unit.
    sizes: Vec<f64>,
    ids: usize,
}

impl<'a> Tested<'a> {
    pub(super) fn new(all: &'a Units, rows: Vec<usize>) -> Tested<'a> {
        let mut units: Vec<usize> = rows.iter().map(|row| all.of_row[*row]).collect();
        let of_row = units.clone();
        units.sort_unstable();
        units.dedup();
        let mut ids: Vec<usize> = units.iter().map(|unit| all.id_of_unit[*unit]).collect();
        let id_of_unit = ids.clone();
        ids.sort_unstable();
        ids.dedup();
        let place = |sorted: &[usize], value: usize| sorted.partition_point(|other| *other < value);
        let unit_of_row: Vec<usize> = of_row.iter().map(|unit| place(&units, *unit)).collect();
        let mut sizes = vec![0.0; units.len()];
        unit_of_row.iter().for_each(|unit| sizes[*unit] += 1.0);
        Tested {
            all,
            rows,
            unit_of_row,
            id_of_unit: id_of_unit.iter().map(|id| place(&ids, *id)).collect(),
            ids: ids.len(),
            units,
            sizes,
        }
    }

    /// As many of the units as can be visited for this number of properties, of ids in a random order.
    pub(super) fn bounded(self, seed: u64, properties: usize) -> Tested<'a> {
        let most = (VISITS / properties.max(1)).max(LEAST_UNITS);
        if self.units.len() <= most {
            return self;
        }
        let mut units_of_id = vec![0; self.ids];
        self.id_of_unit.iter().for_each(|id| units_of_id[*id] += 1);
        let mut order: Vec<usize> = (0..self.ids).collect();
        order.shuffle(&mut random::stream([seed, PURPOSE, 0, 0]));
        let (mut kept, mut units) = (vec![false; self.ids], 0);
        for id in order {
            units += units_of_id[id];
            kept[id] = units <= most;
        }
        let is_kept = |place: &usize| kept[self.id_of_unit[self.unit_of_row[*place]]];
        let rows = (0..self.rows.len()).filter(is_kept).map(|place| self.rows[place]).collect();
        Tested::new(self.all, rows)
    }

    /// What the labels of all units say of the rows that are here.
    fn labels(&self, of_unit: &[u32]) -> Labelled {
        let labels: Vec<u32> = self.units.iter().map(|unit| of_unit[*unit]).collect();
        let mut rows = vec![0.0; self.all.classes];
        labels.iter().zip(&self.sizes).for_each(|(label, size)| rows[*label as usize] += size);
        Labelled { labels, rows }
    }

    /// The labels as they are.
    pub(super) fn seen(&self) -> Labelled {
        self.labels(&self.all.labels)
    }

    /// The labels after each of the shuffles.
    pub(super) fn shuffles(&self, seed: u64) -> Vec<Labelled> {
        self.some_shuffles(seed, SHUFFLES)
    }

    pub(super) fn some_shuffles(&self, seed: u64, count: usize) -> Vec<Labelled> {
        let shuffled = |number| self.labels(&self.all.shuffled(seed, number));
        (0..count).into_par_iter().map(shuffled).collect()
    }

    /// Those of the measured values that belong to the rows that are here.
    pub(super) fn pick(&self, values: &[f64]) -> Vec<f64> {
        self.rows.iter().map(|row| values[*row]).collect()
    }

    /// How many ids there are.
    pub(super) fn ids(&self) -> usize {
        self.ids
    }

    /// The id of each row, numbered from 0.
    pub(super) fn id_of_rows(&self) -> Vec<usize> {
        self.unit_of_row.iter().map(|unit| self.id_of_unit[*unit]).collect()
    }

    /// Rows of each class.
    pub(super) fn rows_of_classes(&self) -> Vec<f64> {
        self.seen().rows
    }

    /// The label of each row.
    pub(super) fn of_rows(&self, labelled: &Labelled) -> Vec<u32> {
        self.unit_of_row.iter().map(|unit| labelled.labels[*unit]).collect()
    }

    /// Prepares the values of the rows that are here.
    pub(super) fn rank_sums(&self, values: &[f64]) -> RankSums {
        let middle = (values.len() + 1) as f64 / 2.0;
        let (mut of_unit, mut of_id) = (vec![0.0; self.units.len()], vec![0.0; self.ids]);
        for (rank, unit) in ranks(values).iter().zip(&self.unit_of_row) {
            of_unit[*unit] += rank - middle;
        }
        for (sum, id) in of_unit.iter().zip(&self.id_of_unit) {
            of_id[*id] += sum;
        }
        RankSums {
            squares: of_id.iter().map(|sum| sum * sum).sum(),
            of_id: self.id_of_unit.iter().map(|id| of_id[*id]).collect(),
            of_unit,
        }
    }

    /// How well each class is told from the others.
    ///
    /// With N rows of the class, M others and r the ranks less their mean, the area is `1/2 + T / (N + M)` with
    /// `T = Σ_own r / N - Σ_others r / M`. T is a sum over ids, `T = Σ_i t_i`, and `z = T / sqrt(Σ_i t_i²)`: a sum of independent terms,
    /// which chance centres at 0, over its own length. It allows for ids of any size and with several labels, and no
    /// class of a few ids can have a large z, as |z| is at most the root of the number of ids that matter.
    pub(super) fn told(&self, sums: &RankSums, labelled: &Labelled) -> Vec<Told> {
        let mut of_class = vec![[0.0; 3]; labelled.rows.len()];
        for ((label, sum), of_id) in labelled.labels.iter().zip(&sums.of_unit).zip(&sums.of_id) {
            let [own, squares, products] = &mut of_class[*label as usize];
            *own += sum;
            *squares += sum * sum;
            *products += sum * of_id;
        }
        let all = self.rows.len() as f64;
        let told = |(class, [own, squares, products]): (usize, [f64; 3])| {
            let rows = labelled.rows[class];
            if rows == 0.0 || rows == all {
                return None;
            }
            // t_i = both * own_i - other * (own_i + others_i)
            let (both, other) = (1.0 / rows + 1.0 / (all - rows), 1.0 / (all - rows));
            let difference = both * own;
            let of_ids = other * other * sums.squares;
            let variance = both * both * squares - 2.0 * both * other * products + of_ids;
            let z = if variance > 1e-12 * of_ids { difference / variance.sqrt() } else { 0.0 };
            Some(Told { class: class as u32, area: 0.5 + difference / all, z })
        };
        of_class.into_iter().enumerate().filter_map(told).collect()
    }
}

/// A label for each unit, and the rows of each class.
pub(super) struct Labelled {
    labels: Vec<u32>,
    rows: Vec<f64>,
}

/// Ranks of a property less their mean, summed.
pub(super) struct RankSums {
    of_unit: Vec<f64>,
    /// For each unit the sum of its id.
    of_id: Vec<f64>,
    /// Σ of the squares of the sums of the ids.
    squares: f64,
}

/// The largest |z| over all properties and classes, for each shuffle.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chance {
    maxima: Vec<f64>,
}

impl Chance {
    /// Nothing was tested.
    pub(super) fn none() -> Chance {
        Chance { maxima: vec![0.0; SHUFFLES] }
    }

    /// Of one property.
    pub(super) fn of(tested: &Tested<'_>, values: &[f64], shuffles: &[Labelled]) -> Chance {
        let sums = tested.rank_sums(values);
        let largest =
            |labelled| tested.told(&sums, labelled).iter().map(|told| told.z.abs()).fold(0.0, f64::max);
        Chance { maxima: shuffles.iter().map(largest).collect() }
    }

    /// From the largest z of each shuffle.
    pub(super) fn from_maxima(maxima: Vec<f64>) -> Chance {
        Chance { maxima }
    }

    /// Of the properties of both, in the same shuffles.
    pub(super) fn with(mut self, other: &Chance) -> Chance {
        self.maxima.iter_mut().zip(&other.maxima).for_each(|(a, b)| *a = a.max(*b));
        self
    }

    /// In which share of the shuffles, that without any change among them, some property reaches this z. Westfall and
    /// Young's p-value, single step: it allows for the number of properties.
    pub(super) fn share(&self, z: f64) -> f64 {
        // Sums in another order may differ in the last digits.
        let reached = self.maxima.iter().filter(|maximum| **maximum >= z - 1e-9).count();
        (1 + reached) as f64 / (1 + self.maxima.len()) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(values: &[f64], labels: &[u32], ids: &[Option<u32>]) -> Vec<Told> {
        let units = Units::new(labels, ids);
        let tested = Tested::new(&units, (0..values.len()).collect());
        tested.told(&tested.rank_sums(values), &tested.seen())
    }

    #[test]
    fn the_area_is_the_share_of_pairs_told_apart() {
        // Pairs (class 1, class 0): 3>1, 3>2, 2=2, 2>1, so 3.5 of 4.
        let found = told(&[1.0, 2.0, 3.0, 2.0], &[0, 0, 1, 1], &[None; 4]);
        assert_eq!((found[1].class, found[1].area, found[0].area), (1, 0.875, 0.125));
        assert_eq!(found[0].z, -found[1].z);
        // Ranks less 2.5: -1.5, 0, 1.5, 0; t: 0.75, 0, 0.75, 0.
        assert!((found[1].z - 1.5 / 1.125f64.sqrt()).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn rows_of_an_id_count_as_one() {
        // Two ids: whatever they hold, z is at most the root of 2.
        let values: Vec<f64> = (0..20).map(f64::from).collect();
        let labels: Vec<u32> = (0..20).map(|row| u32::from(row >= 10)).collect();
        let ids: Vec<Option<u32>> = labels.iter().map(|label| Some(*label)).collect();
        let by_id = told(&values, &labels, &ids)[1];
        assert_eq!(by_id.area, 1.0);
        assert!((by_id.z - 2f64.sqrt()).abs() < 1e-9, "{by_id:?}");
        assert!(told(&values, &labels, &[None; 20])[1].z > 3.8);
    }

    #[test]
    fn an_id_with_both_labels_is_compared_with_itself() {
        // The ids lie far apart, and in each of them class 1 lies above class 0 by a little.
        let values: Vec<f64> = (0..40).map(|row| f64::from(10 * (row / 2) + row % 2)).collect();
        let labels: Vec<u32> = (0..40).map(|row| row % 2).collect();
        let ids: Vec<Option<u32>> = (0..40).map(|row| Some(row / 2)).collect();
        let paired = told(&values, &labels, &ids)[1];
        assert!((paired.area - 0.525).abs() < 1e-12 && (paired.z - 20f64.sqrt()).abs() < 1e-9, "{paired:?}");
        assert!(told(&values, &labels, &[None; 40])[1].z < 0.3);
    }

    #[test]
    fn nothing_is_told_of_one_class_or_by_a_constant() {
        assert!(told(&[1.0, 2.0], &[0, 0], &[None; 2]).is_empty());
        assert!(told(&[], &[], &[]).is_empty());
        assert!(
            told(&[7.0; 4], &[0, 1, 0, 1], &[None; 4]).iter().all(|told| told.z == 0.0 && told.area == 0.5)
        );
    }

    #[test]
    fn the_share_counts_the_labels_as_they_are() {
        let chance = Chance::from_maxima(vec![1.0, 2.0, 3.0]);
        assert_eq!([0.5, 2.0, 9.0].map(|z| chance.share(z)), [1.0, 0.75, 0.25]);
        let both = chance.with(&Chance::from_maxima(vec![5.0, 0.0, 0.0]));
        assert_eq!(both, Chance::from_maxima(vec![5.0, 2.0, 3.0]));
    }

    #[test]
    fn many_properties_are_tested_on_fewer_units() {
        // Ids of two rows with a label each.
        let labels: Vec<u32> = (0..5000).map(|row| row % 2).collect();
        let ids: Vec<Option<u32>> = (0..5000).map(|row| Some(row / 2)).collect();
        let units = Units::new(&labels, &ids);
        let all = || Tested::new(&units, (0..5000).collect());
        assert_eq!(all().bounded(0, 800).rows.len(), 5000);
        let some = all().bounded(0, 1_000_000);
        assert_eq!((some.rows.len(), some.ids), (1000, 500), "ids stay whole");
    }
}
