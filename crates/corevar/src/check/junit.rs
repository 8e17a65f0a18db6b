//! A report as the XML that build servers read: one test case per measure.

use std::fmt::Write as _;

use super::{CheckReport, Finding, Verdict};

/// The report as a JUnit document: what is above its limit has failed, what has a limit and cannot be measured is an error, what has no
/// limit is skipped.
pub fn junit(report: &CheckReport) -> String {
    let count =
        |verdict: Verdict| report.findings.iter().filter(|finding| finding.verdict == verdict).count();
    let (tests, failures, errors, skipped) =
        (report.findings.len(), count(Verdict::Broken), count(Verdict::Unmeasured), count(Verdict::NoLimit));
    let counts = format!(r#"tests="{tests}" failures="{failures}" errors="{errors}""#);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, r#"<testsuites name="corevar check" {counts}>"#);
    let name = escaped(&report.data);
    let _ = writeln!(xml, r#"  <testsuite name="{name}" {counts} skipped="{skipped}">"#);
    report.findings.iter().for_each(|finding| case(&mut xml, report, finding));
    xml + "  </testsuite>\n</testsuites>\n"
}

fn case(xml: &mut String, report: &CheckReport, finding: &Finding) {
    let name = finding.measure.name();
    let _ = writeln!(xml, r#"    <testcase classname="corevar.check" name="{name}">"#);
    let show = |value: Option<f64>| {
        value.map_or_else(|| "not measured".into(), |value| finding.measure.show(value, report.is_regression))
    };
    let message = match finding.limit {
        Some(_) => format!("{name} is {}, the limit is {}", show(finding.value), show(finding.limit)),
        None => format!("{name} is {}, without a limit", show(finding.value)),
    };
    let notes = escaped(&finding.notes.join("\n"));
    let message = escaped(&message);
    let _ = match finding.verdict {
        Verdict::Broken => {
            writeln!(xml, r#"      <failure type="limit" message="{message}">{notes}</failure>"#)
        }
        Verdict::Unmeasured => {
            writeln!(xml, r#"      <error type="not measured" message="{message}">{notes}</error>"#)
        }
        Verdict::NoLimit => writeln!(xml, r#"      <skipped message="{message}"/>"#),
        Verdict::Pass => writeln!(xml, "      <system-out>{message}</system-out>"),
    };
    xml.push_str("    </testcase>\n");
}

/// Text for an element or an attribute. What XML 1.0 has no place for, such as most control characters, is shown as in Rust.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\t' => out.push_str(&format!("&#{};", u32::from(letter))),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                out.extend(letter.escape_default());
            }
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_has_no_place_for_is_shown() {
        assert_eq!(
            escaped("a<b>\"c\"&'d'\u{1b}[31m\u{0}\ne\u{ffff}λ"),
            "a&lt;b&gt;&quot;c&quot;&amp;&apos;d&apos;\\u{1b}[31m\\u{0}&#10;e\\u{ffff}λ"
        );
    }
}
