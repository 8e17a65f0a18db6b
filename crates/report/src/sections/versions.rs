//! What is needed to get the same numbers again.

use corevar::evidence::Evidence;
use corevar::results::EstimatorResult;
use maud::{Markup, html};

use super::{Section, scroll};
use crate::Records;
use crate::format::seconds;
use crate::names::estimators;

pub const SECTION: Section = Section { id: "versions", title: "Versions and seeds", body };

fn body(records: &Records) -> Option<Markup> {
    let mut seeds: Vec<(String, String)> =
        estimators(&records.results).into_iter().map(|named| (named.label, seeds(named.result))).collect();
    if seeds.len() > 1 && seeds.iter().all(|(_, of_one)| *of_one == seeds[0].1) {
        seeds = vec![("each estimator".into(), seeds.swap_remove(0).1)];
    }
    let table = html! {
        table.settings {
            tbody {
                tr { th scope="row" { "Run" } td { (records.name) } }
                tr { th scope="row" { "Report written by" } td { "corevar " (env!("CARGO_PKG_VERSION")) } }
                tr { th scope="row" { "Form of the results" } td { (records.results.schema) } }
                @if let Some(evidence) = &records.evidence {
                    @for (name, value) in of_evidence(evidence) { tr { th scope="row" { (name) } td { (value) } } }
                }
                @for (label, seeds) in &seeds {
                    tr { th scope="row" { "Seeds of " (label) } td { (seeds) } }
                }
            }
        }
    };
    Some(scroll("Versions and seeds", table))
}

fn of_evidence(evidence: &Evidence) -> [(&'static str, String); 5] {
    let Evidence { versions, times, .. } = evidence;
    [
        ("Trained by", format!("corevar {} on Burn {}", versions.corevar, versions.burn)),
        ("Machine", versions.target.clone()),
        ("Evidence gathered", format!("{} in {}", times.gathered, seconds(times.seconds))),
        ("Form of the evidence", evidence.schema.clone()),
        ("Seed of the draws", evidence.seed.to_string()),
    ]
}

/// `0–4, 7`.
fn seeds(result: &EstimatorResult) -> String {
    let mut seeds: Vec<u64> = result.runs.iter().map(|run| run.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let ranges = seeds.chunk_by(|a, b| b - a == 1).map(|range| match range {
        [first, _, .., last] => format!("{first}–{last}"),
        few => few.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    });
    match ranges.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "none".into(),
        ranges => ranges,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn evidence_names_its_versions_and_its_time() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        for text in ["on Burn 0.22.1", "x86_64-linux", "2024-02-29T23:59:59Z in 2.5 s", "corevar.evidence/1"]
        {
            assert!(page.contains(text), "{text}: {page}");
        }
    }

    #[test]
    fn seeds_in_a_row_are_a_range() {
        let mut result = samples::of(6, 2, 1, 2).results.estimators.remove(0);
        for (run, seed) in result.runs.iter_mut().zip([2, 0, 1, 7, 9, 10]) {
            run.seed = seed;
        }
        assert_eq!(seeds(&result), "0–2, 7, 9, 10");
        result.runs.clear();
        assert_eq!(seeds(&result), "none");
    }
}
