//! What a plot says when it is pointed at. Without a script these are the browser's own hints.

use maud::{Markup, html};

use super::{SCALE, WIDTH, scaled};

/// Places of a plot that say more, in quarters of a CSS pixel.
#[derive(Debug, Default)]
pub struct Tips(Vec<Tip>);

#[derive(Debug)]
struct Tip {
    place: Place,
    text: String,
}

#[derive(Debug)]
enum Place {
    Dot { x: i32, y: i32 },
    Box { x: i32, y: i32, width: i32, height: i32 },
}

/// More would make the page heavy, and nobody points at all of them.
const MOST: usize = 600;
/// A finger wants a large dot.
const DOT: f64 = 7.0;

impl Tips {
    /// Around a point.
    pub fn dot(&mut self, (x, y): (i32, i32), text: &str) {
        self.push(Place::Dot { x, y }, text);
    }

    /// The whole width of the plot.
    pub fn strip(&mut self, y: i32, height: i32, text: &str) {
        self.push(Place::Box { x: 0, y, width: scaled(WIDTH), height }, text);
    }

    /// A rectangle.
    pub fn cell(&mut self, (x, y): (i32, i32), (width, height): (i32, i32), text: &str) {
        self.push(Place::Box { x, y, width, height }, text);
    }

    fn push(&mut self, place: Place, text: &str) {
        if self.0.len() < MOST && !text.is_empty() {
            self.0.push(Tip { place, text: text.into() });
        }
    }

    pub fn markup(&self) -> Markup {
        html! {
            @if !self.0.is_empty() {
                g.tips {
                    @for tip in &self.0 {
                        path d=(tip.place.path()) { title { (tip.text) } }
                    }
                }
            }
        }
    }
}

impl Place {
    fn path(&self) -> String {
        match self {
            Self::Box { x, y, width, height } => format!("M{x} {y}h{width}v{height}h-{width}z"),
            Self::Dot { x, y } => {
                let (radius, side) = ((DOT * SCALE) as i32, (2.0 * DOT * SCALE) as i32);
                format!("M{} {}h{side}v{side}h-{side}z", x - radius, y - radius)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tip_is_a_title_and_stays_text() {
        let mut tips = Tips::default();
        tips.cell((1, 2), (3, 4), "<b>");
        tips.dot((100, 100), "");
        let markup = tips.markup().into_string();
        assert_eq!(markup, "<g class=\"tips\"><path d=\"M1 2h3v4h-3z\"><title>&lt;b&gt;</title></path></g>");
    }

    #[test]
    fn no_tips_are_no_markup() {
        assert_eq!(Tips::default().markup().into_string(), "");
    }
}
