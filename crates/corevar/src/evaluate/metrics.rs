//! Error, loss and the rest, from the model's outputs.

use std::collections::BTreeMap;

use corevar_data::Dataset;

use super::{Measure, calibration_error, decompose, penalty_value, subgroups};
use crate::outputs::{Outputs, log_sum_exp};
use crate::penalty::{Normalise, Penalty};
use crate::results::{ClassResult, SplitResult};
use crate::rows::{Rows, Task};
use corevar_data::Groups;

/// The loss of each row.
pub fn losses(outputs: &Outputs, rows: &Rows) -> Vec<f64> {
    let loss = |(position, row): (usize, &[f64])| match rows.number(position) {
        Some(target) => (row[0] - f64::from(target)).powi(2),
        None => log_sum_exp(row) - row[rows.labels[position] as usize],
    };
    outputs.rows().enumerate().map(loss).collect()
}

pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

pub(super) fn summarise(dataset: &Dataset, rows: &Rows, outputs: &Outputs, measure: Measure) -> SplitResult {
    let losses = losses(outputs, rows);
    let loss = mean(losses.iter().copied());
    let whole = decompose(&rows.residuals(outputs), outputs, &rows.groups, measure.normalise);
    let mut result = SplitResult {
        rows: rows.len(),
        // Of a regression: the root mean squared error, in units of the label.
        error: loss.sqrt(),
        loss,
        penalty: penalty_value(measure.penalty, outputs, &losses, rows, measure.normalise),
        within_variance: whole.within,
        between_variance: whole.between,
        variance_ratio: whole.ratio(),
        loss_sd: penalty_value(Penalty::LOSS_SD, outputs, &losses, rows, Normalise::Grouped),
        calibration_error: None,
        by_class: BTreeMap::new(),
        worst_group_error: None,
        guarded_error: None,
    };
    if let Some(Task::Classes(names)) = rows.task() {
        let wrong: Vec<bool> = outputs.predicted().iter().zip(&rows.labels).map(|(p, y)| p != y).collect();
        result.error = mean(wrong.iter().map(|&wrong| f64::from(u8::from(wrong))));
        result.calibration_error = Some(calibration_error(outputs, &rows.labels));
        result.by_class = by_class(&names, rows, outputs, &wrong, measure);
        result.worst_group_error = subgroups::worst_error(dataset, rows, &wrong);
    }
    result
}

fn by_class(
    names: &[String],
    rows: &Rows,
    outputs: &Outputs,
    wrong: &[bool],
    measure: Measure,
) -> BTreeMap<String, ClassResult> {
    let class_result = |(class, name): (usize, &String)| {
        let members: Vec<usize> = (0..rows.len()).filter(|&i| rows.labels[i] as usize == class).collect();
        let part = Outputs {
            values: members
                .iter()
                .flat_map(|&i| &outputs.values[i * outputs.columns..(i + 1) * outputs.columns])
                .copied()
                .collect(),
            columns: outputs.columns,
        };
        let groups = Groups::by_key(members.iter().map(|&i| rows.groups.of_row(i)));
        let variance = decompose(&part, &part, &groups, measure.normalise);
        (!members.is_empty()).then(|| {
            let result = ClassResult {
                rows: members.len(),
                error: mean(members.iter().map(|&i| f64::from(u8::from(wrong[i])))),
                within_variance: variance.within,
                between_variance: variance.between,
                variance_ratio: variance.ratio(),
            };
            (name.clone(), result)
        })
    };
    names.iter().enumerate().filter_map(class_result).collect()
}
