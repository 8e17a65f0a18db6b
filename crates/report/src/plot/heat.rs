//! A square of cells, the darker the more: confusion of many classes.

use maud::{Markup, html};

use super::{Colour, FONT_SIZE, LETTER, Tip, WIDTH, letters_of, px, shortened, svg, text, tips, upward_text};

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
/// Room for the stroke around the cells.
const FRAME: f64 = 1.0;

impl Heat {
    pub fn svg(&self) -> Markup {
        let (edge, side) = (self.edge(), self.side());
        let whole = side * self.names.len() as f64;
        let tip = |(row, column, _, text)| {
            let [x, y] = [column, row].map(|index| edge + side * index as f64);
            Tip { x, y, width: side, height: side, text }
        };
        let drawing = html! {
            (self.names())
            @for (row, column, share, _) in self.filled() { (self.cell(row, column, share)) }
            rect x=(px(edge)) y=(px(edge)) width=(px(whole)) height=(px(whole))
                fill="none" stroke=(Colour::Grid.css()) {}
            (tips::layer(self.filled().map(tip)))
        };
        svg(edge + whole + FRAME, &self.description, &drawing)
    }

    /// Row, column, share and tip of the cells that hold something.
    fn filled(&self) -> impl Iterator<Item = (usize, usize, f64, &str)> {
        self.cells.iter().enumerate().flat_map(|(row, cells)| {
            let filled = cells.iter().enumerate().filter_map(|(column, cell)| Some((column, cell.as_ref()?)));
            filled.map(move |(column, (share, tip))| (row, column, *share, tip.as_str()))
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
        (WIDTH - self.edge() - FRAME) / self.names.len().max(1) as f64
    }

    fn cell(&self, row: usize, column: usize, share: f64) -> Markup {
        // Edges are rounded, not sizes, so that neighbours touch.
        let place = |index: usize| px(self.edge() + self.side() * index as f64);
        let size = |index: usize| px(place(index + 1) - place(index));
        let colour = if row == column { self.diagonal } else { self.colour };
        // The faintest cell can still be seen.
        let opacity = ((0.1 + 0.9 * share.clamp(0.0, 1.0)) * 100.0).round() / 100.0;
        html! {
            rect x=(place(column)) y=(place(row)) width=(size(column)) height=(size(row))
                fill=(colour.css()) fill-opacity=(opacity) {}
        }
    }

    fn names(&self) -> Markup {
        let middle = |index: usize| self.edge() + self.side() * (index as f64 + 0.5);
        let end = self.edge() - 4.0;
        let names: Vec<String> = self.names.iter().map(|name| shortened(name, LONGEST_NAME)).collect();
        html! {
            g fill=(Colour::Muted.css()) font-size=(px(self.font_size())) {
                g text-anchor="end" {
                    @for (index, name) in names.iter().enumerate() { (text(end, middle(index), name)) }
                }
                @for (index, name) in names.iter().enumerate() { (upward_text(middle(index), end, name)) }
            }
        }
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
