//! How the errors differ from those of the pooled model, with intervals.

use corevar::evidence::LEVEL;
use corevar::results::{Difference, JudgedDifference, Results};
use maud::{Markup, html};

use super::scroll;
use crate::format::{MISSING, Unit, counted};
use crate::measure::error;
use crate::names::{colour, display};

/// One line per estimator, one column per split. None in records without differences.
pub fn differences(results: &Results) -> Option<Markup> {
    let first = results.differences.first()?;
    let unit = error(results).unit;
    let units = if unit == Unit::Percent { "in percentage points" } else { "in the unit of the label" };
    let over =
        if results.differences.iter().any(|one| one.runs > 1) { "ids and training runs" } else { "ids" };
    Some(html! {
        h3 { "Difference from " (display(&first.against)) }
        (scroll("Differences of the error by estimator and split", table(results, first, unit)))
        p.note {
            "Error of the estimator minus that of " (display(&first.against)) ", " (units) ", with the "
            (format!("{:.0}\u{a0}%", 100.0 * LEVEL)) " interval over " (over) "; below zero the estimator is better. \
             Bold: significant at 5\u{a0}%, with Holm's correction for the number of tests."
        }
    })
}

fn table(results: &Results, first: &Difference, unit: Unit) -> Markup {
    let mut estimators: Vec<&str> = Vec::new();
    for difference in &results.differences {
        if !estimators.contains(&difference.estimator.as_str()) {
            estimators.push(&difference.estimator);
        }
    }
    let splits: Vec<&Difference> =
        results.differences.iter().filter(|one| one.estimator == first.estimator).collect();
    html! {
        table {
            thead {
                tr {
                    th scope="col" { "Estimator" }
                    @for one in &splits { th.number scope="col" { (one.split) small { (rows(one)) } } }
                }
            }
            tbody {
                @for name in &estimators {
                    @let judged = results.judged(name, &first.against);
                    @let of_name = || results.differences.iter().filter(|one| one.estimator == *name);
                    tr {
                        th scope="row" { span.swatch style=(colour(name, results).swatch()) {} (display(name)) }
                        @for on in &splits { (cell(of_name().find(|one| one.split == on.split), &judged, unit)) }
                    }
                }
            }
        }
    }
}

fn rows(difference: &Difference) -> String {
    let rows = counted(difference.rows, "row", "rows");
    match difference.ids < difference.rows {
        true => format!("{rows}, {}", counted(difference.ids, "id", "ids")),
        false => rows,
    }
}

fn cell(difference: Option<&Difference>, judged: &[JudgedDifference<'_>], unit: Unit) -> Markup {
    let Some(difference) = difference else { return html! { td.number { (MISSING) } } };
    let is_significant =
        judged.iter().any(|one| one.is_significant && one.difference.split == difference.split);
    html! {
        td.number.best[is_significant] {
            (signed(&unit.show(Some(difference.error), None)))
            @if let (Some(low), Some(high)) = (difference.low, difference.high) {
                small { (signed(&unit.range(low, high))) }
            }
        }
    }
}

/// With a minus sign in place of the hyphen.
fn signed(number: &str) -> String {
    number.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn differences_are_in_percentage_points_with_their_interval() {
        let page = differences(&samples::small().results).unwrap().into_string();
        assert!(page.contains("Difference from pooled") && page.contains("in percentage points"), "{page}");
        // CoRe 9 % and pooled 41 % on test2, significant; 4 % and 3 % on test1, not so.
        let cells = "<td class=\"number\">1.00<small>−0.50 to 2.50</small></td>\
                     <td class=\"number best\">−32.00<small>−33.50 to −30.50</small></td>";
        assert!(page.contains(cells), "{page}");
        assert!(page.contains("test2<small>4\u{202f}000 rows, 3\u{202f}750 ids</small>"), "{page}");
    }

    #[test]
    fn records_of_earlier_versions_have_no_table() {
        let mut results = samples::small().results;
        results.differences.clear();
        assert!(differences(&results).is_none());
    }

    #[test]
    fn an_estimator_that_is_missing_on_a_split_has_a_dash() {
        let mut results = samples::small().results;
        let other = Difference { estimator: "label-variance".into(), ..results.differences[0].clone() };
        results.differences.push(other);
        let page = differences(&results).unwrap().into_string();
        assert!(page.contains("<td class=\"number\">–</td>"), "{page}");
    }
}
