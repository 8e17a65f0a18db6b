//! Some groups of training pictures: what varies inside them is style.

use corevar::evidence::PictureGroup;
use maud::{Markup, html};

use super::{Section, picture};
use crate::Records;
use crate::format::counted;

pub const SECTION: Section = Section { id: "groups", title: "Training groups", body };

fn body(records: &Records) -> Option<Markup> {
    let groups = &records.evidence.as_ref()?.pictures.as_ref()?.groups;
    (!groups.is_empty()).then(|| {
        html! {
            p.note {
                "Drawn at random. The pictures of a group share label and id, so that what differs between them is style."
            }
            div.cards.pairs { @for group in groups { (card(group)) } }
        }
    })
}

fn card(group: &PictureGroup) -> Markup {
    html! {
        figure.card {
            div.pictures {
                @for (number, uri) in group.pictures.iter().enumerate() {
                    (picture(uri, &format!("{}, picture {} of {}", group.label, number + 1, group.id)))
                }
            }
            figcaption {
                strong { (group.label) } " "
                span.note { (group.id) @if group.rows > group.pictures.len() { ", " (counted(group.rows, "picture", "pictures")) } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_group_shows_its_pictures_with_words_for_them() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        assert_eq!(page.matches("<img").count(), 4);
        assert!(page.contains("alt=\"class 0, picture 1 of person 0\""), "{page}");
    }

    #[test]
    fn other_data_have_no_such_section() {
        assert!(body(&samples::path()).is_none());
    }
}
