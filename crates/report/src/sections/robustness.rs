//! Robustness to style: how many answers a style shift could turn, and how the loss would rise.

use corevar::evidence::{GuardedCurve, RobustnessCurve};
use corevar_data::SplitName;
use maud::{Markup, html};

use super::{Section, figure, panels, swatches};
use crate::Records;
use crate::format::{counted, number};
use crate::models::{Model, held_out, main_models};
use crate::plot::{Axis, Colour, Curve, CurvePoint, Curves, Spread};

pub const SECTION: Section = Section { id: "robustness", title: "Robustness to style shifts", body };

const SHIFT: &str = "size k of the style shift, in SDs inside groups";

/// More splits than this are named instead of drawn.
const MOST: usize = 8;

fn body(records: &Records) -> Option<Markup> {
    let models = main_models(records);
    let is_regression = records.results.data.classes.is_empty();
    let mut splits = held_out(records);
    splits.insert(0, SplitName::VALIDATION);
    let guarded: Vec<Markup> =
        splits.iter().filter_map(|split| guarded_errors(&models, split, is_regression)).collect();
    let by_class: Vec<Markup> = splits.iter().flat_map(|split| of_grouped_classes(&models, split)).collect();
    let losses: Vec<Markup> = splits.iter().filter_map(|split| first_order(&models, split)).collect();
    let legend: Vec<(Colour, String)> =
        models.iter().map(|model| (model.colour, model.label.clone())).collect();
    (!guarded.is_empty() || !losses.is_empty()).then(|| {
        html! {
            (swatches(&legend))
            @if !guarded.is_empty() {
                p.note {
                    @if is_regression {
                        "The guarded error: the root mean squared error after the worst style shift of k standard deviations (SDs) \
                         inside groups. At k\u{a0}=\u{a0}0 it is the error itself."
                    } @else {
                        "The guarded error: the share of rows whose answer is wrong, or could be turned by a style shift of k \
                         standard deviations (SDs) inside groups; every class counts alike. A flat curve ignores style."
                    }
                    " Exact for linear models and linear style, a first-order reading otherwise. SDs from held-out groups; the band \
                     holds 90\u{a0}% of the draws of ids."
                    (left_out(guarded.len()))
                }
                (panels(&guarded[..guarded.len().min(MOST)]))
            }
            @if !by_class.is_empty() {
                p.note {
                    "The same of the classes that have groups: what their style may do is seen, that of the others is taken to be alike."
                    (left_out(by_class.len()))
                }
                (panels(&by_class[..by_class.len().min(MOST)]))
            }
            @if !losses.is_empty() {
                p.note {
                    "The loss after a small style shift of √ξ SDs, approximated to first order: E[loss] + √ξ · C (Theorem\u{a0}2 of \
                     the paper). It lies below the worst case; beyond one SD it says little and is not drawn. The band holds \
                     95\u{a0}% of 1000 draws of groups."
                    (left_out(losses.len()))
                }
                (panels(&losses[..losses.len().min(MOST)]))
            }
        }
    })
}

fn left_out(found: usize) -> Markup {
    html! { @if found > MOST { " The first " (MOST) " of " (found) " splits." } }
}

fn guarded_errors(models: &[Model<'_>], split: &str, is_regression: bool) -> Option<Markup> {
    let guarded = |model: &Model<'_>| model.evidence.splits.get(split)?.guarded.clone();
    let found: Vec<(&Model<'_>, GuardedCurve)> =
        models.iter().filter_map(|model| Some((model, guarded(model)?))).collect();
    let first = &found.first()?.1;
    let (scale, unit) = if is_regression { (1.0, "") } else { (100.0, " %") };
    let curve = |(model, found): &(&Model<'_>, GuardedCurve)| {
        let points = found.points.iter().map(|point| {
            let range = point.low.zip(point.high).map(|(low, high)| (scale * low, scale * high));
            let doubt =
                range.map_or(String::new(), |(low, high)| format!(" ({} to {})", number(low), number(high)));
            let error = number(scale * point.error);
            let tip = format!("{}, k = {}: {error}{unit}{doubt}", model.label, number(point.k));
            CurvePoint { x: point.k, y: scale * point.error, range, size: 1.0, tip }
        });
        Curve { colour: model.colour, points: points.collect(), spread: Spread::Band }
    };
    let text = html! {
        @if is_regression { "Guarded rms error. " } @else { "Guarded error in %. " }
        (counted(first.groups, "group", "groups")) "."
        @if !first.grouped_classes.is_empty() {
            " Only " (first.grouped_classes.join(", ")) " has groups: the SDs are those of "
            @if first.grouped_classes.len() == 1 { "this class." } @else { "these classes." }
        }
    };
    let curves = found.iter().map(curve).collect();
    let description = format!("Guarded error by the size of a style shift on {split}.");
    plot(split, text, description, SHIFT, curves)
}

/// Where not every class has groups, a figure for each class that has.
fn of_grouped_classes(models: &[Model<'_>], split: &str) -> Vec<Markup> {
    let guarded = |model: &Model<'_>| model.evidence.splits.get(split)?.guarded.clone();
    let found: Vec<(&Model<'_>, GuardedCurve)> =
        models.iter().filter_map(|model| Some((model, guarded(model)?))).collect();
    let classes = found.first().map_or(Vec::new(), |(_, first)| first.grouped_classes.clone());
    let of_class = |class: &String| {
        let curve = |(model, found): &(&Model<'_>, GuardedCurve)| {
            let (_, errors) = found.by_class.iter().find(|(name, _)| name == class)?;
            let points = found.points.iter().zip(errors).map(|(point, error)| {
                let tip = format!("{}, k = {}: {} %", model.label, number(point.k), number(100.0 * error));
                CurvePoint { x: point.k, y: 100.0 * error, range: None, size: 1.0, tip }
            });
            Some(Curve { colour: model.colour, points: points.collect(), spread: Spread::Band })
        };
        let curves: Vec<Curve> = found.iter().filter_map(curve).collect();
        let text = html! { "Guarded error of " (class) " in %." };
        let description = format!("Guarded error of {class} by the size of a style shift on {split}.");
        (!curves.is_empty()).then(|| plot(split, text, description, SHIFT, curves)).flatten()
    };
    classes.iter().filter_map(of_class).collect()
}

fn first_order(models: &[Model<'_>], split: &str) -> Option<Markup> {
    let robustness = |model: &Model<'_>| model.evidence.splits.get(split)?.robustness.clone();
    let found: Vec<(&Model<'_>, RobustnessCurve)> =
        models.iter().filter_map(|model| Some((model, robustness(model)?))).collect();
    let groups = found.first()?.1.groups;
    let curve = |(model, found): &(&Model<'_>, RobustnessCurve)| {
        // Records of earlier versions go further than the approximation does.
        let points = found.points.iter().filter(|point| point.shift <= 1.0).map(|point| {
            let (x, [loss, low, high]) =
                (point.shift.sqrt(), [point.loss, point.low, point.high].map(number));
            let tip = format!("{}, √ξ = {}: loss {loss} ({low} to {high})", model.label, number(x));
            CurvePoint { x, y: point.loss, range: Some((point.low, point.high)), size: 1.0, tip }
        });
        Curve { colour: model.colour, points: points.collect(), spread: Spread::Band }
    };
    let text = html! { "Loss, to first order. " (counted(groups, "group", "groups")) "." };
    let curves = found.iter().map(curve).collect();
    plot(
        split,
        text,
        format!("Loss by the size of a small style shift on {split}."),
        "size √ξ of the shift",
        curves,
    )
}

fn plot(
    split: &str,
    text: Markup,
    description: String,
    across_title: &str,
    curves: Vec<Curve>,
) -> Option<Markup> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let largest = points().map(|point| point.x).fold(0.0, f64::max);
    let highest = points().map(|point| point.range.map_or(point.y, |(_, high)| high)).fold(0.0, f64::max);
    let plot = Curves {
        description,
        across: Axis::from_zero(std::iter::once(largest)),
        across_title: across_title.into(),
        up: Some(Axis::from_zero(std::iter::once(highest))),
        curves,
        marks: Vec::new(),
    };
    Some(figure(split, text, plot.svg()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn splits_with_groups_have_curves_with_bands() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        // Guarded error, that of the class with groups, first order; the second has no bands.
        assert_eq!((page.matches("<svg").count(), page.matches("<polygon").count()), (3, 4));
        assert!(page.contains("Guarded error of class 1 in %."), "{page}");
        assert!(page.contains("<strong>test2</strong>") && page.contains("250 groups"), "{page}");
        assert!(page.contains("Only class 1 has groups: the SDs are those of this class."), "{page}");
    }

    #[test]
    fn without_held_out_groups_there_is_no_section() {
        assert!(body(&samples::small()).is_none());
    }
}
