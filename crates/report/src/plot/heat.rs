//! A square of cells, the darker the more: confusion of many classes.

use maud::Markup;
use plotters::prelude::*;
use plotters::style::FontTransform;
use plotters::style::text_anchor::HPos;

use super::{
    Area, Colour, Drawn, FONT_SIZE, LETTER, Tips, WIDTH, letters_of, scaled, shortened, stroke, svg,
    text_style,
};

/// A matrix of shares, rows and columns with the same names.
pub struct Heat {
    /// What a screen reader says.
    pub description: String,
    pub names: Vec<String>,
    /// `shares[row][column]` from 0 to 1, with what a cell says when pointed at; None for an empty cell.
    pub cells: Vec<Vec<Option<(f64, String)>>>,
    pub colour: Colour,
    /// Of the cells on the diagonal.
    pub diagonal: Colour,
}

const LONGEST_NAME: usize = 14;

impl Heat {
    pub fn svg(&self) -> Markup {
        let edge = self.edge();
        svg(edge + self.side() * self.names.len() as f64, &self.description, |area, tips| {
            self.draw(area, tips)
        })
    }

    /// Letters as large as a cell allows.
    fn font_size(&self) -> f64 {
        FONT_SIZE.min(0.85 * WIDTH / (self.names.len() as f64 * 1.25))
    }

    /// Room for the names: to the left, and above.
    fn edge(&self) -> f64 {
        let longest = self.names.iter().map(|name| letters_of(name).min(LONGEST_NAME)).max().unwrap_or(0);
        longest as f64 * LETTER * self.font_size() / FONT_SIZE + 8.0
    }

    fn side(&self) -> f64 {
        (WIDTH - self.edge()) / self.names.len().max(1) as f64
    }

    fn draw(&self, area: &Area<'_>, tips: &mut Tips) -> Drawn {
        let place = |index: usize| scaled(self.edge() + self.side() * index as f64);
        let edge = (place(0), place(self.names.len()));
        self.draw_names(area)?;
        for (row, cells) in self.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let Some((share, tip)) = cell else { continue };
                let corners = [(place(column), place(row)), (place(column + 1), place(row + 1))];
                let colour = if row == column { self.diagonal } else { self.colour };
                // The faintest cell can still be seen.
                let opacity = ((0.1 + 0.9 * share.clamp(0.0, 1.0)) * 100.0).round() / 100.0;
                area.draw(&Rectangle::new(corners, colour.rgb().mix(opacity).filled()))?;
                let size = (corners[1].0 - corners[0].0, corners[1].1 - corners[0].1);
                tips.cell(corners[0], size, tip);
            }
        }
        area.draw(&Rectangle::new([(edge.0, edge.0), (edge.1, edge.1)], stroke(Colour::Grid, 1.0)))
    }

    fn draw_names(&self, area: &Area<'_>) -> Drawn {
        let size = self.font_size();
        for (index, name) in self.names.iter().enumerate() {
            let name = shortened(name, LONGEST_NAME);
            let middle = scaled(self.edge() + self.side() * (index as f64 + 0.5));
            let style = text_style(Colour::Muted, HPos::Right);
            let font = style.font.clone().resize(size / FONT_SIZE * style.font.get_size());
            area.draw_text(
                &name,
                &TextStyle { font: font.clone(), ..style.clone() },
                (scaled(self.edge() - 4.0), middle),
            )?;
            let upright = text_style(Colour::Muted, HPos::Left);
            let font = font.transform(FontTransform::Rotate270);
            area.draw_text(&name, &TextStyle { font, ..upright }, (middle, scaled(self.edge() - 4.0)))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heat(classes: usize) -> Heat {
        let names: Vec<String> = (0..classes).map(|class| format!("class {class}")).collect();
        let cell = |row: usize, column: usize| (row >= column).then(|| (0.5, format!("{row} as {column}")));
        let cells = (0..classes).map(|row| (0..classes).map(|column| cell(row, column)).collect()).collect();
        let (colour, diagonal) = (Colour::Series(0), Colour::Series(1));
        Heat { description: "Confusion".into(), names, cells, colour, diagonal }
    }

    #[test]
    fn only_cells_that_hold_something_are_drawn() {
        let svg = heat(3).svg().into_string();
        // Six cells and the frame.
        assert_eq!(svg.matches("<rect").count(), 7);
        assert_eq!(svg.matches(">class 2</text>").count(), 2);
        assert!(svg.contains("<title>2 as 0</title>"), "{svg}");
    }

    #[test]
    fn forty_classes_fit() {
        let svg = heat(40).svg().into_string();
        assert_eq!(svg.matches("<text").count(), 80);
        assert!(svg.len() < 300_000, "{}", svg.len());
    }
}
