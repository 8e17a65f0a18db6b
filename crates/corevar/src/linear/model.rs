//! What comes out of a fit.

use super::lbfgs::Optimality;
use super::null_space::NullSpace;
use super::pass::{Affine, Pass};
use super::problem::Objective;
use super::{DesignMatrix, LinearError, Targets};

/// A linear model in the units of its features.
///
/// Two classes have one output, the margin `z = f_1 - f_0`, as in scikit-learn; [`LinearModel::logits`] gives
/// `(-z/2, z/2)`, which is what ridge and penalty are of. Three or more classes have an output each, a regression one.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    /// Numbers that come out for a row: logits of the K classes, or 1 prediction.
    pub logits: usize,
    /// `[outputs, columns]`.
    pub weights: Vec<f64>,
    /// `[outputs]`.
    pub intercepts: Vec<f64>,
}

impl LinearModel {
    /// Number of features.
    pub fn columns(&self) -> usize {
        self.weights.len() / self.intercepts.len()
    }

    /// The weights of each logit over the features: `±β/2` for two classes.
    pub fn logit_weights(&self) -> Vec<Vec<f64>> {
        if self.is_binary() {
            let half = |sign: f64| self.weights.iter().map(|w| sign * 0.5 * w).collect();
            return vec![half(-1.0), half(1.0)];
        }
        self.weights.chunks_exact(self.columns()).map(<[f64]>::to_vec).collect()
    }

    /// The intercept of each logit: `±b/2` for two classes.
    pub fn logit_intercepts(&self) -> Vec<f64> {
        match self.is_binary() {
            true => vec![-0.5 * self.intercepts[0], 0.5 * self.intercepts[0]],
            false => self.intercepts.clone(),
        }
    }

    /// Logits of the classes, or the predictions of a regression.
    /// # Shapes
    /// -> `[rows, logits]`
    pub fn logits(&self, features: &dyn DesignMatrix) -> Result<Vec<f64>, LinearError> {
        if features.columns() != self.columns() {
            let (found, rows) = (features.columns(), self.columns());
            return Err(LinearError::Length { what: "a row of the features", found, rows });
        }
        let f = Affine { weights: self.weights.clone(), offsets: self.intercepts.clone() };
        let outputs = Pass::new(features, self.intercepts.len()).outputs(&f)?;
        Ok(if self.is_binary() {
            outputs.iter().flat_map(|z| [-0.5 * z, 0.5 * z]).collect()
        } else {
            outputs
        })
    }

    /// Loss of each row, as a robustness curve takes it: cross-entropy, or the squared difference.
    /// # Shapes
    /// -> `[rows]`
    pub fn losses(&self, features: &dyn DesignMatrix, targets: Targets) -> Result<Vec<f64>, LinearError> {
        targets.check(features.rows())?;
        let (loss, logits) = (targets.loss(), self.logits(features)?);
        let width = loss.outputs();
        if width != self.intercepts.len() {
            return Err(LinearError::Length { what: "the model", found: self.intercepts.len(), rows: width });
        }
        let mut slope = vec![0.0; width];
        // The loss of two classes is that of their margin.
        let margin = |row: &[f64]| if self.is_binary() { vec![row[1] - row[0]] } else { row.to_vec() };
        let rows = logits.chunks_exact(self.logits).enumerate();
        Ok(rows.map(|(number, row)| loss.of(number, &margin(row), &mut slope)).collect())
    }

    fn is_binary(&self) -> bool {
        self.logits == 2 && self.intercepts.len() == 1
    }
}

/// A model, and how it came to be.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearFit {
    /// The model.
    pub model: LinearModel,
    /// λ.
    pub penalty_weight: f64,
    /// Ridge.
    pub ridge: f64,
    /// What was minimised, on the rows of the fit.
    pub objective: Objective,
    /// How near to the minimum it is.
    pub optimality: Optimality,
    /// Weighted mean and scale of each column, as the fit took them: scales are 1 unless it standardised.
    pub coordinates: ColumnScales,
    /// What λ = ∞ left; `None` for a finite λ.
    pub null_space: Option<NullSpace>,
    /// What the reader should know.
    pub notes: Vec<Note>,
}

/// Mean and scale of each column. A column that does not vary has scale 1.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnScales {
    /// One per column.
    pub means: Vec<f64>,
    /// One per column, above 0.
    pub scales: Vec<f64>,
}

/// Something about a fit that is not an error.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Note {
    /// No group has two rows: the penalty is zero and the fit is the pooled one.
    NoGroupOfTwo,
    /// These columns do not vary; their weights are zero.
    ConstantColumns(Vec<usize>),
    /// The gradient is larger than asked for.
    NotConverged(Optimality),
}

impl std::fmt::Display for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::NoGroupOfTwo => {
                write!(f, "no group has two rows or more: the penalty is 0, the fit is the pooled one")
            }
            Self::ConstantColumns(columns) => {
                let first: Vec<String> = columns.iter().take(5).map(usize::to_string).collect();
                let more = if columns.len() > 5 { ", ..." } else { "" };
                write!(f, "{} constant columns have weight 0: {}{more}", columns.len(), first.join(", "))
            }
            Self::NotConverged(optimality) => write!(
                f,
                "not converged after {} iterations: gradient {:.1e}, asked for {:.1e}; raise the ridge, standardise \
                 the features, or allow more iterations",
                optimality.iterations, optimality.gradient, optimality.target
            ),
        }
    }
}
