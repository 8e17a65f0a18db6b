//! Results as a table of text: one line per estimator, one column per split.

use std::collections::BTreeSet;

use corevar::check::{CheckReport, Verdict};
use corevar::evidence::{Evidence, StressCurve};
use corevar::penalty::weight;
use corevar::results::{EstimatorResult, Numbers, Results, RunResult, Setting};
use corevar::stress::WorstCase;
use corevar_data::{BySplit, SplitName};
use corevar_paper::Reproduction;

use crate::output::one_line;

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
    let weight = weight::shown(estimator.penalty_weight);
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
    let of = |numbers: &BySplit<Numbers>| numbers.get(split)?.error;
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

/// An experiment: its table, and its findings.
pub fn reproduction(record: &Reproduction) -> String {
    let source = record.source.name();
    let paper = if record.has_paper() { " [paper]" } else { "" };
    let mut text = format!(
        "{}, {} (data: {source})\n{}\nerror in %, mean ± standard error{paper}\n\n{}\n",
        record.experiment,
        record.size,
        record.title,
        align(&record.table())
    );
    if !record.findings.is_empty() {
        text += &format!("{}:\n", record.heading_of_findings());
        for judged in &record.findings {
            text += &format!("  {}: {}\n", judged.finding.text, judged.verdict());
        }
        text += "\n";
    }
    text
}

/// Beside the errors: loss, calibration, worst group, variances, robustness; one block per split, one line per estimator.
pub fn details(results: &Results, evidence: &Evidence) -> String {
    let mut text = String::new();
    for split in results.data.split_names() {
        let head = [
            "",
            "loss",
            "95 % interval of the error",
            "calibration error",
            "worst group",
            "penalty",
            "within",
            "between",
            "ratio",
            "guarded at k = 1",
            "at k = 3",
        ];
        let mut rows = vec![head.map(String::from).to_vec()];
        for estimator in &results.estimators {
            let Some(numbers) = estimator.mean.get(split) else { continue };
            let several = results.estimators.iter().filter(|other| other.name == estimator.name).count() > 1;
            let seen = evidence.models.iter().find(|model| model.setting.is_of(estimator));
            let seen = seen.and_then(|model| model.splits.get(split));
            let interval = seen.and_then(|seen| seen.error).map(|error| {
                let scale = if results.data.classes.is_empty() { 1.0 } else { 100.0 };
                format!("{:.2} to {:.2}", scale * error.low, scale * error.high)
            });
            let mut row = vec![label(estimator, several), number(numbers.loss)];
            row.push(interval.unwrap_or_else(|| "-".into()));
            let others = [
                numbers.calibration_error,
                numbers.worst_group_error,
                numbers.penalty,
                numbers.within_variance,
                numbers.between_variance,
                numbers.variance_ratio,
            ];
            row.extend(others.map(number));
            row.extend([1, 3].map(|k| number(guarded(estimator, split, k))));
            rows.push(row);
        }
        text += &format!("\n{split}\n{}", align(&rows));
    }
    text
}

/// The guarded error at k SDs, mean over the runs.
fn guarded(estimator: &EstimatorResult, split: &str, k: usize) -> Option<f64> {
    let of_run = |run: &RunResult| run.splits.get(split)?.guarded_error.as_ref()?.get(k).copied();
    let errors: Vec<f64> = estimator.runs.iter().map(of_run).collect::<Option<_>>()?;
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.4}"))
}

/// One line per intervention and strength, one column per model: error and share of changed answers.
pub fn stress(split: &str, curves: &[StressCurve], worst: &[WorstCase]) -> String {
    let models: Vec<&Setting> = worst.iter().map(|worst| &worst.model).collect();
    let name = |setting: &Setting| match setting.penalty.as_str() {
        "none" => format!("{}-{}", setting.name, setting.seed),
        _ => format!("{}-{} λ={}", setting.name, setting.seed, setting.penalty_weight),
    };
    let percent =
        |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{:.1}", 100.0 * value));
    let head = std::iter::once(format!("error (answers changed, ids with a change) in %, {split}"));
    let mut rows = vec![head.chain(models.iter().map(|model| name(model))).collect::<Vec<String>>()];
    let plain = |worst: &WorstCase| format!("{:.1}", 100.0 * worst.plain_error);
    rows.push(std::iter::once("no intervention".to_string()).chain(worst.iter().map(plain)).collect());
    let mut kinds: Vec<&str> = curves.iter().map(|curve| curve.intervention.as_str()).collect();
    kinds.dedup();
    let first = curves.first().map(|curve| &curve.model);
    kinds.truncate(curves.iter().filter(|curve| Some(&curve.model) == first).count());
    for kind in kinds {
        let of_kind: Vec<&StressCurve> = curves.iter().filter(|curve| curve.intervention == kind).collect();
        for place in 0..of_kind.first().map_or(0, |curve| curve.points.len()) {
            let cell = |curve: &&StressCurve| {
                let point = curve.points[place];
                let flips = [point.flip_rate, point.id_flip_rate].map(percent);
                format!("{} ({}, {})", percent(point.error), flips[0], flips[1])
            };
            let strength = of_kind[0].points[place].strength;
            rows.push(
                std::iter::once(format!("{kind}={strength}")).chain(of_kind.iter().map(cell)).collect(),
            );
        }
    }
    let cell = |worst: &WorstCase| {
        format!(
            "{:.1} ({:.1}, {:.1})",
            100.0 * worst.error,
            100.0 * worst.flip_rate,
            100.0 * worst.id_flip_rate
        )
    };
    rows.push(std::iter::once("worst of the strongest".to_string()).chain(worst.iter().map(cell)).collect());
    align(&rows)
}

/// One line per measure of a check.
pub fn check(report: &CheckReport) -> String {
    let head = ["measure", "value", "95 % interval", "limit", "result"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for finding in &report.findings {
        let show = |value: f64| finding.measure.show(value, report.is_regression);
        let interval = finding.low.zip(finding.high).map(|(low, high)| {
            let (low, high) = (show(low), show(high));
            let bare = low.strip_suffix(" SD").or(low.strip_suffix(" %")).unwrap_or(&low);
            format!("{bare} to {high}")
        });
        let result = match finding.verdict {
            Verdict::Pass => "pass",
            Verdict::Broken => "FAIL",
            Verdict::Unmeasured => "NOT MEASURED",
            _ => "-",
        };
        let cell = |text: Option<String>| text.unwrap_or_else(|| "-".into());
        rows.push(vec![
            finding.measure.name().into(),
            cell(finding.value.map(show)),
            cell(interval),
            cell(finding.limit.map(show)),
            result.into(),
        ]);
    }
    align(&rows)
}

/// How much was checked, and what the reader of its table should know.
pub fn check_notes(report: &CheckReport) -> String {
    let mut text = format!("\n{}: {} rows, {} ids\n", report.data, report.rows, report.ids);
    for finding in &report.findings {
        for note in &finding.notes {
            text += &format!("{}: {note}\n", finding.measure.name());
        }
    }
    text
}

/// Coefficients that are printed; the report has more.
const COEFFICIENTS: usize = 5;

/// One line per penalty weight: loss and penalty on held-out rows, errors, style, coefficients. `held_out` are the results with a
/// split `val`.
pub fn path(results: &Results, held_out: &Results, evidence: &Evidence) -> String {
    let tests: Vec<&str> =
        results.data.split_names().into_iter().filter(|name| *name != SplitName::TRAIN).collect();
    let percent = if results.data.classes.is_empty() { "" } else { " %" };
    // A path of one ridge and one penalty is told apart by λ alone.
    let settings: BTreeSet<(&str, u64)> =
        results.estimators.iter().map(|one| (one.penalty.as_str(), one.ridge.to_bits())).collect();
    let several = settings.len() > 2;
    let first = if several { "setting" } else { "λ" };
    let mut head: Vec<String> = [first, "loss on val", "penalty on val"].map(String::from).to_vec();
    head.extend(tests.iter().map(|split| format!("{split}{percent}")));
    head.push("in style".into());
    let names = evidence.linear.first().map(|model| model.coefficients.iter().take(COEFFICIENTS));
    head.extend(names.into_iter().flatten().map(|coefficient| coefficient.feature.clone()));
    let mut rows = vec![head];
    for estimator in &results.estimators {
        let model = evidence.linear.iter().find(|model| model.setting.is_of(estimator));
        let is_same = |other: &&EstimatorResult| {
            (&other.penalty, other.penalty_weight, other.ridge)
                == (&estimator.penalty, estimator.penalty_weight, estimator.ridge)
        };
        let of_val = held_out.estimators.iter().find(is_same);
        let val = of_val.and_then(|one| one.mean.get(SplitName::VALIDATION)).copied().unwrap_or_default();
        let mark = if estimator.chosen { " *" } else { "" };
        let name = match several {
            true => label(estimator, true),
            false => format!("{}{mark}", weight::shown(estimator.penalty_weight)),
        };
        let mut row = vec![name, number(val.loss), number(val.penalty)];
        row.extend(tests.iter().map(|split| error(estimator, split, results.data.classes.is_empty())));
        let style = model
            .and_then(|model| model.style.as_ref())
            .map(|style| style.weight_shares.iter().copied().fold(0.0, f64::max));
        row.push(style.map_or_else(|| "-".into(), |share| format!("{:.1} %", 100.0 * share)));
        let last = |weights: &[f64]| weights.last().copied();
        let coefficients = model.iter().flat_map(|model| &model.coefficients).take(COEFFICIENTS);
        row.extend(coefficients.map(|coefficient| number(last(&coefficient.weights))));
        rows.push(row);
    }
    align(&rows)
}

/// First column to the left, the others to the right, two spaces between.
fn align(rows: &[Vec<String>]) -> String {
    // A name with a line break in it must not break the table.
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell)).collect()).collect();
    let columns = rows.first().map_or(0, Vec::len);
    let width = |k: usize| rows.iter().map(|row| row[k].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in &rows {
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
