//! Decision boundaries of data with two features, one picture a model; a script makes a film of them.

use corevar::evidence::{Map, Plane};
use corevar_data::SplitName;
use maud::{Markup, html};

use super::{Section, swatches};
use crate::Records;
use crate::format::{Unit, exact};
use crate::models::{Model, models};
use crate::names::{display, mark};
use crate::plot::{Colour, PlanePlot};

pub const SECTION: Section = Section { id: "boundaries", title: "Decision boundaries", body };

/// More would make the page heavy.
const MOST: usize = 24;

fn body(records: &Records) -> Option<Markup> {
    let plane = records.evidence.as_ref()?.plane.as_ref()?;
    let frames = frames(records, plane);
    let start = start(&frames);
    let last = frames.len().checked_sub(1)?;
    Some(html! {
        (legend(records, plane))
        div.film[frames.len() > 1] data-start=(start) {
            div.control hidden {
                label for="film" { "Penalty weight λ" }
                input #film type="range" min="0" max=(last) step="1" value=(start);
                output for="film" { (frames[start].name) }
            }
            div.panels { @for frame in &frames { (frame.figure(records, plane)) } }
        }
    })
}

struct Frame<'a> {
    name: String,
    model: Model<'a>,
    map: &'a Map,
}

/// The pooled model first, then each estimator by growing weight.
fn frames<'a>(records: &'a Records, plane: &'a Plane) -> Vec<Frame<'a>> {
    let frame = |model: Model<'a>| {
        // A record that claims other cells than it has would be drawn for ever.
        let cells = plane.columns.checked_mul(plane.rows)?;
        let is_whole = |map: &&Map| map.classes.len() == cells && map.confidence.len() == cells;
        let map = plane.maps.iter().filter(is_whole).find(|map| map.model == model.index)?;
        let setting = &model.evidence.setting;
        let name = format!("{}, λ = {}", display(&setting.name), exact(setting.penalty_weight));
        Some(Frame { name, model, map })
    };
    let mut frames: Vec<Frame<'a>> = models(records).into_iter().filter_map(frame).collect();
    let order: Vec<String> = frames.iter().map(|frame| frame.model.evidence.setting.name.clone()).collect();
    let place = |name: &str| {
        let first = order.iter().position(|other| other == name).unwrap_or(order.len());
        if name == "pooled" { 0 } else { first + 1 }
    };
    frames.sort_by(|a, b| {
        let (a, b) = (&a.model.evidence.setting, &b.model.evidence.setting);
        place(&a.name).cmp(&place(&b.name)).then(a.penalty_weight.total_cmp(&b.penalty_weight))
    });
    thin(frames)
}

/// At most [`MOST`], evenly chosen; the first, the last and the chosen one stay.
fn thin(frames: Vec<Frame<'_>>) -> Vec<Frame<'_>> {
    let count = frames.len();
    if count <= MOST {
        return frames;
    }
    let kept: Vec<usize> = (0..MOST).map(|place| place * (count - 1) / (MOST - 1)).collect();
    let stays =
        |(place, frame): &(usize, Frame<'_>)| kept.contains(place) || frame.model.evidence.setting.chosen;
    frames.into_iter().enumerate().filter(stays).map(|(_, frame)| frame).collect()
}

/// The chosen one, or the largest weight of CoRe.
fn start(frames: &[Frame<'_>]) -> usize {
    let setting = |frame: &Frame<'_>| frame.model.evidence.setting.clone();
    let chosen = frames.iter().position(|frame| setting(frame).chosen);
    let core = frames.iter().rposition(|frame| setting(frame).name == "core");
    chosen.or(core).unwrap_or(frames.len().saturating_sub(1))
}

impl Frame<'_> {
    fn figure(&self, records: &Records, plane: &Plane) -> Markup {
        let classes = &records.results.data.classes;
        let plot = PlanePlot {
            description: format!("What {} says in the plane of {}.", self.name, plane.features.join(" and ")),
            plane,
            map: self.map,
        };
        html! {
            figure.frame data-name=(self.name) {
                figcaption {
                    strong { (self.name) }
                    @if self.model.evidence.setting.chosen { " (" (mark(&records.results)) ")" }
                    " " span.note { (self.errors(classes.is_empty())) }
                }
                (plot.svg())
            }
        }
    }

    /// `Error on train 1.2 %, test1 0.9 %, test2 58.1 %.`
    fn errors(&self, is_regression: bool) -> String {
        let unit = if is_regression { Unit::Plain } else { Unit::Percent };
        let error = |(split, evidence): (&SplitName, &corevar::evidence::SplitEvidence)| {
            Some(format!("{split} {} %", unit.show(Some(evidence.error?.value), None)))
        };
        let errors: Vec<String> = self.model.evidence.splits.iter().filter_map(error).collect();
        if errors.is_empty() { String::new() } else { format!("Error on {}.", errors.join(", ")) }
    }
}

fn legend(records: &Records, plane: &Plane) -> Markup {
    let class = |(index, name): (usize, &String)| (Colour::of_class(index), name.clone());
    let classes: Vec<(Colour, String)> = records.results.data.classes.iter().enumerate().map(class).collect();
    html! {
        p.note {
            "What each model says in the plane of " (plane.features[0]) " and " (plane.features[1])
            "; the stronger the shade, the surer. Dots are rows of training, those joined share an id."
            @if let Some(held_out) = &plane.held_out { " Rings are rows of " (held_out.split) "." }
        }
        (swatches(&classes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_weight_is_a_frame_and_the_chosen_one_is_first_seen() {
        let page = body(&samples::path()).unwrap().into_string();
        assert_eq!(page.matches("class=\"frame\"").count(), 5);
        assert!(page.contains("class=\"film\" data-start=\"3\""), "{page}");
        assert!(page.contains("max=\"4\" step=\"1\" value=\"3\""), "{page}");
        let places = ["pooled, λ = 0", "CoRe, λ = 0.01", "CoRe, λ = 10"]
            .map(|name| page.find(&format!("data-name=\"{name}\"")).unwrap());
        assert!(places.is_sorted(), "{places:?}");
        assert!(page.contains("</strong> (chosen) "), "{page}");
    }

    #[test]
    fn the_control_is_hidden_without_a_script() {
        assert!(body(&samples::path()).unwrap().into_string().contains("<div class=\"control\" hidden>"));
    }

    #[test]
    fn other_data_have_no_such_section() {
        assert!(body(&samples::small()).is_none());
    }
}
