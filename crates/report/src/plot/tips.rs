//! What a plot says when it is pointed at. Without a script these are the browser's own hints.

use maud::{Markup, html};

use super::rectangle;

/// A rectangle of a plot that says more.
#[derive(Debug, Clone, Copy)]
pub struct Tip<'a> {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    pub text: &'a str,
}

/// More would make the page heavy, and nobody points at all of them.
const MOST: usize = 600;
/// Half the side of the square around a point. A finger wants a large one.
const REACH: f64 = 7.0;

impl<'a> Tip<'a> {
    /// Around a point.
    pub fn around(x: f64, y: f64, text: &'a str) -> Self {
        Self { x: x - REACH, y: y - REACH, width: 2.0 * REACH, height: 2.0 * REACH, text }
    }

    fn path(&self) -> String {
        rectangle((self.x, self.y), (self.x + self.width, self.y + self.height))
    }
}

/// The tips of a plot; it belongs on top of the drawing.
pub fn layer<'a>(tips: impl Iterator<Item = Tip<'a>>) -> Markup {
    let tips: Vec<Tip<'_>> = tips.filter(|tip| !tip.text.is_empty()).take(MOST).collect();
    html! {
        @if !tips.is_empty() {
            g.tips { @for tip in tips { path d=(tip.path()) { title { (tip.text) } } } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tip_is_a_title_and_stays_text() {
        let cell = Tip { x: 1.0, y: 2.0, width: 3.0, height: 4.0, text: "<b>" };
        let markup = layer([cell, Tip::around(100.0, 100.0, "")].into_iter()).into_string();
        assert_eq!(markup, "<g class=\"tips\"><path d=\"M1 2H4V6H1z\"><title>&lt;b&gt;</title></path></g>");
    }

    #[test]
    fn no_tips_are_no_markup() {
        assert_eq!(layer(std::iter::empty()).into_string(), "");
    }
}
