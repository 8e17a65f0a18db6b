//! Thin lines over epochs, one a run.

use maud::Markup;
use plotters::prelude::*;

use super::axis::Axis;
use super::{Area, Colour, Drawn, LETTER, scaled, styled, svg};

/// A plot of lines.
pub struct Lines {
    /// What a screen reader says.
    pub description: String,
    pub lines: Vec<Line>,
}

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub colour: Colour,
    /// Epoch and value.
    pub points: Vec<(u64, f64)>,
}

const HEIGHT: f64 = 240.0;
const BOTTOM: f64 = 40.0;
/// Points of a plot: about half a megabyte of text at most.
const MOST_POINTS: usize = 40_000;
/// From here on lines are drawn paler, so that a bundle shows where it is dense.
const MANY: usize = 12;

impl Lines {
    /// None when no line has a point.
    pub fn svg(&self) -> Option<Markup> {
        let values = self.lines.iter().flat_map(|line| &line.points).map(|(_, value)| *value);
        let axis = Axis::around(values)?;
        Some(svg(HEIGHT, &self.description, |area, _| self.draw(area, axis)))
    }

    fn draw(&self, area: &Area<'_>, axis: Axis) -> Drawn {
        let last =
            self.lines.iter().flat_map(|line| &line.points).map(|(epoch, _)| *epoch).max().unwrap_or(1);
        let left = axis.widest_label() as f64 * LETTER + 10.0;
        let mut chart = ChartBuilder::on(area)
            .set_label_area_size(LabelAreaPosition::Left, scaled(left))
            .set_label_area_size(LabelAreaPosition::Bottom, scaled(BOTTOM))
            .margin_top(scaled(8.0))
            .margin_right(scaled(8.0))
            .build_cartesian_2d(Axis::counting(last), axis)?;
        styled(&mut chart.configure_mesh()).disable_x_mesh().x_desc("epoch").draw()?;
        for line in &self.lines {
            chart.draw_series(self.series(line))?;
        }
        Ok(())
    }

    fn series<'a>(&self, line: &Line) -> LineSeries<SVGBackend<'a>, (f64, f64)> {
        let points = thinned(&line.points, MOST_POINTS / self.lines.len().max(1));
        let place = |(epoch, value): (u64, f64)| (epoch as f64, value);
        let opacity = if self.lines.len() > MANY { 0.45 } else { 0.9 };
        let style = line.colour.rgb().mix(opacity).stroke_width(scaled(1.25) as u32);
        // A line of one point would not be seen.
        let dot = if points.len() == 1 { scaled(2.5) as u32 } else { 0 };
        LineSeries::new(points.into_iter().map(place), style.filled()).point_size(dot)
    }
}

/// About `most` points, evenly, with the first and the last.
fn thinned(points: &[(u64, f64)], most: usize) -> Vec<(u64, f64)> {
    let stride = points.len().div_ceil(most.max(2)).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.iter().enumerate().filter(|(index, _)| index % stride == 0 || *index == last);
    kept.map(|(_, point)| *point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(lines: Vec<Vec<(u64, f64)>>) -> Option<String> {
        let line = |points| Line { colour: Colour::Series(0), points };
        let lines = Lines { description: "Risk".into(), lines: lines.into_iter().map(line).collect() };
        lines.svg().map(Markup::into_string)
    }

    fn series(svg: &str) -> usize {
        svg.matches("<polyline fill=\"none\" opacity").count()
    }

    #[test]
    fn a_run_is_a_line() {
        let svg = plot(vec![vec![(1, 1.0), (2, 0.5)], vec![(1, 0.9), (2, 0.4)]]).unwrap();
        assert_eq!(series(&svg), 2, "{svg}");
        assert!(svg.contains(">epoch</text>"));
    }

    #[test]
    fn a_single_epoch_is_a_dot() {
        assert!(plot(vec![vec![(1, 1.0)]]).unwrap().contains("<circle"));
    }

    #[test]
    fn nothing_to_draw_is_none() {
        assert_eq!(plot(vec![]), None);
        assert_eq!(plot(vec![vec![]]), None);
    }

    #[test]
    fn thinning_keeps_both_ends() {
        let points: Vec<(u64, f64)> = (1..=1000).map(|epoch| (epoch, 0.0)).collect();
        let kept = thinned(&points, 10);
        assert_eq!((kept.len(), kept[0].0, kept.last().unwrap().0), (11, 1, 1000));
        assert_eq!(thinned(&points[..3], 10).len(), 3);
    }
}
