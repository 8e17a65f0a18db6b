//! Glasses or not, where bad JPEG quality goes with glasses (paper, "Eyeglasses detection with known and
//! unknown image quality intervention").

use corevar_data::interventions::Recipe;
use corevar_data::{DataError, Dataset};
use serde::{Deserialize, Serialize};

use super::draft::Draft;
use super::glasses::{self, CLASSES};
use super::grouping::Grouping;
use super::{ChangeAt, does_not_fit};
use crate::album::{Album, FacePhoto};

/// In train and test1 the JPEG quality of pictures with glasses is drawn from N(μ, 10); in test2 that of the
/// others. test3 is unchanged, in test4 all are compressed. Pairs are among pictures with glasses only.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Quality {
    /// Training rows n, half of each class.
    pub rows: usize,
    /// Pairs c among them.
    pub groups: usize,
    /// What a pair is.
    pub grouping: Grouping,
    /// Mean μ of the quality.
    pub mean: f64,
    /// Rows of each test set.
    pub test_rows: usize,
    /// Where original pictures are changed. Not among the settings of drawn pictures, which it does not concern.
    #[serde(skip_serializing)]
    pub change_at: ChangeAt,
}

impl Default for Quality {
    fn default() -> Quality {
        Quality {
            rows: 20_000,
            groups: 5_000,
            grouping: Grouping::SameImage,
            mean: 30.0,
            test_rows: 5_344,
            change_at: ChangeAt::default(),
        }
    }
}

impl Quality {
    /// Whether the settings can be built at all, whatever the album holds.
    pub fn check(&self) -> Result<(), DataError> {
        glasses::check("quality", self.rows, self.pairs(), self.test_rows)?;
        self.worse().map(drop)
    }

    /// The data set with the splits train and test1 to test4.
    pub fn build(&self, album: &Album<FacePhoto>, seed: u64) -> Result<Dataset, DataError> {
        self.check()?;
        let recipe = self.worse()?;
        let worse = Some(&recipe);
        let mut draft = Draft::new("quality", &CLASSES, seed);
        let sizes = (self.rows, self.pairs(), self.grouping);
        glasses::add_train(&mut draft, "quality", &album.photos, sizes, [None, worse], seed)?;
        let sets = [
            ("test1", [None, worse]),
            ("test2", [worse, None]),
            ("test3", [None, None]),
            ("test4", [worse, worse]),
        ];
        glasses::add_tests(&mut draft, "quality", &album.photos, self.test_rows, &sets, seed)?;
        glasses::finish(draft, album)
    }

    /// Without and with glasses.
    fn pairs(&self) -> [usize; 2] {
        [0, self.groups]
    }

    /// What is done to pictures whose quality is bad.
    fn worse(&self) -> Result<Recipe, DataError> {
        if !(1.0..=100.0).contains(&self.mean) {
            let problem = format!("a JPEG quality of {} in the mean", self.mean);
            return Err(does_not_fit("quality", problem, "give a mean from 1 to 100".into()));
        }
        format!("quality=N({},10)", self.mean).parse()
    }
}
