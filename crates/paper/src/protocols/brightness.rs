//! Glasses or not, where bright pictures go with glasses (paper, "Eyeglasses detection: known and unknown
//! brightness interventions").

use corevar_data::interventions::Recipe;
use corevar_data::{DataError, Dataset};
use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::glasses::{self, CLASSES};
use super::grouping::Grouping;
use super::{ChangeAt, does_not_fit};
use crate::album::{Album, FacePhoto};

/// In train and test1 the brightness is 100 + y·Exp(β) % with y = 1 for glasses and -1 for none; in test2
/// the sign is the other one. test3 is unchanged, in test4 all are brighter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Brightness {
    /// Training rows n, half of each class.
    pub rows: usize,
    /// Pairs c among them, half of each class.
    pub groups: usize,
    /// What a pair is.
    pub grouping: Grouping,
    /// Mean β of the change, in percent.
    pub mean: f64,
    /// Rows of each test set.
    pub test_rows: usize,
    /// Where original pictures are changed. Not among the settings of drawn pictures, which it does not concern.
    #[serde(skip_serializing)]
    pub change_at: ChangeAt,
}

impl Default for Brightness {
    fn default() -> Brightness {
        Brightness {
            rows: 20_000,
            groups: 2_000,
            grouping: Grouping::SameImage,
            mean: 20.0,
            test_rows: 5_344,
            change_at: ChangeAt::default(),
        }
    }
}

impl Brightness {
    /// Whether the settings can be built at all, whatever the album holds.
    pub fn check(&self) -> Result<(), DataError> {
        glasses::check("brightness", self.rows, self.pairs(), self.test_rows)?;
        self.changes().map(drop)
    }

    /// The data set with the splits train and test1 to test4.
    pub fn build(&self, album: &Album<FacePhoto>, seed: u64) -> Result<Dataset, DataError> {
        self.check()?;
        let [darker, brighter] = self.changes()?;
        let (up, down) = (Some(&brighter), Some(&darker));
        let mut draft = Draft::new("brightness", &CLASSES, seed);
        let sizes = (self.rows, self.pairs(), self.grouping);
        glasses::add_train(&mut draft, "brightness", &album.photos, sizes, [down, up], seed)?;
        let sets =
            [("test1", [down, up]), ("test2", [up, down]), ("test3", [None, None]), ("test4", [up, up])];
        glasses::add_tests(&mut draft, "brightness", &album.photos, self.test_rows, &sets, seed)?;
        glasses::finish(draft, album)
    }

    /// Without and with glasses.
    fn pairs(&self) -> [usize; 2] {
        [self.groups / 2, self.groups.div_ceil(2)]
    }

    /// Darker and brighter.
    fn changes(&self) -> Result<[Recipe; 2], DataError> {
        let mean = self.mean;
        if !(mean > 0.0 && mean.is_finite()) {
            let problem = format!("brightness is changed by {mean} % in the mean");
            return Err(does_not_fit("brightness", problem, "give a mean above 0".into()));
        }
        Ok([format!("brightness=100-Exp({mean})").parse()?, format!("brightness=100+Exp({mean})").parse()?])
    }
}
