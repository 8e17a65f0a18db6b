//! Curves with their uncertainty, and marks across them.

use maud::Markup;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::axis::Axis;
use super::{Area, Colour, Drawn, LETTER, Tips, letters_of, scaled, stroke, styled, svg, text_style};

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
    /// One a point.
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
const BOTTOM: f64 = 40.0;
/// Of the name of a mark.
const NAME: f64 = 15.0;
/// Radius of a dot.
pub const DOT: f64 = 2.5;

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

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
        let height = HEIGHT + NAME * self.marks.len() as f64;
        Some(svg(height, &self.description, |area, tips| self.draw(area, tips, up)))
    }

    fn draw(&self, area: &Area<'_>, tips: &mut Tips, up: Axis) -> Drawn {
        let left = up.widest_label() as f64 * LETTER + 10.0;
        let mut chart = ChartBuilder::on(area)
            .set_label_area_size(LabelAreaPosition::Left, scaled(left))
            .set_label_area_size(LabelAreaPosition::Bottom, scaled(BOTTOM))
            .margin_top(scaled(8.0 + NAME * self.marks.len() as f64))
            .margin_right(scaled(12.0))
            .build_cartesian_2d(self.across.clone(), up)?;
        styled(&mut chart.configure_mesh()).disable_x_mesh().x_desc(&self.across_title).draw()?;
        self.draw_marks(area, &chart)?;
        for curve in &self.curves {
            curve.draw(&mut chart, tips)?;
        }
        Ok(())
    }

    /// Names one below the other, so that marks side by side can be told apart.
    fn draw_marks(&self, area: &Area<'_>, chart: &Chart<'_, '_>) -> Drawn {
        let (pixels_across, pixels_up) = chart.plotting_area().get_pixel_range();
        for (row, mark) in self.marks.iter().enumerate() {
            let x = self.across.map(&mark.x, (pixels_across.start, pixels_across.end));
            let y = scaled(NAME * (row as f64 + 0.5));
            // Not up to the name: it would cross the names of others.
            let line = [(x, pixels_up.start), (x, pixels_up.end)];
            area.draw(&PathElement::new(line, stroke(mark.colour, 1.25)))?;
            let width = scaled(letters_of(&mark.name) as f64 * LETTER / 2.0);
            let within = x.clamp(
                pixels_across.start + width,
                (pixels_across.end - width).max(pixels_across.start + width),
            );
            area.draw_text(&mark.name, &text_style(mark.colour, HPos::Center), (within, y))?;
        }
        Ok(())
    }
}

impl Curve {
    fn draw(&self, chart: &mut Chart<'_, '_>, tips: &mut Tips) -> Drawn {
        let line: Vec<(f64, f64)> = self.points.iter().map(|point| (point.x, point.y)).collect();
        match self.spread {
            Spread::Band => self.draw_band(chart)?,
            Spread::Bars => self.draw_bars(chart)?,
            Spread::Reference => {
                chart.draw_series([PathElement::new(line, stroke(self.colour, 1.0))])?;
                return Ok(());
            }
        }
        chart.draw_series([PathElement::new(line, stroke(self.colour, 1.75))])?;
        for point in &self.points {
            let place = (point.x, point.y);
            let dot = Circle::new(place, scaled(point.size) as u32, self.colour.rgb().filled());
            chart.draw_series([dot])?;
            tips.dot(chart.backend_coord(&place), &point.tip);
        }
        Ok(())
    }

    fn draw_band(&self, chart: &mut Chart<'_, '_>) -> Drawn {
        let end = |of: fn((f64, f64)) -> f64| {
            self.points.iter().filter_map(move |point| Some((point.x, of(point.range?))))
        };
        let outline: Vec<(f64, f64)> =
            end(|range| range.0).chain(end(|range| range.1).collect::<Vec<_>>().into_iter().rev()).collect();
        if outline.len() > 2 {
            chart.draw_series([Polygon::new(outline, self.colour.rgb().mix(0.18))])?;
        }
        Ok(())
    }

    fn draw_bars(&self, chart: &mut Chart<'_, '_>) -> Drawn {
        let bars = self.points.iter().filter_map(|point| {
            let (low, high) = point.range.filter(|(low, high)| high > low)?;
            Some(PathElement::new([(point.x, low), (point.x, high)], stroke(self.colour, 1.25)))
        });
        chart.draw_series(bars.collect::<Vec<_>>())?;
        Ok(())
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
        assert_eq!((bars.matches("<polygon").count(), bars.matches("stroke-width=\"5\"").count()), (0, 2));
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
