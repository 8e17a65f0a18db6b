//! Woman or man, where men wear glasses and women do not (paper, "Gender classification with unknown
//! confounding").

use corevar_data::{DataError, Dataset, Features};
use serde::{Deserialize, Serialize};

use super::draft::{Column, Draft, Row};
use super::glasses::Ids;
use super::grouping::{left_over, same_person};
use super::{does_not_fit, first, shuffled, too_few};
use crate::album::{Album, FacePhoto, Part, Sex};

const CLASSES: [&str; 2] = ["woman", "man"];
const COLUMNS: [Column<FacePhoto>; 1] = [("glasses", &["no", "yes"], |photo| u32::from(photo.glasses))];

/// In train and test1 men wear glasses and women do not; in test2 it is the other way round. A pair shows a
/// person once as usual and once not, so glasses vary within the groups and only there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Gender {
    /// Training rows n, half of each class.
    pub rows: usize,
    /// Pairs c among them.
    pub groups: usize,
    /// Share κ of men among the pairs.
    pub share_of_men: f64,
    /// Rows of test1, where glasses go with the sex as in training.
    pub test1_rows: usize,
    /// Rows of test2.
    pub test2_rows: usize,
}

impl Default for Gender {
    fn default() -> Gender {
        Gender { rows: 16_982, groups: 500, share_of_men: 0.5, test1_rows: 4_224, test2_rows: 1_120 }
    }
}

impl Gender {
    /// Whether the settings can be built at all, whatever the album holds.
    pub fn check(&self) -> Result<(), DataError> {
        self.pairs().map(drop)
    }

    /// The data set with the splits train, test1 and test2.
    pub fn build(&self, album: &Album<FacePhoto>, seed: u64) -> Result<Dataset, DataError> {
        self.draft(album, seed)?.finish(album, &COLUMNS)
    }

    /// The same rows with features instead of pictures: a matrix with a row for each photo of the album.
    pub fn build_features(
        &self,
        album: &Album<FacePhoto>,
        features: &Features,
        seed: u64,
    ) -> Result<Dataset, DataError> {
        if features.values.len() != features.names.len() * album.photos.len() {
            let rows = features.values.len() / features.names.len().max(1);
            return Err(too_few("gender", "rows of features", rows, album.photos.len()));
        }
        self.draft(album, seed)?.finish_features(album, &COLUMNS, features)
    }

    fn draft(&self, album: &Album<FacePhoto>, seed: u64) -> Result<Draft<'static>, DataError> {
        let pairs = self.pairs()?;
        let photos = &album.photos;
        let mut draft = Draft::new("gender", &CLASSES, seed);
        draft.begin("train");
        for class in [0, 1] {
            add_class(
                &mut draft,
                photos,
                class,
                (self.rows + class as usize) / 2,
                pairs[class as usize],
                seed,
            )?;
        }
        for (split, rows, usual) in [("test1", self.test1_rows, true), ("test2", self.test2_rows, false)] {
            draft.begin(split);
            let mut ids = Ids::default();
            for class in [0, 1] {
                let wanted = |photo: &FacePhoto| photo.part != Part::Train && fits(photo, class, usual);
                let pool = shuffled(photos, seed, 10 + u64::from(class), wanted);
                for photo in first("gender", &pool, (rows + class as usize) / 2)? {
                    let id = Some(ids.of(&mut draft, split, photos[*photo].person));
                    draft.add(Row { photo: *photo, class, id, change: None });
                }
            }
        }
        Ok(draft)
    }

    /// Pairs of women and of men.
    fn pairs(&self) -> Result<[usize; 2], DataError> {
        if !(0.0..=1.0).contains(&self.share_of_men) {
            let problem = format!("a share of {} of men among the pairs", self.share_of_men);
            return Err(does_not_fit("gender", problem, "give a share from 0 to 1".into()));
        }
        // A huge number of groups is rounded up as f64.
        let men = ((self.groups as f64 * self.share_of_men).round() as usize).min(self.groups);
        let pairs = [self.groups - men, men];
        super::glasses::check("gender", self.rows, pairs, self.test1_rows.min(self.test2_rows))?;
        Ok(pairs)
    }
}

/// A man with glasses or a woman without is `usual`.
fn fits(photo: &FacePhoto, class: u32, usual: bool) -> bool {
    u32::from(photo.sex == Sex::Man) == class && (photo.glasses == (class == 1)) == usual
}

fn add_class(
    draft: &mut Draft,
    photos: &[FacePhoto],
    class: u32,
    rows: usize,
    pairs: usize,
    seed: u64,
) -> Result<(), DataError> {
    let pool = |usual: bool| {
        let wanted = |photo: &FacePhoto| photo.part == Part::Train && fits(photo, class, usual);
        shuffled(photos, seed, 2 * u64::from(class) + u64::from(usual), wanted)
    };
    let (usual, unusual) = (pool(true), pool(false));
    let formed = same_person(photos, &usual, &unusual, pairs);
    if formed.len() < pairs {
        return Err(too_few("gender", "persons with and without glasses", formed.len(), pairs));
    }
    let singles = left_over(&usual, &formed);
    for (name, pair) in formed {
        let id = Some(draft.id(name));
        pair.into_iter().for_each(|photo| draft.add(Row { photo, class, id, change: None }));
    }
    for photo in first("gender", &singles, rows - 2 * pairs)? {
        draft.add(Row { photo: *photo, class, id: None, change: None });
    }
    Ok(())
}
