//! What is independent of what: ids, and the labels that chance could have given them.
//!
//! Rows of one id are alike, whatever the label says. Labels that are shuffled over rows would be told apart worse
//! than labels of whole ids, and a property that differs from person to person would look like a predictor. So labels are
//! shuffled over ids. A row without an id is an id of its own.

use std::collections::BTreeMap;

use rand::seq::SliceRandom;

use crate::{Groups, random};

/// Shuffles of the labels.
pub(super) const SHUFFLES: usize = 199;
/// Sets the random numbers apart from those of other purposes.
const PURPOSE: u64 = 0x5348_5546;

/// The measured rows as units (rows with the same id and label), and the units of each id.
pub(super) struct Units {
    /// Unit of each row.
    pub(super) of_row: Vec<usize>,
    /// Label of each unit.
    pub(super) labels: Vec<u32>,
    /// Id of each unit, numbered from 0; a row without an id has a number of its own.
    pub(super) id_of_unit: Vec<usize>,
    /// How many labels there are.
    pub(super) classes: usize,
    /// Ids with one label, ids with two, and so on: their units, those of an id next to each other.
    strata: BTreeMap<usize, Vec<usize>>,
}

impl Units {
    pub(super) fn new(labels: &[u32], ids: &[Option<u32>]) -> Units {
        let (units, by_id) = (Groups::new(labels, ids), Groups::by_id(ids.iter().copied()));
        let mut strata: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for rows in by_id.iter() {
            let mut of_id: Vec<usize> = rows.iter().map(|row| units.of_row(*row)).collect();
            of_id.sort_unstable();
            of_id.dedup();
            strata.entry(of_id.len()).or_default().extend(of_id);
        }
        Units {
            of_row: (0..labels.len()).map(|row| units.of_row(row)).collect(),
            labels: units.iter().map(|rows| labels[rows[0]]).collect(),
            id_of_unit: units.iter().map(|rows| by_id.of_row(rows[0])).collect(),
            classes: labels.iter().max().map_or(0, |last| *last as usize + 1),
            strata,
        }
    }

    /// How many ids there are.
    pub(super) fn ids(&self) -> usize {
        self.strata.iter().map(|(labels, units)| units.len() / labels).sum()
    }

    /// Labels of the units after a shuffle: ids with as many labels exchange them, and each gives those that it gets to its
    /// units in any order. Nothing else is as likely as what was seen if the label means nothing: rows with the same id
    /// and label stay together, and an id that was seen with two labels still is.
    pub(super) fn shuffled(&self, seed: u64, number: usize) -> Vec<u32> {
        let mut rng = random::stream([seed, PURPOSE, number as u64, 0]);
        let mut labels = self.labels.clone();
        for (count, units) in &self.strata {
            let mut given: Vec<Vec<u32>> = units
                .chunks_exact(*count)
                .map(|units| units.iter().map(|unit| self.labels[*unit]).collect())
                .collect();
            given.shuffle(&mut rng);
            if *count > 1 {
                given.iter_mut().for_each(|labels| labels.shuffle(&mut rng));
            }
            units.iter().zip(given.iter().flatten()).for_each(|(unit, label)| labels[*unit] = *label);
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_an_id_and_label_are_a_unit() {
        let units = Units::new(&[0, 0, 1, 0, 1], &[Some(7), Some(7), Some(7), None, None]);
        assert_eq!(units.of_row, [0, 0, 1, 2, 3]);
        assert_eq!(
            (units.labels.as_slice(), units.id_of_unit.as_slice()),
            (&[0, 1, 0, 1][..], &[0, 0, 1, 2][..])
        );
        assert_eq!((units.ids(), units.classes), (3, 2));
    }

    #[test]
    fn ids_with_one_label_exchange_them_and_others_turn_theirs_around() {
        // Ids 0 and 1 have both labels, ids 2 to 5 have one.
        let units = Units::new(&[0, 1, 0, 1, 0, 1, 1, 1], &[0, 0, 1, 1, 2, 3, 4, 5].map(Some));
        let shuffles: Vec<Vec<u32>> = (0..200).map(|number| units.shuffled(3, number)).collect();
        for labels in &shuffles {
            assert_eq!((labels[0] + labels[1], labels[2] + labels[3]), (1, 1));
            assert_eq!(labels[4..].iter().sum::<u32>(), 3);
        }
        let share = |unit: usize| shuffles.iter().filter(|labels| labels[unit] == 0).count();
        assert!((80..120).contains(&share(0)), "{}", share(0));
        assert!((35..65).contains(&share(4)) && (35..65).contains(&share(7)), "{} {}", share(4), share(7));
        assert_eq!(units.shuffled(3, 5), shuffles[5]);
    }

    #[test]
    fn no_rows_are_no_units() {
        let units = Units::new(&[], &[]);
        assert_eq!((units.ids(), units.classes, units.shuffled(0, 0).len()), (0, 0, 0));
    }
}
