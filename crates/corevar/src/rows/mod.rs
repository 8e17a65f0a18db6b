//! Data as a model meets them: what it sees of a row, what it should say, and the groups.

mod scaling;
mod shape;
mod task;

use std::borrow::Cow;
use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};
use corevar_data::groups::{Groups, QuantileBins};
use corevar_data::{DataError, Dataset, Inputs, Labels};

use crate::loss;
use crate::outputs::Outputs;

pub use scaling::Scaling;
pub use shape::InputShape;
pub use task::{Task, feature_names, task};

/// Bins of a continuous label where no number is given: for the baseline given the label, and to hold out rows alike.
pub const BINS: usize = 10;

/// Some rows of a data set, ready for a model: labels, groups and inputs by position.
#[derive(Debug)]
pub struct Rows<'a> {
    dataset: &'a Dataset,
    rows: &'a [usize],
    /// Class of each row, or the bin of its number among the training rows.
    pub labels: Vec<u32>,
    /// The groups of the task: rows that share (label, id), or the id of a regression. See [`Groups::of_task`].
    pub groups: Groups,
}

impl<'a> Rows<'a> {
    /// With the groups of [`slices`] of so many bins.
    pub fn new(dataset: &'a Dataset, rows: &'a [usize], label_bins: usize) -> Self {
        Self::grouped(dataset, rows, slices(dataset, label_bins).as_ref())
    }

    /// With groups by (slice, id) for a regression; by id alone without slices.
    pub fn grouped(dataset: &'a Dataset, rows: &'a [usize], slices: Option<&QuantileBins>) -> Self {
        let labels = match dataset.labels() {
            Labels::Classes { of_row, .. } => rows.iter().map(|&row| of_row[row]).collect(),
            Labels::Numbers(values) => {
                let bins = slices.map_or_else(|| training_bins(dataset, values, BINS), Clone::clone);
                rows.iter().map(|&row| bins.of(values[row])).collect()
            }
            // Labels are not known: one class.
            _ => vec![0; rows.len()],
        };
        let groups = Groups::of_task(dataset.labels(), dataset.ids(), rows, slices);
        Self { dataset, rows, labels, groups }
    }

    /// What each row counts in training, by position; None: all alike.
    pub fn weights(&self) -> Option<Vec<f64>> {
        let weights = self.dataset.weights()?;
        Some(self.rows.iter().map(|&row| weights[row]).collect())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True without any row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Row number in the data set of the row at a position.
    pub fn row(&self, position: usize) -> usize {
        self.rows[position]
    }

    /// Id of the row at a position.
    pub fn id(&self, position: usize) -> Option<u32> {
        self.dataset.ids()[self.rows[position]]
    }

    /// What these data ask for; None where labels are not known.
    pub fn task(&self) -> Option<Task> {
        task(self.dataset)
    }

    /// Numbers that a model sees of one row.
    pub fn width(&self) -> usize {
        self.dataset.inputs().width()
    }

    /// What a model sees of one row.
    pub fn input_shape(&self) -> InputShape {
        InputShape::of(self.dataset)
    }

    /// Number of classes; None for regression.
    pub fn classes(&self) -> Option<usize> {
        self.dataset.labels().classes().map(|_| self.dataset.labels().class_names().len())
    }

    /// The row at a position as a model sees it. `out` has [`Rows::width`] places.
    pub fn read(&self, position: usize, out: &mut [f32]) -> Result<(), DataError> {
        self.dataset.inputs().read_row(self.rows[position], out)
    }

    /// Name and magnitude of the largest feature value in these rows; None for pictures.
    pub fn largest_feature(&self) -> Option<(&str, f32)> {
        let Inputs::Features(features) = self.dataset.inputs() else { return None };
        let width = features.names.len();
        let values = |&row: &usize| features.values[row * width..(row + 1) * width].iter().enumerate();
        let largest = self.rows.iter().flat_map(values).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
        Some((&features.names[largest.0], largest.1.abs()))
    }

    /// The features of a range of positions, where they lie in memory one after the other.
    pub fn in_memory(&self, positions: Range<usize>) -> Option<&[f32]> {
        let Inputs::Features(features) = self.dataset.inputs() else { return None };
        let rows = &self.rows[positions];
        let follows = |pair: &[usize]| pair[1] == pair[0] + 1;
        let first = *rows.first()?;
        let width = self.width();
        rows.windows(2).all(follows).then(|| &features.values[first * width..(first + rows.len()) * width])
    }

    /// Inputs of the rows at these positions in an epoch of training, in which augmented rows may differ from other
    /// epochs; features are scaled if asked to.
    /// # Shapes
    /// -> `[positions, numbers per row]`
    pub fn inputs(
        &self,
        positions: &[usize],
        epoch: usize,
        scaling: Option<&Scaling>,
        device: &Device,
    ) -> Result<Tensor<2>, DataError> {
        let width = self.width();
        let mut values = vec![0.0; positions.len() * width];
        for (&position, out) in positions.iter().zip(values.chunks_exact_mut(width)) {
            self.dataset.inputs().read_row_at(self.rows[position], epoch as u64, out)?;
            scaling.iter().for_each(|scaling| scaling.apply(out));
        }
        Ok(Tensor::from_data(TensorData::new(values, [positions.len(), width]), device))
    }

    /// Loss of each row at these positions.
    /// # Shapes
    /// outputs `[positions, outputs]` -> `[positions]`
    pub fn losses(&self, outputs: Tensor<2>, positions: &[usize]) -> Tensor<1> {
        let device = outputs.device();
        match self.numbers(positions, &device) {
            Some(targets) => loss::squared(outputs, targets),
            None => {
                let labels: Vec<i32> = positions.iter().map(|&i| self.labels[i] as i32).collect();
                loss::cross_entropy(outputs, Tensor::from_data(labels.as_slice(), &device))
            }
        }
    }

    /// The continuous label of the row at a position, for regression.
    pub fn number(&self, position: usize) -> Option<f32> {
        self.dataset.labels().numbers().map(|values| values[self.rows[position]])
    }
    /// The continuous labels of the rows at these positions; None for classes.
    /// # Shapes
    /// -> `[positions]`
    pub fn numbers(&self, positions: &[usize], device: &Device) -> Option<Tensor<1>> {
        let values = self.dataset.labels().numbers()?;
        let numbers: Vec<f32> = positions.iter().map(|&position| values[self.rows[position]]).collect();
        Some(Tensor::from_data(numbers.as_slice(), device))
    }

    /// What style moves in these outputs, one per row: the residual `f - y` of a regression, the logits of classes.
    pub fn residuals<'o>(&self, outputs: &'o Outputs) -> Cow<'o, Outputs> {
        let Some(numbers) = self.dataset.labels().numbers() else { return Cow::Borrowed(outputs) };
        let residuals = outputs.values.iter().zip(self.rows).map(|(f, &row)| f - f64::from(numbers[row]));
        Cow::Owned(Outputs { values: residuals.collect(), columns: outputs.columns })
    }
}

/// The slices that groups of a regression are made of, with the edges of the training rows: `label_bins` of them, and None
/// for one or for classes.
pub fn slices(dataset: &Dataset, label_bins: usize) -> Option<QuantileBins> {
    let values = dataset.labels().numbers().filter(|_| label_bins > 1)?;
    Some(training_bins(dataset, values, label_bins))
}

fn training_bins(dataset: &Dataset, values: &[f32], bins: usize) -> QuantileBins {
    let training: Vec<f32> = dataset.train().iter().map(|&row| values[row]).collect();
    QuantileBins::new(&training, bins)
}

#[cfg(test)]
mod tests {
    use corevar_data::Split;

    use super::*;

    /// Pairs of ids with labels (1, 2), (3, 4) in `train` and (2, 3), (9, 9) in `test`.
    fn data() -> Dataset {
        let numbers = [1.0, 2.0, 3.0, 4.0, 2.0, 3.0, 9.0, 9.0];
        let splits = vec![Split::new("train", 0..4), Split::new("test", 4..8)];
        Dataset::features(["x"], vec![0.0; 8])
            .numbers(numbers)
            .ids([0, 0, 1, 1, 2, 2, 3, 3].map(Some))
            .split_rows(splits)
            .check()
            .unwrap()
    }

    #[test]
    fn rows_of_a_regression_are_grouped_by_id_and_slices_have_the_edges_of_the_training_rows() {
        let data = data();
        let pairs = |split: &str, label_bins| {
            let rows = Rows::new(&data, data.split(split).unwrap(), label_bins);
            rows.groups.larger().map(<[usize]>::to_vec).collect::<Vec<_>>()
        };
        for split in ["train", "test"] {
            assert_eq!(pairs(split, 1), [[0, 1], [2, 3]]);
        }
        // Two slices: below 3, and from 3. The slices of the test rows by themselves would keep the pair (2, 3).
        assert_eq!(slices(&data, 2).unwrap().edges(), [1.0, 3.0]);
        assert_eq!(pairs("train", 2), [[0, 1], [2, 3]]);
        assert_eq!(pairs("test", 2), [[2, 3]]);
    }

    #[test]
    fn the_residual_of_a_regression_is_what_varies() {
        let data = data();
        let rows = Rows::new(&data, data.train(), 1);
        let outputs = Outputs { values: vec![1.5, 2.5, 3.0, 5.0], columns: 1 };
        assert_eq!(rows.residuals(&outputs).values, [0.5, 0.5, 0.0, 1.0]);
    }
}
