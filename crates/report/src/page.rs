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

/// The whole document.
pub fn page(records: &Records) -> Markup {
    let sections: Vec<(&Section, Markup)> =
        SECTIONS.iter().filter_map(|section| Some((section, (section.body)(records)?))).collect();
    let name = &records.results.data.name;
    html! {
        (DOCTYPE)
        html lang="en" {
            (head(name))
            body {
                header {
                    p.eyebrow { "corevar report" }
                    h1 { (name) }
                    (facts(records))
                }
                nav aria-label="Sections" {
                    ul {
                        @for (section, _) in &sections {
                            li { a href=(format!("#{}", section.id)) { (section.title) } }
                        }
                    }
                }
                main { @for (section, body) in &sections { (framed(section, body)) } }
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

fn framed(section: &Section, body: &Markup) -> Markup {
    let title = format!("{}-title", section.id);
    html! {
        section id=(section.id) aria-labelledby=(title) {
            h2 id=(title) { (section.title) }
            (body)
        }
    }
}

/// What was trained on, in a few numbers.
fn facts(records: &Records) -> Markup {
    let data = &records.results.data;
    let runs: usize = records.results.estimators.iter().map(|estimator| estimator.runs.len()).sum();
    let classes = match data.classes.len() {
        0 => "regression".into(),
        classes => count(classes),
    };
    let grouped = format!("{} in {}", count(data.grouped_rows), counted(data.groups, "group", "groups"));
    let facts = [
        ("Rows", count(data.rows)),
        ("Grouped training rows", grouped),
        ("Classes", classes),
        ("Splits", count(data.splits.len())),
        ("Estimators", count(records.results.estimators.len())),
        ("Runs", count(runs)),
    ];
    html! { dl.facts { @for (name, value) in &facts { div { dt { (name) } dd { (value) } } } } }
}

#[cfg(test)]
mod tests {
    use corevar::evidence::base64;
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn the_policy_allows_the_script_and_no_other() {
        let hash = format!("sha256-{}", base64(&Sha256::digest(SCRIPT.as_bytes())));
        assert_eq!(SCRIPT_HASH, hash, "the script has changed");
        assert!(!SCRIPT.contains("</script"));
    }
}
