//! How long training took.

use corevar::results::EstimatorResult;
use maud::{Markup, html};

use super::{Section, scroll, word};
use crate::Records;
use crate::format::{MISSING, count, seconds};
use crate::names::estimators;

pub const SECTION: Section = Section { id: "times", title: "Run times", body };

fn body(records: &Records) -> Option<Markup> {
    let estimators = estimators(&records.results);
    if estimators.iter().all(|estimator| estimator.result.runs.is_empty()) {
        return Some(word("The records hold no runs."));
    }
    let titles = ["Runs", "Mean", "Fastest", "Slowest", "Sum"];
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "Estimator" }
                    @for title in titles { th.number scope="col" { (title) } }
                }
            }
            tbody {
                @for estimator in &estimators {
                    tr {
                        th scope="row" { span.swatch style=(estimator.colour.swatch()) {} (estimator.label) }
                        td.number { (count(estimator.result.runs.len())) }
                        @for time in times(estimator.result) { td.number { (time) } }
                    }
                }
            }
        }
    };
    Some(html! {
        (scroll("Run times by estimator", table))
        p.note { "Training alone, on the clock. Runs that shared the machine took longer than they would alone." }
    })
}

/// Mean, fastest, slowest, sum.
fn times(result: &EstimatorResult) -> [String; 4] {
    let times: Vec<f64> = result.runs.iter().map(|run| run.seconds).collect();
    let sum = times.iter().fold(0.0, |sum, time| sum + time);
    let fold = |by: fn(f64, f64) -> f64| times.iter().copied().reduce(by);
    let shown =
        [(!times.is_empty()).then(|| sum / times.len() as f64), fold(f64::min), fold(f64::max), Some(sum)];
    shown.map(|time| time.map_or_else(|| MISSING.into(), seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn times_are_summed_over_the_runs() {
        let mut result = samples::of(3, 2, 1, 2).results.estimators.remove(0);
        for (run, seconds) in result.runs.iter_mut().zip([10.0, 20.0, 60.0]) {
            run.seconds = seconds;
        }
        assert_eq!(times(&result), ["30.0 s", "10.0 s", "1 min 0 s", "1 min 30 s"]);
        result.runs.clear();
        assert_eq!(times(&result), ["–", "–", "–", "0.0 s"]);
    }
}
