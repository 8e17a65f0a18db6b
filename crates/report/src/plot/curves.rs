//! Curves with their uncertainty, and marks across them.

use maud::{Markup, html};

use super::axis::Axis;
use super::frame::Frame;
use super::{Colour, LETTER, Tip, letters_of, px, svg, text, tips};

/// A plot of curves.
pub struct Curves {
    /// What a screen reader says.
    pub description: String,
    pub across: Axis,
    /// What stands below it.
    pub across_title: String,
    /// None takes the values as they come.
    pub up: Option<Axis>,
    pub curves: Vec<Curve>,
    pub marks: Vec<Mark>,
}

/// One curve.
pub struct Curve {
    pub colour: Colour,
    pub points: Vec<CurvePoint>,
    pub spread: Spread,
}

/// How the uncertainty of a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spread {
    /// One per point.
    Bars,
    /// Between the lower and the upper ends.
    Band,
    /// A thin line without dots or uncertainty: something to compare with.
    Reference,
}

/// One point of a curve.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePoint {
    pub x: f64,
    pub y: f64,
    pub range: Option<(f64, f64)>,
    /// Radius of its dot in CSS pixels.
    pub size: f64,
    /// What it says when pointed at.
    pub tip: String,
}

/// A line from below to above, with its name.
pub struct Mark {
    pub x: f64,
    pub name: String,
    pub colour: Colour,
}

const HEIGHT: f64 = 240.0;
/// Height of the name of a mark.
const NAME: f64 = 15.0;
/// Radius of a dot.
pub const DOT: f64 = 2.5;

impl Curves {
    /// None when no curve has a point.
    pub fn svg(&self) -> Option<Markup> {
        let points = || self.curves.iter().flat_map(|curve| &curve.points);
        let ends = points().flat_map(|point| match point.range {
            Some((low, high)) => vec![point.y, low, high],
            None => vec![point.y],
        });
        let up = self.up.clone().or_else(|| Axis::around(ends))?;
        points().next()?;
        let names = NAME * self.marks.len() as f64;
        let frame =
            Frame::new((8.0 + names, HEIGHT + names), self.across.clone(), up, [&self.across_title, ""]);
        let drawing = html! {
            (frame.axes(true))
            @for (row, mark) in self.marks.iter().enumerate() { (mark.markup(&frame, row)) }
            @for curve in &self.curves { (curve.markup(&frame)) }
            (tips::layer(self.curves.iter().flat_map(|curve| curve.tips(&frame))))
        };
        Some(svg(HEIGHT + names, &self.description, &drawing))
    }
}

impl Mark {
    /// Names one below the other, so that marks side by side can be told apart.
    fn markup(&self, frame: &Frame<'_>, row: usize) -> Markup {
        let (x, half) = (frame.x(self.x), letters_of(&self.name) as f64 * LETTER / 2.0);
        let within = x.min(frame.right - half).max(frame.left + half);
        html! {
            // Not up to the name: it would cross the names of others.
            path stroke=(self.colour.css()) stroke-width="1.25"
                d=(format!("M{x} {}V{}", frame.top, frame.bottom)) {}
            g fill=(self.colour.css()) text-anchor="middle" {
                (text(within, NAME * (row as f64 + 0.5), &self.name))
            }
        }
    }
}

impl Curve {
    fn markup(&self, frame: &Frame<'_>) -> Markup {
        let colour = self.colour.css();
        let points = frame.points(self.points.iter().map(|point| (point.x, point.y)));
        html! {
            @match self.spread {
                Spread::Reference => { polyline fill="none" stroke=(colour) points=(points) {} }
                Spread::Band | Spread::Bars => {
                    (self.uncertainty(frame))
                    polyline fill="none" stroke=(colour) stroke-width="1.75" points=(points) {}
                    g fill=(colour) {
                        @for point in &self.points {
                            circle cx=(frame.x(point.x)) cy=(frame.y(point.y)) r=(px(point.size)) {}
                        }
                    }
                }
            }
        }
    }

    fn uncertainty(&self, frame: &Frame<'_>) -> Markup {
        let ranges = || self.points.iter().filter_map(|point| Some((point.x, point.range?)));
        let lower = ranges().map(|(x, (low, _))| (x, low));
        let upper: Vec<(f64, f64)> = ranges().map(|(x, (_, high))| (x, high)).collect();
        html! {
            @if self.spread == Spread::Band && upper.len() > 1 {
                polygon fill=(self.colour.css()) fill-opacity="0.18"
                    points=(frame.points(lower.chain(upper.into_iter().rev()))) {}
            } @else if self.spread == Spread::Bars {
                @for (x, (low, high)) in ranges().filter(|(_, (low, high))| high > low) {
                    path stroke=(self.colour.css()) stroke-width="1.25"
                        d=(format!("M{} {}V{}", frame.x(x), frame.y(low), frame.y(high))) {}
                }
            }
        }
    }

    fn tips(&self, frame: &Frame<'_>) -> impl Iterator<Item = Tip<'_>> {
        let shown = self.points.iter().filter(|_| self.spread != Spread::Reference);
        shown.map(|point| Tip::around(frame.x(point.x), frame.y(point.y), &point.tip))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, range: Option<(f64, f64)>) -> CurvePoint {
        CurvePoint { x, y, range, size: DOT, tip: format!("at {x}") }
    }

    fn plot(spread: Spread, marks: Vec<Mark>) -> String {
        let points = vec![point(0.0, 1.0, Some((0.5, 1.5))), point(1.0, 2.0, Some((1.5, 2.5)))];
        let curves = vec![Curve { colour: Colour::Series(1), points, spread }];
        let across = Axis::linear(0.0, 1.0, 5);
        let (description, across_title) = ("Loss".into(), "shift".into());
        Curves { description, across, across_title, up: None, curves, marks }.svg().unwrap().into_string()
    }

    #[test]
    fn a_band_is_a_polygon_and_bars_are_lines() {
        let band = plot(Spread::Band, Vec::new());
        assert_eq!((band.matches("<polygon").count(), band.matches("<circle").count()), (1, 2));
        let bars = plot(Spread::Bars, Vec::new());
        assert_eq!((bars.matches("<polygon").count(), bars.matches("stroke-width=\"1.25\"").count()), (0, 2));
        assert!(bars.contains("<title>at 1</title>") && bars.contains(">shift</text>"), "{bars}");
    }

    #[test]
    fn a_mark_has_its_name() {
        let mark = |name: &str| Mark { x: 0.5, name: name.into(), colour: Colour::Ink };
        let plot = plot(Spread::Bars, vec![mark("chosen"), mark("<oracle>")]);
        assert!(plot.contains(">chosen</text>") && plot.contains(">&lt;oracle&gt;</text>"), "{plot}");
    }

    #[test]
    fn a_reference_has_no_dots() {
        assert_eq!(plot(Spread::Reference, Vec::new()).matches("<circle").count(), 0);
    }

    #[test]
    fn nothing_to_draw_is_none() {
        let curves = vec![Curve { colour: Colour::Ink, points: Vec::new(), spread: Spread::Band }];
        let across = Axis::linear(0.0, 1.0, 5);
        let plot = Curves {
            description: "".into(),
            across,
            across_title: "".into(),
            up: None,
            curves,
            marks: vec![],
        };
        assert!(plot.svg().is_none());
    }
}
