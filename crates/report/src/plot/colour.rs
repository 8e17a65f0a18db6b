//! Colours by what they are for. The page says how they look in light, in dark and on paper.

use plotters::style::RGBColor;

/// What a colour is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Text that matters.
    Ink,
    /// Text beside it.
    Muted,
    /// Lines behind the data.
    Grid,
    /// Estimators: the palette of Okabe and Ito, which colour-blind readers can tell apart.
    Series(usize),
}

/// On white; `style.css` has the ones on black.
const SERIES: [&str; Colour::SERIES] =
    ["#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C7E00", "#6B7280"];

impl Colour {
    /// How many there are for estimators.
    pub const SERIES: usize = 8;

    /// Of a class in a plot of classes: first two that differ most, to every eye.
    pub fn of_class(class: usize) -> Self {
        const ORDER: [usize; Colour::SERIES] = [4, 1, 2, 3, 0, 5, 6, 7];
        Self::Series(ORDER[class % ORDER.len()])
    }

    /// Of a split in a plot of splits.
    pub fn of_split(split: usize) -> Self {
        const ORDER: [usize; Colour::SERIES] = [7, 5, 4, 2, 3, 6, 0, 1];
        Self::Series(ORDER[split % ORDER.len()])
    }

    pub fn all() -> impl Iterator<Item = Self> {
        [Self::Ink, Self::Muted, Self::Grid].into_iter().chain((0..Self::SERIES).map(Self::Series))
    }

    fn code(self) -> u8 {
        match self {
            Self::Ink => 0,
            Self::Muted => 1,
            Self::Grid => 2,
            Self::Series(index) => 16 + (index % Self::SERIES) as u8,
        }
    }

    /// What plotters draws with.
    pub fn rgb(self) -> RGBColor {
        RGBColor(1, 2, self.code())
    }

    /// How the SVG backend writes it.
    pub fn placeholder(self) -> String {
        format!("\"#0102{:02X}\"", self.code())
    }

    /// Style of a `swatch`.
    pub fn swatch(self) -> String {
        format!("--c: {}", self.css())
    }

    /// What stands in the page. The second value is for an SVG that was taken out of it.
    pub fn css(self) -> String {
        match self {
            Self::Ink => "var(--ink, #1A1D21)".into(),
            Self::Muted => "var(--muted, #5A626C)".into(),
            Self::Grid => "var(--grid, #DDE1E6)".into(),
            Self::Series(index) => {
                let index = index % Self::SERIES;
                format!("var(--s{index}, {})", SERIES[index])
            }
        }
    }
}
