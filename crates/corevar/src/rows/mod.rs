//! Data as a model meets them: what it sees of a row, what it should say, and the groups.

mod scaling;
mod shape;
mod task;

use std::ops::Range;

use burn::tensor::{Device, Tensor, TensorData};
use corevar_data::groups::{Groups, quantile_bins};
use corevar_data::{DataError, Dataset, Inputs, Labels};

use crate::loss;

pub use scaling::Scaling;
pub use shape::InputShape;
pub use task::{Task, feature_names, task};

/// Some rows of a data set, ready for a model: labels, groups and inputs by position.
#[derive(Debug)]
pub struct Rows<'a> {
    dataset: &'a Dataset,
    rows: &'a [usize],
    /// Class of each row, or the bin of its number.
    pub labels: Vec<u32>,
    /// Rows that share (label, id).
    pub groups: Groups,
}

impl<'a> Rows<'a> {
    /// `label_bins` cuts continuous labels for grouping.
    pub fn new(dataset: &'a Dataset, rows: &'a [usize], label_bins: usize) -> Self {
        let labels = match dataset.labels() {
            Labels::Classes { of_row, .. } => rows.iter().map(|&row| of_row[row]).collect(),
            Labels::Numbers(values) => {
                quantile_bins(&rows.iter().map(|&row| values[row]).collect::<Vec<_>>(), label_bins)
            }
            Labels::Unknown { .. } => vec![0; rows.len()],
        };
        let ids: Vec<_> = rows.iter().map(|&row| dataset.ids()[row]).collect();
        let groups = Groups::new(&labels, &ids);
        Self { dataset, rows, labels, groups }
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
        match self.dataset.labels().numbers() {
            Some(values) => {
                let targets: Vec<f32> = positions.iter().map(|&i| values[self.rows[i]]).collect();
                loss::squared(outputs, Tensor::from_data(targets.as_slice(), &device))
            }
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
}
