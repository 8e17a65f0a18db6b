//! Results as a table of text: a line an estimator, a column a split.

use corevar::results::{EstimatorResult, Results};

/// Errors as mean ± standard error over the runs.
pub fn errors(results: &Results) -> String {
    let splits = results.data.split_names();
    let is_regression = results.data.classes.is_empty();
    let head = std::iter::once(if is_regression { "rms error" } else { "error in %" });
    let mut rows: Vec<Vec<String>> = vec![head.chain(splits.iter().copied()).map(String::from).collect()];
    for estimator in &results.estimators {
        let cell = |split: &&str| error(estimator, split, is_regression);
        let several = results.estimators.iter().filter(|other| other.name == estimator.name).count() > 1;
        rows.push(std::iter::once(label(estimator, several)).chain(splits.iter().map(cell)).collect());
    }
    align(&rows)
}

/// Of `several` settings with that name, the ridge tells them apart and a star marks the chosen one.
fn label(estimator: &EstimatorResult, several: bool) -> String {
    let weight = match estimator.penalty_weight {
        f64::INFINITY => "∞".into(),
        weight => weight.to_string(),
    };
    let name = match estimator.penalty.as_str() {
        "none" => estimator.name.clone(),
        penalty if penalty == estimator.name => format!("{penalty} λ={weight}"),
        penalty => format!("{} ({penalty} λ={weight})", estimator.name),
    };
    let ridge = if several { format!(" ridge={}", estimator.ridge) } else { String::new() };
    let mark = if several && estimator.chosen { " *" } else { "" };
    format!("{name}{ridge}{mark}")
}

fn error(estimator: &EstimatorResult, split: &str, is_regression: bool) -> String {
    let of =
        |numbers: &std::collections::BTreeMap<String, corevar::results::Numbers>| numbers.get(split)?.error;
    let show = |value: f64| match is_regression {
        true => format!("{value:.4}"),
        false => format!("{:.2}", 100.0 * value),
    };
    match (of(&estimator.mean), of(&estimator.standard_error)) {
        (Some(mean), Some(spread)) => format!("{} ± {}", show(mean), show(spread)),
        (Some(mean), None) => show(mean),
        (None, _) => "-".into(),
    }
}

/// First column to the left, the others to the right, two spaces between.
fn align(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        text += &format!("{:<1$}", row[0], widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            text += &format!("  {cell:>width$}");
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_characters_not_bytes() {
        let row = |cells: [&str; 2]| cells.map(String::from).to_vec();
        let text = align(&[row(["name", "test"]), row(["core λ=1", "1.5 ± 0.1"])]);
        assert_eq!(text, "name           test\ncore λ=1  1.5 ± 0.1\n");
    }
}
