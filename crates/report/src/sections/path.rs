//! The path of the penalty weight: what the rule looked at, errors and variance ratio over λ, with the main one marked.

use corevar::results::{CriterionPoint, Numbers, Results, Selection};
use corevar::study::sentence;
use corevar_data::SplitName;
use maud::{Markup, html};

use super::{Section, figure, panels, swatches};
use crate::Records;
use crate::format::{Unit, exact};
use crate::measure::{Measure, error};
use crate::names::{Named, display, estimators, mark, splits};
use crate::plot::{Axis, Colour, Curve, CurvePoint, Curves, DOT, Mark, Spread};
use crate::weights::Weights;

pub const SECTION: Section = Section { id: "path", title: "Path of the penalty weight λ", body };

/// More would be a page of their own.
const MOST_PATHS: usize = 6;

/// One estimator under growing weights, all else equal.
struct Path<'a> {
    name: &'a str,
    ridge: f64,
    /// By growing weight; the pooled model, if it was trained, is weight 0.
    settings: Vec<Named<'a>>,
}

/// Only for records that hold a path, or a choice from one.
fn body(records: &Records) -> Option<Markup> {
    let results = records.path.as_ref().unwrap_or(&records.results);
    let selection = results.selection.as_ref().or(records.results.selection.as_ref());
    let all = paths(results);
    let several_ridges = all.iter().any(|path| path.ridge != all[0].ridge);
    let shown = all.iter().take(MOST_PATHS);
    (!all.is_empty() || selection.is_some()).then(|| {
        html! {
            @if let Some(selection) = selection { p { (sentence(selection, results.data.classes.is_empty())) " " (caution(selection)) } }
            @if all.len() > MOST_PATHS { p.note { "The first " (MOST_PATHS) " of " (all.len()) " paths." } }
            @for path in shown {
                @if all.len() > 1 {
                    h3 { (display(path.name)) @if several_ridges { ", γ = " (exact(path.ridge)) } }
                }
                (path.figures(results))
            }
        }
    })
}

/// Why neither of the other two weights is the choice.
fn caution(selection: &Selection) -> String {
    let oracle = match selection.oracle.is_some() {
        true => " The oracle has seen the test and stands here for comparison alone.",
        false => "",
    };
    let split = &selection.split;
    format!("The lowest loss is not the choice, because rows of {split} share the bias of training.{oracle}")
}

/// Estimators that share name, penalty and ridge and differ in their weight; those with the chosen one first.
fn paths(results: &Results) -> Vec<Path<'_>> {
    let mut keys: Vec<(&str, &str, f64)> = Vec::new();
    for estimator in results.estimators.iter().filter(|estimator| estimator.penalty != "none") {
        let key = (estimator.name.as_str(), estimator.penalty.as_str(), estimator.ridge);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut paths: Vec<Path<'_>> =
        keys.into_iter().filter_map(|(name, penalty, ridge)| path(results, name, penalty, ridge)).collect();
    paths.sort_by_key(|path| !path.settings.iter().any(|setting| setting.result.chosen));
    paths
}

/// None when there is only one weight.
fn path<'a>(results: &'a Results, name: &'a str, penalty: &str, ridge: f64) -> Option<Path<'a>> {
    let of_path = |named: &Named<'_>| {
        let estimator = named.result;
        estimator.ridge == ridge
            && (estimator.penalty == "none" || (estimator.name == name && estimator.penalty == penalty))
    };
    let mut settings: Vec<Named<'a>> = estimators(results).into_iter().filter(of_path).collect();
    settings.sort_by(|a, b| a.result.penalty_weight.total_cmp(&b.result.penalty_weight));
    settings.dedup_by(|a, b| a.result.penalty_weight == b.result.penalty_weight);
    let own = settings.iter().filter(|named| named.result.penalty != "none").count();
    (own > 1).then_some(Path { name, ridge, settings })
}

impl Path<'_> {
    fn figures(&self, results: &Results) -> Markup {
        let all = splits(results);
        let loss_split = self.loss_split(results);
        let loss = Measure {
            title: "Loss",
            meaning: "",
            unit: Unit::Plain,
            of: |numbers: &Numbers| numbers.loss,
            interval: None,
        };
        let ratio = Measure { title: "Variance ratio", of: |numbers| numbers.variance_ratio, ..loss };
        let error = error(results);
        let loss_note = match &results.selection {
            Some(_) => "As the models say it, for comparison.",
            None => "No rule was applied to it here.",
        };
        let loss_title = format!("Loss on {loss_split}");
        let others = [
            (loss_title.as_str(), loss_note, &loss, vec![loss_split]),
            (error.title, "By split.", &error, all.clone()),
            (
                "Variance ratio",
                "Within by between groups: the lower, the less of the output is style.",
                &ratio,
                all,
            ),
        ]
        .into_iter()
        .filter_map(|(title, note, measure, splits)| self.figure(results, title, note, measure, &splits));
        let criterion = results.selection.as_ref().and_then(|selection| self.criterion(results, selection));
        panels(&criterion.into_iter().chain(others).collect::<Vec<_>>())
    }

    /// What the rule looked at; None where its numbers were not recorded, or are those of another path.
    fn criterion(&self, results: &Results, selection: &Selection) -> Option<Markup> {
        let is_shown = |point: &&CriterionPoint| {
            let is_own = |named: &Named<'_>| {
                named.result.penalty == point.penalty
                    && named.result.penalty_weight == point.penalty_weight
                    && named.result.ridge == point.ridge
            };
            self.settings.iter().any(is_own)
        };
        let mut points: Vec<&CriterionPoint> = selection.criterion.iter().filter(is_shown).collect();
        if points.iter().filter(|point| point.penalty != "none").count() < 2 {
            return None;
        }
        points.sort_by(|a, b| a.penalty_weight.total_cmp(&b.penalty_weight));
        let is_regression = results.data.classes.is_empty();
        let unit = if selection.rule.is_guarded() && !is_regression { Unit::Percent } else { Unit::Plain };
        let weights = Weights::new(self.settings.iter().map(|setting| setting.result.penalty_weight));
        let point = |point: &&CriterionPoint| CurvePoint {
            x: weights.place(point.penalty_weight),
            y: unit.scale(point.value),
            range: None,
            size: DOT,
            tip: format!("λ = {}: {}", exact(point.penalty_weight), unit.show(Some(point.value), None)),
        };
        let curve =
            Curve { colour: Colour::Ink, points: points.iter().map(point).collect(), spread: Spread::Bars };
        let (title, note) = criterion_words(selection);
        let curves: Vec<Curve> = [curve].into_iter().chain(self.limit(selection, &weights)).collect();
        let plot = Curves {
            description: format!("{title} of {} over the penalty weight.", display(self.name)),
            across: weights.axis(),
            across_title: "penalty weight λ".into(),
            up: (unit == Unit::Percent).then(|| Axis::from_zero(ends(&curves))),
            curves,
            marks: self.marks(results, &weights),
        };
        Some(figure(title, html! { (note) }, html! { (plot.svg()?) }))
    }

    /// What the rule looked at; without one the validation rows, if there are any.
    fn loss_split<'r>(&self, results: &'r Results) -> &'r str {
        let has_validation = results.data.splits.contains_key(SplitName::VALIDATION);
        let usual = if has_validation { SplitName::VALIDATION } else { SplitName::TRAIN };
        results.selection.as_ref().map_or(usual, |selection| &selection.split)
    }

    fn figure(
        &self,
        results: &Results,
        title: &str,
        note: &str,
        measure: &Measure,
        shown: &[&str],
    ) -> Option<Markup> {
        let weights = Weights::new(self.settings.iter().map(|setting| setting.result.penalty_weight));
        let all = splits(results);
        let colour = |split: &str| Colour::of_split(all.iter().position(|name| *name == split).unwrap_or(0));
        let curve = |split: &str| {
            let points: Vec<CurvePoint> =
                self.settings.iter().filter_map(|setting| point(setting, measure, split, &weights)).collect();
            (!points.is_empty()).then(|| Curve { colour: colour(split), points, spread: Spread::Bars })
        };
        let (names, curves): (Vec<&str>, Vec<Curve>) =
            shown.iter().filter_map(|split| Some((*split, curve(split)?))).unzip();
        let plot = Curves {
            description: format!("{title} of {} over the penalty weight.", display(self.name)),
            across: weights.axis(),
            across_title: "penalty weight λ".into(),
            // Errors are compared with 0; the others may span decades.
            up: (measure.unit == Unit::Percent).then(|| Axis::from_zero(ends(&curves))),
            curves,
            marks: self.marks(results, &weights),
        };
        let legend = names.iter().map(|split| (colour(split), split.to_string())).collect::<Vec<_>>();
        let drawn = html! { @if legend.len() > 1 { (swatches(&legend)) } (plot.svg()?) };
        Some(figure(title, html! { (note) }, drawn))
    }

    /// A line at the largest loss that the rule allows.
    fn limit(&self, selection: &Selection, weights: &Weights) -> Option<Curve> {
        let y = selection.limit?;
        let ends = [self.settings.first()?, self.settings.last()?];
        let point = |setting: &Named<'_>| CurvePoint {
            x: weights.place(setting.result.penalty_weight),
            y,
            range: None,
            size: 0.0,
            tip: String::new(),
        };
        Some(Curve { colour: Colour::Muted, points: ends.map(point).to_vec(), spread: Spread::Reference })
    }

    /// Chosen, arg-min and oracle; those at the same weight share a line.
    fn marks(&self, results: &Results, weights: &Weights) -> Vec<Mark> {
        let chosen = self.settings.iter().find(|setting| setting.result.chosen);
        let mut named: Vec<(f64, String)> =
            chosen.map(|setting| (setting.result.penalty_weight, mark(results).into())).into_iter().collect();
        let has_chosen = chosen.is_some();
        if let Some(selection) = results.selection.as_ref().filter(|_| has_chosen && self.name == "core") {
            named.push((selection.arg_min, "lowest loss".into()));
            let oracle = selection.oracle.as_ref();
            named.extend(oracle.map(|oracle| (oracle.penalty_weight, format!("oracle on {}", oracle.split))));
        }
        let mut marks: Vec<(f64, String)> = Vec::new();
        for (weight, name) in named {
            match marks.iter_mut().find(|(other, _)| *other == weight) {
                Some((_, names)) => *names = format!("{names}, {name}"),
                None => marks.push((weight, name)),
            }
        }
        let colour = |name: &str| if name.starts_with(mark(results)) { Colour::Ink } else { Colour::Muted };
        let drawn = |(weight, name): (f64, String)| {
            let name = format!("{name}: {}", exact(weight));
            Mark { x: weights.place(weight), colour: colour(&name), name }
        };
        marks.into_iter().map(drawn).collect()
    }
}

/// Title of what the rule looked at, and a note on it.
fn criterion_words(selection: &Selection) -> (&'static str, &'static str) {
    match (selection.rule.is_guarded(), selection.limit.is_some()) {
        (true, _) => (
            "Error and guarded error",
            "The rule looks at this: the mean of the error and of the error after a style shift, on held-out rows.",
        ),
        (false, true) => (
            "Loss after one temperature",
            "The rule looks at this, on held-out rows. Grey: the largest that it allows.",
        ),
        (false, false) => ("Loss after one temperature", "The rule looks at this, on held-out rows."),
    }
}

/// Upper ends of all points.
fn ends(curves: &[Curve]) -> impl Iterator<Item = f64> {
    let points = curves.iter().flat_map(|curve| &curve.points);
    points.map(|point| point.range.map_or(point.y, |(_, high)| high))
}

fn point(setting: &Named<'_>, measure: &Measure, split: &str, weights: &Weights) -> Option<CurvePoint> {
    let (mean, spread) = measure.value(setting, split);
    let (y, spread) = (measure.unit.scale(mean?), spread.map(|spread| measure.unit.scale(spread)));
    let weight = setting.result.penalty_weight;
    Some(CurvePoint {
        x: weights.place(weight),
        y,
        range: spread.map(|spread| (y - spread, y + spread)),
        size: DOT,
        tip: format!("{split}, λ = {}: {}", exact(weight), measure.show(setting, split)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_path_has_three_plots_and_its_marks() {
        let page = body(&samples::path()).unwrap().into_string();
        assert_eq!(page.matches("<svg").count(), 4);
        for text in [
            "Loss after one temperature",
            "Loss on val",
            "Variance ratio",
            "chosen: 1",
            "lowest loss: 0.01",
            "oracle on test2: 10",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
        assert!(page.contains("at most 5 % of what is gained on val"), "{page}");
        assert!(page.contains("Grey: the largest that it allows."), "{page}");
        assert!(page.contains("<title>test2, λ = 0.1: "), "{page}");
    }

    #[test]
    fn a_path_without_a_rule_speaks_of_none() {
        let mut records = samples::path();
        records.results.selection = None;
        let page = body(&records).unwrap().into_string();
        assert!(page.contains(">main: 1</text>") && page.contains("No rule was applied"), "{page}");
        assert!(!page.contains("chosen") && !page.contains("The rule"), "{page}");
    }

    #[test]
    fn the_pooled_model_is_weight_zero_of_every_path() {
        let records = samples::path();
        let paths = paths(&records.results);
        let weights: Vec<f64> = paths[0].settings.iter().map(|named| named.result.penalty_weight).collect();
        assert_eq!((paths.len(), weights), (1, vec![0.0, 0.01, 0.1, 1.0, 10.0]));
    }

    #[test]
    fn a_path_beside_the_run_is_drawn_as_well() {
        let beside = samples::path().results;
        let records = Records { path: Some(beside), ..samples::small() };
        assert_eq!(body(&records).unwrap().into_string().matches("<svg").count(), 4);
        let mut records = samples::small();
        records.results.selection = samples::path().results.selection;
        let page = body(&records).unwrap().into_string();
        assert!(page.contains("Penalty weight λ = 1") && !page.contains("<svg"), "{page}");
    }

    #[test]
    fn two_estimators_are_no_path() {
        assert!(body(&samples::small()).is_none());
    }

    #[test]
    fn names_at_the_same_weight_share_a_line() {
        let mut records = samples::path();
        records.results.selection.as_mut().unwrap().arg_min = 1.0;
        let page = body(&records).unwrap().into_string();
        assert!(page.contains(">chosen, lowest loss: 1</text>"), "{page}");
    }
}
