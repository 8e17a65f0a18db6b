//! Reliability diagrams: how often a model is right when it says how sure it is.

use corevar::evidence::ReliabilityBin;
use maud::{Markup, html};

use super::{Section, figure, panels, swatches};
use crate::Records;
use crate::format::{Unit, counted};
use crate::models::{Model, held_out, main_models};
use crate::plot::{Axis, Colour, Curve, CurvePoint, Curves, Spread};

pub const SECTION: Section = Section { id: "reliability", title: "Reliability", body };

/// More tests than this are named instead of drawn.
const MOST: usize = 8;

fn body(records: &Records) -> Option<Markup> {
    let models = main_models(records);
    let splits = held_out(records);
    let figures: Vec<Markup> = splits.iter().take(MOST).filter_map(|split| diagram(&models, split)).collect();
    let legend: Vec<(Colour, String)> =
        models.iter().map(|model| (model.colour, model.label.clone())).collect();
    (!figures.is_empty()).then(|| {
        html! {
            p.note {
                "Rows by how sure the model is of its answer, against the share of right answers. On the grey line it is \
                 right as often as it says; below, it is too sure. The larger a dot, the more rows."
                @if splits.len() > MOST { " The first " (MOST) " of " (splits.len()) " tests." }
            }
            (swatches(&legend))
            (panels(&figures))
        }
    })
}

fn diagram(models: &[Model<'_>], split: &str) -> Option<Markup> {
    let curve = |model: &Model<'_>| {
        let evidence = model.evidence.splits.get(split)?;
        let point = |bin: &ReliabilityBin| point(model, bin, evidence.rows);
        let points: Vec<CurvePoint> = evidence.reliability.iter().map(point).collect();
        (!points.is_empty()).then_some(Curve { colour: model.colour, points, spread: Spread::Bars })
    };
    let curves: Vec<Curve> = models.iter().filter_map(curve).collect();
    if curves.is_empty() {
        return None;
    }
    let plot = Curves {
        description: format!("Share of right answers by confidence on {split}."),
        across: Axis::linear(0.0, 100.0, 5),
        across_title: "confidence in %".into(),
        up: Some(Axis::linear(0.0, 100.0, 5)),
        curves: std::iter::once(diagonal()).chain(curves).collect(),
        marks: Vec::new(),
    };
    Some(figure(split, html! { "Right answers in %." }, plot.svg()?))
}

fn diagonal() -> Curve {
    let corner = |place: f64| CurvePoint { x: place, y: place, range: None, size: 0.0, tip: String::new() };
    Curve { colour: Colour::Muted, points: vec![corner(0.0), corner(100.0)], spread: Spread::Reference }
}

fn point(model: &Model<'_>, bin: &ReliabilityBin, rows: usize) -> CurvePoint {
    let [x, y] = [bin.confidence, bin.accuracy].map(|share| Unit::Percent.scale(share));
    let share = bin.rows as f64 / rows.max(1) as f64;
    let tip = format!(
        "{}: sure to {x:.1} %, right in {y:.1} % of {}",
        model.label,
        counted(bin.rows, "row", "rows")
    );
    CurvePoint { x, y, range: None, size: 1.5 + 4.0 * share.sqrt(), tip }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_test_has_a_diagram() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        assert_eq!(page.matches("<svg").count(), 2);
        assert!(page.contains("CoRe: sure to 95.0 %, right in 93.0 % of"), "{page}");
    }

    #[test]
    fn without_evidence_there_is_no_section() {
        assert!(body(&samples::small()).is_none());
    }
}
