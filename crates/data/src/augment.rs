//! Copies made by an intervention and grouped with their originals: for people who know which style they
//! want to be safe from (paper, "Data augmentation").

use std::fmt;
use std::str::FromStr;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::dataset::{Changed, Mode, Which};
use crate::interventions::Recipe;
use crate::{DataError, Dataset, Images, Inputs, Labels, Pixels};

/// Which training rows get a copy, and how it is made.
///
/// ```
/// use corevar_data::{Amount, Augmentation, synthetic};
///
/// let sizes = synthetic::Sizes { rows: 40, groups: 0, test_rows: 10 };
/// let stickmen = synthetic::find("stickmen").expect("built in").generate(&sizes, 0)?;
/// let augmentation = Augmentation { rows: Amount::Share(0.25), ..Augmentation::new("rotate=U(35,70)".parse()?) };
/// let augmented = augmentation.apply(stickmen)?;
/// assert_eq!(augmented.split("train").map(<[usize]>::len), Some(50));
/// # Ok::<(), corevar_data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Augmentation {
    /// What is done to a copy.
    pub recipe: Recipe,
    /// How many of the training rows get a copy. Default: all.
    pub rows: Amount,
    /// Only rows of this class get one. Default: rows of any class.
    pub label: Option<String>,
    /// Whether a copy is the same in every epoch. Default: it is.
    pub mode: Mode,
    /// Decides on the rows and on every draw of the recipe.
    pub seed: u64,
}

const AMOUNT_TIP: &str = "set the field `Augmentation::rows` to a number from 1, such as 200, or to a share up to 1.0, such as 0.1";

/// A number of rows, or a share of them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Amount {
    /// So many, at least one.
    Rows(usize),
    /// Above 0, up to 1 for all; rounded to whole rows, at least one.
    Share(f64),
}

impl Augmentation {
    /// Copies of all training rows, the same in every epoch, with seed 0.
    pub fn new(recipe: Recipe) -> Augmentation {
        Augmentation { recipe, rows: Amount::Share(1.0), label: None, mode: Mode::Fixed, seed: 0 }
    }

    /// What can be said without the data.
    pub fn check(&self) -> Result<(), DataError> {
        let fail = |problem: String, tip: &str| Err(DataError::Augmentation { problem, tip: tip.into() });
        if self.recipe.steps.is_empty() {
            return fail(
                "the recipe is empty".into(),
                "name an intervention in the field `Augmentation::recipe`, such as rotate=U(35,70)",
            );
        }
        match self.rows {
            Amount::Rows(1..) => Ok(()),
            Amount::Share(share) if share > 0.0 && share <= 1.0 => Ok(()),
            rows => fail(format!("`{rows}` is no number of rows to copy"), AMOUNT_TIP),
        }
    }

    /// Adds the copies to the split `train`, behind all other rows. A copy has the label, the attributes and the id
    /// of its original; an original without an id gets one that it shares with its copy alone. Pixels are
    /// not copied: a copy is made when it is read ([`Inputs::read_row_at`]).
    pub fn apply(&self, dataset: Dataset) -> Result<Dataset, DataError> {
        self.check()?;
        let originals = self.originals(&dataset)?;
        let Some(Images { shape, pixels }) = dataset.inputs().as_images().cloned() else {
            return Err(DataError::NeedsImages { action: "augmentation" });
        };
        let base_rows = dataset.len();
        let (mut ids, mut id_names) = (dataset.ids().to_vec(), dataset.id_names().to_vec());
        share_ids(&mut ids, &mut id_names, &originals);
        let mut attributes = dataset.attributes().to_vec();
        attributes.iter_mut().for_each(|attribute| repeat(&mut attribute.of_row, &originals));
        let mut labels = dataset.labels().clone();
        match &mut labels {
            Labels::Classes { of_row, .. } => repeat(of_row, &originals),
            Labels::Numbers(values) => repeat(values, &originals),
            Labels::Unknown { rows } => *rows += originals.len(),
        }
        let mut splits = dataset.splits().to_vec();
        let train = splits.iter_mut().filter(|split| split.name.is_train());
        train.for_each(|train| train.rows.extend(base_rows..base_rows + originals.len()));
        let changed = Changed {
            base: pixels,
            recipe: self.recipe.clone(),
            which: Which::Copies { base_rows, originals },
            mode: self.mode,
            seed: self.seed,
        };
        dataset
            .edit()
            .inputs(Inputs::Images(Images::new(shape, Pixels::Changed(changed))))
            .labels(labels)
            .id_indices(ids, id_names)
            .attributes(attributes)
            .split_rows(splits)
            .check()
    }

    /// The rows that get a copy, ascending. A larger amount has those of a smaller one among them.
    fn originals(&self, dataset: &Dataset) -> Result<Vec<usize>, DataError> {
        let mut candidates = self.candidates(dataset)?;
        let wanted = match self.rows {
            Amount::Rows(rows) => rows,
            Amount::Share(share) => ((share * candidates.len() as f64).round() as usize).max(1),
        };
        if wanted > candidates.len() {
            let of = self.label.as_ref().map_or(String::new(), |label| format!(" of the class `{label}`"));
            return Err(DataError::Augmentation {
                problem: format!(
                    "{wanted} rows are to be copied, but there are {} in train{of}",
                    candidates.len()
                ),
                tip: match candidates.len() {
                    0 => "put rows into the split `train`".into(),
                    most => format!("set the field `Augmentation::rows` to {most} or less"),
                },
            });
        }
        candidates.shuffle(&mut ChaCha8Rng::seed_from_u64(self.seed));
        candidates.truncate(wanted);
        candidates.sort_unstable();
        Ok(candidates)
    }

    /// The training rows of the label, or all.
    fn candidates(&self, dataset: &Dataset) -> Result<Vec<usize>, DataError> {
        let train = dataset.train();
        let Some(label) = &self.label else { return Ok(train.to_vec()) };
        let Labels::Classes { names, of_row } = dataset.labels() else {
            return Err(DataError::Augmentation {
                problem: format!("`{label}` cannot be a class: the labels are numbers"),
                tip: "leave out the field `Augmentation::label`".into(),
            });
        };
        let Some(class) = names.iter().position(|name| name == label) else {
            return Err(DataError::Augmentation {
                problem: format!("there is no class `{label}`"),
                tip: format!("the classes are {}", names.join(", ")),
            });
        };
        Ok(train.iter().copied().filter(|row| of_row[*row] as usize == class).collect())
    }
}

/// Appends the values of these rows.
fn repeat<T: Copy>(values: &mut Vec<T>, rows: &[usize]) {
    let copies: Vec<T> = rows.iter().map(|row| values[*row]).collect();
    values.extend(copies);
}

/// Gives every original an id, and its copy the same.
fn share_ids(ids: &mut Vec<Option<u32>>, names: &mut Vec<String>, originals: &[usize]) {
    let mut prefix = "aug".to_string();
    while names.iter().any(|name| name.strip_prefix(&prefix).is_some_and(|rest| rest.starts_with(':'))) {
        prefix.push('+');
    }
    for row in originals {
        ids[*row].get_or_insert_with(|| {
            names.push(format!("{prefix}:{row}"));
            (names.len() - 1) as u32
        });
    }
    repeat(ids, originals);
}

impl FromStr for Amount {
    type Err = DataError;

    /// `200` is a number of rows, `0.1` and `10%` are shares; so `1` is one row and `1.0` are all.
    fn from_str(text: &str) -> Result<Amount, DataError> {
        let text = text.trim();
        let share =
            |number: &str, whole: f64| number.parse().ok().map(|number: f64| Amount::Share(number / whole));
        let amount = match (text.parse().ok(), text.strip_suffix('%')) {
            (Some(rows), _) => Some(Amount::Rows(rows)),
            (None, Some(percent)) => share(percent.trim(), 100.0),
            (None, None) => share(text, 1.0),
        };
        amount.ok_or_else(|| DataError::Augmentation {
            problem: format!("`{text}` is neither a number of rows nor a share"),
            tip: AMOUNT_TIP.into(),
        })
    }
}

impl fmt::Display for Amount {
    /// As [`Amount::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Rows(rows) => write!(f, "{rows}"),
            // With its point, which tells `1.0` from one row.
            Amount::Share(share) => write!(f, "{share:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tip;
    use crate::{Features, ImageShape};

    const SHAPE: ImageShape = ImageShape { height: 2, width: 2, channels: 1 };

    /// Six rows: four in train, of which row 1 and row 2 share an id. All pixels of row r are 10 r + 10.
    fn dataset() -> Dataset {
        let pixels = Pixels::Memory((0..24).map(|i| 10 * (i / 4) + 10).collect());
        Dataset::of(Inputs::Images(Images::new(SHAPE, pixels)))
            .name("six")
            .classes(&["cat", "cat", "cat", "dog", "dog", "dog"])
            .id_indices(vec![None, Some(0), Some(0), None, Some(1), None], vec!["p".into(), "aug:7".into()])
            .splits(["train", "train", "train", "test", "test", "test"])
            .attribute("place", &["wood", "field", "wood", "field", "wood", "field"])
            .check()
            .unwrap()
    }

    fn augmentation(recipe: &str) -> Augmentation {
        Augmentation::new(recipe.parse().unwrap())
    }

    fn pixels(data: &Dataset, row: usize, epoch: u64) -> Vec<u8> {
        let mut out = vec![0.0; data.inputs().width()];
        data.inputs().read_row_at(row, epoch, &mut out).unwrap();
        out.iter().map(|value| (value * 255.0).round() as u8).collect()
    }

    fn message(augmentation: &Augmentation, data: Dataset) -> String {
        let error = augmentation.apply(data).unwrap_err();
        format!("{error}; {}", error.tip().unwrap())
    }

    #[test]
    fn a_copy_has_all_that_its_original_has() {
        let data = augmentation("brightness=200").apply(dataset()).unwrap();
        assert_eq!(data.split("train"), Some(&[0, 1, 2, 6, 7, 8][..]));
        assert_eq!(data.split("test"), Some(&[3, 4, 5][..]));
        let Labels::Classes { of_row, .. } = data.labels() else { panic!("classes") };
        assert_eq!(of_row[6..], [0, 0, 0]);
        assert_eq!(data.attributes()[0].of_row[6..], [1, 0, 1]);
        assert_eq!(pixels(&data, 6, 0), [20; 4]);
        assert_eq!([pixels(&data, 8, 0), pixels(&data, 2, 0)], [[60; 4], [30; 4]]);
    }

    #[test]
    fn an_original_without_an_id_gets_one_that_nobody_has() {
        let data = augmentation("grayscale").apply(dataset()).unwrap();
        assert_eq!(data.id_names(), ["p", "aug:7", "aug+:0"]);
        assert_eq!(data.ids(), [2, 0, 0, 9, 1, 9, 2, 0, 0].map(|id| (id != 9).then_some(id)));
    }

    #[test]
    fn fixed_copies_stay_and_fresh_ones_do_not() {
        let recipe = "brightness=U(100,900)";
        let fixed = augmentation(recipe).apply(dataset()).unwrap();
        let fresh = Augmentation { mode: Mode::Fresh, ..augmentation(recipe) }.apply(dataset()).unwrap();
        assert_eq!(pixels(&fixed, 7, 0), pixels(&fixed, 7, 5));
        assert_eq!(pixels(&fresh, 7, 0), pixels(&fixed, 7, 0));
        assert_ne!(pixels(&fresh, 7, 5), pixels(&fresh, 7, 0));
        assert_eq!(pixels(&fresh, 7, 5), pixels(&fresh, 7, 5));
        assert_eq!(pixels(&fresh, 1, 5), pixels(&fresh, 1, 0), "originals are left alone");
        let mut out = vec![0.0; 4];
        fresh.inputs().read_row(7, &mut out).unwrap();
        assert_eq!((out[0] * 255.0).round() as u8, pixels(&fresh, 7, 0)[0]);
    }

    #[test]
    fn the_seed_decides_on_rows_and_draws() {
        let rows = |seed, amount| {
            let augmentation = Augmentation { seed, rows: amount, ..augmentation("rotate=U(0,90)") };
            augmentation.originals(&dataset()).unwrap()
        };
        assert_eq!(rows(1, Amount::Rows(2)), rows(1, Amount::Share(0.6)));
        let different: std::collections::HashSet<_> =
            (0..20).map(|seed| rows(seed, Amount::Rows(1))).collect();
        assert_eq!(different.len(), 3);
        assert!((0..20).all(|seed| rows(seed, Amount::Rows(2)).contains(&rows(seed, Amount::Rows(1))[0])));
    }

    #[test]
    fn one_class_alone_can_be_copied() {
        let splits = ["train", "train", "train", "test", "train", "test"];
        let data = dataset().edit().splits(splits).check().unwrap();
        let data =
            Augmentation { label: Some("dog".into()), ..augmentation("brightness=50") }.apply(data).unwrap();
        assert_eq!(data.len(), 7);
        assert_eq!((data.ids()[6], pixels(&data, 6, 0)), (Some(1), vec![25; 4]));
    }

    #[test]
    fn copies_can_be_copied_again() {
        let once = augmentation("brightness=200").apply(dataset()).unwrap();
        let twice = augmentation("brightness=50").apply(once).unwrap();
        assert_eq!(twice.split("train").map(<[usize]>::len), Some(12));
        assert_eq!(pixels(&twice, 12, 3), [10; 4], "the copy of row 6, which is row 0 twice as bright");
        assert_eq!(twice.ids()[12], twice.ids()[0]);
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let with_rows = |rows| Augmentation { rows, ..augmentation("rotate=5") };
        let with_label = |label: &str| Augmentation { label: Some(label.into()), ..augmentation("rotate=5") };
        assert_eq!(
            message(&with_rows(Amount::Rows(4)), dataset()),
            "augmentation: 4 rows are to be copied, but there are 3 in train; \
             set the field `Augmentation::rows` to 3 or less"
        );
        assert!(message(&with_rows(Amount::Rows(0)), dataset()).contains("`0` is no number of rows"));
        assert!(message(&with_rows(Amount::Share(1.5)), dataset()).contains("`1.5` is no number of rows"));
        assert!(message(&with_rows(Amount::Share(f64::NAN)), dataset()).contains("`NaN`"));
        assert!(message(&with_label("dog"), dataset()).contains("there are 0 in train of the class `dog`"));
        assert!(message(&with_label("cow"), dataset()).ends_with("the classes are cat, dog"));
        let numbers = dataset().edit().numbers([0.0; 6]).check().unwrap();
        assert!(message(&with_label("cat"), numbers).contains("the labels are numbers"));
        let features = Features { names: vec!["x1".into()], values: vec![0.0; 6] };
        let features = dataset().edit().inputs(Inputs::Features(features)).check().unwrap();
        assert!(message(&augmentation("rotate=5"), features).starts_with("augmentation works on images"));
    }

    #[test]
    fn amounts_are_read_as_they_are_written() {
        for (text, amount) in [
            ("200", Amount::Rows(200)),
            ("0.25", Amount::Share(0.25)),
            ("1", Amount::Rows(1)),
            ("1.0", Amount::Share(1.0)),
        ] {
            assert_eq!(text.parse::<Amount>().unwrap(), amount);
            assert_eq!(amount.to_string(), text);
        }
        assert_eq!("10%".parse::<Amount>().unwrap(), Amount::Share(0.1));
        assert!("many".parse::<Amount>().is_err() && "-3".parse::<Amount>().unwrap() == Amount::Share(-3.0));
    }
}
