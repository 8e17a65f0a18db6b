//! Risk, penalty and ridge over the epochs: one thin line a run.

use std::collections::HashMap;

use corevar::results::Results;
use maud::{Markup, html};

use super::{Section, figure, panels, swatches, word};
use crate::names::{base_name, colour, display};
use crate::plot::{Line, Lines};
use crate::{EpochLine, Records};

pub const SECTION: Section = Section { id: "training", title: "Training", body };

struct Curve {
    title: &'static str,
    meaning: &'static str,
    of: fn(&EpochLine) -> Option<f64>,
}

const CURVES: [Curve; 3] = [
    Curve { title: "Risk", meaning: "Mean loss of the training rows.", of: |epoch| epoch.risk },
    Curve { title: "Penalty", meaning: "Before its weight λ.", of: |epoch| epoch.penalty },
    Curve { title: "Ridge", meaning: "With its weight γ.", of: |epoch| epoch.ridge },
];

fn body(records: &Records) -> Option<Markup> {
    if records.epochs.is_empty() {
        return Some(word("No curves: metrics.jsonl is missing or empty."));
    }
    let runs = runs(records);
    let names = names(&runs, &records.results);
    let figures: Vec<Markup> =
        CURVES.iter().map(|curve| curve.figure(&runs, &names, &records.results)).collect();
    let entry = |name: &&str| (colour(name, &records.results), display(name).to_string());
    let legend: Vec<_> = names.iter().map(entry).collect();
    Some(html! {
        (swatches(&legend))
        (panels(&figures))
    })
}

type Run<'a> = Vec<&'a EpochLine>;

/// The epochs of each run in order, runs in the order of their estimators. In files of earlier versions, which do not name the
/// setting, an epoch that does not go on begins another run: settings of a sweep can share name and seed.
fn runs(records: &Records) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    let mut open: HashMap<(&str, String, u64), usize> = HashMap::new();
    for line in &records.epochs {
        let setting = line.setting.as_ref().map_or_else(String::new, |setting| format!("{setting:?}"));
        let key = (line.estimator.as_str(), setting, line.seed);
        let goes_on = |index: &&usize| runs[**index].last().is_some_and(|last| last.epoch < line.epoch);
        match open.get(&key).filter(goes_on).copied() {
            Some(index) => runs[index].push(line),
            None => {
                open.insert(key, runs.len());
                runs.push(vec![line]);
            }
        }
    }
    let estimators = &records.results.estimators;
    let place = |run: &Run<'_>| {
        let name = base_name(&run[0].estimator, &records.results);
        estimators.iter().position(|estimator| estimator.name == name)
    };
    runs.sort_by_key(|run| place(run).unwrap_or(usize::MAX));
    runs
}

/// Of the estimators, each once.
fn names<'a>(runs: &[Run<'a>], results: &'a Results) -> Vec<&'a str> {
    let mut names: Vec<&str> = runs.iter().map(|run| base_name(&run[0].estimator, results)).collect();
    names.dedup();
    names
}

impl Curve {
    fn figure(&self, runs: &[Run<'_>], names: &[&str], results: &Results) -> Markup {
        // A term that an estimator does not have would only press the others to the edge.
        let is_used = |name: &str| {
            let values = runs.iter().filter(|run| base_name(&run[0].estimator, results) == name).flatten();
            values.filter_map(|epoch| (self.of)(epoch)).any(|value| value != 0.0)
        };
        let (used, unused): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| is_used(name));
        let shown = runs.iter().filter(|run| used.contains(&base_name(&run[0].estimator, results)));
        let lines: Vec<Line> = shown.map(|run| self.line(run, results)).collect();
        let description = format!("{} by epoch, one line a run, {} runs.", self.title, lines.len());
        let unused: Vec<&str> = unused.into_iter().map(display).collect();
        let note = html! {
            (self.meaning)
            @if !unused.is_empty() { " Zero throughout: " (unused.join(", ")) "." }
        };
        let plot = Lines { description, lines }.svg();
        figure(self.title, note, plot.unwrap_or_else(|| word("Nothing to draw.")))
    }

    fn line(&self, run: &Run<'_>, results: &Results) -> Line {
        let point = |epoch: &&EpochLine| {
            let value = (self.of)(epoch).filter(|value| value.is_finite())?;
            Some((epoch.epoch, value))
        };
        Line {
            colour: colour(base_name(&run[0].estimator, results), results),
            points: run.iter().filter_map(point).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    fn line(estimator: &str, seed: u64, epoch: u64) -> EpochLine {
        EpochLine {
            estimator: estimator.into(),
            setting: None,
            seed,
            epoch,
            risk: Some(1.0),
            penalty: None,
            ridge: Some(0.0),
        }
    }

    #[test]
    fn runs_that_mix_in_the_file_are_told_apart() {
        let mut records = samples::small();
        let (a, b) = (|epoch| line("core", 0, epoch), |epoch| line("core", 1, epoch));
        records.epochs = vec![a(1), b(1), a(2), b(2), line("pooled", 0, 1), a(1), a(2)];
        let runs: Vec<(&str, u64, usize)> =
            runs(&records).iter().map(|run| (run[0].estimator.as_str(), run[0].seed, run.len())).collect();
        assert_eq!(runs, [("pooled", 0, 1), ("core", 0, 2), ("core", 1, 2), ("core", 0, 2)]);
    }

    #[test]
    fn settings_of_a_sweep_share_a_colour_and_a_name() {
        let mut records = samples::small();
        records.epochs =
            vec![line("core-l-1-ridge0", 0, 1), line("pooled-ridge0", 0, 1), line("core-l-9-ridge0", 0, 1)];
        let page = body(&records).unwrap().into_string();
        assert_eq!(page.matches("<li>").count(), 2);
        assert!(page.contains("CoRe</li>") && !page.contains("ridge0"), "{page}");
    }

    #[test]
    fn a_term_that_is_not_used_is_named_instead_of_drawn() {
        let mut records = samples::small();
        records.epochs = vec![line("pooled", 0, 1), line("core", 0, 1)];
        let page = body(&records).unwrap().into_string();
        assert_eq!(page.matches("Nothing to draw.").count(), 2);
        assert_eq!(page.matches("Zero throughout: pooled, CoRe.").count(), 2);
    }

    #[test]
    fn without_epochs_there_is_a_word() {
        let records = Records { epochs: Vec::new(), ..samples::small() };
        assert!(body(&records).unwrap().into_string().contains("metrics.jsonl is missing or empty"));
    }
}
