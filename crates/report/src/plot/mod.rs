//! Plots as inline SVG in the colours of the page.

mod axis;
mod bars;
mod colour;
mod curves;
mod heat;
mod lines;
mod plane;
mod tips;

use std::io;

use maud::{Markup, PreEscaped, html};
use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub use axis::Axis;
pub use bars::{Bar, Bars, Group};
pub use colour::Colour;
pub use curves::{Curve, CurvePoint, Curves, DOT, Mark, Spread};
pub use heat::Heat;
pub use lines::{Line, Lines};
pub use plane::PlanePlot;
use tips::Tips;

use crate::sections::word;

/// Width of every plot in CSS pixels: that of a phone. Wider screens put plots side by side.
const WIDTH: f64 = 370.0;
/// Plotters draws on whole pixels; these are quarters of a CSS pixel.
const SCALE: f64 = 4.0;
/// Higher plots scroll in a box of their own.
const TALL: f64 = 800.0;
const FONT_SIZE: f64 = 12.0;
/// Mean width of a character.
const LETTER: f64 = 0.56 * FONT_SIZE;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// Draws on an area of [`WIDTH`] x `height`. `description` is what a screen reader says.
fn svg(height: f64, description: &str, draw: impl FnOnce(&Area<'_>, &mut Tips) -> Drawn) -> Markup {
    let size = (scaled(WIDTH), scaled(height));
    let mut text = String::new();
    let mut tips = Tips::default();
    let drawn = {
        let area = SVGBackend::with_string(&mut text, (size.0 as u32, size.1 as u32)).into_drawing_area();
        draw(&area, &mut tips).and_then(|()| area.present())
    };
    if let Err(cause) = drawn {
        return word(&format!("This plot cannot be drawn: {cause}"));
    }
    html! {
        div.plot.tall[height > TALL] tabindex=[(height > TALL).then_some("0")] {
            svg viewBox=(format!("0 0 {} {}", size.0, size.1)) role="img" aria-label=(description) {
                (PreEscaped(in_page_style(content(&text))))
                (tips.markup())
            }
        }
    }
}

/// What stands between `<svg ..>` and `</svg>`.
fn content(svg: &str) -> &str {
    let from = svg.find('>').map_or(0, |end| end + 1);
    let to = svg.rfind("</svg>").unwrap_or(svg.len());
    svg.get(from..to).unwrap_or_default().trim()
}

/// Names of data cannot be hit: quotes and angle brackets that are not escaped are those of the markup.
fn in_page_style(svg: &str) -> String {
    let needless = [" opacity=\"1\"", " font-family=\"sans-serif\""];
    let short = needless.iter().fold(svg.to_string(), |svg, attribute| svg.replace(attribute, ""));
    // Ends of lines inside a text would be drawn as spaces.
    let short = short.replace(">\n", ">").replace("\n</text>", "</text>");
    Colour::all()
        .fold(short, |svg, colour| svg.replace(&colour.placeholder(), &format!("\"{}\"", colour.css())))
}

fn scaled(pixels: f64) -> i32 {
    (pixels * SCALE).round() as i32
}

fn text_style<'a>(colour: Colour, anchor: HPos) -> TextStyle<'a> {
    // The SVG backend divides sizes by 1.24.
    let font = ("sans-serif", FONT_SIZE * 1.24 * SCALE).into_font();
    TextStyle { color: colour.rgb().to_backend_color(), ..TextStyle::from(font) }
        .pos(Pos::new(anchor, VPos::Center))
}

fn stroke(colour: Colour, pixels: f64) -> ShapeStyle {
    colour.rgb().stroke_width(scaled(pixels) as u32)
}

/// Grid and axes in the background, numbers beside them.
fn styled<'m, 'a, 'b, DB: DrawingBackend, X: Ranged, Y: Ranged>(
    mesh: &'m mut MeshStyle<'a, 'b, X, Y, DB>,
) -> &'m mut MeshStyle<'a, 'b, X, Y, DB> {
    mesh.axis_style(stroke(Colour::Grid, 1.0))
        .bold_line_style(stroke(Colour::Grid, 1.0))
        .label_style(text_style(Colour::Muted, HPos::Center))
        .axis_desc_style(text_style(Colour::Muted, HPos::Center))
        .set_all_tick_mark_size(scaled(3.0))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_plot_stay_text() {
        let evil = "<img src=x onerror=alert(1)>\"#010200\"&amp;";
        let draw = |area: &Area<'_>, _: &mut Tips| {
            area.draw_text(evil, &text_style(Colour::Ink, HPos::Left), (0, 0))
        };
        let markup = svg(10.0, evil, draw).into_string();
        assert!(!markup.contains("<img"), "{markup}");
        assert!(
            markup.contains("&lt;img src=x onerror=alert(1)&gt;&quot;#010200&quot;&amp;amp;"),
            "{markup}"
        );
        assert!(markup.contains("aria-label=\"&lt;img src=x onerror=alert(1)&gt;&quot;"), "{markup}");
    }

    #[test]
    fn every_colour_is_one_of_the_page() {
        let draw = |area: &Area<'_>, _: &mut Tips| {
            for colour in Colour::all() {
                area.draw(&PathElement::new(vec![(0, 0), (9, 9)], stroke(colour, 1.0)))?;
            }
            area.draw_text("a", &text_style(Colour::Muted, HPos::Left), (0, 0))
        };
        let markup = svg(10.0, "", draw).into_string();
        assert!(!markup.contains("\"#"), "{markup}");
        assert!(markup.contains("stroke=\"var(--s1, #0072B2)\""), "{markup}");
        assert!(markup.contains("<text") && markup.contains("fill=\"var(--muted, "), "{markup}");
    }

    #[test]
    fn long_names_are_cut_between_letters() {
        assert_eq!(shortened("label-variance", 14), "label-variance");
        assert_eq!(shortened("label-variance", 8), "label-v…");
        assert_eq!(shortened("日本語", 5), "日本…");
    }
}
