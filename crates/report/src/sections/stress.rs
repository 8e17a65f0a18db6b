//! Stress curves: errors, flips and movement of the outputs under growing interventions.

use corevar::evidence::{StressCurve, StressPoint};
use maud::{Markup, html};

use super::{Section, figure, panels, swatches};
use crate::Records;
use crate::format::{Unit, exact};
use crate::names::{colour, display};
use crate::plot::{Axis, Colour, Curve, CurvePoint, Curves, DOT, Spread};

pub const SECTION: Section = Section { id: "stress", title: "Stress", body };

struct View {
    title: &'static str,
    unit: Unit,
    of: fn(&StressPoint) -> Option<f64>,
}

const VIEWS: [View; 3] = [
    View { title: "error in %", unit: Unit::Percent, of: |point| point.error },
    View { title: "changed answers in %", unit: Unit::Percent, of: |point| point.flip_rate },
    View { title: "movement of the logits", unit: Unit::Plain, of: |point| point.logit_spread },
];

fn body(records: &Records) -> Option<Markup> {
    let all = &records.evidence.as_ref()?.stress;
    let mut kinds: Vec<(&str, &str)> = Vec::new();
    for curve in all {
        let kind = (curve.intervention.as_str(), curve.split.as_str());
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let of_kind = |(intervention, split): (&str, &str)| -> Vec<&StressCurve> {
        all.iter().filter(|curve| curve.intervention == intervention && curve.split == split).collect()
    };
    (!kinds.is_empty()).then(|| {
        html! {
            p.note {
                "The same rows under interventions of growing strength. An answer is changed when it differs from that \
                 without the intervention."
            }
            (swatches(&legend(records, all)))
            @for kind in kinds {
                h3 { (kind.0) " on " (kind.1) }
                (panels(&VIEWS.iter().filter_map(|view| view.figure(records, kind, &of_kind(kind))).collect::<Vec<_>>()))
            }
        }
    })
}

fn label(curve: &StressCurve) -> String {
    match curve.model.penalty_weight {
        0.0 => display(&curve.model.name).into(),
        weight => format!("{} λ={}", display(&curve.model.name), exact(weight)),
    }
}

fn legend(records: &Records, curves: &[StressCurve]) -> Vec<(Colour, String)> {
    let mut legend: Vec<(Colour, String)> = Vec::new();
    for curve in curves {
        let entry = (colour(&curve.model.name, &records.results), label(curve));
        if !legend.contains(&entry) {
            legend.push(entry);
        }
    }
    legend
}

/// Strengths from weak to strong: a stronger JPEG quality or contrast is a smaller number.
fn rungs(curves: &[&StressCurve]) -> Vec<f64> {
    let mut rungs: Vec<f64> = Vec::new();
    for point in curves.iter().flat_map(|curve| &curve.points) {
        if !rungs.contains(&point.strength) {
            rungs.push(point.strength);
        }
    }
    rungs
}

fn axis(rungs: &[f64]) -> Axis {
    let last = rungs.len().saturating_sub(1).max(1) as f64;
    let marks = rungs.iter().enumerate().map(|(index, rung)| (index as f64, exact(*rung))).collect();
    Axis::named(-0.03 * last, 1.03 * last, marks)
}

impl View {
    fn figure(
        &self,
        records: &Records,
        (intervention, split): (&str, &str),
        found: &[&StressCurve],
    ) -> Option<Markup> {
        let rungs = rungs(found);
        let curve = |stress: &&StressCurve| Curve {
            colour: colour(&stress.model.name, &records.results),
            points: stress.points.iter().filter_map(|point| self.point(stress, point, &rungs)).collect(),
            spread: Spread::Bars,
        };
        let curves: Vec<Curve> = found.iter().map(curve).collect();
        let plot = Curves {
            description: format!("{} under {intervention} on {split}.", self.title),
            across: axis(&rungs),
            across_title: format!("{intervention}, from weak to strong"),
            // Not logarithmic: shares are compared with 0 and 100 %.
            up: Some(Axis::from_zero(curves.iter().flat_map(|curve| &curve.points).map(|point| point.y))),
            curves,
            marks: Vec::new(),
        };
        let mut title = self.title.to_string();
        title[..1].make_ascii_uppercase();
        Some(figure(&title, html! {}, plot.svg()?))
    }

    fn point(&self, stress: &StressCurve, point: &StressPoint, rungs: &[f64]) -> Option<CurvePoint> {
        let x = rungs.iter().position(|rung| *rung == point.strength)? as f64;
        let value = (self.of)(point).filter(|value| value.is_finite())?;
        let text = self.unit.show(Some(value), None);
        let tip = format!("{}, strength {}: {} {text}", label(stress), exact(point.strength), self.title);
        Some(CurvePoint { x, y: self.unit.scale(value), range: None, size: DOT, tip })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn an_intervention_has_three_plots_and_one_curve_a_model() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        assert_eq!((page.matches("<svg").count(), page.matches("<h3>rotate on test1</h3>").count()), (3, 1));
        assert!(page.contains("CoRe λ=1, strength 30: error in % "), "{page}");
    }

    #[test]
    fn a_stronger_intervention_may_be_a_smaller_number() {
        let mut curve = samples::with_evidence().evidence.unwrap().stress.remove(0);
        curve.points.reverse();
        assert_eq!(rungs(&[&curve]), [45.0, 30.0, 15.0, 0.0]);
        assert_eq!(axis(&rungs(&[&curve])).label(0.0), "45");
    }

    #[test]
    fn a_run_without_stress_has_no_such_section() {
        assert!(body(&samples::path()).is_none());
    }
}
