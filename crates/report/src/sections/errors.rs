//! Error, worst group, loss and calibration by split, and how sure they are.

use corevar::evidence::{DRAWS, Interval, LEVEL, SplitEvidence};
use maud::{Markup, html};

use super::{Section, panels, scroll, word};
use crate::Records;
use crate::format::{MISSING, Unit, count};
use crate::measure::{Measure, error};
use crate::models::{Model, main_models};
use crate::names::splits;

pub const SECTION: Section = Section { id: "errors", title: "Errors by split", body };

const OTHERS: [Measure; 3] = [
    Measure {
        title: "Worst group: error in %",
        meaning: "The largest error over class and attribute.",
        unit: Unit::Percent,
        of: |numbers| numbers.worst_group_error,
        interval: None,
    },
    Measure {
        title: "Loss",
        meaning: "Mean over the rows, without penalty and ridge.",
        unit: Unit::Plain,
        of: |numbers| numbers.loss,
        interval: Some(|split| split.loss),
    },
    Measure {
        title: "Calibration error in %",
        meaning: "How far the stated probabilities are from the shares that come true.",
        unit: Unit::Percent,
        of: |numbers| numbers.calibration_error,
        interval: None,
    },
];

fn body(records: &Records) -> Option<Markup> {
    let results = &records.results;
    let figures: Vec<Markup> =
        [error(results)].iter().chain(&OTHERS).filter_map(|measure| measure.figure(records)).collect();
    if figures.is_empty() {
        return Some(word("The records hold no errors."));
    }
    Some(html! {
        p.note { (error_bars(records)) }
        (panels(&figures))
        (intervals(records))
    })
}

fn error_bars(records: &Records) -> &'static str {
    let is_single = records.results.estimators.iter().all(|estimator| estimator.runs.len() < 2);
    match (is_single, records.evidence.is_some()) {
        (false, _) => "Error bars: one standard error over the runs.",
        (true, true) => "Error bars: 95\u{a0}% interval of the only run, by bootstrap over ids.",
        (true, false) => "One run each, so there are no error bars.",
    }
}

/// Of the first run of each estimator.
fn intervals(records: &Records) -> Markup {
    let models = main_models(records);
    if models.is_empty() {
        return html! {};
    }
    let unit = error(&records.results).unit;
    let level = format!("{:.0}\u{a0}%", 100.0 * LEVEL);
    html! {
        h3 { (level) " intervals of the error" }
        p.note {
            "Of the first run of each estimator: percentiles of " (count(DRAWS)) " draws of ids with all their rows, \
             because rows of one id are not independent."
        }
        (scroll("Intervals of the error by estimator and split", table(records, &models, unit)))
    }
}

fn table(records: &Records, models: &[Model<'_>], unit: Unit) -> Markup {
    let splits = splits(&records.results);
    let ids = |split: &str| models.iter().find_map(|model| model.evidence.splits.get(split)).map(|s| s.ids);
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "Estimator" }
                    @for split in &splits {
                        th.number scope="col" {
                            (split)
                            @if let Some(ids) = ids(split) { small { (count(ids)) " ids" } }
                        }
                    }
                }
            }
            tbody {
                @for model in models {
                    tr {
                        th scope="row" { span.swatch style=(model.colour.swatch()) {} (model.label) }
                        @for split in &splits { td.number { (cell(model.evidence.splits.get(split), unit)) } }
                    }
                }
            }
        }
    }
}

fn cell(split: Option<&SplitEvidence>, unit: Unit) -> Markup {
    let Some(Interval { value, low, high }) = split.and_then(|split| split.error) else {
        return html! { (MISSING) };
    };
    html! { (unit.show(Some(value), None)) small { (unit.range(low, high)) } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn intervals_stand_below_the_bars() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        assert!(page.contains("95\u{a0}% intervals of the error"), "{page}");
        assert!(page.contains("9.00<small>8.00 to 10.00</small>"), "{page}");
        assert!(page.contains("interval of the only run, by bootstrap over ids"), "{page}");
    }

    #[test]
    fn error_bars_are_named_for_what_they_are() {
        assert!(error_bars(&samples::of(5, 2, 2, 2)).contains("standard error over the runs"));
        assert!(error_bars(&samples::small()).contains("no error bars"));
    }
}
