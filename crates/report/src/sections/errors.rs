//! Error, worst group, loss and calibration by split.

use maud::Markup;

use super::{Section, panels, word};
use crate::Records;
use crate::format::Unit;
use crate::measure::{Measure, error};

pub const SECTION: Section = Section { id: "errors", title: "Errors by split", body };

const OTHERS: [Measure; 3] = [
    Measure {
        title: "Worst group: error in %",
        meaning: "The largest error over class and attribute.",
        unit: Unit::Percent,
        of: |numbers| numbers.worst_group_error,
    },
    Measure {
        title: "Loss",
        meaning: "Mean over the rows, without penalty and ridge.",
        unit: Unit::Plain,
        of: |numbers| numbers.loss,
    },
    Measure {
        title: "Calibration error in %",
        meaning: "How far the stated probabilities are from the shares that come true.",
        unit: Unit::Percent,
        of: |numbers| numbers.calibration_error,
    },
];

fn body(records: &Records) -> Option<Markup> {
    let results = &records.results;
    let figures: Vec<Markup> =
        [error(results)].iter().chain(&OTHERS).filter_map(|m| m.figure(results)).collect();
    Some(match figures.is_empty() {
        true => word("The records hold no errors."),
        false => panels(&figures),
    })
}
