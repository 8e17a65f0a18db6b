//! The penalty, and the variance of the outputs inside and between groups.

use maud::{Markup, html};

use super::{Section, panels, word};
use crate::Records;
use crate::format::Unit;
use crate::measure::Measure;

pub const SECTION: Section = Section { id: "variance", title: "Penalty and variance", body };

const MEASURES: [Measure; 4] = [
    Measure {
        title: "Penalty C",
        meaning: "Conditional variance given label and id, as CoRe was trained with it.",
        unit: Unit::Plain,
        of: |numbers| numbers.penalty,
        interval: None,
    },
    Measure {
        title: "Variance ratio",
        meaning: "Within by between: the lower, the less of the output is style.",
        unit: Unit::Plain,
        of: |numbers| numbers.variance_ratio,
        interval: None,
    },
    Measure {
        title: "Variance within groups",
        meaning: "How far outputs vary where only style does.",
        unit: Unit::Plain,
        of: |numbers| numbers.within_variance,
        interval: None,
    },
    Measure {
        title: "Variance between groups",
        meaning: "How far the means of the groups lie apart.",
        unit: Unit::Plain,
        of: |numbers| numbers.between_variance,
        interval: None,
    },
];

fn body(records: &Records) -> Option<Markup> {
    let figures: Vec<Markup> = MEASURES.iter().filter_map(|measure| measure.figure(records)).collect();
    if figures.is_empty() {
        return Some(word(
            "No split has a group of two rows or more, so there is no variance inside groups to show.",
        ));
    }
    Some(html! {
        p {
            "Inside a group only style varies. A variance ratio of the pooled model that is much larger than that of CoRe on \
             held-out groups is evidence that style predicts the label in the training sample. The penalty alone is none: it also \
             falls where all outputs are smaller."
        }
        (panels(&figures))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn without_groups_there_is_a_word() {
        let mut records = samples::small();
        for estimator in &mut records.results.estimators {
            estimator.mean.values_mut().for_each(|numbers| *numbers = Default::default());
        }
        assert!(body(&records).unwrap().into_string().contains("No split has a group"));
    }
}
