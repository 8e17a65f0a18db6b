//! Errors by class.

use corevar::results::{ClassResult, EstimatorResult, Results};
use maud::{Markup, html};

use super::{Section, scroll, word};
use crate::Records;
use crate::format::{MISSING, count};
use crate::names::{Named, estimators, splits};

pub const SECTION: Section = Section { id: "classes", title: "Errors by class", body };

/// Cells of all tables together: keeps the page of a thousand classes small.
const MOST_CELLS: usize = 40_000;

/// A regression has no classes.
fn body(records: &Records) -> Option<Markup> {
    let results = &records.results;
    if results.data.classes.is_empty() {
        return None;
    }
    let estimators = estimators(results);
    let splits = splits(results);
    let most = (MOST_CELLS / (splits.len() * estimators.len()).max(1)).max(10);
    let tables: Vec<Markup> =
        splits.iter().filter_map(|split| table(results, &estimators, split, most)).collect();
    Some(html! {
        @if tables.is_empty() {
            (word("The records hold no errors by class."))
        } @else {
            p.note { "Error in %, mean over the runs. The stronger the colour, the larger the error." }
        }
        div.panels.wide[estimators.len() > 4] { @for table in &tables { (table) } }
    })
}

struct ClassRow<'a> {
    name: &'a str,
    rows: usize,
    /// One an estimator.
    errors: Vec<Option<f64>>,
}

fn table(results: &Results, estimators: &[Named<'_>], split: &str, most: usize) -> Option<Markup> {
    let all = class_rows(results, estimators, split);
    let classes = all.len();
    let rows = worst(all, most);
    let part = format!("The {} of {} classes with the largest errors.", count(rows.len()), count(classes));
    (!rows.is_empty()).then(|| {
        html! {
            div {
                h3 { (split) }
                @if rows.len() < classes { (word(&part)) }
                (scroll(&format!("Errors by class on {split}"), content(&rows, estimators)))
            }
        }
    })
}

fn content(rows: &[ClassRow<'_>], estimators: &[Named<'_>]) -> Markup {
    html! {
        table.heat {
            thead {
                tr {
                    th scope="col" { "Class" }
                    th.number scope="col" { "Rows" }
                    @for estimator in estimators { th.number scope="col" { (estimator.label) } }
                }
            }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (row.name) }
                        td.number { (count(row.rows)) }
                        @for error in &row.errors { (cell(*error)) }
                    }
                }
            }
        }
    }
}

fn cell(error: Option<f64>) -> Markup {
    let Some(error) = error else { return html! { td.number { (MISSING) } } };
    let shade = format!("--e:{:.2}", error.clamp(0.0, 1.0));
    html! { td.number style=(shade) { (format!("{:.1}", 100.0 * error)) } }
}

/// In the order of the outputs, without classes that have no row in this split.
fn class_rows<'a>(results: &'a Results, estimators: &[Named<'_>], split: &str) -> Vec<ClassRow<'a>> {
    let row = |name: &'a String| {
        let rows =
            estimators.iter().find_map(|e| of_class(e.result, split, name).next()).map_or(0, |c| c.rows);
        let errors = estimators.iter().map(|estimator| mean_error(estimator.result, split, name)).collect();
        ClassRow { name, rows, errors }
    };
    let rows = results.data.classes.iter().map(row);
    rows.filter(|row| row.errors.iter().any(Option::is_some)).collect()
}

fn of_class<'a>(
    result: &'a EstimatorResult,
    split: &str,
    class: &str,
) -> impl Iterator<Item = &'a ClassResult> {
    result.runs.iter().filter_map(move |run| run.splits.get(split)?.by_class.get(class))
}

fn mean_error(result: &EstimatorResult, split: &str, class: &str) -> Option<f64> {
    let errors: Vec<f64> = of_class(result, split, class).map(|class| class.error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}

/// All of them in order, or the `most` with the largest error of any estimator.
fn worst(mut rows: Vec<ClassRow<'_>>, most: usize) -> Vec<ClassRow<'_>> {
    if rows.len() > most {
        let largest = |row: &ClassRow<'_>| row.errors.iter().flatten().copied().fold(0.0, f64::max);
        rows.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
        rows.truncate(most);
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_class_has_the_mean_over_the_runs() {
        let mut result = samples::of(2, 2, 1, 2).results.estimators.remove(0);
        for (run, error) in result.runs.iter_mut().zip([0.1, 0.4]) {
            run.splits.get_mut("test1").unwrap().by_class.get_mut("class 0").unwrap().error = error;
        }
        assert_eq!(mean_error(&result, "test1", "class 0"), Some(0.25));
        assert_eq!(mean_error(&result, "test1", "no such class"), None);
    }

    #[test]
    fn of_too_many_classes_the_worst_are_kept() {
        let row = |name, error| ClassRow { name, rows: 1, errors: vec![Some(0.0), error] };
        let rows = || vec![row("a", Some(0.2)), row("b", None), row("c", Some(0.9))];
        let names = |rows: Vec<ClassRow<'static>>| rows.iter().map(|row| row.name).collect::<Vec<_>>();
        assert_eq!(names(worst(rows(), 2)), ["c", "a"]);
        assert_eq!(names(worst(rows(), 3)), ["a", "b", "c"]);
    }

    #[test]
    fn a_regression_has_no_such_section() {
        let mut records = samples::small();
        records.results.data.classes.clear();
        assert!(body(&records).is_none());
    }
}
