//! Thin lines over epochs, one per run.

use maud::{Markup, html};

use super::axis::Axis;
use super::frame::Frame;
use super::{Colour, svg};

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
/// Points of a plot: about half a megabyte of text at most.
const MOST_POINTS: usize = 40_000;
/// From here on lines are drawn paler, so that a bundle shows where it is dense.
const MANY: usize = 12;

impl Lines {
    /// None when no line has a point.
    pub fn svg(&self) -> Option<Markup> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let up = Axis::around(points().map(|(_, value)| *value))?;
        let across = Axis::counting(points().map(|(epoch, _)| *epoch).max()?);
        let frame = Frame::new((8.0, HEIGHT), across, up, ["epoch", ""]);
        let opacity = if self.lines.len() > MANY { 0.45 } else { 0.9 };
        let drawing = html! {
            (frame.axes(true))
            g fill="none" fill-opacity=(opacity) stroke-opacity=(opacity) stroke-width="1.25" {
                @for line in &self.lines { (line.markup(&frame, MOST_POINTS / self.lines.len())) }
            }
        };
        Some(svg(HEIGHT, &self.description, &drawing))
    }
}

impl Line {
    /// With about `most` points.
    fn markup(&self, frame: &Frame<'_>, most: usize) -> Markup {
        html! {
            @match self.points.as_slice() {
                // A line of one point would not be seen.
                [(epoch, value)] => {
                    circle cx=(frame.x(*epoch as f64)) cy=(frame.y(*value)) r="2.5" fill=(self.colour.css()) {}
                }
                points => {
                    @let points = thinned(points, most).map(|(epoch, value)| (epoch as f64, value));
                    polyline stroke=(self.colour.css()) points=(frame.points(points)) {}
                }
            }
        }
    }
}

/// About `most` points, evenly, with the first and the last.
fn thinned(points: &[(u64, f64)], most: usize) -> impl Iterator<Item = (u64, f64)> {
    let stride = points.len().div_ceil(most.max(2)).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.iter().enumerate().filter(move |(index, _)| index % stride == 0 || *index == last);
    kept.map(|(_, point)| *point)
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
        svg.matches("<polyline").count()
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
        let kept: Vec<(u64, f64)> = thinned(&points, 10).collect();
        assert_eq!((kept.len(), kept[0].0, kept.last().unwrap().0), (11, 1, 1000));
        assert_eq!(thinned(&points[..3], 10).count(), 3);
    }
}
