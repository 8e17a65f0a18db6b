//! What a penalty is made of: three choices and one formula.

use std::borrow::Cow;

use burn::tensor::Tensor;

use super::Normalise;
use super::variance::mean_over_groups;
use corevar_data::Groups;

/// `C_{v,ν} = mean_j (Σ_k Var_{i∈S_j} v_k(x_i))^ν`: the mean over groups `S_j` of a power ν of the variance of `v`.
///
/// Any combination can be used in a training loop of your own; those with a name in configurations and records are the
/// constants of [`super::Penalty`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConditionalVariance {
    /// `v`.
    pub varying: Varying,
    /// `ν`.
    pub power: Power,
    /// What the rows of a group `S_j` have in common.
    pub given: Given,
}

/// What varies inside a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Varying {
    /// The outputs of the model, `f_k(x_i)`. Of a regression given label and id the residual `f(x_i) - y_i`: its variance is
    /// that of `f` where the rows of a group have one label, and does not ask for equal answers where they have several.
    Logits,
    /// The loss of a row, `l(y_i, f(x_i))`.
    Loss,
}

/// Power of the variance of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Power {
    /// ν = 1.
    Variance,
    /// ν = 1/2, the standard deviation.
    Sd,
}

/// What the rows of a group have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Given {
    /// Label and id: they show the same object. Of a regression the id alone, or a slice of the label and the id.
    LabelAndId,
    /// The label alone, as if all rows of a class showed one object.
    Label,
    /// Nothing: all rows form one group.
    Nothing,
}

/// What a penalty may look at: the outputs of a model on a batch, with the labels and groups of its rows.
#[derive(Debug, Clone)]
pub struct BatchOutputs<'a> {
    /// The model's outputs, `[rows, classes]`.
    pub logits: Tensor<2>,
    /// The loss of each row, `[rows]`.
    pub losses: Tensor<1>,
    /// The numbers that a regression should say, `[rows]`; None for classes.
    pub numbers: Option<Tensor<1>>,
    /// The label of each row; bins of it for regression.
    pub labels: &'a [u32],
    /// Rows that share (label, id), or pieces of such groups.
    pub groups: &'a Groups,
    /// What each of the groups counts in their mean; None: alike. A piece counts by its share of the rows of its group.
    pub group_weights: Option<&'a [f64]>,
    /// What each row counts inside its group; None: alike.
    pub row_weights: Option<&'a [f32]>,
}

impl ConditionalVariance {
    /// The penalty of these outputs; zero when no group has two rows.
    /// # Shapes
    /// -> `[1]`
    pub fn of(self, outputs: BatchOutputs, normalise: Normalise) -> Tensor<1> {
        let BatchOutputs { logits, losses, numbers, labels, groups, group_weights, row_weights } = outputs;
        let values = match (self.varying, numbers.filter(|_| self.is_of_residual())) {
            (Varying::Logits, Some(numbers)) => logits - numbers.unsqueeze_dim(1),
            (Varying::Logits, None) => logits,
            (Varying::Loss, _) => losses.unsqueeze_dim(1),
        };
        let groups = self.given.groups(labels, groups);
        let weights = group_weights.filter(|_| self.given == Given::LabelAndId);
        mean_over_groups(values, &groups, weights, row_weights, self.power, normalise)
    }

    /// True when it is the residual of a regression that varies, not the output.
    pub(crate) fn is_of_residual(self) -> bool {
        self.varying == Varying::Logits && self.given == Given::LabelAndId
    }

    /// True when `C` is a quadratic function of the logits, and so of the weights of a linear model.
    pub(crate) fn is_quadratic(self) -> bool {
        self.varying == Varying::Logits && self.power == Power::Variance
    }
}

impl Power {
    /// ν.
    pub(crate) fn exponent(self) -> f64 {
        match self {
            Self::Variance => 1.0,
            Self::Sd => 0.5,
        }
    }
}

impl Given {
    /// The groups `S_j` of rows with these labels; `groups` are those of the task.
    pub(crate) fn groups<'a>(self, labels: &[u32], groups: &'a Groups) -> Cow<'a, Groups> {
        match self {
            Self::LabelAndId => Cow::Borrowed(groups),
            Self::Label => Cow::Owned(Groups::by_key(labels)),
            Self::Nothing => Cow::Owned(Groups::by_key(std::iter::repeat_n((), labels.len()))),
        }
    }
}
