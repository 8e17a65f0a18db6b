//! Where an axis begins and ends, and where its marks are.

use crate::format::number;

/// An axis of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    marks: Marks,
}

#[derive(Debug, Clone, PartialEq)]
enum Marks {
    /// So far from each other.
    Linear(f64),
    /// So many decades from each other.
    Logarithmic(f64),
    /// Where they are and what stands there.
    Named(Vec<(f64, String)>),
}

/// From this ratio of the largest to the smallest value on, an axis is logarithmic.
const LOGARITHMIC_FROM: f64 = 50.0;

impl Axis {
    /// From zero to the largest of the values.
    pub fn from_zero(values: impl Iterator<Item = f64>) -> Self {
        let high = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        Self::linear(0.0, if high > 0.0 { high } else { 1.0 }, 5)
    }

    /// Whole numbers from 1.
    pub fn counting(last: u64) -> Self {
        let (low, high) = (1.0, (last as f64).max(2.0));
        Self { low, high, marks: Marks::Linear(round_step((high - low) / 6.0).max(1.0)) }
    }

    /// Around the values; logarithmic when all are positive and they span decades. None without a value.
    pub fn around(values: impl Iterator<Item = f64>) -> Option<Self> {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        match (low <= high, low > 0.0 && high / low >= LOGARITHMIC_FROM) {
            (false, _) => None,
            (true, true) => Some(Self::logarithmic(low, high)),
            (true, false) => {
                let room = if high > low { 0.04 * (high - low) } else { 0.5 * high.abs().max(1e-9) };
                let floor = if low >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
                Some(Self::linear((low - room).max(floor), high + room, 5))
            }
        }
    }

    /// From `low` to `high`, with about so many marks.
    pub fn linear(low: f64, high: f64, marks: usize) -> Self {
        Self { low, high, marks: Marks::Linear(round_step((high - low) / marks as f64)) }
    }

    /// With names at some places.
    pub fn named(low: f64, high: f64, marks: Vec<(f64, String)>) -> Self {
        Self { low, high, marks: Marks::Named(marks) }
    }

    fn logarithmic(low: f64, high: f64) -> Self {
        let (low, high) = (low / 1.2, high * 1.2);
        let decades = ((high / low).log10() / 5.0).ceil().max(1.0);
        Self { low, high, marks: Marks::Logarithmic(decades) }
    }

    /// Where a value stands between the pixels `from` and `to`. Values outside stand at the edge, NaN at `from`.
    pub fn place(&self, value: f64, (from, to): (f64, f64)) -> f64 {
        let logarithmic = matches!(self.marks, Marks::Logarithmic(_));
        let scale = |value: f64| if logarithmic { value.log10() } else { value };
        let share = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low));
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        from + share * (to - from)
    }

    /// Where the marks are.
    pub fn marks(&self) -> Vec<f64> {
        match &self.marks {
            Marks::Linear(step) => multiples(self.low, self.high, *step).collect(),
            Marks::Logarithmic(step) => {
                multiples(self.low.log10(), self.high.log10(), *step).map(|power| 10f64.powf(power)).collect()
            }
            Marks::Named(names) => names.iter().map(|(place, _)| *place).collect(),
        }
    }

    /// What stands at a mark.
    pub fn label(&self, mark: f64) -> String {
        let power = mark.log10().round();
        match &self.marks {
            Marks::Logarithmic(_) if (-4.0..=5.0).contains(&power) => {
                format!("{mark:.*}", (-power).max(0.0) as usize)
            }
            Marks::Logarithmic(_) => format!("1e{power:.0}"),
            Marks::Linear(_) if mark == 0.0 => "0".into(),
            Marks::Linear(step) if *step >= 1e-4 && self.high < 1e6 => {
                format!("{mark:.*}", (-(step.log10() + 1e-9).floor()).max(0.0) as usize)
            }
            Marks::Linear(_) => number(mark),
            Marks::Named(names) => {
                let name = names.iter().find(|(place, _)| *place == mark);
                name.map(|(_, name)| name.clone()).unwrap_or_default()
            }
        }
    }

    /// Width of the widest label, in letters.
    pub fn widest_label(&self) -> usize {
        self.marks().into_iter().map(|mark| self.label(mark).chars().count()).max().unwrap_or(0)
    }
}

/// The next of 1, 2, 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| digit * power >= step * (1.0 - 1e-9));
    digit.unwrap_or(10.0) * power
}

fn multiples(low: f64, high: f64, step: f64) -> impl Iterator<Item = f64> {
    let (from, to) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
    // What is no number becomes 0 in the cast: no marks.
    let marks = (to - from + 1.0).clamp(0.0, 20.0) as usize;
    (0..marks).map(move |mark| (from + mark as f64) * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.marks().into_iter().map(|mark| axis.label(mark)).collect()
    }

    #[test]
    fn marks_are_round_numbers() {
        assert_eq!(labels(&Axis::from_zero([41.3].into_iter())), ["0", "10", "20", "30", "40"]);
        assert_eq!(labels(&Axis::from_zero([0.7].into_iter())), ["0", "0.2", "0.4", "0.6"]);
        assert_eq!(labels(&Axis::counting(25)), ["5", "10", "15", "20", "25"]);
        assert_eq!(labels(&Axis::counting(2)), ["1", "2"]);
    }

    #[test]
    fn decades_make_a_logarithmic_axis() {
        let axis = Axis::around([0.02, 30.0].into_iter()).unwrap();
        assert_eq!(labels(&axis), ["0.1", "1", "10"]);
        let [one, ten] = [1.0, 10.0].map(|value| axis.place(value, (0.0, 1000.0)));
        assert_eq!(axis.place(100.0, (0.0, 100_000.0)), 100_000.0);
        assert!((ten - one - 1000.0 / (1800.0f64 * 1.2).log10()).abs() < 1e-9, "{one} {ten}");
    }

    #[test]
    fn names_stand_where_they_belong() {
        let axis = Axis::named(0.0, 4.0, vec![(0.0, "0".into()), (3.0, "∞".into())]);
        assert_eq!(labels(&axis), ["0", "∞"]);
        assert_eq!(axis.place(3.0, (0.0, 100.0)), 75.0);
    }

    #[test]
    fn values_outside_stay_at_the_edge() {
        let axis = Axis::from_zero([10.0].into_iter());
        let places = [-1.0, 0.0, 5.0, 10.0, 1e300, f64::NAN].map(|value| axis.place(value, (100.0, 200.0)));
        assert_eq!(places, [100.0, 100.0, 150.0, 200.0, 200.0, 100.0]);
    }

    #[test]
    fn odd_values_leave_a_usable_axis() {
        assert_eq!(Axis::around([f64::NAN].into_iter()), None);
        assert_eq!(Axis::around(std::iter::empty()), None);
        for values in [
            [0.0, 0.0],
            [3.0, 3.0],
            [-1.0, 1.0],
            [1e-300, 2e-300],
            [1e300, 1.0],
            [1e17, 1e17],
            [f64::MAX, -f64::MAX],
        ] {
            let axis = Axis::around(values.into_iter()).unwrap();
            assert!(axis.marks().len() < 12, "{axis:?}");
            assert!((0.0..=9.0).contains(&axis.place(values[0], (0.0, 9.0))), "{axis:?}");
        }
    }
}
