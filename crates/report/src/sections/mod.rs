//! The sections of the page: a file each, in the order of [`SECTIONS`].

mod attributes;
mod boundaries;
mod changes;
mod classes;
mod configuration;
mod confusion;
mod curves;
mod differences;
mod errors;
mod groups;
mod inspect;
mod linear;
mod path;
mod reliability;
mod rescued;
mod result;
mod robustness;
mod stress;
mod times;
mod variance;
mod versions;

use maud::{Markup, html};

use crate::Records;
use crate::plot::Colour;
pub use crate::plot::figure;

/// One section of the page.
pub struct Section {
    /// Anchor in the page.
    pub id: &'static str,
    pub title: &'static str,
    /// None when the section has no meaning for these records. One that could have stood there but lacks its
    /// numbers says so with [`word`].
    pub body: fn(&Records) -> Option<Markup>,
}

/// In the order of the page: what came out, what it looks like, what it rests on.
pub const SECTIONS: [Section; 20] = [
    result::SECTION,
    errors::SECTION,
    boundaries::SECTION,
    rescued::SECTION,
    changes::SECTION,
    path::SECTION,
    linear::SECTION,
    variance::SECTION,
    robustness::SECTION,
    stress::SECTION,
    reliability::SECTION,
    classes::SECTION,
    confusion::SECTION,
    attributes::SECTION,
    groups::SECTION,
    inspect::SECTION,
    curves::SECTION,
    times::SECTION,
    configuration::SECTION,
    versions::SECTION,
];

/// A sentence where something is left out.
pub fn word(text: &str) -> Markup {
    html! { p.word { (text) } }
}

/// Figures and tables side by side where there is room.
pub fn panels(panels: &[Markup]) -> Markup {
    html! { div.panels { @for panel in panels { (panel) } } }
}

/// A table that scrolls inside its own box, also by keyboard.
pub fn scroll(label: &str, table: Markup) -> Markup {
    html! { div.scroll role="region" aria-label=(label) tabindex="0" { (table) } }
}

/// Which colour is what.
pub fn swatches(legend: &[(Colour, String)]) -> Markup {
    html! {
        ul.legend {
            @for (colour, name) in legend { li { span.swatch style=(colour.swatch()) {} (name) } }
        }
    }
}

/// A picture of the data. Nothing but a PNG inside the page is ever shown.
fn picture(uri: &str, alt: &str) -> Markup {
    html! {
        @if uri.starts_with("data:image/png;base64,") { img src=(uri) alt=(alt) loading="lazy"; }
        @else { (word("No picture.")) }
    }
}

/// A probability as a small bar with its number.
fn share(label: &str, probability: f64, colour: Colour) -> Markup {
    let style = format!("--p:{:.3};{}", probability.clamp(0.0, 1.0), colour.swatch());
    html! { div.share style=(style) { (label) " " (format!("{:.0}\u{a0}%", 100.0 * probability)) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_inside_the_page_are_shown() {
        assert!(picture("data:image/png;base64,AAAA", "a").into_string().contains("<img src="));
        for uri in ["x.png", "data:image/svg+xml,<svg onload=alert(1)>", "javascript:alert(1)"] {
            assert!(!picture(uri, "a").into_string().contains("<img"), "{uri}");
        }
    }
}
