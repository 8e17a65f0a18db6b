//! The settings of the run.

use maud::{Markup, html};

use super::{Section, scroll, word};
use crate::{Records, Setting};

pub const SECTION: Section = Section { id: "configuration", title: "Configuration", body };

/// Those of `corevar reproduce` say how data are made too, and its command alone takes them.
fn is_of_experiment(settings: &[Setting]) -> bool {
    settings.iter().any(|setting| setting.key == "protocol")
}

fn body(records: &Records) -> Option<Markup> {
    let settings = match records.config.as_deref() {
        None => return Some(word("The folder holds no config.toml.")),
        Some([]) => return Some(word("config.toml holds no settings.")),
        Some(settings) => settings,
    };
    let table = html! {
        table.settings {
            thead { tr { th scope="col" { "Setting" } th scope="col" { "Value" } } }
            tbody {
                @for setting in settings {
                    tr { th scope="row" { code { (setting.key) } } td { (setting.value) } }
                }
            }
        }
    };
    Some(html! {
        p.note {
            "Defaults included."
            @if !is_of_experiment(settings) { " " code { "--config config.toml" } " takes them all again." }
        }
        (scroll("Settings of the run", table))
    })
}
