//! Linear models: weights along λ, and how much of them is style.

use corevar::evidence::{Evidence, LinearEvidence, StyleDimension};
use corevar::linear::{StyleCarrier, StyleReport};
use maud::{Markup, html};

use super::{Section, figure, panels, scroll, swatches};
use crate::Records;
use crate::format::exact;
use crate::names::display;
use crate::plot::{Colour, Curve, CurvePoint, Curves, DOT, Spread};
use crate::weights::Weights;

pub const SECTION: Section = Section { id: "linear", title: "Weights of the linear models", body };

/// Curves of so many features are told apart.
const CURVES: usize = 6;

fn body(records: &Records) -> Option<Markup> {
    let evidence = records.evidence.as_ref()?;
    let path = path(evidence);
    (!evidence.linear.is_empty()).then(|| {
        html! {
            @if path.len() > 2 { (coefficients(records, &path)) }
            (style(&evidence.linear))
            @if let Some(dimension) = evidence.style_dimension { p { (pairs(dimension)) } }
        }
    })
}

/// The pooled model and CoRe with one penalty and ridge, those of the chosen setting if there is one; the lowest weight first.
fn path(evidence: &Evidence) -> Vec<&LinearEvidence> {
    let core = || evidence.linear.iter().filter(|model| model.setting.name == "core");
    let Some(main) = core().find(|model| model.setting.chosen).or_else(|| core().next()) else {
        return Vec::new();
    };
    let along = |model: &&LinearEvidence| {
        let setting = &model.setting;
        let same_penalty = setting.name == "pooled" || setting.penalty == main.setting.penalty;
        same_penalty && setting.ridge == main.setting.ridge
    };
    let mut path: Vec<&LinearEvidence> = evidence.linear.iter().filter(along).collect();
    path.sort_by(|a, b| a.setting.penalty_weight.total_cmp(&b.setting.penalty_weight));
    path
}

fn coefficients(records: &Records, path: &[&LinearEvidence]) -> Markup {
    let logits = path[0].coefficients.first().map_or(0, |coefficient| coefficient.weights.len());
    // The two logits of two classes mirror each other.
    let shown: Vec<usize> = if logits == 2 { vec![1] } else { (0..logits.min(6)).collect() };
    let class =
        |logit: usize| records.results.data.classes.get(logit).map_or("the prediction", String::as_str);
    let names: Vec<String> =
        path[0].coefficients.iter().take(CURVES).map(|one| one.feature.clone()).collect();
    let legend: Vec<(Colour, String)> =
        names.iter().enumerate().map(|(place, name)| (Colour::of_class(place), name.clone())).collect();
    let figures: Vec<Markup> = shown
        .iter()
        .filter_map(|&logit| {
            let title = format!("Weights for {}", class(logit));
            Some(figure(
                &title,
                html! { "The features with the largest weights." },
                plot(path, logit, names.len())?,
            ))
        })
        .collect();
    html! { p.note { "Along the penalty weight λ; λ = 0 is the pooled model." } (swatches(&legend)) (panels(&figures)) }
}

fn plot(path: &[&LinearEvidence], logit: usize, features: usize) -> Option<Markup> {
    let weights = Weights::new(path.iter().map(|model| model.setting.penalty_weight));
    let point = |model: &LinearEvidence, feature: usize| {
        let coefficient = model.coefficients.get(feature)?;
        let y = *coefficient.weights.get(logit)?;
        let weight = model.setting.penalty_weight;
        let tip = format!("{}, λ = {}: {}", coefficient.feature, exact(weight), exact(y));
        Some(CurvePoint { x: weights.place(weight), y, range: None, size: DOT, tip })
    };
    let curve = |feature: usize| Curve {
        colour: Colour::of_class(feature),
        points: path.iter().filter_map(|model| point(model, feature)).collect(),
        spread: Spread::Bars,
    };
    let plot = Curves {
        description: "Weights of the features along the penalty weight.".into(),
        across: weights.axis(),
        across_title: "penalty weight λ".into(),
        up: None,
        curves: (0..features).map(curve).collect(),
        marks: Vec::new(),
    };
    plot.svg()
}

fn style(models: &[LinearEvidence]) -> Markup {
    let with_style = models.iter().filter_map(|model| Some((model, model.style.as_ref()?)));
    let table = html! {
        table {
            thead { tr { th { "Estimator" } th { "Directions" } th { "In style" } th { "Carriers" } } }
            tbody {
                @for (model, style) in with_style {
                    tr {
                        td { (display(&model.setting.name)) " λ=" (exact(model.setting.penalty_weight)) }
                        td { (style.directions.len()) }
                        td { (shares(&style.weight_shares)) }
                        td { (carriers(style)) }
                    }
                }
            }
        }
    };
    html! {
        h3 { "Style in the weights" }
        p.note {
            "Style means the directions along which rows of one training group differ. Shares are of the squared weights, per standard \
             deviation of the features; carriers are the features through which the logits vary inside groups."
        }
        (scroll("Style in the weights", table))
    }
}

/// Whether there are groups enough to find the directions of style.
fn pairs(StyleDimension { grouped, directions, too_few }: StyleDimension) -> String {
    let along = if directions == 1 { "1 direction".into() } else { format!("{directions} directions") };
    match (too_few, directions) {
        (true, _) => format!(
            "The training rows have c = {grouped} grouped observations, too few to find all directions of style: one half of \
             the groups shows {along}, and the other half also differs along others. Collect more groups, at least as many as \
             style has dimensions (assumption A3 of the paper)."
        ),
        (false, 0) => format!(
            "Rows of one group differ about alike in all directions of the features (c = {grouped} grouped observations): no \
             direction stands out as style."
        ),
        (false, _) => format!(
            "Rows of one group differ along about {along} beyond noise; c = {grouped} grouped observations are enough to find \
             them (assumption A3 of the paper asks for c of at least the dimension of style)."
        ),
    }
}

fn shares(shares: &[f64]) -> String {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    format!("{:.1} %", 100.0 * largest)
}

fn carriers(style: &StyleReport) -> String {
    let named = style.carriers.iter().take(3).filter(|carrier| carrier.share > 0.01);
    // Beyond the whole: other features cancel a part of it, and percentages say nothing.
    let word = |carrier: &StyleCarrier| match carrier.share {
        share if share < 1.005 => format!("{} ({:.0} %)", carrier.feature, 100.0 * share),
        _ => format!("{}, partly cancelled by others", carrier.feature),
    };
    let words: Vec<String> = named.map(word).collect();
    if words.is_empty() { "none".into() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use corevar::evidence::Coefficient;
    use corevar::results::Setting;

    use super::*;
    use crate::samples;

    fn model(penalty_weight: f64) -> LinearEvidence {
        let setting = Setting { penalty_weight, ..Setting::unknown("core") };
        let carrier = StyleCarrier { feature: "<b>x2".into(), share: 0.9, within: 0.5 };
        LinearEvidence {
            setting,
            coefficients: vec![Coefficient {
                feature: "<b>x2".into(),
                weights: vec![-1.0, 1.0 / (1.0 + penalty_weight)],
            }],
            style: Some(StyleReport {
                groups: 3,
                directions: Vec::new(),
                weight_shares: vec![0.25],
                logit_variance: 1.0,
                carriers: vec![carrier],
            }),
        }
    }

    #[test]
    fn weights_are_drawn_along_the_path_and_names_are_text() {
        let mut records = samples::with_evidence();
        let evidence = records.evidence.as_mut().unwrap();
        evidence.linear = [0.0, 1.0, f64::INFINITY].map(model).to_vec();
        let page = body(&records).unwrap().into_string();
        assert_eq!(page.matches("<svg").count(), 1);
        assert!(
            page.contains("25.0 %") && page.contains("&lt;b&gt;x2 (90 %)") && !page.contains("<b>"),
            "{page}"
        );
    }

    #[test]
    fn a_carrier_that_others_cancel_has_no_percentage() {
        let mut style = model(1.0).style.unwrap();
        style.carriers[0].share = 45.0;
        assert_eq!(carriers(&style), "<b>x2, partly cancelled by others");
    }

    #[test]
    fn a_run_without_linear_models_has_no_such_section() {
        assert!(body(&samples::with_evidence()).is_none());
    }

    #[test]
    fn the_reader_learns_whether_the_pairs_are_too_few() {
        let words = |grouped, directions, too_few| pairs(StyleDimension { grouped, directions, too_few });
        let enough = words(50, 1, false);
        assert!(enough.starts_with("Rows of one group differ along about 1 direction beyond noise; c = 50"));
        assert!(words(8, 4, true).contains("c = 8 grouped observations, too few to find all directions"));
        assert!(words(100, 0, false).contains("no direction stands out"));
    }
}
