//! Groups on which the pooled model changes its mind.

use corevar::evidence::{Judged, MindChange};
use maud::{Markup, html};

use super::{Section, picture, share};
use crate::Records;
use crate::names::colour;

pub const SECTION: Section = Section { id: "changes", title: "Same object, other answer", body };

fn body(records: &Records) -> Option<Markup> {
    let changes = &records.evidence.as_ref()?.pictures.as_ref()?.changes;
    (!changes.is_empty()).then(|| {
        html! {
            p.note {
                "The groups on which the pooled model changes its mind most: the probability that it and CoRe give to the \
                 true class in each picture of the same object."
            }
            div.cards.wider { @for change in changes { (card(records, change)) } }
        }
    })
}

fn card(records: &Records, change: &MindChange) -> Markup {
    html! {
        figure.card {
            div.pictures { @for judged in &change.pictures { (judgement(records, change, judged)) } }
            figcaption { strong { (change.class) } " " span.note { (change.id) ", " (change.split) } }
        }
    }
}

fn judgement(records: &Records, change: &MindChange, judged: &Judged) -> Markup {
    let shares = [("pooled", "pooled", judged.pooled), ("core", "CoRe", judged.core)];
    html! {
        div {
            (picture(&judged.picture, &format!("{}, {}", change.class, change.id)))
            @for (name, label, probability) in shares { (share(label, probability, colour(name, &records.results))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn both_models_judge_every_picture() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        assert_eq!(page.matches("<img").count(), 2);
        for text in ["pooled 3\u{a0}%", "CoRe 88\u{a0}%", "pooled 97\u{a0}%", "person 7, test2"] {
            assert!(page.contains(text), "{text}: {page}");
        }
    }

    #[test]
    fn other_data_have_no_such_section() {
        assert!(body(&samples::path()).is_none());
    }
}
