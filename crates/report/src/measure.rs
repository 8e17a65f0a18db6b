//! Numbers of the results that are drawn as bars by split.

use corevar::evidence::{Interval, SplitEvidence};
use corevar::results::{Numbers, Results};
use maud::{Markup, html};

use crate::Records;
use crate::format::Unit;

use crate::names::{Named, estimators, splits};
use crate::plot::figure;
use crate::plot::{Bar, Bars, Group};

/// One number of a split, over all estimators.
pub struct Measure {
    pub title: &'static str,
    /// What it is, in half a sentence.
    pub meaning: &'static str,
    pub unit: Unit,
    pub of: fn(&Numbers) -> Option<f64>,
    /// Its interval, for runs that are alone and have no standard error.
    pub interval: Option<fn(&SplitEvidence) -> Option<Interval>>,
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

    /// Ends of the error bar: one standard error over the runs, or the interval of the only run.
    pub fn range(&self, records: &Records, estimator: &Named<'_>, split: &str) -> Option<(f64, f64)> {
        if let (Some(mean), Some(spread)) = self.value(estimator, split) {
            return Some((mean - spread, mean + spread));
        }
        let of_estimator =
            |evidence: &&corevar::evidence::ModelEvidence| evidence.setting.is_of(estimator.result);
        let model = records.evidence.as_ref()?.models.iter().find(of_estimator)?;
        let interval = self.interval?(model.splits.get(split)?)?;
        Some((interval.low, interval.high))
    }

    /// Bars by split. None when no estimator has this number on any split.
    pub fn figure(&self, records: &Records) -> Option<Markup> {
        let (estimators, splits) = (estimators(&records.results), splits(&records.results));
        let shown = (MOST_BARS / splits.len().max(1)).clamp(1, estimators.len().max(1));
        let group = |split: &&str| {
            let has_value = estimators.iter().any(|estimator| self.value(estimator, split).0.is_some());
            let bars = || estimators.iter().take(shown).map(|e| self.bar(records, e, split)).collect();
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

    fn bar(&self, records: &Records, estimator: &Named<'_>, split: &str) -> Bar {
        let (mean, spread) = self.value(estimator, split);
        let range = self.range(records, estimator, split);
        let text = self.unit.show(mean, spread);
        let tip = format!("{} on {split}: {}", estimator.label, self.tip(&text, spread, range));
        let range = range.map(|(low, high)| (self.unit.scale(low), self.unit.scale(high)));
        let length = mean.map(|mean| self.unit.scale(mean));
        Bar { label: estimator.label.clone(), colour: estimator.colour, length, range, text, tip }
    }

    fn tip(&self, text: &str, spread: Option<f64>, range: Option<(f64, f64)>) -> String {
        match (spread, range) {
            (None, Some((low, high))) => format!("{text} ({})", self.unit.range(low, high)),
            _ => text.into(),
        }
    }
}

/// Error: a share of wrong answers, or of a regression a root mean square.
pub fn error(results: &Results) -> Measure {
    let (title, meaning, unit) = match results.data.classes.is_empty() {
        true => ("Root mean squared error", "In the unit of the label.", Unit::Plain),
        false => ("Error in %", "Share of wrong answers.", Unit::Percent),
    };
    Measure { title, meaning, unit, of: |numbers| numbers.error, interval: Some(|split| split.error) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_measure_nobody_has_is_no_figure() {
        let none = Measure { title: "", meaning: "", unit: Unit::Plain, of: |_| None, interval: None };
        assert!(none.figure(&samples::small()).is_none());
    }

    #[test]
    fn a_large_sweep_draws_a_part_and_says_so() {
        let mut records = samples::small();
        records.results.estimators = vec![records.results.estimators[0].clone(); 500];
        let figure = error(&records.results).figure(&records).unwrap().into_string();
        assert!(figure.contains("The first 200 of 500 estimators."));
        assert_eq!(figure.matches("<rect").count(), 400);
    }

    #[test]
    fn a_run_that_is_alone_has_the_interval_over_ids() {
        let records = samples::with_evidence();
        let measure = error(&records.results);
        let core = &estimators(&records.results)[1];
        // 9 %, made up as 8 to 10 % in the samples.
        let (low, high) = measure.range(&records, core, "test2").unwrap();
        assert!((low - 0.08).abs() < 1e-12 && (high - 0.10).abs() < 1e-12, "{low} {high}");
        let figure = measure.figure(&records).unwrap().into_string();
        assert!(figure.contains("<title>CoRe on test2: 9.00 (8.00 to 10.00)</title>"), "{figure}");
    }
}
