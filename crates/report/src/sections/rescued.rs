//! Examples that the pooled model gets wrong and CoRe right.

use corevar::evidence::{Answer, Rescued, RescuedExample};
use maud::{Markup, html};

use super::{Section, picture, share};
use crate::Records;
use crate::format::{count, counted};
use crate::names::colour;

pub const SECTION: Section =
    Section { id: "rescued", title: "Wrong by the pooled model, right by CoRe", body };

fn body(records: &Records) -> Option<Markup> {
    let rescued = records.evidence.as_ref()?.pictures.as_ref()?.rescued.as_ref()?;
    Some(html! {
        p { (sentence(rescued)) }
        div.cards { @for example in &rescued.examples { (card(records, example)) } }
    })
}

fn sentence(rescued: &Rescued) -> String {
    let Rescued { split, rows, won, lost, examples } = rescued;
    let which = match examples.len() {
        0 => String::new(),
        shown if shown == *won => " These are:".into(),
        shown => format!(" Here are {} of the former, drawn at random:", count(shown)),
    };
    format!(
        "Of the {} of {split}, the pooled model gets {} wrong that CoRe gets right, and CoRe {} that the pooled model \
         gets right.{which}",
        counted(*rows, "row", "rows"),
        count(*won),
        count(*lost),
    )
}

fn card(records: &Records, example: &RescuedExample) -> Markup {
    let answer = |name: &str, label: &str, answer: &Answer| {
        let text = format!("{label}: {}", answer.class);
        share(&text, answer.probability, colour(name, &records.results))
    };
    html! {
        figure.card {
            (picture(&example.picture, &format!("{}, taken for {} by the pooled model", example.class, example.pooled.class)))
            figcaption {
                strong { (example.class) }
                @if let Some(id) = &example.id { " " span.note { (id) } }
            }
            (answer("pooled", "pooled", &example.pooled))
            (answer("core", "CoRe", &example.core))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn an_example_has_both_answers() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        for text in [
            "pooled: class 1 93\u{a0}%",
            "CoRe: class 0 81\u{a0}%",
            "1\u{202f}280 wrong that CoRe gets right",
        ] {
            assert!(page.contains(text), "{text}: {page}");
        }
        assert_eq!(page.matches("<img").count(), 3);
    }

    #[test]
    fn a_test_without_examples_still_has_its_sentence() {
        let mut records = samples::with_evidence();
        let pictures = records.evidence.as_mut().unwrap().pictures.as_mut().unwrap();
        let rescued = pictures.rescued.as_mut().unwrap();
        (rescued.won, rescued.examples) = (0, Vec::new());
        let page = body(&records).unwrap().into_string();
        assert!(page.contains("gets 0 wrong that CoRe gets right") && !page.contains("Here are"), "{page}");
    }
}
