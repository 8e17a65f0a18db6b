//! The sections of the page: a file each, in the order of [`SECTIONS`].

mod classes;
mod configuration;
mod curves;
mod errors;
mod result;
mod times;
mod variance;
mod versions;

use maud::{Markup, html};

use crate::Records;

/// One section of the page.
pub struct Section {
    /// Anchor in the page.
    pub id: &'static str,
    pub title: &'static str,
    /// None when the section has no meaning for these records. One that could have stood there but lacks its
    /// numbers says so with [`word`].
    pub body: fn(&Records) -> Option<Markup>,
}

/// In the order of the page.
pub const SECTIONS: [Section; 8] = [
    result::SECTION,
    errors::SECTION,
    classes::SECTION,
    variance::SECTION,
    curves::SECTION,
    times::SECTION,
    configuration::SECTION,
    versions::SECTION,
];

/// A sentence where something is left out.
pub fn word(text: &str) -> Markup {
    html! { p.word { (text) } }
}

/// A plot with its name and what it shows.
pub fn figure(title: &str, note: Markup, plot: Markup) -> Markup {
    html! {
        figure {
            figcaption { strong { (title) } " " span.note { (note) } }
            (plot)
        }
    }
}

/// Figures and tables side by side where there is room.
fn panels(panels: &[Markup]) -> Markup {
    html! { div.panels { @for panel in panels { (panel) } } }
}

/// A table that scrolls inside its own box, also by keyboard.
fn scroll(label: &str, table: Markup) -> Markup {
    html! { div.scroll role="region" aria-label=(label) tabindex="0" { (table) } }
}
