//! Within and between variance of the outputs, and the penalties as numbers (in f64, on whole splits).

use super::metrics::mean;
use crate::model::Outputs;
use crate::penalty::{ConditionalVariance, Normalise, Penalty, Varying};
use crate::rows::Rows;
use corevar_data::Groups;

/// Variance inside groups and between their means, summed over the outputs (paper, equation for the
/// variance ratio).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decomposition {
    /// `mean_j Var_j`. None without a group of two rows or more.
    pub within: Option<f64>,
    /// `Var_j` of the group means, over all groups.
    pub between: Option<f64>,
}

impl Decomposition {
    /// Within by between; None when either is missing or nothing varies between groups.
    pub fn ratio(self) -> Option<f64> {
        self.between.filter(|&between| between > 0.0).and_then(|between| Some(self.within? / between))
    }
}

/// Splits the variance of the outputs by group. Inside groups it is that of `varying`: the outputs, or the residuals of a
/// regression.
pub fn decompose(
    varying: &Outputs,
    outputs: &Outputs,
    groups: &Groups,
    normalise: Normalise,
) -> Decomposition {
    let variances = group_variances(varying, groups);
    let within = (!groups.is_trivial()).then(|| mean_over(&variances, groups, normalise));
    let means: Vec<f64> = groups.iter().flat_map(|rows| column_means(outputs, rows)).collect();
    let means = Outputs { values: means, columns: outputs.columns };
    let all: Vec<usize> = (0..groups.count()).collect();
    Decomposition { within, between: (groups.count() > 1).then(|| variance(&means, &all)) }
}

/// Of each group its variance, 0 for a single row, and the squared distance of its mean from the mean of the groups with the same
/// label. The mean of the distances is the variance between groups of the same label: unlike `between`, it does not grow with the
/// distance between the classes, which style can widen.
pub fn group_parts(outputs: &Outputs, rows: &Rows) -> Vec<(f64, f64)> {
    let groups = &rows.groups;
    let means: Vec<f64> = groups.iter().flat_map(|group| column_means(outputs, group)).collect();
    let means = Outputs { values: means, columns: outputs.columns };
    let mut parts: Vec<(f64, f64)> = groups.iter().map(|group| (variance(outputs, group), 0.0)).collect();
    for label in Groups::by_key(groups.iter().map(|group| rows.labels[group[0]])).iter() {
        let centre = column_means(&means, label);
        for &group in label {
            let mean = &means.values[group * means.columns..(group + 1) * means.columns];
            parts[group].1 = mean.iter().zip(&centre).map(|(value, centre)| (value - centre).powi(2)).sum();
        }
    }
    parts
}

/// The penalty `C` on these rows. None without a penalty, and where no group has two rows.
pub fn penalty_value(
    penalty: Penalty,
    outputs: &Outputs,
    losses: &[f64],
    rows: &Rows,
    normalise: Normalise,
) -> Option<f64> {
    let variance = penalty.variance()?;
    let ConditionalVariance { varying, power, given } = variance;
    let groups = given.groups(&rows.labels, &rows.groups);
    let variances = match varying {
        Varying::Logits if variance.is_of_residual() => group_variances(&rows.residuals(outputs), &groups),
        Varying::Logits => group_variances(outputs, &groups),
        Varying::Loss => group_variances(&Outputs { values: losses.to_vec(), columns: 1 }, &groups),
    };
    let powers: Vec<f64> = variances.iter().map(|variance| variance.powf(power.exponent())).collect();
    (!groups.is_trivial()).then(|| mean_over(&powers, &groups, normalise))
}

/// Of the groups with two rows or more.
fn group_variances(outputs: &Outputs, groups: &Groups) -> Vec<f64> {
    groups.larger().map(|rows| variance(outputs, rows)).collect()
}

fn mean_over(values: &[f64], groups: &Groups, normalise: Normalise) -> f64 {
    match normalise {
        Normalise::Grouped | Normalise::Batch => mean(values.iter().copied()),
        Normalise::All => values.iter().sum::<f64>() / groups.count() as f64,
    }
}

fn column_means(outputs: &Outputs, rows: &[usize]) -> Vec<f64> {
    let columns = outputs.columns;
    (0..columns).map(|k| mean(rows.iter().map(|&i| outputs.values[i * columns + k]))).collect()
}

/// Sum over the columns of the variance over these rows.
fn variance(outputs: &Outputs, rows: &[usize]) -> f64 {
    let columns = outputs.columns;
    let of_column = |(k, centre): (usize, f64)| {
        mean(rows.iter().map(|&i| (outputs.values[i * columns + k] - centre).powi(2)))
    };
    column_means(outputs, rows).into_iter().enumerate().map(of_column).sum()
}

#[cfg(test)]
mod tests {
    use corevar_data::Dataset;

    use super::*;

    fn column(values: &[f64]) -> Outputs {
        Outputs { values: values.to_vec(), columns: 1 }
    }

    fn of(outputs: &Outputs, groups: &Groups, normalise: Normalise) -> Decomposition {
        decompose(outputs, outputs, groups, normalise)
    }

    #[test]
    fn within_and_between_of_two_pairs() {
        // Pairs (1, 3) and (5, 5): variances 1 and 0, means 2 and 5.
        let groups = Groups::by_key([0, 0, 1, 1]);
        let parts = of(&column(&[1.0, 3.0, 5.0, 5.0]), &groups, Normalise::Grouped);
        assert_eq!((parts.within, parts.between), (Some(0.5), Some(2.25)));
        assert_eq!(parts.ratio(), Some(0.5 / 2.25));
    }

    #[test]
    fn single_rows_count_only_when_all_groups_do() {
        let groups = Groups::by_key([0, 0, 1]);
        let outputs = column(&[1.0, 3.0, 9.0]);
        assert_eq!(of(&outputs, &groups, Normalise::Grouped).within, Some(1.0));
        assert_eq!(of(&outputs, &groups, Normalise::All).within, Some(0.5));
    }

    #[test]
    fn groups_are_compared_with_those_of_the_same_label() {
        // Class a: pair (1, 3) and single row 8, so means 2 and 8 around 5. Class b: one row.
        let data = Dataset::features(["x"], vec![0.0; 4])
            .classes(&["a", "a", "a", "b"])
            .ids([Some(0), Some(0), None, None])
            .splits(["test"; 4])
            .check()
            .unwrap();
        let rows = Rows::new(&data, &data.splits()[0].rows, 1);
        let parts = group_parts(&column(&[1.0, 3.0, 8.0, 100.0]), &rows);
        assert_eq!(parts, [(1.0, 9.0), (0.0, 9.0), (0.0, 0.0)]);
    }

    #[test]
    fn without_groups_there_is_no_within() {
        let parts = of(&column(&[1.0, 3.0]), &Groups::by_key([0, 1]), Normalise::Grouped);
        assert_eq!((parts.within, parts.between, parts.ratio()), (None, Some(1.0), None));
    }
}
