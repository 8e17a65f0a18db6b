//! What `inspect` found in the data.

use maud::{Markup, html};

use super::{Section, scroll};
use crate::Records;

pub const SECTION: Section = Section { id: "inspect", title: "What inspect says of the data", body };

fn body(records: &Records) -> Option<Markup> {
    let inspect = records.evidence.as_ref()?.inspect.as_ref()?;
    let lines: Vec<&str> =
        inspect.get("lines")?.as_array()?.iter().filter_map(|line| line.as_str()).collect();
    (!lines.is_empty()).then(|| html! { (scroll("Findings", html! { pre.findings { (lines.join("\n")) } })) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_finding_is_a_line() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        assert_eq!(page.matches('\n').count(), 1);
        assert!(page.contains("Brightness predicts the label &lt;strongly&gt;"), "{page}");
    }

    #[test]
    fn another_form_is_left_out() {
        let mut records = samples::with_evidence();
        records.evidence.as_mut().unwrap().inspect = Some(serde_json::json!(["a"]));
        assert!(body(&records).is_none());
    }
}
