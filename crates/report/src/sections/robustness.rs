//! Robustness curves: how the loss would rise if the style shifted.

use corevar::evidence::{CurvePoint as Certified, RobustnessCurve};
use corevar_data::SplitName;
use maud::{Markup, html};

use super::{Section, figure, panels, swatches};
use crate::Records;
use crate::format::{counted, number};
use crate::models::{Model, held_out, main_models};
use crate::plot::{Axis, Colour, Curve, CurvePoint, Curves, Spread};

pub const SECTION: Section = Section { id: "robustness", title: "Robustness to style shifts", body };

/// More splits than this are named instead of drawn.
const MOST: usize = 8;

fn body(records: &Records) -> Option<Markup> {
    let models = main_models(records);
    let mut splits = held_out(records);
    splits.insert(0, SplitName::VALIDATION);
    let figures: Vec<Markup> = splits.iter().filter_map(|split| curves(&models, split)).collect();
    let legend: Vec<(Colour, String)> =
        models.iter().map(|model| (model.colour, model.label.clone())).collect();
    (!figures.is_empty()).then(|| {
        html! {
            p.note {
                "The worst loss over all style shifts of at most √ξ standard deviations inside the groups, to first order: \
                 E[loss] + √ξ · C (Theorem 2 of the paper), on held-out groups of two rows or more. The band holds 95\u{a0}% of \
                 1000 draws of groups; it does not cover the error of the first order."
                @if figures.len() > MOST { " The first " (MOST) " of " (figures.len()) " splits." }
            }
            (swatches(&legend))
            (panels(&figures[..figures.len().min(MOST)]))
        }
    })
}

fn curves(models: &[Model<'_>], split: &str) -> Option<Markup> {
    let robustness = |model: &Model<'_>| model.evidence.splits.get(split)?.robustness.clone();
    let found: Vec<(&Model<'_>, RobustnessCurve)> =
        models.iter().filter_map(|model| Some((model, robustness(model)?))).collect();
    let groups = found.first()?.1.groups;
    let curve = |(model, found): &(&Model<'_>, RobustnessCurve)| Curve {
        colour: model.colour,
        points: found.points.iter().map(|point| drawn(model, point)).collect(),
        spread: Spread::Band,
    };
    let curves: Vec<Curve> = found.iter().map(curve).collect();
    let largest = curves.iter().flat_map(|curve| &curve.points).map(|point| point.x).fold(0.0, f64::max);
    let points = curves.iter().flat_map(|curve| &curve.points);
    let highest = points.map(|point| point.range.map_or(point.y, |(_, high)| high)).fold(0.0, f64::max);
    let plot = Curves {
        description: format!("Loss by the size of a style shift on {split}."),
        across: Axis::from_zero(std::iter::once(largest)),
        across_title: "size √ξ of the shift".into(),
        up: Some(Axis::from_zero(std::iter::once(highest))),
        curves,
        marks: Vec::new(),
    };
    Some(figure(split, html! { "Loss. " (counted(groups, "group", "groups")) "." }, plot.svg()?))
}

fn drawn(model: &Model<'_>, point: &Certified) -> CurvePoint {
    let x = point.shift.sqrt();
    let [loss, low, high] = [point.loss, point.low, point.high].map(number);
    CurvePoint {
        x,
        y: point.loss,
        range: Some((point.low, point.high)),
        size: 1.0,
        tip: format!("{}, √ξ = {}: loss {loss} ({low} to {high})", model.label, number(x)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn splits_with_groups_have_curves_with_bands() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        assert_eq!((page.matches("<svg").count(), page.matches("<polygon").count()), (1, 2));
        assert!(page.contains("<strong>test2</strong>") && page.contains("250 groups"), "{page}");
    }

    #[test]
    fn without_held_out_groups_there_is_no_section() {
        assert!(body(&samples::small()).is_none());
    }
}
