//! The page around the sections.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::Records;
use crate::format::{count, counted};
use crate::sections::{SECTIONS, Section};

const STYLE: &str = include_str!("style.css");

/// The slider of the boundaries and tips that also work for fingers; the page is complete without it.
pub const SCRIPT: &str = include_str!("script.js");

/// SHA-256 of [`SCRIPT`]; a test names the right one.
const SCRIPT_HASH: &str = "sha256-KluVAGboB8PwE5SgvxU1Omv+LhGq9EF5kH26PW49E2k=";

/// Nothing is loaded and nothing but the script runs, whatever the records hold.
fn policy() -> String {
    format!(
        "default-src 'none'; script-src '{SCRIPT_HASH}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
         form-action 'none'"
    )
}

/// A part of a page with its anchor.
pub struct Part {
    pub id: String,
    pub title: String,
    pub body: Markup,
}

/// The report of a run.
pub fn page(records: &Records) -> Markup {
    let part = |section: &Section| {
        let body = (section.body)(records)?;
        Some(Part { id: section.id.into(), title: section.title.into(), body })
    };
    let parts: Vec<Part> = SECTIONS.iter().filter_map(part).collect();
    let name = records.results.title.as_ref().unwrap_or(&records.results.data.name);
    document(name, facts(&trained_on(records)), &parts)
}

/// The whole document.
pub fn document(name: &str, header: Markup, parts: &[Part]) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(name))
            body {
                header {
                    p.eyebrow { "corevar report" }
                    h1 { (name) }
                    (header)
                }
                nav aria-label="Sections" {
                    ul { @for part in parts { li { a href=(format!("#{}", part.id)) { (part.title) } } } }
                }
                main { @for part in parts { (framed(part)) } }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn head(name: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy());
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="generator" content=(concat!("corevar ", env!("CARGO_PKG_VERSION")));
            title { (name) " – corevar report" }
            style { (PreEscaped(STYLE)) }
        }
    }
}

fn framed(part: &Part) -> Markup {
    let title = format!("{}-title", part.id);
    html! {
        section id=(part.id) aria-labelledby=(title) {
            h2 id=(title) { (part.title) }
            (part.body)
        }
    }
}

/// What was trained on, in a few numbers.
fn trained_on(records: &Records) -> [(&'static str, String); 6] {
    let data = &records.results.data;
    let runs: usize = records.results.estimators.iter().map(|estimator| estimator.runs.len()).sum();
    let classes = match data.classes.len() {
        0 => "regression".into(),
        classes => count(classes),
    };
    let grouped = format!("{} in {}", count(data.grouped_rows), counted(data.groups, "group", "groups"));
    [
        ("Rows", count(data.rows)),
        ("Grouped training rows", grouped),
        ("Classes", classes),
        ("Splits", count(data.splits.len())),
        ("Estimators", count(records.results.estimators.len())),
        ("Runs", count(runs)),
    ]
}

/// Numbers with their names, side by side.
pub fn facts(facts: &[(&str, String)]) -> Markup {
    html! { dl.facts { @for (name, value) in facts { div { dt { (name) } dd { (value) } } } } }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_policy_allows_the_script_and_no_other() {
        let hash = format!("sha256-{}", STANDARD.encode(Sha256::digest(SCRIPT.as_bytes())));
        assert_eq!(SCRIPT_HASH, hash, "the script has changed");
        assert!(!SCRIPT.contains("</script"));
    }
}
