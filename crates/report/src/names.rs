//! Names from the records: their order, how they are told apart, and which colour they have.

use std::collections::BTreeSet;

use corevar::results::{EstimatorResult, Results};
use corevar_data::SplitName;

use crate::format::exact;
use crate::plot::Colour;

/// An estimator with the name and the colour that it has on the whole page.
pub struct Named<'a> {
    /// Short, and different from every other one.
    pub label: String,
    pub colour: Colour,
    pub result: &'a EstimatorResult,
}

/// The estimators in the order of the records.
pub fn estimators<'a>(results: &'a Results) -> Vec<Named<'a>> {
    let named = |(result, label): (&'a EstimatorResult, String)| Named {
        label,
        colour: colour(&result.name, results),
        result,
    };
    results.estimators.iter().zip(labels(&results.estimators)).map(named).collect()
}

/// One colour a name, so that the settings of a sweep share that of their estimator. The four estimators of
/// the paper have theirs in every report.
pub fn colour(name: &str, results: &Results) -> Colour {
    const KNOWN: [&str; 4] = ["pooled", "core", "label-variance", "total-variance"];
    if let Some(index) = KNOWN.iter().position(|known| *known == name) {
        return Colour::Series(index);
    }
    let mut others: Vec<&str> = Vec::new();
    for estimator in &results.estimators {
        if !KNOWN.contains(&estimator.name.as_str()) && !others.contains(&estimator.name.as_str()) {
            others.push(&estimator.name);
        }
    }
    let index = others.iter().position(|other| *other == name).unwrap_or(others.len());
    Colour::Series(KNOWN.len() + index % (Colour::SERIES - KNOWN.len()))
}

/// Name of the estimator of a line of metrics. In a sweep these carry the setting: `core-logit-variance-0.1-ridge0.001`.
pub fn base_name<'a>(key: &'a str, results: &'a Results) -> &'a str {
    let is_of =
        |name: &&str| key.strip_prefix(*name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    let names = results.estimators.iter().map(|estimator| estimator.name.as_str());
    names.filter(is_of).max_by_key(|name| name.len()).unwrap_or(key)
}

/// As it is called in text.
pub fn display(name: &str) -> &str {
    if name == "core" { "CoRe" } else { name }
}

/// The word beside the setting that the page speaks of. Records without a rule cannot tell whether one chose it elsewhere.
pub fn mark(results: &Results) -> &'static str {
    if results.selection.is_some() { "chosen" } else { "main" }
}

/// The shortest of name, weight and ridge that tell all of them apart.
fn labels(estimators: &[EstimatorResult]) -> Vec<String> {
    let name = |e: &EstimatorResult| display(&e.name).to_string();
    let weight = |e: &EstimatorResult| format!("{} λ={}", display(&e.name), exact(e.penalty_weight));
    let ridge = |e: &EstimatorResult| format!("{} γ={}", weight(e), exact(e.ridge));
    let penalty = |e: &EstimatorResult| format!("{} {}", ridge(e), e.penalty);
    let forms: [&dyn Fn(&EstimatorResult) -> String; 4] = [&name, &weight, &ridge, &penalty];
    let distinct = |labels: &Vec<String>| labels.iter().collect::<BTreeSet<_>>().len() == labels.len();
    let mut candidates = forms.iter().map(|form| estimators.iter().map(form).collect());
    candidates.find(distinct).unwrap_or_else(|| {
        let numbered = |(index, e): (usize, &EstimatorResult)| format!("{} #{}", ridge(e), index + 1);
        estimators.iter().enumerate().map(numbered).collect()
    })
}

/// All splits that the records speak of, in order.
pub fn splits(results: &Results) -> Vec<&str> {
    let of_data = results.data.splits.keys();
    let of_results = results.estimators.iter().flat_map(|estimator| estimator.mean.keys());
    let names: BTreeSet<&SplitName> = of_data.chain(of_results).collect();
    names.into_iter().map(SplitName::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn train_and_val_come_first() {
        let mut results = samples::small().results;
        for name in ["val", "test10", "train", "a"] {
            results.data.splits.insert(name, 1);
        }
        assert_eq!(splits(&results), ["train", "val", "a", "test1", "test2", "test10"]);
    }

    #[test]
    fn settings_of_a_sweep_are_told_apart_by_what_differs() {
        let mut results = samples::small().results;
        let labels_of =
            |results: &Results| estimators(results).into_iter().map(|e| e.label).collect::<Vec<_>>();
        assert_eq!(labels_of(&results), ["pooled", "CoRe"]);
        results.estimators[0].name = "core".into();
        results.estimators[0].penalty_weight = 0.5;
        assert_eq!(labels_of(&results), ["CoRe λ=0.5", "CoRe λ=1"]);
        results.estimators[0] = results.estimators[1].clone();
        assert_eq!(labels_of(&results), ["CoRe λ=1 γ=0.001 #1", "CoRe λ=1 γ=0.001 #2"]);
    }

    #[test]
    fn settings_of_a_sweep_have_the_name_of_their_estimator() {
        let results = samples::of(1, 3, 1, 2).results;
        let keys = ["core", "core-logit-sd-0.1-ridge0.001", "label-variance-1", "corelation-1", "mine"];
        let names = keys.map(|key| base_name(key, &results));
        assert_eq!(names, ["core", "core", "label-variance", "corelation-1", "mine"]);
    }

    #[test]
    fn a_name_has_one_colour() {
        let mut results = samples::small().results;
        results.estimators[0].name = "mine".into();
        assert_eq!(colour("core", &results), Colour::Series(1));
        assert_eq!(colour("mine", &results), Colour::Series(4));
        assert_eq!(colour("unknown", &results), Colour::Series(5));
    }
}
