//! What a model says in the plane of two features, with rows laid over it.

use std::collections::BTreeMap;
use std::ops::Range;

use corevar::evidence::{Map, Plane, Point};
use maud::{Markup, html};

use super::axis::Axis;
use super::frame::Frame;
use super::{Colour, rectangle, svg};

/// The decision boundary of one model.
pub struct PlanePlot<'a> {
    /// What a screen reader says.
    pub description: String,
    pub plane: &'a Plane,
    pub map: &'a Map,
}

const HEIGHT: f64 = 290.0;
/// From these thousandths on a cell is drawn in the next stronger shade.
const SHADES: [(u16, f64); 4] = [(990, 0.42), (900, 0.32), (700, 0.22), (0, 0.12)];

impl PlanePlot<'_> {
    pub fn svg(&self) -> Markup {
        let [across, up] = [self.plane.across, self.plane.up].map(|[low, high]| Axis::linear(low, high, 5));
        let frame = Frame::new((8.0, HEIGHT), across, up, self.plane.features.each_ref().map(String::as_str));
        let drawing = html! {
            (frame.axes(false))
            (self.cells(&frame))
            (self.groups(&frame))
            (self.rows(&frame))
        };
        svg(HEIGHT, &self.description, &drawing)
    }

    /// One path per class and shade.
    fn cells(&self, frame: &Frame<'_>) -> Markup {
        let Plane { columns, rows, across, up, .. } = self.plane;
        let edge = |[low, high]: [f64; 2], cell: usize, cells: usize| {
            low + (high - low) * cell as f64 / cells as f64
        };
        let corner = |column: usize, row: usize| {
            (frame.x(edge(*across, column, *columns)), frame.y(edge(*up, row, *rows)))
        };
        let mut paths: BTreeMap<(u32, usize), String> = BTreeMap::new();
        for (look, row, run) in runs(*columns, *rows, |cell| self.look(cell)) {
            let path = rectangle(corner(run.start, row + 1), corner(run.end, row));
            paths.entry(look).or_default().push_str(&path);
        }
        html! {
            g shape-rendering="crispEdges" {
                @for ((class, shade), path) in paths {
                    @let colour = Colour::of_class(class as usize);
                    path fill=(colour.css()) fill-opacity=(SHADES[shade].1) d=(path) {}
                }
            }
        }
    }

    /// Class and shade of a cell.
    fn look(&self, cell: usize) -> (u32, usize) {
        let confidence = self.map.confidence.get(cell).copied().unwrap_or(0);
        let shade = SHADES.iter().position(|(from, _)| confidence >= *from).unwrap_or(SHADES.len() - 1);
        (self.map.classes.get(cell).copied().unwrap_or(0), shade)
    }

    /// The rows of a group, joined.
    fn groups(&self, frame: &Frame<'_>) -> Markup {
        let mut groups: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
        for point in &self.plane.points {
            if let Some(group) = point.group {
                groups.entry(group).or_default().push((point.x, point.y));
            }
        }
        html! {
            g fill="none" stroke=(Colour::Ink.css()) stroke-opacity="0.55" stroke-width="0.75" {
                @for points in groups.into_values().filter(|points| points.len() > 1) {
                    polyline points=(frame.points(points.into_iter())) {}
                }
            }
        }
    }

    /// Training rows as dots, held-out rows as rings.
    fn rows(&self, frame: &Frame<'_>) -> Markup {
        let colour = |point: &Point| Colour::of_class(point.class as usize).css();
        html! {
            @for point in &self.plane.points {
                @let radius = if point.group.is_some() { 2.5 } else { 1.5 };
                circle cx=(frame.x(point.x)) cy=(frame.y(point.y)) r=(radius) fill=(colour(point)) {}
            }
            g fill="none" stroke-width="0.75" {
                @for point in self.plane.held_out.iter().flat_map(|held_out| &held_out.points) {
                    circle cx=(frame.x(point.x)) cy=(frame.y(point.y)) r="2.25" stroke=(colour(point)) {}
                }
            }
        }
    }
}

/// Look, row and columns of neighbours in a row that look alike: far fewer rectangles than cells.
fn runs<Look: Copy + PartialEq>(
    columns: usize,
    rows: usize,
    look: impl Fn(usize) -> Look,
) -> Vec<(Look, usize, Range<usize>)> {
    let mut found = Vec::new();
    for row in 0..rows {
        let cells: Vec<usize> = (0..columns).collect();
        let alike = |a: &usize, b: &usize| look(row * columns + a) == look(row * columns + b);
        let run = |run: &[usize]| (look(row * columns + run[0]), row, run[0]..run[0] + run.len());
        found.extend(cells.chunk_by(alike).map(run));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_look_alike_become_one_run() {
        let cells = [1, 1, 2, 3, 3, 3];
        assert_eq!(runs(3, 2, |cell| cells[cell]), [(1, 0, 0..2), (2, 0, 2..3), (3, 1, 0..3)]);
    }

    #[test]
    fn runs_cover_every_cell_once() {
        let look = |cell: usize| (cell * cell / 7) % 3;
        let mut covered = vec![0; 8 * 9];
        for (found, row, run) in runs(8, 9, look) {
            for column in run {
                assert_eq!(look(row * 8 + column), found);
                covered[row * 8 + column] += 1;
            }
        }
        assert_eq!(covered, vec![1; 8 * 9]);
    }
}
