//! The sections of a card.

use corevar::Task;
use corevar::evidence::{Interval, StressCurve};
use corevar::model::InputShape;
use corevar::penalty::weight;
use corevar::results::{EstimatorResult, SplitResult};
use corevar::study::sentence;
use corevar_data::SplitName;

use super::Subject;
use super::escape::{markdown, prose};
use crate::names::display;

type Body = fn(&Subject<'_>) -> Option<String>;

/// In the order of the page. A section without content is left out.
pub const SECTIONS: [(&str, Body); 9] = [
    ("Data", data),
    ("Grouping", grouping),
    ("Estimator", estimator),
    ("Errors", errors),
    ("Guarded error", guarded),
    ("Stress", stress),
    ("Limits", limits),
    ("Use", usage),
    ("Made with", made_with),
];

/// Names of a list that are shown.
const MOST_NAMES: usize = 20;

pub fn title(subject: &Subject<'_>) -> String {
    let what = match subject.is_regression() {
        true => "predicts a number".to_string(),
        false => format!("tells {} classes apart", subject.records.results.data.classes.len()),
    };
    let inputs = if subject.are_images() { "pictures" } else { "rows of features" };
    format!(
        "\n# {} on {}\n\nThis model {what} from {inputs}. It was trained with corevar, whose penalty \
         makes a model ignore style: what differs between rows that show the same object.\n",
        display(&subject.estimator.name),
        markdown(subject.name()),
    )
}

fn data(subject: &Subject<'_>) -> Option<String> {
    let data = &subject.records.results.data;
    let mut text = format!("{} rows of {}.", data.rows, markdown(&data.name));
    if !data.classes.is_empty() {
        text += &format!(" Classes: {}.", list(&data.classes));
    }
    match subject.found.model.input() {
        InputShape::Image { height, width, channels } => {
            let colour = if channels == 1 { "grey" } else { "colour" };
            text += &format!(" Pictures of {height}x{width} pixels (height x width), {colour}.");
        }
        InputShape::Features(count) => {
            text += &format!(" Features ({count}): {}.", list(subject.found.model.features()));
        }
        _ => {}
    }
    if let Some(fingerprint) = &subject.found.model.origin().data {
        text += &format!(" Fingerprint: `{}`.", fingerprint.replace('`', ""));
    }
    text += "\n\n| split | rows |\n|---|---:|\n";
    for (split, rows) in data.splits.iter() {
        text += &format!("| {} | {rows} |\n", markdown(split));
    }
    Some(text)
}

fn list(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| markdown(name)).collect();
    match names.len().saturating_sub(MOST_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn grouping(subject: &Subject<'_>) -> Option<String> {
    let data = &subject.records.results.data;
    let what = if subject.is_regression() { "an id" } else { "a label and an id" };
    match data.groups {
        0 => None,
        groups => Some(format!(
            "{} training rows in {groups} groups of two rows or more. Rows of one group share {what}, so they show the same object; what \
             differs between them counts as style.",
            data.grouped_rows
        )),
    }
}

fn estimator(subject: &Subject<'_>) -> Option<String> {
    let EstimatorResult { name, penalty, penalty_weight, ridge, runs, .. } = subject.estimator;
    let mut text =
        format!("- Estimator: {}\n- Model: {}\n", display(name), subject.found.model.spec().name());
    if penalty != "none" {
        text += &format!("- Penalty: {penalty} with weight λ = {}\n", weight::shown(*penalty_weight));
    }
    text += &format!("- Ridge: {ridge}\n- Seed of this model: {}\n", subject.found.setting.seed);
    if runs.len() > 1 {
        text +=
            &format!("- Trained {} times with different seeds; this card is for the first run\n", runs.len());
    }
    text += "- All settings: `config.toml`\n";
    let selection = subject
        .records
        .results
        .selection
        .as_ref()
        .filter(|_| subject.estimator.chosen || subject.records.path.is_some());
    if let Some(selection) = selection {
        text += &format!("\n{}\n", prose(&sentence(selection, subject.is_regression())));
    }
    Some(text)
}

fn errors(subject: &Subject<'_>) -> Option<String> {
    if subject.estimator.mean.is_empty() {
        return None;
    }
    let several = subject.estimator.runs.len() > 1;
    let pooled =
        subject.records.results.main("pooled").filter(|pooled| pooled.name != subject.estimator.name);
    let unit = if subject.is_regression() { "root mean squared error" } else { "error in %" };
    let mut head =
        vec!["split".to_string(), "rows".into(), format!("{unit}, this model"), "95 % interval".into()];
    if several {
        head.push("mean ± standard error of the runs".into());
    }
    if pooled.is_some() {
        head.push("pooled model".into());
    }
    let mut table = vec![head];
    for (split, numbers) in subject.estimator.mean.iter() {
        let own = own_result(subject, split);
        let cell = |value: Option<String>| value.unwrap_or_else(|| "not known".into());
        let mut row = vec![
            markdown(split),
            cell(own.map(|own| own.rows.to_string())),
            cell(own.map(|own| show(subject, own.error))),
            cell(interval(subject, split).map(|Interval { low, high, .. }| {
                format!("{} to {}", show(subject, low), show(subject, high))
            })),
        ];
        if several {
            let spread = subject.estimator.standard_error.get(split).and_then(|numbers| numbers.error);
            let spread = spread.map_or_else(String::new, |spread| format!(" ± {}", show(subject, spread)));
            row.push(cell(numbers.error.map(|error| show(subject, error) + &spread)));
        }
        if let Some(pooled) = pooled {
            let error = pooled.mean.get(split).and_then(|numbers| numbers.error);
            row.push(cell(error.map(|error| show(subject, error))));
        }
        table.push(row);
    }
    Some(format!("{}\nIntervals by bootstrap over ids.\n", rows_of(&table)))
}

fn own_result<'a>(subject: &Subject<'a>, split: &str) -> Option<&'a SplitResult> {
    let seed = subject.found.setting.seed;
    let runs = &subject.estimator.runs;
    runs.iter().find(|run| run.seed == seed).or(runs.first())?.splits.get(split)
}

fn interval(subject: &Subject<'_>, split: &str) -> Option<Interval> {
    let evidence = subject.evidence.filter(|evidence| evidence.setting.seed == subject.found.setting.seed)?;
    evidence.splits.get(split)?.error
}

fn show(subject: &Subject<'_>, error: f64) -> String {
    if subject.is_regression() { format!("{error:.4}") } else { format!("{:.2}", 100.0 * error) }
}

/// The first row is the head; columns but the first are to the right.
fn rows_of(table: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let columns = table.first().map_or(0, Vec::len);
    let rule = format!("|---{}|\n", "|---:".repeat(columns.saturating_sub(1)));
    table
        .iter()
        .enumerate()
        .map(|(place, row)| if place == 0 { line(row) + &rule } else { line(row) })
        .collect()
}

fn guarded(subject: &Subject<'_>) -> Option<String> {
    let splits = subject.estimator.mean.keys().filter(|split| !split.is_train());
    let curves: Vec<(&SplitName, &Vec<f64>)> = splits
        .filter_map(|split| Some((split, own_result(subject, split)?.guarded_error.as_ref()?)))
        .collect();
    let most = curves.iter().map(|(_, curve)| curve.len()).max()?;
    let head = std::iter::once("split".to_string()).chain((0..most).map(|k| format!("k = {k}")));
    let mut table: Vec<Vec<String>> = vec![head.collect()];
    for (split, curve) in curves {
        let cell = |k: usize| curve.get(k).map_or_else(|| "not known".into(), |error| show(subject, *error));
        table.push(std::iter::once(markdown(split)).chain((0..most).map(cell)).collect());
    }
    let what = match subject.is_regression() {
        true => {
            "The root mean squared error after the worst style shift of k standard deviations inside groups."
        }
        false => {
            "Share of answers in % that are wrong or that a style shift of k standard deviations inside groups could turn; each class \
                  counts alike."
        }
    };
    Some(format!("{what}\n\n{}", rows_of(&table)))
}

fn stress(subject: &Subject<'_>) -> Option<String> {
    let curves = &subject.records.evidence.as_ref()?.stress;
    let own: Vec<&StressCurve> = curves.iter().filter(|curve| curve.model.is_of(subject.estimator)).collect();
    if own.is_empty() {
        return None;
    }
    let mut table = vec![["intervention", "split", "error", "changed answers"].map(String::from).to_vec()];
    for curve in own {
        for point in &curve.points {
            let percent = |share: Option<f64>| {
                share.map_or_else(|| "not known".into(), |share| format!("{:.2} %", 100.0 * share))
            };
            let error = match subject.is_regression() {
                true => point.error.map_or_else(|| "not known".into(), |error| format!("{error:.4}")),
                false => percent(point.error),
            };
            let what = format!("{} = {}", markdown(&curve.intervention), point.strength);
            table.push(vec![what, markdown(&curve.split), error, percent(point.flip_rate)]);
        }
    }
    Some(rows_of(&table))
}

/// What was not tested, and what the model said of itself.
fn limits(subject: &Subject<'_>) -> Option<String> {
    let results = &subject.records.results;
    let model = &subject.found.model;
    let is_tested = results.data.splits.keys().any(SplitName::is_test);
    let stressed = subject.records.evidence.as_ref().is_some_and(|evidence| !evidence.stress.is_empty());
    let mut lines: Vec<String> = Vec::new();
    let mut says = |holds: bool, line: &str| {
        if holds {
            lines.push(line.into());
        }
    };
    says(
        !is_tested,
        "There was no test split: the errors above are on rows that the model or its settings saw.",
    );
    says(results.data.groups == 0, "No two training rows shared an id, so nothing is known about style.");
    says(
        model.style().is_none(),
        "No group was held out: answers have no style radius, and there is no guarded error.",
    );
    says(
        subject.are_images() && !stressed,
        "Interventions such as blur or rotation were not tried (`corevar stress`).",
    );
    says(
        subject.estimator.runs.len() == 1 && model.linear().is_none(),
        "It was trained once: how much the errors vary with the seed is not known.",
    );
    says(
        model.reference().and_then(|reference| reference.drift.as_ref()).is_none(),
        "The file has no statistics of the training rows: `corevar check` cannot tell drift.",
    );
    says(
        true,
        "Only the splits above were tested. Style that does not vary inside the training groups is not covered.",
    );
    let cautions = results.selection.iter().flat_map(|selection| &selection.cautions);
    lines.extend(cautions.chain(model.notes()).map(|line| prose(line)));
    Some(lines.iter().map(|line| format!("- {line}\n")).collect())
}

fn usage(subject: &Subject<'_>) -> Option<String> {
    let file = &subject.file;
    let (answer, numbers) = match subject.found.model.task() {
        Task::Regression => ("numbers()[0]", "predict(rows)"),
        _ => ("labels()[0]", "predict_proba(rows)"),
    };
    Some(format!(
        "From the folder of this card:\n\n```sh\ncorevar predict {file} new.csv --out answers.csv\ncorevar check {file} new.csv\n```\n\n\
         In Python:\n\n```python\nimport corevar\n\nmodel = corevar.Model.load(\"{file}\")\nmodel.{numbers}\n```\n\n\
         In Rust:\n\n```rust\nlet model = corevar::Model::load(\"{file}\")?;\nprintln!(\"{{}}\", model.predict(&rows)?.{answer});\n```\n"
    ))
}

fn made_with(subject: &Subject<'_>) -> Option<String> {
    let evidence = subject.records.evidence.as_ref()?;
    let versions = &evidence.versions;
    Some(format!(
        "corevar {} (Burn {}) on {}, {}.",
        markdown(&versions.corevar),
        markdown(&versions.burn),
        markdown(&versions.target),
        markdown(&evidence.times.gathered)
    ))
}
