//! What a model says in the plane of two features, with rows laid over it.

use std::collections::BTreeMap;

use corevar::evidence::{Map, Plane, Point};
use maud::Markup;
use plotters::prelude::*;

use super::axis::Axis;
use super::{Area, Colour, Drawn, LETTER, Tips, scaled, styled, svg};

/// The decision boundary of one model.
pub struct PlanePlot<'a> {
    /// What a screen reader says.
    pub description: String,
    pub plane: &'a Plane,
    pub map: &'a Map,
}

const HEIGHT: f64 = 290.0;
const BOTTOM: f64 = 40.0;
/// From these thousandths on a cell is drawn in the next stronger shade.
const SHADES: [(u16, f64); 4] = [(990, 0.42), (900, 0.32), (700, 0.22), (0, 0.12)];

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;
/// First and last column and row of cells that look alike.
type Block = (usize, usize, usize, usize);

impl PlanePlot<'_> {
    pub fn svg(&self) -> Markup {
        svg(HEIGHT, &self.description, |area, tips| self.draw(area, tips))
    }

    fn draw(&self, area: &Area<'_>, _: &mut Tips) -> Drawn {
        let [across, up] = [self.plane.across, self.plane.up].map(|[low, high]| Axis::linear(low, high, 5));
        let left = up.widest_label() as f64 * LETTER + 24.0;
        let mut chart = ChartBuilder::on(area)
            .set_label_area_size(LabelAreaPosition::Left, scaled(left))
            .set_label_area_size(LabelAreaPosition::Bottom, scaled(BOTTOM))
            .margin_top(scaled(8.0))
            .margin_right(scaled(8.0))
            .build_cartesian_2d(across, up)?;
        let [x_title, y_title] = &self.plane.features;
        let mut mesh = chart.configure_mesh();
        styled(&mut mesh).disable_x_mesh().disable_y_mesh().x_desc(x_title).y_desc(y_title).draw()?;
        self.draw_cells(&mut chart)?;
        self.draw_points(&mut chart)
    }

    fn draw_cells(&self, chart: &mut Chart<'_, '_>) -> Drawn {
        let shade = |cell: usize| {
            let confidence = self.map.confidence.get(cell).copied().unwrap_or(0);
            SHADES.iter().position(|(from, _)| confidence >= *from).unwrap_or(SHADES.len() - 1)
        };
        let look = |cell: usize| (self.map.classes.get(cell).copied().unwrap_or(0), shade(cell));
        let edge = |[low, high]: [f64; 2], cell: usize, cells: usize| {
            low + (high - low) * cell as f64 / cells as f64
        };
        let Plane { columns, rows, across, up, .. } = self.plane;
        let rectangles = blocks(*columns, *rows, look).into_iter().map(|((class, shade), block)| {
            let (first_column, last_column, first_row, last_row) = block;
            let corners = [
                (edge(*across, first_column, *columns), edge(*up, last_row + 1, *rows)),
                (edge(*across, last_column + 1, *columns), edge(*up, first_row, *rows)),
            ];
            Rectangle::new(corners, Colour::of_class(class as usize).rgb().mix(SHADES[shade].1).filled())
        });
        chart.draw_series(rectangles)?;
        Ok(())
    }

    /// Groups joined, held-out rows as rings.
    fn draw_points(&self, chart: &mut Chart<'_, '_>) -> Drawn {
        let mut groups: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
        for point in &self.plane.points {
            if let Some(group) = point.group {
                groups.entry(group).or_default().push((point.x, point.y));
            }
        }
        let joined = groups.into_values().filter(|points| points.len() > 1);
        chart.draw_series(joined.map(|points| {
            PathElement::new(points, Colour::Ink.rgb().mix(0.55).stroke_width(scaled(0.75) as u32))
        }))?;
        let colour = |point: &Point| Colour::of_class(point.class as usize).rgb();
        let dot = |point: &Point| {
            let size = if point.group.is_some() { 2.5 } else { 1.5 };
            Circle::new((point.x, point.y), scaled(size) as u32, colour(point).filled())
        };
        chart.draw_series(self.plane.points.iter().map(dot))?;
        let held_out = self.plane.held_out.iter().flat_map(|held_out| &held_out.points);
        let ring = |point: &Point| {
            Circle::new(
                (point.x, point.y),
                scaled(2.25) as u32,
                colour(point).stroke_width(scaled(0.75) as u32),
            )
        };
        chart.draw_series(held_out.map(ring))?;
        Ok(())
    }
}

/// Cells that look alike as few rectangles: runs of a row, grown upwards while the next row has the same run.
fn blocks<Look: Copy + PartialEq>(
    columns: usize,
    rows: usize,
    look: impl Fn(usize) -> Look,
) -> Vec<(Look, Block)> {
    let mut done: Vec<(Look, Block)> = Vec::new();
    let mut open: Vec<(Look, Block)> = Vec::new();
    for row in 0..rows {
        let cells: Vec<(usize, Look)> =
            (0..columns).map(|column| (column, look(row * columns + column))).collect();
        let runs = cells.chunk_by(|a, b| a.1 == b.1).map(|run| (run[0].1, run[0].0, run[run.len() - 1].0));
        let mut next = Vec::new();
        for (look, first, last) in runs {
            let below = open
                .iter()
                .position(|(open_look, block)| *open_look == look && (block.0, block.1) == (first, last));
            next.push(match below.map(|index| open.swap_remove(index)) {
                Some((look, block)) => (look, (first, last, block.2, row)),
                None => (look, (first, last, row, row)),
            });
        }
        done.append(&mut open);
        open = next;
    }
    done.append(&mut open);
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_that_look_alike_become_one_block() {
        // 1 1 2
        // 1 1 2
        // 3 3 3
        let cells = [1, 1, 2, 1, 1, 2, 3, 3, 3];
        let mut found = blocks(3, 3, |cell| cells[cell]);
        found.sort();
        assert_eq!(found, [(1, (0, 1, 0, 1)), (2, (2, 2, 0, 1)), (3, (0, 2, 2, 2))]);
    }

    #[test]
    fn blocks_cover_every_cell_once() {
        let look = |cell: usize| (cell * cell / 7) % 3;
        let mut covered = vec![0; 8 * 9];
        for (found, (first, last, low, high)) in blocks(8, 9, look) {
            for row in low..=high {
                for column in first..=last {
                    assert_eq!(look(row * 8 + column), found);
                    covered[row * 8 + column] += 1;
                }
            }
        }
        assert!(covered.iter().all(|count| *count == 1), "{covered:?}");
    }
}
