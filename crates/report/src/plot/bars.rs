//! Horizontal bars in groups, each with its name, its error bar and its number: any count of them fits a phone.

use maud::Markup;
use plotters::prelude::*;
use plotters::style::text_anchor::HPos;

use super::axis::Axis;
use super::{
    Area, Colour, Drawn, LETTER, TALL, Tips, WIDTH, letters_of, scaled, shortened, stroke, styled, svg,
    text_style,
};

/// A plot of bars.
pub struct Bars {
    /// What the bars measure.
    pub title: String,
    pub groups: Vec<Group>,
}

/// Bars under one name.
pub struct Group {
    pub name: String,
    pub bars: Vec<Bar>,
}

/// One bar.
pub struct Bar {
    pub label: String,
    pub colour: Colour,
    /// From zero.
    pub length: Option<f64>,
    /// Ends of the error bar.
    pub range: Option<(f64, f64)>,
    /// The number beside it.
    pub text: String,
    /// What it says when pointed at.
    pub tip: String,
}

/// With the middle of the row.
type Placed<T> = Vec<(f64, T)>;

const ROW: f64 = 18.0;
const HEAD: f64 = 20.0;
const GAP: f64 = 8.0;
const THICKNESS: f64 = 10.0;
const AXIS: f64 = 22.0;
const LONGEST_LABEL: usize = 24;
/// With more of them, a screen reader is sent to the table.
const MOST_SPOKEN: usize = 24;

impl Bars {
    pub fn svg(&self) -> Markup {
        svg(self.top() + self.height() + AXIS, &self.description(), |area, tips| self.draw(area, tips))
    }

    fn height(&self) -> f64 {
        self.groups.iter().map(|group| HEAD + ROW * group.bars.len() as f64 + GAP).sum()
    }

    /// Room above the bars for a second axis, where the one below is out of sight.
    fn top(&self) -> f64 {
        if self.height() > TALL { AXIS } else { 0.0 }
    }

    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|group| &group.bars)
    }

    fn description(&self) -> String {
        if self.bars().count() > MOST_SPOKEN {
            return format!("Bars: {}. The numbers stand in the tables.", self.title);
        }
        let group = |group: &Group| {
            let bars: Vec<String> =
                group.bars.iter().map(|bar| format!("{} {}", bar.label, bar.text)).collect();
            format!("{}: {}", group.name, bars.join(", "))
        };
        format!("{}. {}.", self.title, self.groups.iter().map(group).collect::<Vec<_>>().join("; "))
    }

    /// Names of groups, and bars.
    fn rows(&self) -> (Placed<&str>, Placed<&Bar>) {
        let (mut names, mut bars, mut top) = (Vec::new(), Vec::new(), 0.0);
        for group in &self.groups {
            names.push((top + HEAD / 2.0 + 2.0, group.name.as_str()));
            top += HEAD;
            for bar in &group.bars {
                bars.push((top + ROW / 2.0, bar));
                top += ROW;
            }
            top += GAP;
        }
        (names, bars)
    }

    fn draw(&self, area: &Area<'_>, tips: &mut Tips) -> Drawn {
        let widest = |text: fn(&Bar) -> &str| {
            self.bars().map(|bar| letters_of(text(bar)).min(LONGEST_LABEL)).max().unwrap_or(0) as f64 * LETTER
        };
        let (left, right) = (widest(|bar| &bar.label) + 10.0, widest(|bar| &bar.text) + 14.0);
        let (names, bars) = self.rows();
        for (middle, name) in names {
            area.draw_text(&shortened(name, 50), &name_style(), (0, scaled(self.top() + middle)))?;
        }
        for (middle, bar) in &bars {
            bar.draw_texts(area, left, self.top() + middle)?;
            tips.strip(scaled(self.top() + middle - ROW / 2.0), scaled(ROW), &bar.tip);
        }
        let end = |bar: &Bar| Some(bar.length?.max(bar.range.map_or(0.0, |(_, high)| high)));
        let axis = Axis::from_zero(self.bars().filter_map(end));
        // Across, the values; down, the pixels of the page.
        let mut chart = ChartBuilder::on(area)
            .set_label_area_size(LabelAreaPosition::Left, scaled(left))
            .set_label_area_size(LabelAreaPosition::Bottom, scaled(AXIS))
            .set_label_area_size(LabelAreaPosition::Top, scaled(self.top()))
            .margin_right(scaled(right))
            .build_cartesian_2d(axis, self.height()..0.0)?;
        styled(&mut chart.configure_mesh()).disable_y_mesh().disable_y_axis().draw()?;
        chart.draw_series(bars.iter().filter_map(|(middle, bar)| bar.rectangle(*middle)))?;
        chart.draw_series(bars.iter().filter_map(|(middle, bar)| bar.error_bar(*middle)))?;
        Ok(())
    }
}

fn name_style<'a>() -> TextStyle<'a> {
    let style = text_style(Colour::Ink, HPos::Left);
    TextStyle { font: style.font.style(FontStyle::Bold), ..style }
}

impl Bar {
    fn draw_texts(&self, area: &Area<'_>, left: f64, middle: f64) -> Drawn {
        let label = shortened(&self.label, LONGEST_LABEL);
        let y = scaled(middle);
        area.draw_text(&label, &text_style(Colour::Muted, HPos::Right), (scaled(left - 6.0), y))?;
        area.draw_text(&self.text, &text_style(Colour::Ink, HPos::Right), (scaled(WIDTH), y))
    }

    fn rectangle(&self, middle: f64) -> Option<Rectangle<(f64, f64)>> {
        let length = self.length.filter(|length| *length > 0.0)?;
        let corners = [(0.0, middle - THICKNESS / 2.0), (length, middle + THICKNESS / 2.0)];
        Some(Rectangle::new(corners, self.colour.rgb().filled()))
    }

    /// One stroke: up and down the left end, across, up and down the right end.
    fn error_bar(&self, middle: f64) -> Option<PathElement<(f64, f64)>> {
        const CAP: f64 = 3.0;
        let (low, high) = self.range.filter(|(low, high)| high > low)?;
        let low = low.max(0.0);
        self.length?;
        let path = [(low, -CAP), (low, CAP), (low, 0.0), (high, 0.0), (high, -CAP), (high, CAP)];
        let path = path.map(|(x, offset)| (x, middle + offset));
        Some(PathElement::new(path, stroke(Colour::Ink, 1.25)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(length: Option<f64>, range: Option<(f64, f64)>) -> Bars {
        let (text, tip) = ("9.0 ± 0.4".into(), "core on test1".into());
        let bar = Bar { label: "core".into(), colour: Colour::Series(1), length, range, text, tip };
        Bars { title: "Error in %".into(), groups: vec![Group { name: "test1".into(), bars: vec![bar] }] }
    }

    #[test]
    fn a_bar_has_its_name_its_number_and_its_error_bar() {
        let svg = bars(Some(9.0), Some((8.6, 9.4))).svg().into_string();
        for text in ["core", "test1", "9.0 ± 0.4"] {
            assert!(svg.contains(&format!(">{text}</text>")), "{text}: {svg}");
        }
        assert_eq!(svg.matches("<rect").count(), 1);
        assert_eq!(svg.matches("stroke-width=\"5\"").count(), 1);
        assert_eq!(svg.matches("<title>core on test1</title>").count(), 1);
        assert!(svg.contains("aria-label=\"Error in %. test1: core 9.0 ± 0.4.\""), "{svg}");
    }

    #[test]
    fn the_axis_holds_bars_with_and_without_an_error_bar() {
        for range in [None, Some((8.6, 9.4))] {
            let svg = bars(Some(9.0), range).svg().into_string();
            assert!(svg.contains(">8</text>") && !svg.contains(">0.2</text>"), "{svg}");
        }
    }

    #[test]
    fn a_single_run_has_no_error_bar_and_a_missing_number_no_bar() {
        assert_eq!(bars(Some(9.0), None).svg().into_string().matches("stroke-width=\"5\"").count(), 0);
        assert_eq!(bars(None, None).svg().into_string().matches("<rect").count(), 0);
    }

    #[test]
    fn a_tall_plot_scrolls_and_has_an_axis_at_both_ends() {
        let mut bars = bars(Some(9.0), None);
        let zeros = |bars: &Bars| bars.svg().into_string().matches(">0</text>").count();
        assert_eq!((zeros(&bars), bars.svg().into_string().contains("tall")), (1, false));
        bars.groups.extend((0..20).flat_map(|_| super::tests::bars(Some(1.0), None).groups));
        assert_eq!((zeros(&bars), bars.svg().into_string().contains("class=\"plot tall\"")), (2, true));
    }

    #[test]
    fn no_bars_at_all_still_draw() {
        let svg = Bars { title: "Error".into(), groups: Vec::new() }.svg().into_string();
        assert!(svg.contains("<svg"), "{svg}");
    }
}
