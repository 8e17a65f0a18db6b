//! What came out: the verdict, the errors, and how they differ from those of the pooled model.

use corevar::results::{EstimatorResult, Results};
use corevar::verdict;
use maud::{Markup, html};

use super::differences::differences;
use super::{Section, scroll, word};
use crate::Records;
use crate::format::{counted, exact};
use crate::measure::{Measure, error};
use crate::names::{Named, estimators, mark, splits};

pub const SECTION: Section = Section { id: "result", title: "Result", body };

fn body(records: &Records) -> Option<Markup> {
    let results = &records.results;
    Some(html! {
        @let paragraphs = verdict(results);
        @if !paragraphs.is_empty() {
            div.verdict { @for paragraph in paragraphs { p { (paragraph.replace(" %", "\u{a0}%")) } } }
        }
        @if results.estimators.is_empty() {
            (word("No estimator was trained."))
        } @else {
            (scroll("Errors by estimator and split", table(results)))
            p.note { (caption(results)) }
            @if let Some(table) = differences(results) { (table) }
        }
    })
}

fn caption(results: &Results) -> String {
    let most = results.estimators.iter().map(|estimator| estimator.runs.len()).max().unwrap_or(0);
    let what = match results.data.classes.is_empty() {
        true => "Root mean squared error",
        false => "Error in %",
    };
    let over = match most {
        0 | 1 => "of one run each, so without a standard error".into(),
        _ => format!("as mean ± standard error over {}", counted(most, "run", "runs")),
    };
    format!("{what} {over}; the lowest of a column in bold.")
}

fn table(results: &Results) -> Markup {
    let (estimators, splits, error) = (estimators(results), splits(results), error(results));
    let lowest: Vec<Option<f64>> = splits.iter().map(|split| lowest(&error, &estimators, split)).collect();
    html! {
        table {
            (head(results, &splits))
            tbody {
                @for estimator in &estimators {
                    tr {
                        th scope="row" {
                            span.swatch style=(estimator.colour.swatch()) {}
                            (estimator.label)
                            @if estimator.result.chosen { " " span.chosen { (mark(results)) } }
                            @if let Some(setting) = setting(estimator.result) { small { (setting) } }
                        }
                        @for (split, lowest) in splits.iter().zip(&lowest) {
                            td.number.best[lowest.is_some() && error.value(estimator, split).0 == *lowest] {
                                (mean_and_spread(&error.show(estimator, split)))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn head(results: &Results, splits: &[&str]) -> Markup {
    let rows = |split: &str| results.data.splits.get(split).map(|rows| counted(*rows, "row", "rows"));
    html! {
        thead {
            tr {
                th scope="col" { "Estimator" }
                @for split in splits {
                    th.number scope="col" { (split) @if let Some(rows) = rows(split) { small { (rows) } } }
                }
            }
        }
    }
}

/// None when there is nothing to be lower than.
fn lowest(error: &Measure, estimators: &[Named<'_>], split: &str) -> Option<f64> {
    let values: Vec<f64> =
        estimators.iter().filter_map(|estimator| error.value(estimator, split).0).collect();
    let lowest = values.iter().copied().reduce(f64::min)?;
    values.iter().any(|value| *value > lowest).then_some(lowest)
}

/// Penalty, weight and ridge, as far as they are there and not said by the name.
fn setting(estimator: &EstimatorResult) -> Option<String> {
    let symbol = |symbol: &str, value: f64| format!("{symbol}\u{a0}=\u{a0}{}", exact(value));
    let is_penalised = estimator.penalty != "none";
    let parts = [
        (is_penalised && estimator.penalty != estimator.name).then(|| estimator.penalty.clone()),
        is_penalised.then(|| symbol("λ", estimator.penalty_weight)),
        (estimator.ridge != 0.0).then(|| symbol("γ", estimator.ridge)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The spread goes to a line of its own where the screen is narrow.
fn mean_and_spread(text: &str) -> Markup {
    match text.split_once(" ± ") {
        Some((mean, spread)) => html! { (mean) " " span.spread { "± " (spread) } },
        None => html! { (text) },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn the_verdict_stands_before_the_table() {
        let page = body(&samples::small()).unwrap().into_string();
        let [verdict, table] = ["CoRe helps", "<table>"].map(|text| page.find(text).unwrap());
        assert!(verdict < table);
    }

    #[test]
    fn the_chosen_setting_of_a_path_is_marked() {
        let page = body(&samples::path()).unwrap().into_string();
        assert!(page.contains("CoRe λ=1 <span class=\"chosen\">chosen</span>"), "{page}");
        assert_eq!(page.matches(">chosen<").count(), 1);
        let mut by_hand = samples::path();
        by_hand.results.selection = None;
        let page = body(&by_hand).unwrap().into_string();
        assert!(page.contains("<span class=\"chosen\">main</span>") && !page.contains(">chosen<"), "{page}");
    }

    #[test]
    fn one_run_has_no_standard_error() {
        let page = body(&samples::small()).unwrap().into_string();
        assert!(!page.contains('±') && page.contains("of one run each"), "{page}");
        let page = body(&samples::of(5, 4, 3, 10)).unwrap().into_string();
        assert!(page.contains('±') && page.contains("over 5 runs"), "{page}");
    }

    #[test]
    fn the_lowest_of_a_column_is_bold() {
        let page = body(&samples::small()).unwrap().into_string();
        // pooled 3 and 41, CoRe 4 and 9.
        assert!(
            page.contains("<td class=\"number best\">3.00</td><td class=\"number\">41.00</td>"),
            "{page}"
        );
        assert!(page.contains("<td class=\"number\">4.00</td><td class=\"number best\">9.00</td>"), "{page}");
    }

    #[test]
    fn regression_is_not_in_percent() {
        let mut records = samples::small();
        records.results.data.classes.clear();
        let page = body(&records).unwrap().into_string();
        assert!(page.contains("Root mean squared error") && page.contains(">0.0300<"), "{page}");
    }
}
