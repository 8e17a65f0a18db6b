//! What a fit is given: features, labels, groups, sample weights.

use super::loss::Loss;
use super::{DesignMatrix, LinearError};

/// Rows to fit. All slices have one entry a row.
#[derive(Clone, Copy)]
pub struct LinearData<'a> {
    /// The features, `[rows, columns]`.
    pub features: &'a dyn DesignMatrix,
    /// The labels.
    pub targets: Targets<'a>,
    /// Group of each row: rows of equal number share (label, id). Any numbers will do.
    pub group_of_row: &'a [usize],
    /// Weight of each row, 0 or more; `None` is 1 for all. A row counts by its weight in the mean of the loss and
    /// inside its group; groups count alike. Weight 0 is as if the row were not there.
    pub sample_weights: Option<&'a [f64]>,
}

/// The labels of the rows.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Targets<'a> {
    /// A class a row, `0..count`.
    Classes {
        /// One class a row.
        of_row: &'a [u32],
        /// Number of classes, K.
        count: usize,
    },
    /// A number a row.
    Numbers {
        /// One number a row.
        values: &'a [f32],
        /// Quantile bin of each number; only a penalty given the label looks at them.
        bins: Option<&'a [u32]>,
    },
}

impl<'a> LinearData<'a> {
    /// Refuses data of wrong lengths, labels that are none and weights that are none. Features are checked when
    /// they are first read.
    pub(super) fn check(&self) -> Result<(), LinearError> {
        let (rows, columns) = (self.features.rows(), self.features.columns());
        if rows == 0 || columns == 0 {
            return Err(LinearError::Empty { rows, columns });
        }
        check_length("group_of_row", self.group_of_row.len(), rows)?;
        if let Some(weights) = self.sample_weights {
            check_length("sample_weights", weights.len(), rows)?;
            check_weights(weights)?;
        }
        self.targets.check(rows)?;
        match self.targets {
            Targets::Classes { of_row, count } => self.check_all_seen(of_row, count),
            Targets::Numbers { .. } => Ok(()),
        }
    }

    fn check_all_seen(&self, of_row: &[u32], classes: usize) -> Result<(), LinearError> {
        let mut seen = vec![false; classes];
        of_row.iter().enumerate().for_each(|(row, &class)| seen[class as usize] |= self.counts(row));
        match seen.iter().position(|seen| !seen) {
            Some(class) => Err(LinearError::EmptyClass { class, classes }),
            None => Ok(()),
        }
    }

    fn counts(&self, row: usize) -> bool {
        self.sample_weights.is_none_or(|weights| weights[row] > 0.0)
    }

    /// Sample weights divided by their sum, `ω_i`.
    pub(super) fn shares(&self) -> Vec<f64> {
        let rows = self.features.rows();
        match self.sample_weights {
            None => vec![1.0 / rows as f64; rows],
            Some(weights) => {
                let sum: f64 = weights.iter().sum();
                weights.iter().map(|weight| weight / sum).collect()
            }
        }
    }

    /// The grouping of a penalty given the label.
    pub(super) fn groups_by_label(&self) -> Result<Vec<usize>, LinearError> {
        let labels = match self.targets {
            Targets::Classes { of_row, .. } => of_row,
            Targets::Numbers { bins, .. } => bins.ok_or(LinearError::NoBins)?,
        };
        Ok(labels.iter().map(|&label| label as usize).collect())
    }
}

impl<'a> Targets<'a> {
    /// Refuses labels that are none.
    pub(super) fn check(self, rows: usize) -> Result<(), LinearError> {
        match self {
            Self::Classes { of_row, count } => {
                check_length("targets", of_row.len(), rows)?;
                check_classes(of_row, count)
            }
            Self::Numbers { values, bins } => {
                check_length("targets", values.len(), rows)?;
                bins.map_or(Ok(()), |bins| check_length("bins", bins.len(), rows))?;
                check_numbers(values)
            }
        }
    }

    pub(super) fn loss(self) -> Loss<'a> {
        match self {
            Self::Classes { of_row, count: 2 } => Loss::Logistic(of_row),
            Self::Classes { of_row, count } => Loss::Softmax(of_row, count),
            Self::Numbers { values, .. } => Loss::Squared(values),
        }
    }
}

fn check_length(what: &'static str, found: usize, rows: usize) -> Result<(), LinearError> {
    if found == rows { Ok(()) } else { Err(LinearError::Length { what, found, rows }) }
}

fn check_classes(of_row: &[u32], classes: usize) -> Result<(), LinearError> {
    if classes < 2 {
        return Err(LinearError::TooFewClasses { classes });
    }
    match of_row.iter().position(|&class| class as usize >= classes) {
        Some(row) => {
            let range = format!("a class below {classes}");
            Err(LinearError::Label { row, value: of_row[row].into(), range })
        }
        None => Ok(()),
    }
}

fn check_weights(weights: &[f64]) -> Result<(), LinearError> {
    if let Some((row, &value)) = weights.iter().enumerate().find(|(_, w)| !w.is_finite() || **w < 0.0) {
        return Err(LinearError::Weight { row: Some(row), value });
    }
    if weights.iter().all(|&weight| weight == 0.0) {
        return Err(LinearError::Weight { row: None, value: 0.0 });
    }
    Ok(())
}

fn check_numbers(values: &[f32]) -> Result<(), LinearError> {
    match values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((row, &value)) => {
            Err(LinearError::Label { row, value: value.into(), range: "a finite number".to_owned() })
        }
        None => Ok(()),
    }
}
