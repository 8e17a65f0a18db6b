//! The variance inside each group, on which all penalties stand.

use burn::tensor::{Device, IndexingUpdateOp, Int, Tensor, TensorData};

use super::{Normalise, Power};
use corevar_data::Groups;

/// Variances below this count as zero under the square root, value and gradient.
///
/// The slope of a standard deviation is bounded, but as the product of an infinite slope of the root and
/// a vanishing one of the variance; at zero that is 0/0. Here the gradient of a group that does not vary
/// is zero, the smallest of its subgradients.
pub const SMALLEST_VARIANCE: f32 = 1e-12;

/// Variance of `values` inside each group with two rows or more, summed over the columns, each row counting by its weight `a_i`, or
/// else alike: `Σ_k Σ_{i∈S_j} a_i (v_ik - mean_j v_k)² / Σ_{i∈S_j} a_i`, the mean being weighted too. `None` when there is no such
/// group.
/// # Shapes
/// values `[rows, columns]` -> `[groups with two rows or more]`
///
/// # Panics
/// When `groups` is of another number of rows.
fn group_variances(values: Tensor<2>, groups: &Groups, row_weights: Option<&[f32]>) -> Option<Tensor<1>> {
    assert_eq!(values.dims()[0], groups.rows(), "one row of values for each row of the groups");
    if groups.is_trivial() {
        return None;
    }
    let members = Members::new(groups, row_weights, values.dims()[1], &values.device());
    let values = members.rows(values);
    let centred = values.clone() - members.spread(members.mean(values));
    Some(members.mean(centred.square()).sum_dim(1).squeeze_dim(1))
}

/// `Σ_j a_j Var_j^ν / Σ_j a_j` of [`group_variances`]: the mean over groups, which count `weights` or else alike. The sum of
/// the weights is over groups of two rows or more, or over all. Zero without a group of two rows. Inside its group a row counts by
/// `row_weights`, or else alike.
/// # Shapes
/// values `[rows, columns]` -> `[1]`
pub(crate) fn mean_over_groups(
    values: Tensor<2>,
    groups: &Groups,
    weights: Option<&[f64]>,
    row_weights: Option<&[f32]>,
    power: Power,
    normalise: Normalise,
) -> Tensor<1> {
    let device = values.device();
    let Some(variances) = group_variances(values, groups, row_weights) else {
        return Tensor::zeros([1], &device);
    };
    let powers = match power {
        Power::Variance => variances,
        Power::Sd => sd(variances),
    };
    let divisor = divisor(groups, weights, normalise);
    // Groups that all count alike take the shorter way, whose sums have been compared with other programs.
    match weights.filter(|weights| weights.iter().any(|&weight| weight != 1.0)) {
        None => powers.sum().div_scalar(divisor as f32),
        Some(weights) => {
            let shares = groups.iter().zip(weights).filter(|(rows, _)| rows.len() > 1);
            let shares: Vec<f32> = shares.map(|(_, weight)| (weight / divisor) as f32).collect();
            (powers * Tensor::from_data(shares.as_slice(), &device)).sum()
        }
    }
}

/// Sum of the weights of the groups that the mean is over.
fn divisor(groups: &Groups, weights: Option<&[f64]>, normalise: Normalise) -> f64 {
    let counts = |rows: &[usize]| normalise == Normalise::All || rows.len() > 1;
    let weight = |(j, _): (usize, &[usize])| weights.map_or(1.0, |weights| weights[j]);
    groups.iter().enumerate().filter(|(_, rows)| counts(rows)).map(weight).sum()
}

/// Square root with the gradient that [`SMALLEST_VARIANCE`] describes.
fn sd(variances: Tensor<1>) -> Tensor<1> {
    let zero = variances.clone().lower_elem(SMALLEST_VARIANCE);
    variances.clamp_min(SMALLEST_VARIANCE).sqrt().mask_fill(zero, 0.0)
}

/// The grouped rows of a batch, and how to take means over groups of them.
struct Members {
    rows: Tensor<1, Int>,
    group_of_row: Tensor<1, Int>,
    /// `1/|S_j|`, or 1 over the sum of the weights, `[groups, 1]`.
    inverse_sizes: Tensor<2>,
    /// Weights of the rows, `[grouped rows, 1]`; None: all 1.
    weights: Option<Tensor<2>>,
    sums: Tensor<2>,
}

impl Members {
    fn new(groups: &Groups, row_weights: Option<&[f32]>, columns: usize, device: &Device) -> Self {
        let mut rows = Vec::new();
        let mut group_of_row = Vec::new();
        let mut inverse_sizes = Vec::new();
        for (j, members) in groups.larger().enumerate() {
            rows.extend(members.iter().map(|&row| row as i32));
            group_of_row.extend(std::iter::repeat_n(j as i32, members.len()));
            let sum = |weights: &[f32]| members.iter().map(|&row| weights[row]).sum::<f32>();
            inverse_sizes.push(1.0 / row_weights.map_or(members.len() as f32, sum));
        }
        let count = inverse_sizes.len();
        let weights = row_weights
            .map(|weights| -> Vec<f32> { groups.larger().flatten().map(|&row| weights[row]).collect() });
        Self {
            rows: Tensor::from_data(rows.as_slice(), device),
            group_of_row: Tensor::from_data(group_of_row.as_slice(), device),
            inverse_sizes: Tensor::from_data(TensorData::new(inverse_sizes, [count, 1]), device),
            weights: weights.map(|weights| {
                let shape = [weights.len(), 1];
                Tensor::from_data(TensorData::new(weights, shape), device)
            }),
            sums: Tensor::zeros([count, columns], device),
        }
    }

    /// `[rows, columns]` -> `[grouped rows, columns]`
    fn rows(&self, values: Tensor<2>) -> Tensor<2> {
        values.select(0, self.rows.clone())
    }

    /// `[grouped rows, columns]` -> `[groups, columns]`
    fn mean(&self, values: Tensor<2>) -> Tensor<2> {
        let values = match &self.weights {
            Some(weights) => values * weights.clone(),
            None => values,
        };
        let sums =
            self.sums.clone().select_assign(0, self.group_of_row.clone(), values, IndexingUpdateOp::Add);
        sums * self.inverse_sizes.clone()
    }

    /// `[groups, columns]` -> `[grouped rows, columns]`
    fn spread(&self, means: Tensor<2>) -> Tensor<2> {
        means.select(0, self.group_of_row.clone())
    }
}
