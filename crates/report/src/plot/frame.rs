//! A rectangle of a plot with an axis below it and one to its left.

use maud::{Markup, html};

use super::axis::Axis;
use super::{Colour, LETTER, WIDTH, px, text, upward_text};

/// Where values stand in a plot.
pub struct Frame<'a> {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    across: Axis,
    up: Axis,
    /// Below, and to the left; empty where the text beside the plot says it.
    titles: [&'a str; 2],
}

/// Room below for the numbers and the title.
const BELOW: f64 = 40.0;
/// Room for a title to the left.
const TITLE: f64 = 14.0;
/// Room to the right for half of the last number.
const RIGHT: f64 = 12.0;
/// Length of the stroke at a number.
const TICK: f64 = 3.0;

impl<'a> Frame<'a> {
    /// From `top` down to the axis below, in a plot of `height`.
    pub fn new((top, height): (f64, f64), across: Axis, up: Axis, titles: [&'a str; 2]) -> Self {
        let title = if titles[1].is_empty() { 0.0 } else { TITLE };
        let left = title + up.widest_label() as f64 * LETTER + 10.0;
        Self { left, right: WIDTH - RIGHT, top, bottom: height - BELOW, across, up, titles }
    }

    pub fn x(&self, value: f64) -> f64 {
        px(self.across.place(value, (self.left, self.right)))
    }

    pub fn y(&self, value: f64) -> f64 {
        px(self.up.place(value, (self.bottom, self.top)))
    }

    /// The `points` of a polyline or polygon.
    pub fn points(&self, values: impl Iterator<Item = (f64, f64)>) -> String {
        let place = |(x, y)| format!("{},{}", self.x(x), self.y(y));
        values.map(place).collect::<Vec<_>>().join(" ")
    }

    /// Axes with their numbers and titles, and lines across at the numbers to the left if `grid`.
    pub fn axes(&self, grid: bool) -> Markup {
        let Self { left, right, top, bottom, across, up, titles } = self;
        let middle = f64::midpoint(*left, *right);
        html! {
            path fill="none" stroke=(Colour::Grid.css()) d=(self.strokes(grid)) {}
            g fill=(Colour::Muted.css()) text-anchor="end" {
                @for mark in up.marks() { (text(left - 6.0, self.y(mark), &up.label(mark))) }
            }
            g fill=(Colour::Muted.css()) text-anchor="middle" {
                @for mark in across.marks() { (text(self.x(mark), bottom + 12.0, &across.label(mark))) }
                (text(middle, bottom + 31.0, titles[0]))
                (upward_text(8.0, f64::midpoint(*top, *bottom), titles[1]))
            }
        }
    }

    fn strokes(&self, grid: bool) -> String {
        let [left, right, top, bottom] = [self.left, self.right, self.top, self.bottom].map(px);
        let end = if grid { right } else { left };
        let row = |mark| format!("M{} {}H{end}", px(left - TICK), self.y(mark));
        let column = |mark| format!("M{} {bottom}v{TICK}", self.x(mark));
        let rows = self.up.marks().into_iter().map(row);
        let columns = self.across.marks().into_iter().map(column);
        format!("M{left} {top}V{bottom}H{right}") + &rows.chain(columns).collect::<String>()
    }
}
