//! From parts to a checked [`Dataset`].

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::{Attribute, Dataset, Features, Images, Inputs, Labels, Preparation};
use crate::names::Levels;
use crate::split::{by_id, train_and_test};
use crate::{DataError, Split, SplitName};

/// A data set in the making; [`DatasetBuilder::check`] ends it. What is not given is not known: no labels, no ids, one
/// split (`train`, or `test` where there are no labels).
#[derive(Debug)]
#[must_use = "`check` makes the data set"]
pub struct DatasetBuilder {
    name: String,
    inputs: Inputs,
    pictures: Option<Images>,
    labels: Option<Labels>,
    ids: Option<Vec<Option<u32>>>,
    id_names: Vec<String>,
    splits: Division,
    attributes: Vec<Attribute>,
    preparation: Preparation,
    weights: Option<Vec<f64>>,
}

/// How rows are divided.
#[derive(Debug)]
enum Division {
    /// All in one split.
    One,
    Rows(Vec<Split>),
    ById {
        test_share: f64,
        seed: u64,
    },
    /// One name per row, checked for their number.
    Names(Vec<SplitName>),
}

impl DatasetBuilder {
    pub(super) fn new(inputs: Inputs) -> Self {
        Self {
            name: "memory".into(),
            inputs,
            pictures: None,
            labels: None,
            ids: None,
            id_names: Vec::new(),
            splits: Division::One,
            attributes: Vec::new(),
            preparation: Preparation::default(),
            weights: None,
        }
    }

    pub(super) fn from_dataset(dataset: Dataset) -> Self {
        Self {
            name: dataset.name,
            inputs: dataset.inputs,
            pictures: dataset.pictures,
            labels: Some(dataset.labels),
            ids: Some(dataset.ids),
            id_names: dataset.id_names,
            splits: Division::Rows(dataset.splits),
            attributes: dataset.attributes,
            preparation: dataset.preparation,
            weights: dataset.weights,
        }
    }

    /// How messages and records name these data.
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Other inputs for the same rows.
    pub fn inputs(self, inputs: Inputs) -> Self {
        Self { inputs, ..self }
    }

    /// A picture per row for people to look at, where the inputs are features that were made of them.
    pub fn pictures(self, pictures: Option<Images>) -> Self {
        Self { pictures, ..self }
    }

    /// A class name per row; the outputs of a model follow the names in natural order.
    pub fn classes<T: AsRef<str>>(self, of_row: &[T]) -> Self {
        let mut levels = Levels::default();
        of_row.iter().for_each(|name| levels.push(name.as_ref()));
        let (names, of_row) = levels.sorted();
        self.labels(Labels::Classes { names, of_row })
    }

    /// A number per row, for regression.
    pub fn numbers(self, values: impl Into<Vec<f32>>) -> Self {
        self.labels(Labels::Numbers(values.into()))
    }

    /// Labels in their own form.
    pub fn labels(self, labels: Labels) -> Self {
        Self { labels: Some(labels), ..self }
    }

    /// An id per row, of any type that can be compared and printed; `None` where it was not observed.
    pub fn ids<T: Hash + Eq + ToString>(self, ids: impl IntoIterator<Item = Option<T>>) -> Self {
        let mut number_of_id = HashMap::new();
        let mut id_names = Vec::new();
        let mut number = |id: T| {
            let name = id.to_string();
            *number_of_id.entry(id).or_insert_with(|| {
                id_names.push(name);
                id_names.len() as u32 - 1
            })
        };
        let ids = ids.into_iter().map(|id| id.map(&mut number)).collect();
        Self { ids: Some(ids), id_names, ..self }
    }

    /// Ids as indices into their names.
    pub fn id_indices(self, ids: Vec<Option<u32>>, id_names: Vec<String>) -> Self {
        Self { ids: Some(ids), id_names, ..self }
    }

    /// The name of the split of each row.
    pub fn splits<N: Into<SplitName>>(self, of_row: impl IntoIterator<Item = N>) -> Self {
        Self { splits: Division::Names(of_row.into_iter().map(Into::into).collect()), ..self }
    }

    /// The splits with the rows of each.
    pub fn split_rows(self, splits: Vec<Split>) -> Self {
        Self { splits: Division::Rows(splits), ..self }
    }

    /// Puts a share of the rows, above 0 and below 1, into `test` and the others into `train`. All rows of an id go
    /// together, and every class is in `train`.
    pub fn split_by_id(self, test_share: f64, seed: u64) -> Self {
        Self { splits: Division::ById { test_share, seed }, ..self }
    }

    /// One more column, for errors by subgroup.
    pub fn attribute<T: AsRef<str>>(mut self, name: &str, of_row: &[T]) -> Self {
        let mut levels = Levels::default();
        of_row.iter().for_each(|level| levels.push(level.as_ref()));
        let (levels, of_row) = levels.sorted();
        self.attributes.push(Attribute { name: name.into(), levels, of_row });
        self
    }

    /// All further columns.
    pub fn attributes(self, attributes: Vec<Attribute>) -> Self {
        Self { attributes, ..self }
    }

    /// What was done to the rows before.
    pub fn preparation(self, preparation: Preparation) -> Self {
        Self { preparation, ..self }
    }

    /// What each row counts in training, above 0: a row of weight 2 counts as two rows do, in the mean of the loss and inside its
    /// group. Rows of weight 0 are to be left out.
    pub fn weights(self, of_row: Vec<f64>) -> Self {
        Self { weights: Some(of_row), ..self }
    }

    /// The data set, when every length and every range is as it must be.
    pub fn check(self) -> Result<Dataset, DataError> {
        let rows = check_inputs(&self.inputs)?;
        let labels = self.labels.unwrap_or(Labels::Unknown { rows });
        if let Some(pictures) = &self.pictures {
            check_length("pictures", pictures.pixels.rows(pictures.shape).unwrap_or(0), rows)?;
        }
        check_length("labels", labels.len(), rows)?;
        check_labels(&labels)?;
        let ids = self.ids.unwrap_or_else(|| vec![None; rows]);
        check_length("ids", ids.len(), rows)?;
        check_ids(&ids, &self.id_names)?;
        let mut splits = self.splits.divide(&labels, &ids)?;
        check_splits(&splits, rows)?;
        splits.sort_by(|a, b| a.name.cmp(&b.name));
        self.weights.as_deref().map_or(Ok(()), |weights| check_weights(weights, rows))?;
        for attribute in &self.attributes {
            check_length("attributes", attribute.of_row.len(), rows)?;
            check_indices("attributes", &attribute.of_row, attribute.levels.len())?;
        }
        Ok(Dataset {
            name: self.name,
            inputs: self.inputs,
            pictures: self.pictures,
            labels,
            ids,
            id_names: self.id_names,
            splits,
            attributes: self.attributes,
            preparation: self.preparation,
            weights: self.weights,
        })
    }
}

impl Division {
    fn divide(self, labels: &Labels, ids: &[Option<u32>]) -> Result<Vec<Split>, DataError> {
        match self {
            Self::Rows(splits) => Ok(splits),
            Self::One => {
                let name = match labels {
                    Labels::Unknown { .. } => SplitName::test(),
                    Labels::Classes { .. } | Labels::Numbers(_) => SplitName::train(),
                };
                Ok(vec![Split { name, rows: (0..ids.len()).collect() }])
            }
            Self::Names(names) => {
                check_length("splits", names.len(), ids.len())?;
                Ok(by_name(names))
            }
            Self::ById { test_share, .. } if !(test_share > 0.0 && test_share < 1.0) => Err(fault(
                "splits",
                format!("the share of the test is {test_share}, but must be above 0 and below 1"),
            )),
            Self::ById { test_share, seed } => {
                let shares = train_and_test(test_share);
                let names =
                    by_id(ids, labels.classes(), &shares, seed).into_iter().map(|split| shares[split].0);
                Ok(by_name(names.map(SplitName::from).collect()))
            }
        }
    }
}

fn by_name(names: Vec<SplitName>) -> Vec<Split> {
    let mut place_of_name: HashMap<SplitName, usize> = HashMap::new();
    let mut splits: Vec<Split> = Vec::new();
    for (row, name) in names.into_iter().enumerate() {
        let place = *place_of_name.entry(name).or_insert_with_key(|name| {
            splits.push(Split { name: name.clone(), rows: Vec::new() });
            splits.len() - 1
        });
        splits[place].rows.push(row);
    }
    splits
}

fn fault(field: &'static str, problem: String) -> DataError {
    DataError::Inconsistent { field, problem }
}

/// Number of rows.
fn check_inputs(inputs: &Inputs) -> Result<usize, DataError> {
    let Some(rows) = inputs.rows() else {
        let problem = match inputs {
            Inputs::Features(Features { names, values }) => {
                format!("{} numbers do not make whole rows of {} features", values.len(), names.len())
            }
            Inputs::Images(images) => {
                let shape = images.shape;
                format!(
                    "the pixels do not make whole pictures of {}x{}x{}",
                    shape.height, shape.width, shape.channels
                )
            }
        };
        return Err(fault("inputs", problem));
    };
    match inputs {
        Inputs::Features(features) => check_features(features)?,
        Inputs::Images(images) if !matches!(images.shape.channels, 1 | 3) => {
            let problem = format!("pictures have {} channels, but must have 1 or 3", images.shape.channels);
            return Err(fault("inputs", problem));
        }
        Inputs::Images(_) => {}
    }
    Ok(rows)
}

fn check_features(Features { names, values }: &Features) -> Result<(), DataError> {
    let mut seen = HashSet::new();
    if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return Err(fault("inputs", format!("two features are called `{twice}`")));
    }
    match values.iter().position(|value| !value.is_finite()) {
        Some(place) => {
            let (row, name) = (place / names.len(), &names[place % names.len()]);
            Err(fault(
                "inputs",
                format!("feature `{name}` of row {row} is {}, not a finite number", values[place]),
            ))
        }
        None => Ok(()),
    }
}

fn check_length(field: &'static str, found: usize, rows: usize) -> Result<(), DataError> {
    match found == rows {
        true => Ok(()),
        false => Err(fault(field, format!("{found} entries, but there are {rows} rows"))),
    }
}

fn check_labels(labels: &Labels) -> Result<(), DataError> {
    match labels {
        Labels::Classes { names, of_row } => check_indices("labels", of_row, names.len()),
        Labels::Numbers(values) => match values.iter().position(|value| !value.is_finite()) {
            Some(row) => Err(fault("labels", format!("row {row} has {}, not a finite number", values[row]))),
            None => Ok(()),
        },
        Labels::Unknown { .. } => Ok(()),
    }
}

fn check_indices(field: &'static str, of_row: &[u32], names: usize) -> Result<(), DataError> {
    match of_row.iter().position(|&index| index as usize >= names) {
        Some(row) => {
            Err(fault(field, format!("row {row} has number {}, but there are {names} names", of_row[row])))
        }
        None => Ok(()),
    }
}

fn check_ids(ids: &[Option<u32>], names: &[String]) -> Result<(), DataError> {
    match ids.iter().position(|id| id.is_some_and(|id| id as usize >= names.len())) {
        Some(row) => Err(fault("ids", format!("row {row} has an id without a name"))),
        None => Ok(()),
    }
}

fn check_weights(weights: &[f64], rows: usize) -> Result<(), DataError> {
    check_length("weights", weights.len(), rows)?;
    match weights.iter().position(|weight| !(weight.is_finite() && *weight > 0.0)) {
        Some(row) => {
            Err(fault("weights", format!("row {row} has {}, but must have a number above 0", weights[row])))
        }
        None => Ok(()),
    }
}

/// Every row is in exactly one split.
fn check_splits(splits: &[Split], rows: usize) -> Result<(), DataError> {
    let mut seen = vec![false; rows];
    let mut names = HashSet::new();
    for split in splits {
        if !names.insert(&split.name) {
            return Err(fault("splits", format!("there are two splits `{}`", split.name)));
        }
        for &row in &split.rows {
            match seen.get_mut(row) {
                Some(seen) if !*seen => *seen = true,
                Some(_) => return Err(fault("splits", format!("row {row} is in more than one place"))),
                None => return Err(fault("splits", format!("`{}` has row {row} of {rows}", split.name))),
            }
        }
    }
    match seen.iter().position(|seen| !seen) {
        Some(row) => Err(fault("splits", format!("row {row} is in no split"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ImageShape;

    fn four() -> DatasetBuilder {
        Dataset::features(["x"], vec![0.0, 1.0, 2.0, 3.0])
    }

    fn message(builder: DatasetBuilder) -> String {
        builder.check().unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_given_is_not_known() {
        let data = four().check().unwrap();
        assert_eq!((data.labels(), data.ids()), (&Labels::Unknown { rows: 4 }, &[None; 4][..]));
        assert_eq!(data.split_names(), ["test"]);
        assert_eq!(four().numbers([1.0; 4]).check().unwrap().split_names(), ["train"]);
    }

    #[test]
    fn classes_are_in_natural_order_and_ids_of_any_type() {
        let data = four()
            .classes(&["10", "9", "b", "9"])
            .ids([Some((1, 'a')), None, Some((1, 'a')), None].map(|id| id.map(|id| format!("{id:?}"))))
            .check()
            .unwrap();
        assert_eq!(
            data.labels(),
            &Labels::Classes { names: ["9", "10", "b"].map(String::from).to_vec(), of_row: vec![1, 0, 2, 0] }
        );
        assert_eq!((data.ids(), data.id_name(2)), (&[Some(0), None, Some(0), None][..], Some("(1, 'a')")));
        let numbers = four().ids([Some(7u64), Some(7), None, Some(9)]).check().unwrap();
        assert_eq!(
            (numbers.ids(), numbers.id_names()),
            (&[Some(0), Some(0), None, Some(1)][..], &["7".to_string(), "9".into()][..])
        );
    }

    #[test]
    fn splits_come_in_order_whatever_the_rows_say() {
        let data = four().splits(["test10", "train", "test2", "val"]).check().unwrap();
        assert_eq!(data.split_names(), ["train", "val", "test2", "test10"]);
        assert_eq!((data.train(), data.validation()), (&[1][..], &[3][..]));
    }

    #[test]
    fn an_id_is_never_on_both_sides_of_a_split() {
        let ids: Vec<Option<u32>> = (0..200).map(|row| Some(row / 4)).collect();
        let classes: Vec<&str> = (0..200).map(|row| if row % 8 < 4 { "a" } else { "b" }).collect();
        let values = (0..200).map(|row| row as f32).collect();
        let data =
            Dataset::features(["x"], values).classes(&classes).ids(ids).split_by_id(0.25, 3).check().unwrap();
        let ids = |rows: &[usize]| rows.iter().map(|&row| data.ids()[row]).collect::<HashSet<_>>();
        let test = data.split("test").unwrap();
        assert!(ids(test).is_disjoint(&ids(data.train())));
        assert!((40..=60).contains(&test.len()), "{}", test.len());
    }

    #[test]
    fn every_length_and_range_is_checked() {
        let split = |rows: &[usize]| vec![Split::new("train", rows.iter().copied())];
        for (builder, words) in [
            (
                Dataset::features(["x", "y"], vec![0.0; 3]),
                "inputs: 3 numbers do not make whole rows of 2 features",
            ),
            (Dataset::features(["x", "x"], vec![0.0; 4]), "inputs: two features are called `x`"),
            (Dataset::features(["x", "y"], vec![0.0, 0.0, 0.0, f32::NAN]), "feature `y` of row 1 is NaN"),
            (Dataset::features([""; 0], vec![]), "inputs: 0 numbers do not make whole rows of 0 features"),
            (
                Dataset::images(ImageShape { height: 2, width: 2, channels: 3 }, vec![0; 13]),
                "whole pictures of 2x2x3",
            ),
            (Dataset::images(ImageShape { height: 2, width: 2, channels: 2 }, vec![0; 16]), "2 channels"),
            (four().classes(&["a", "b"]), "labels: 2 entries, but there are 4 rows"),
            (four().numbers([0.0, 1.0, f32::INFINITY, 0.0]), "labels: row 2 has inf"),
            (
                four().labels(Labels::Classes { names: vec!["a".into()], of_row: vec![0, 0, 1, 0] }),
                "labels: row 2 has number 1",
            ),
            (four().ids([Some("a")]), "ids: 1 entries, but there are 4 rows"),
            (
                four().id_indices(vec![None, Some(0), None, None], vec![]),
                "ids: row 1 has an id without a name",
            ),
            (four().splits(["train"]), "splits: 1 entries, but there are 4 rows"),
            (four().split_rows(split(&[0, 1, 2])), "splits: row 3 is in no split"),
            (four().split_rows(split(&[0, 1, 2, 2, 3])), "splits: row 2 is in more than one place"),
            (four().split_rows(split(&[0, 1, 2, 4])), "splits: `train` has row 4 of 4"),
            (four().split_by_id(1.0, 0), "splits: the share of the test is 1"),
            (four().attribute("site", &["a"]), "attributes: 1 entries"),
            (four().weights(vec![1.0; 3]), "weights: 3 entries"),
            (
                four().weights(vec![1.0, 2.0, 0.0, 1.0]),
                "weights: row 2 has 0, but must have a number above 0",
            ),
        ] {
            let message = message(builder);
            assert!(message.contains(words), "{message}");
        }
    }
}
