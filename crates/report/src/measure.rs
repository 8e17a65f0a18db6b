//! Numbers of the results that are drawn as bars by split.

use corevar::results::{Numbers, Results};
use maud::{Markup, html};

use crate::format::Unit;
use crate::names::{Named, estimators, splits};
use crate::plot::{Bar, Bars, Group};
use crate::sections::figure;

/// One number of a split, over all estimators.
pub struct Measure {
    pub title: &'static str,
    /// What it is, in half a sentence.
    pub meaning: &'static str,
    pub unit: Unit,
    pub of: fn(&Numbers) -> Option<f64>,
}

/// More would make a plot that nobody reads and a page that is too large.
const MOST_BARS: usize = 400;

impl Measure {
    /// Mean and standard error of an estimator on a split.
    pub fn value(&self, estimator: &Named<'_>, split: &str) -> (Option<f64>, Option<f64>) {
        let of = |numbers: Option<&Numbers>| numbers.and_then(self.of).filter(|value| value.is_finite());
        (of(estimator.result.mean.get(split)), of(estimator.result.standard_error.get(split)))
    }

    /// As text.
    pub fn show(&self, estimator: &Named<'_>, split: &str) -> String {
        let (mean, spread) = self.value(estimator, split);
        self.unit.show(mean, spread)
    }

    /// Bars by split. None when no estimator has this number on any split.
    pub fn figure(&self, results: &Results) -> Option<Markup> {
        let estimators = estimators(results);
        let splits = splits(results);
        let shown = (MOST_BARS / splits.len().max(1)).clamp(1, estimators.len().max(1));
        let group = |split: &&str| {
            let has_value = estimators.iter().any(|estimator| self.value(estimator, split).0.is_some());
            let bars = || estimators.iter().take(shown).map(|estimator| self.bar(estimator, split)).collect();
            has_value.then(|| Group { name: split.to_string(), bars: bars() })
        };
        let bars = Bars { title: self.title.into(), groups: splits.iter().filter_map(group).collect() };
        if bars.groups.is_empty() {
            return None;
        }
        let note = html! {
            (self.meaning)
            @if shown < estimators.len() { " The first " (shown) " of " (estimators.len()) " estimators." }
        };
        Some(figure(self.title, note, bars.svg()))
    }

    fn bar(&self, estimator: &Named<'_>, split: &str) -> Bar {
        let (mean, spread) = self.value(estimator, split);
        Bar {
            label: estimator.label.clone(),
            colour: estimator.colour,
            length: mean.map(|mean| self.unit.scale(mean)),
            spread: spread.map(|spread| self.unit.scale(spread)),
            text: self.unit.show(mean, spread),
        }
    }
}

/// Error: a share of wrong answers, or of a regression a root mean square.
pub fn error(results: &Results) -> Measure {
    let (title, meaning, unit) = match results.data.classes.is_empty() {
        true => ("Root mean squared error", "In the unit of the label.", Unit::Plain),
        false => ("Error in %", "Share of wrong answers.", Unit::Percent),
    };
    Measure { title, meaning, unit, of: |numbers| numbers.error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_measure_nobody_has_is_no_figure() {
        let results = samples::small().results;
        let none = Measure { title: "", meaning: "", unit: Unit::Plain, of: |_| None };
        assert!(none.figure(&results).is_none());
    }

    #[test]
    fn a_large_sweep_draws_a_part_and_says_so() {
        let mut results = samples::small().results;
        results.estimators = vec![results.estimators[0].clone(); 500];
        let figure = error(&results).figure(&results).unwrap().into_string();
        assert!(figure.contains("The first 200 of 500 estimators."));
        assert_eq!(figure.matches("<rect").count(), 400);
    }
}
