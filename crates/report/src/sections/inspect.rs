//! What `inspect` found in the data.

use maud::{Markup, html};

use super::{Section, scroll};
use crate::Records;

pub const SECTION: Section = Section { id: "inspect", title: "What inspect says of the data", body };

/// Findings as a list; lines that begin with spaces are a table below the one before.
fn body(records: &Records) -> Option<Markup> {
    let inspect = records.evidence.as_ref()?.inspect.as_ref()?;
    let lines: Vec<&str> =
        inspect.get("lines")?.as_array()?.iter().filter_map(|line| line.as_str()).collect();
    let is_table = |line: &str| line.starts_with(' ');
    (!lines.is_empty()).then(|| {
        html! {
            @for part in lines.chunk_by(|a, b| is_table(a) == is_table(b)) {
                @if is_table(part[0]) {
                    (scroll("What inspect found, as a table", html! { pre { (part.join("\n")) } }))
                } @else {
                    ul.findings { @for line in part { li { (line) } } }
                }
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_finding_is_a_line() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        assert_eq!(page.matches("<li>").count(), 2);
        assert!(page.contains("<li>Brightness predicts the label &lt;strongly&gt;</li>"), "{page}");
    }

    #[test]
    fn indented_lines_stay_a_table() {
        let mut records = samples::with_evidence();
        let lines = serde_json::json!({ "lines": ["scores:", "  a  0.9", "  b  0.5", "CoRe can help"] });
        records.evidence.as_mut().unwrap().inspect = Some(lines);
        let page = body(&records).unwrap().into_string();
        assert!(page.contains("<pre>  a  0.9\n  b  0.5</pre>"), "{page}");
        assert_eq!(page.matches("<ul").count(), 2);
    }

    #[test]
    fn another_form_is_left_out() {
        let mut records = samples::with_evidence();
        records.evidence.as_mut().unwrap().inspect = Some(serde_json::json!(["a"]));
        assert!(body(&records).is_none());
    }
}
