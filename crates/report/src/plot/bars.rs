//! Horizontal bars in groups, each with its name, its error bar and its number: any count of them fits a phone.

use maud::{Markup, html};

use super::axis::Axis;
use super::{Colour, LETTER, TALL, Tip, WIDTH, letters_of, px, shortened, svg, text, tips};

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
/// Width of a bar that would be too short to be seen.
const SLIVER: f64 = 1.0;
const AXIS: f64 = 22.0;
const LONGEST_LABEL: usize = 24;
/// With more of them, a screen reader is sent to the table.
const MOST_SPOKEN: usize = 24;

impl Bars {
    pub fn svg(&self) -> Markup {
        let (names, bars) = self.rows();
        let (left, right) = self.sides();
        let end = |bar: &Bar| Some(bar.length?.max(bar.range.map_or(0.0, |(_, high)| high)));
        let axis = Axis::from_zero(self.bars().filter_map(end));
        let x = |value| px(axis.place(value, (left, right)));
        let drawing = html! {
            (self.grid(&axis, x))
            @for (middle, bar) in &bars { (bar.markup(*middle, x)) }
            g fill=(Colour::Ink.css()) font-weight="bold" {
                @for (middle, name) in &names { (text(0.0, *middle, &shortened(name, 50))) }
            }
            g fill=(Colour::Muted.css()) text-anchor="end" {
                @for (middle, bar) in &bars {
                    (text(left - 6.0, *middle, &shortened(&bar.label, LONGEST_LABEL)))
                }
            }
            g fill=(Colour::Ink.css()) text-anchor="end" {
                @for (middle, bar) in &bars { (text(WIDTH, *middle, &bar.text)) }
            }
            (tips::layer(bars.iter().map(|(middle, bar)| bar.tip(*middle))))
        };
        svg(self.top() + self.height() + AXIS, &self.description(), &drawing)
    }

    /// Where the bars begin, and where the longest ends: between the labels and the numbers.
    fn sides(&self) -> (f64, f64) {
        let widest = |text: fn(&Bar) -> &str| {
            self.bars().map(|bar| letters_of(text(bar)).min(LONGEST_LABEL)).max().unwrap_or(0) as f64 * LETTER
        };
        (widest(|bar| &bar.label) + 10.0, WIDTH - widest(|bar| &bar.text) - 14.0)
    }

    /// Lines behind the bars, with the numbers of the axis.
    fn grid(&self, axis: &Axis, x: impl Fn(f64) -> f64) -> Markup {
        let (top, bottom) = (self.top(), self.top() + self.height());
        let line = |mark| format!("M{} {}V{}", x(mark), px(top), px(bottom + 3.0));
        let lines: String = axis.marks().into_iter().map(line).collect();
        html! {
            path stroke=(Colour::Grid.css()) d=(lines) {}
            g fill=(Colour::Muted.css()) text-anchor="middle" {
                @for mark in axis.marks() {
                    (text(x(mark), bottom + 12.0, &axis.label(mark)))
                    @if top > 0.0 { (text(x(mark), top - 9.0, &axis.label(mark))) }
                }
            }
        }
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

    /// Names of groups, and bars, from above to below.
    fn rows(&self) -> (Placed<&str>, Placed<&Bar>) {
        let (mut names, mut bars, mut top) = (Vec::new(), Vec::new(), self.top());
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
}

impl Bar {
    fn markup(&self, middle: f64, x: impl Fn(f64) -> f64) -> Markup {
        let start = x(0.0);
        let range = self.length.and(self.range).filter(|(low, high)| high > low);
        html! {
            @if let Some(length) = self.length.filter(|length| *length > 0.0) {
                rect x=(start) y=(px(middle - THICKNESS / 2.0)) height=(THICKNESS)
                    width=(px(x(length) - start).max(SLIVER)) fill=(self.colour.css()) {}
            }
            @if let Some((low, high)) = range {
                path fill="none" stroke=(Colour::Ink.css()) stroke-width="1.25"
                    d=(error_bar(x(low), x(high), middle)) {}
            }
        }
    }

    /// The whole row.
    fn tip(&self, middle: f64) -> Tip<'_> {
        Tip { x: 0.0, y: middle - ROW / 2.0, width: WIDTH, height: ROW, text: &self.tip }
    }
}

/// A line with a cap at each end.
fn error_bar(low: f64, high: f64, middle: f64) -> String {
    const CAP: f64 = 3.0;
    let (top, middle, height) = (px(middle - CAP), px(middle), 2.0 * CAP);
    format!("M{low} {top}v{height}M{low} {middle}H{high}M{high} {top}v{height}")
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
        assert_eq!(svg.matches("stroke-width=\"1.25\"").count(), 1);
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
        assert_eq!(bars(Some(9.0), None).svg().into_string().matches("stroke-width=\"1.25\"").count(), 0);
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
