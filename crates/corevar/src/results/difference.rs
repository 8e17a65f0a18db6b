//! How the errors of two estimators on the same rows differ, and which differences are more than noise.

use corevar_data::SplitName;
use serde::{Deserialize, Serialize};

use super::Results;
use crate::model::ModelKind;

/// A difference counts as significant when chance alone would show one like it on any of the splits with at most this
/// probability.
const SIGNIFICANCE: f64 = 0.05;

/// The error of an estimator minus that of another one, paired over rows, as a mean over the runs. Both are the main estimators
/// of their names: see [`Results::main`]. Errors are fractions, or in the units of the label for a regression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Which rows.
    pub split: SplitName,
    /// Whose error.
    pub estimator: String,
    /// Minus whose error.
    pub against: String,
    /// Negative where `estimator` is better.
    pub error: f64,
    /// Lower end of the 95 % interval over ids and runs; None of a single id.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Two-sided, from the same draws as the interval; not corrected for the number of splits.
    pub p_value: Option<f64>,
    /// Rows of the split.
    pub rows: usize,
    /// Different ids among them; a row without an id counts as one.
    pub ids: usize,
    /// Training runs of the estimator that has fewer of them.
    pub runs: usize,
    /// Both are of this kind; a linear model has one run by nature.
    pub model: ModelKind,
    /// Error of the best constant answer on these rows: the most frequent class, or the mean label.
    pub constant_error: f64,
    /// How much the outputs of both depend on style; None without groups of two rows or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style_ratio: Option<StyleRatio>,
}

/// The variance of the outputs inside groups by that between groups of the same label, of two estimators, mean over the runs.
/// Neither the scale of the outputs nor the distance between the classes changes it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StyleRatio {
    /// Groups of two rows or more.
    pub groups: usize,
    /// Of `estimator`.
    pub estimator: f64,
    /// Of `against`.
    pub against: f64,
    /// Lower end of the 95 % interval of `estimator` by `against`.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A difference, and whether it is more than noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgedDifference<'a> {
    /// The difference.
    pub difference: &'a Difference,
    /// After Holm's correction for the number of splits.
    pub is_significant: bool,
}

impl Results {
    /// The differences by which an estimator is judged against another: on every test, or on `val` where there is no test.
    pub fn judged<'a>(&'a self, estimator: &str, against: &str) -> Vec<JudgedDifference<'a>> {
        let of_pair = |one: &&Difference| one.estimator == estimator && one.against == against;
        let all: Vec<&Difference> = self.differences.iter().filter(of_pair).collect();
        let has_test = all.iter().any(|one| one.split.is_test());
        let counted: Vec<&Difference> =
            all.into_iter().filter(|one| one.split.is_test() == has_test && !one.split.is_train()).collect();
        let p_values: Vec<f64> = counted.iter().map(|one| one.p_value.unwrap_or(1.0)).collect();
        let judge = |(difference, is_significant): (&'a Difference, bool)| JudgedDifference {
            difference,
            is_significant,
        };
        counted.into_iter().zip(holm(&p_values)).map(judge).collect()
    }
}

/// Holm's procedure: the smallest p-value of n must be at most 5 % / n, the next at most 5 % / (n − 1), and so on, up to the
/// first that is larger.
fn holm(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut significant = vec![false; p_values.len()];
    for (rank, place) in order.into_iter().enumerate() {
        if p_values[place].is_nan() || p_values[place] > SIGNIFICANCE / (p_values.len() - rank) as f64 {
            break;
        }
        significant[place] = true;
    }
    significant
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_earlier_versions_have_no_differences() {
        let data = r#"{"name":"a","rows":1,"grouped_rows":0,"groups":0,"classes":[],"splits":{"test":1}}"#;
        let text = format!(r#"{{"schema":"corevar.results/1","data":{data},"estimators":[]}}"#);
        let results: Results = serde_json::from_str(&text).unwrap();
        assert!(results.differences.is_empty() && results.judged("core", "pooled").is_empty());
        assert_eq!(serde_json::to_string(&results).unwrap(), text);
    }

    #[test]
    fn the_tests_count_and_not_the_rows_that_settings_were_chosen_by() {
        let of = |split: &str| Difference {
            split: split.into(),
            estimator: "core".into(),
            against: "pooled".into(),
            error: -0.1,
            low: Some(-0.2),
            high: Some(0.0),
            p_value: Some(0.04),
            rows: 10,
            ids: 10,
            runs: 1,
            model: ModelKind::Linear,
            constant_error: 0.5,
            style_ratio: None,
        };
        let data = r#"{"name":"a","rows":1,"grouped_rows":0,"groups":0,"classes":[],"splits":{}}"#;
        let text = format!(r#"{{"schema":"corevar.results/1","data":{data},"estimators":[]}}"#);
        let mut results: Results = serde_json::from_str(&text).unwrap();
        results.differences = vec![of("val"), of("test")];
        let judged = |results: &Results| -> Vec<(String, bool)> {
            let all = results.judged("core", "pooled");
            all.iter().map(|one| (one.difference.split.to_string(), one.is_significant)).collect()
        };
        assert_eq!(judged(&results), [("test".into(), true)]);
        results.differences.pop();
        assert_eq!(judged(&results), [("val".into(), true)]);
        let text = serde_json::to_string(&results).unwrap();
        assert!(text.contains(
            r#""split":"val","estimator":"core","against":"pooled","error":-0.1,"low":-0.2,"high":0.0"#
        ));
        assert_eq!(serde_json::from_str::<Results>(&text).unwrap(), results);
    }

    #[test]
    fn one_test_is_not_corrected() {
        assert_eq!(holm(&[0.05]), [true]);
        assert_eq!(holm(&[0.051]), [false]);
        assert_eq!(holm(&[]), [false; 0]);
    }

    #[test]
    fn of_several_the_smallest_p_value_is_held_to_the_strictest_limit() {
        // Limits: 0.0125, 0.01667, 0.025, 0.05.
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]), [true, false, false, true]);
        // 0.02 > 0.0125 stops all of them, although 0.02 alone would pass.
        assert_eq!(holm(&[0.02, 0.02, 0.02, 0.02]), [false; 4]);
        assert_eq!(holm(&[0.001, f64::NAN]), [true, false]);
    }
}
