//! Plots as inline SVG in the colours of the page. All lengths are in CSS pixels.

mod axis;
mod bars;
mod colour;
mod curves;
mod frame;
mod heat;
mod lines;
mod plane;
mod tips;

use maud::{Markup, html};

pub use axis::Axis;
pub use bars::{Bar, Bars, Group};
pub use colour::Colour;
pub use curves::{Curve, CurvePoint, Curves, DOT, Mark, Spread};
pub use heat::Heat;
pub use lines::{Line, Lines};
pub use plane::PlanePlot;
use tips::Tip;

/// Width of every plot: that of a phone. Wider screens put plots side by side.
const WIDTH: f64 = 370.0;
/// Higher plots scroll in a box of their own.
const TALL: f64 = 800.0;
const FONT_SIZE: f64 = 12.0;
/// Mean width of a character, in the widest of the common fonts.
const LETTER: f64 = 0.6 * FONT_SIZE;

/// A drawing of [`WIDTH`] x `height`. `description` is what a screen reader says.
fn svg(height: f64, description: &str, drawing: &Markup) -> Markup {
    let tall = height > TALL;
    html! {
        div.plot.tall[tall] tabindex=[tall.then_some("0")] {
            svg viewBox=(format!("0 0 {WIDTH} {}", px(height))) font-size=(FONT_SIZE) role="img"
                aria-label=(description) { (drawing) }
        }
    }
}

/// A length rounded to a tenth of a pixel, which keeps the page small.
fn px(length: f64) -> f64 {
    // Adding zero turns -0 into 0.
    (10.0 * length).round() / 10.0 + 0.0
}

/// A text with its middle line at `y`. The element around it sets the colour and what stands at `x`.
fn text(x: f64, y: f64, words: &str) -> Markup {
    html! { text x=(px(x)) y=(px(y)) dy="0.35em" { (words) } }
}

/// A text that reads upwards, with its middle line at `x`.
fn upward_text(x: f64, y: f64, words: &str) -> Markup {
    let turned = format!("translate({} {}) rotate(-90)", px(x), px(y));
    html! { text transform=(turned) dy="0.35em" { (words) } }
}

/// Path of a rectangle between two corners. Neighbours share their rounded edges, so there is no gap between them.
fn rectangle((left, top): (f64, f64), (right, bottom): (f64, f64)) -> String {
    format!("M{} {}H{}V{}H{}z", px(left), px(top), px(right), px(bottom), px(left))
}

/// Cut to `letters`, with a sign of it. Letters of East Asia count twice.
fn shortened(text: &str, letters: usize) -> String {
    if letters_of(text) <= letters {
        return text.into();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if letters_of(&kept) >= letters {
            kept.pop();
            break;
        }
    }
    kept + "…"
}

fn letters_of(text: &str) -> usize {
    text.chars().map(|letter| if letter >= '\u{1100}' { 2 } else { 1 }).sum()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn names_in_a_plot_stay_text() {
        let evil = "<img src=x onerror=alert(1)>\"#010200\"&amp;";
        let drawing = html! { (text(0.0, 0.0, evil)) (upward_text(0.0, 0.0, evil)) };
        let markup = svg(10.0, evil, &drawing).into_string();
        assert!(!markup.contains("<img"), "{markup}");
        let escaped = "&lt;img src=x onerror=alert(1)&gt;&quot;#010200&quot;&amp;amp;";
        assert_eq!(markup.matches(&format!(">{escaped}</text>")).count(), 2, "{markup}");
        assert!(markup.contains(&format!("aria-label=\"{escaped}\"")), "{markup}");
    }

    /// A browser takes what follows an open element into it, and does not draw it.
    #[test]
    fn every_element_of_a_plot_is_closed() {
        for records in [samples::path(), samples::with_evidence(), samples::many_classes(40)] {
            let page = crate::html(&records);
            for svg in page.split("<svg").skip(1).filter_map(|rest| rest.split("</svg>").next()) {
                assert_eq!(svg.matches('<').count(), 2 * svg.matches("</").count(), "{svg}");
            }
        }
    }

    #[test]
    fn lengths_are_short_and_never_minus_zero() {
        assert_eq!([1.0, 2.04, 2.96, -0.04].map(|length| px(length).to_string()), ["1", "2", "3", "0"]);
        assert_eq!(rectangle((0.1 + 0.2, 1.0), (9.99, 5.25)), "M0.3 1H10V5.3H0.3z");
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        assert_eq!(shortened("label-variance", 14), "label-variance");
        assert_eq!(shortened("label-variance", 8), "label-v…");
        assert_eq!(shortened("日本語", 5), "日本…");
    }
}
