//! What a comparison of pooled and CoRe means, in sentences.
//!
//! A difference of errors is a gain or a loss only where it is significant: see [`Results::judged`]. Style is named as the reason
//! only where the variance ratio on held-out groups fell too.

mod advice;
mod cautions;
mod change;
mod headline;
mod style;
#[cfg(test)]
mod tests;
mod words;

use corevar_data::SplitName;

use crate::results::{EstimatorResult, Results};
use change::Change;
use style::StyleReading;

/// What is judged: the main pooled estimator and the main CoRe estimator.
struct Compared<'a> {
    results: &'a Results,
    pooled: &'a EstimatorResult,
    core: &'a EstimatorResult,
    /// On the tests, or on `val` where there is no test.
    changes: Vec<Change<'a>>,
}

impl Compared<'_> {
    /// The largest significant fall of the error.
    fn gain(&self) -> Option<&Change<'_>> {
        let gains = self.changes.iter().filter(|change| change.is_significant && change.error() < 0.0);
        gains.min_by(|a, b| a.error().total_cmp(&b.error()))
    }

    /// The largest significant rise of the error.
    fn loss(&self) -> Option<&Change<'_>> {
        let losses = self.changes.iter().filter(|change| change.is_significant && change.error() > 0.0);
        losses.max_by(|a, b| a.error().total_cmp(&b.error()))
    }

    fn is_regression(&self) -> bool {
        self.results.data.classes.is_empty()
    }
}

/// What the table means, one paragraph per entry: the largest significant gain and loss, the part that style plays, what to be
/// careful about, and what to do next. Empty without both a pooled and a CoRe estimator on held-out rows.
pub fn verdict(results: &Results) -> Vec<String> {
    let (Some(pooled), Some(core)) = (results.main("pooled"), results.main("core")) else {
        return Vec::new();
    };
    if let Some(same) = same_model(results, core) {
        return vec![same.into()];
    }
    let changes = Change::all(results, pooled, core);
    if changes.is_empty() {
        return Vec::new();
    }
    let compared = Compared { results, pooled, core, changes };
    if let Some(nothing) = cautions::nothing_learned(&compared) {
        return vec![nothing];
    }
    let reading = StyleReading::new(&compared);
    let style = match &reading {
        Some(reading) => Some(reading.text(&compared)),
        None => style::unknown(&compared),
    };
    let paragraphs = [
        Some(headline::text(&compared)),
        style,
        cautions::text(&compared),
        Some(advice::text(&compared, reading.as_ref())),
    ];
    paragraphs.into_iter().flatten().collect()
}

fn same_model(results: &Results, core: &EstimatorResult) -> Option<&'static str> {
    if results.data.groups == 0 && results.data.splits.contains_key(SplitName::TRAIN) {
        return Some("No two training rows share a label and an id, so CoRe is the pooled model here.");
    }
    (core.penalty_weight == 0.0 && core.penalty != "none").then_some("With λ = 0 CoRe is the pooled model.")
}
