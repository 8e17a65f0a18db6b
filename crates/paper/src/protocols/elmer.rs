//! Horse or elephant, where grey goes with elephants (paper, "Elmer the Elephant").

use corevar_data::interventions::Recipe;
use corevar_data::{DataError, Dataset};
use serde::{Deserialize, Serialize};

use super::draft::{Draft, Row};
use super::{does_not_fit, first, shuffled};
use crate::album::{Album, AnimalPhoto};

const CLASSES: [&str; 2] = ["horse", "elephant"];
/// ImageMagick's `-modulate 100,0,100`.
const GREY: &str = "saturation=0";
/// ImageMagick's `-modulate 100,100,100-c` with c from N(20, 1): grey-brown turns red-brown.
const TURNED: &str = "hue=100-N(20,1)";

/// Some elephants are in the training rows twice, in colour and in grey, with the image as the id. test1 is
/// plain; in test2 horses are grey and the hue of elephants is turned; in test3 all are grey, in test4 the
/// hue of all is turned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Elmer {
    /// Training rows n, the copies counted.
    pub rows: usize,
    /// Grey copies c of elephants.
    pub groups: usize,
    /// Rows of each test set, half of each class.
    pub test_rows: usize,
}

impl Default for Elmer {
    fn default() -> Elmer {
        Elmer { rows: 1_850, groups: 250, test_rows: 414 }
    }
}

impl Elmer {
    /// Whether the settings can be built at all, whatever the album holds.
    pub fn check(&self) -> Result<(), DataError> {
        if self.test_rows < 2 || self.rows < 4 || self.groups > self.rows / 3 {
            let Elmer { rows, groups, test_rows } = self;
            let problem = format!("{rows} rows with {groups} grey copies, {test_rows} in each test set");
            let tip = "ask for at least 4 rows, at most a third of them copies, and 2 in each test set";
            return Err(does_not_fit("elmer", problem, tip.into()));
        }
        Ok(())
    }

    /// The data set with the splits train and test1 to test4.
    pub fn build(&self, album: &Album<AnimalPhoto>, seed: u64) -> Result<Dataset, DataError> {
        self.check()?;
        let (grey, turned): (Recipe, Recipe) = (GREY.parse()?, TURNED.parse()?);
        let pools = [0, 1].map(|class: u32| {
            shuffled(&album.photos, seed, u64::from(class), |photo| u32::from(photo.elephant) == class)
        });
        let mut draft = Draft::new("elmer", &CLASSES, seed);
        draft.begin("train");
        for (class, pool) in (0..).zip(&pools) {
            self.add_class(&mut draft, class, pool, &grey)?;
        }
        let sets = [
            ("test1", [None, None]),
            ("test2", [Some(&grey), Some(&turned)]),
            ("test3", [Some(&grey), Some(&grey)]),
            ("test4", [Some(&turned), Some(&turned)]),
        ];
        for (split, changes) in sets {
            draft.begin(split);
            for (class, pool) in (0..).zip(&pools) {
                for photo in first("elmer", pool, self.test_half(class))? {
                    draft.add(Row { photo: *photo, class, id: None, change: changes[class as usize] });
                }
            }
        }
        draft.finish(album, &[])
    }

    fn add_class<'a>(
        &self,
        draft: &mut Draft<'a>,
        class: u32,
        pool: &[usize],
        grey: &'a Recipe,
    ) -> Result<(), DataError> {
        // The pictures for the test come first in the pool.
        let before = self.test_half(class);
        let originals = (self.rows - self.groups + class as usize) / 2;
        let copies = if class == 1 { self.groups } else { 0 };
        for (place, photo) in first("elmer", pool, before + originals)?[before..].iter().enumerate() {
            if place < copies {
                let id = Some(draft.id(format!("i{photo:06}")));
                draft.add(Row { photo: *photo, class, id, change: None });
                draft.add(Row { photo: *photo, class, id, change: Some(grey) });
            } else {
                draft.add(Row { photo: *photo, class, id: None, change: None });
            }
        }
        Ok(())
    }

    fn test_half(&self, class: u32) -> usize {
        (self.test_rows + class as usize) / 2
    }
}
