//! The header of a card, in the YAML that the Hugging Face Hub reads.

use corevar_data::SplitName;

use super::Subject;
use super::escape::{slug, yaml};

/// License, library, task, tags and the results by split. Whose data a model was trained on, and what they allow, this program does not
/// know.
pub fn header(subject: &Subject<'_>) -> String {
    let mut text = String::from("---\nlicense: unknown\nlibrary_name: corevar\n");
    let task = task(subject);
    if let Some(tag) = task.pipeline_tag {
        text += &format!("pipeline_tag: {tag}\n");
    }
    text += "tags:\n- corevar\n- conditional-variance-penalty\n- domain-shift\n- robustness\n";
    text += &format!("- {}\n", subject.found.model.spec().name());
    text += &model_index(subject, &task);
    text + "---\n"
}

struct Kind {
    /// Of the Hub's list; it has none for numbers of pictures.
    pipeline_tag: Option<&'static str>,
    name: &'static str,
}

fn task(subject: &Subject<'_>) -> Kind {
    match (subject.are_images(), subject.is_regression()) {
        (true, false) => Kind { pipeline_tag: Some("image-classification"), name: "image-classification" },
        (true, true) => Kind { pipeline_tag: None, name: "image-regression" },
        (false, false) => {
            Kind { pipeline_tag: Some("tabular-classification"), name: "tabular-classification" }
        }
        (false, true) => Kind { pipeline_tag: Some("tabular-regression"), name: "tabular-regression" },
    }
}

/// Means over the runs, on every split that was not trained on. Empty without one: the Hub takes no empty list.
fn model_index(subject: &Subject<'_>, task: &Kind) -> String {
    let results = subject.estimator.mean.iter().filter(|(split, _)| !split.is_train());
    let results: String =
        results.filter_map(|(split, numbers)| result(subject, task, split, numbers.error?)).collect();
    match results.is_empty() {
        true => String::new(),
        false => format!("model-index:\n- name: {}\n  results:\n{results}", yaml(&model_name(subject))),
    }
}

fn model_name(subject: &Subject<'_>) -> String {
    format!("corevar {} on {}", subject.estimator.name, subject.name())
}

fn result(subject: &Subject<'_>, task: &Kind, split: &SplitName, error: f64) -> Option<String> {
    if !error.is_finite() {
        return None;
    }
    let data = &subject.records.results.data.name;
    let metrics = match subject.is_regression() {
        true => metric("rmse", error, "Root mean squared error"),
        false => metric("accuracy", 1.0 - error, "Accuracy") + &metric("error_rate", error, "Error rate"),
    };
    Some(format!(
        "  - task:\n      type: {}\n    dataset:\n      name: {}\n      type: {}\n      split: {}\n    metrics:\n{metrics}",
        task.name,
        yaml(data),
        yaml(&slug(data)),
        yaml(split),
    ))
}

fn metric(kind: &str, value: f64, name: &str) -> String {
    // Without an exponent, which readers of YAML 1.1 take for text unless it has a point and a sign.
    let value = format!("{value:.6}");
    format!("    - type: {kind}\n      value: {value}\n      name: {name}\n")
}
