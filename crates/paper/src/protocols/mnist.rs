//! Digits, some of them also rotated (paper, "MNIST: more sample efficient data augmentation").

use corevar_data::interventions::Recipe;
use corevar_data::{DataError, Dataset};
use serde::{Deserialize, Serialize};

use super::draft::{Draft, Row};
use super::{does_not_fit, first, shuffled};
use crate::album::{Album, DigitPhoto, Part};

const CLASSES: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
const ROTATED: &str = "rotate=U(35,70)";

/// Training rows are digits and a few rotated copies, with the original as the id. test1 holds the test
/// digits rotated, test2 as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Mnist {
    /// Digits m to begin with.
    pub originals: usize,
    /// Rotated copies c, of different digits.
    pub copies: usize,
    /// Rows of each test set; the test part of MNIST has 10000.
    pub test_rows: usize,
    /// Test on digits of the training part that are not trained on: for the choice of settings.
    pub held_out: bool,
}

impl Default for Mnist {
    fn default() -> Mnist {
        Mnist { originals: 10_000, copies: 200, test_rows: 10_000, held_out: false }
    }
}

impl Mnist {
    /// Whether the settings can be built at all, whatever the album holds.
    pub fn check(&self) -> Result<(), DataError> {
        let Mnist { originals, copies, test_rows, .. } = *self;
        if copies > originals || originals == 0 || test_rows == 0 {
            let problem = format!("{copies} copies of {originals} digits, {test_rows} in each test set");
            return Err(does_not_fit(
                "mnist",
                problem,
                "ask for digits, and for at most one copy of each".into(),
            ));
        }
        Ok(())
    }

    /// The data set with the splits train, test1 and test2.
    pub fn build(&self, album: &Album<DigitPhoto>, seed: u64) -> Result<Dataset, DataError> {
        self.check()?;
        let Mnist { originals, copies, test_rows, held_out } = *self;
        let rotated: Recipe = ROTATED.parse()?;
        let pool = |part: Part, purpose| shuffled(&album.photos, seed, purpose, |photo| photo.part == part);
        let mut draft = Draft::new("mnist", &CLASSES, seed);
        draft.begin("train");
        let class = |photo: usize| album.photos[photo].digit;
        let train = pool(Part::Train, 0);
        for (place, photo) in first("mnist", &train, originals)?.iter().enumerate() {
            let id = (place < copies).then(|| draft.id(format!("i{photo:05}")));
            draft.add(Row { photo: *photo, class: class(*photo), id, change: None });
            if id.is_some() {
                draft.add(Row { photo: *photo, class: class(*photo), id, change: Some(&rotated) });
            }
        }
        let tests = if held_out { train[originals..].to_vec() } else { pool(Part::Test, 1) };
        for (split, change) in [("test1", Some(&rotated)), ("test2", None)] {
            draft.begin(split);
            for photo in first("mnist", &tests, test_rows)? {
                draft.add(Row { photo: *photo, class: class(*photo), id: None, change });
            }
        }
        draft.finish(album, &[])
    }
}
