//! Colours by what they are for. The page says how they look in light, in dark and on paper.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_is_one_of_the_page() {
        let style = include_str!("../style.css");
        let others = [Colour::Ink, Colour::Muted, Colour::Grid];
        for colour in others.into_iter().chain((0..Colour::SERIES).map(Colour::Series)) {
            let css = colour.css().to_lowercase();
            let (name, value) = css.strip_prefix("var(").and_then(|css| css.split_once(", ")).unwrap();
            let declared = format!("{name}: {};", value.trim_end_matches(')'));
            assert!(style.contains(&declared), "{declared}");
        }
    }
}
