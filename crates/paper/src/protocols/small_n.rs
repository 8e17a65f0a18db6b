//! Glasses or not from the pictures of ten persons (paper, "Eyeglasses detection with small sample size").

use std::collections::HashMap;

use corevar_data::{DataError, Dataset};
use serde::{Deserialize, Serialize};

use super::draft::{Draft, Row};
use super::glasses::{self, CLASSES, Ids};
use super::{does_not_fit, shuffled, too_few};
use crate::album::{Album, FacePhoto, Part};

/// Number of data sets, of different persons.
const SETS: usize = 5;

/// The persons with most pictures are cut into five sets of ten; all pictures of one set are the training
/// rows, with the person as the id, as many with glasses as there are. Val and test are balanced and of
/// other persons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct SmallN {
    /// Which data set, 1 to 5 (DS1 to DS5).
    pub set: usize,
    /// Persons in it.
    pub persons: usize,
    /// Rows of val.
    pub val_rows: usize,
    /// Rows of test.
    pub test_rows: usize,
}

impl Default for SmallN {
    fn default() -> SmallN {
        SmallN { set: 1, persons: 10, val_rows: 2_766, test_rows: 2_578 }
    }
}

impl SmallN {
    /// Whether the settings can be built at all, whatever the album holds.
    pub fn check(&self) -> Result<(), DataError> {
        if !(1..=SETS).contains(&self.set) || self.persons == 0 {
            let problem = format!("set {} of {} persons", self.set, self.persons);
            return Err(does_not_fit(
                "small-n",
                problem,
                "name a set from 1 to 5, of at least 1 person".into(),
            ));
        }
        if self.val_rows < 2 || self.test_rows < 2 {
            let problem = format!("{} rows in val and {} in test", self.val_rows, self.test_rows);
            return Err(does_not_fit("small-n", problem, "ask for at least 2 of each".into()));
        }
        Ok(())
    }

    /// The data set with the splits train, val and test.
    pub fn build(&self, album: &Album<FacePhoto>, seed: u64) -> Result<Dataset, DataError> {
        self.check()?;
        let mut draft = Draft::new(&format!("small-n DS{}", self.set), &CLASSES, seed);
        self.add_train(&mut draft, &album.photos, seed)?;
        for (split, rows, part) in [("val", self.val_rows, Part::Val), ("test", self.test_rows, Part::Test)] {
            draft.begin(split);
            let from = |of_photo| of_photo == part;
            glasses::add_balanced(
                &mut draft,
                "small-n",
                &album.photos,
                (split, rows),
                from,
                [None; 2],
                seed,
            )?;
        }
        glasses::finish(draft, album)
    }

    fn add_train(&self, draft: &mut Draft, photos: &[FacePhoto], seed: u64) -> Result<(), DataError> {
        let persons = most_pictured(photos, seed);
        let needed = SETS.saturating_mul(self.persons);
        let persons =
            persons.get(..needed).ok_or_else(|| too_few("small-n", "persons", persons.len(), needed))?;
        let chosen = &persons[(self.set - 1) * self.persons..self.set * self.persons];
        draft.begin("train");
        let mut ids = Ids::default();
        for (number, photo) in photos.iter().enumerate() {
            if photo.part == Part::Train && chosen.contains(&photo.person) {
                let id = Some(ids.of(draft, "train", photo.person));
                draft.add(Row { photo: number, class: u32::from(photo.glasses), id, change: None });
            }
        }
        Ok(())
    }
}

/// Persons of the training part, those with most pictures first; ties in random order.
pub(super) fn most_pictured(photos: &[FacePhoto], seed: u64) -> Vec<u32> {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    let mut persons = Vec::new();
    for number in shuffled(photos, seed, 0, |photo| photo.part == Part::Train) {
        let count = counts.entry(photos[number].person).or_insert(0);
        if *count == 0 {
            persons.push(photos[number].person);
        }
        *count += 1;
    }
    // A stable sort keeps the random order among equals.
    persons.sort_by_key(|person| std::cmp::Reverse(counts[person]));
    persons
}
