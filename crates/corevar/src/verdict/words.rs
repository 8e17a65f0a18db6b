//! Numbers and lists as text.

use crate::penalty::weight;

/// How errors and their differences are written: in percent and percentage points, or in the units of the label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unit {
    is_percent: bool,
    decimals: usize,
}

impl Unit {
    /// For a comparison of these two errors: small errors have a decimal more.
    pub fn of(errors: [f64; 2], is_regression: bool) -> Self {
        let smallest = errors.into_iter().filter(|error| *error > 0.0).fold(f64::INFINITY, f64::min);
        let decimals = match is_regression {
            true => (3.0 - errors[0].max(errors[1]).log10().floor()).clamp(0.0, 6.0) as usize,
            false => 1 + usize::from(smallest < 0.01),
        };
        Self { is_percent: !is_regression, decimals }
    }

    /// `32.0 %` or `1.234`.
    pub fn error(self, error: f64) -> String {
        let percent = if self.is_percent { " %" } else { "" };
        format!("{}{percent}", self.number(error))
    }

    /// `22.7 percentage points` or `0.253`.
    pub fn change(self, change: f64) -> String {
        let points = if self.is_percent { " percentage points" } else { "" };
        format!("{}{points}", self.number(change))
    }

    /// `95 % interval 19.9 to 25.5`.
    pub fn interval(self, low: f64, high: f64) -> String {
        format!("95 % interval {} to {}", self.number(low), self.number(high))
    }

    fn number(self, value: f64) -> String {
        let value = if self.is_percent { 100.0 * value } else { value };
        let text = format!("{:.*}", self.decimals, value.abs());
        let is_zero = text.chars().all(|digit| matches!(digit, '0' | '.'));
        if value < 0.0 && !is_zero { format!("−{text}") } else { text }
    }
}

/// The word for the error.
pub(super) fn error_name(is_regression: bool) -> &'static str {
    if is_regression { "rms error" } else { "error" }
}

/// Two significant digits.
pub(super) fn ratio(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        _ if !(1e-4..1e4).contains(&value.abs()) => format!("{value:.0e}"),
        _ => format!("{value:.*}", (1.0 - value.abs().log10().floor()).max(0.0) as usize),
    }
}

/// `1 row`, `2 rows`.
pub(super) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `a`, `a and b`, `a, b and c`; of more than four, `a, b, c and 4 more`.
pub(super) fn list(names: &[String]) -> String {
    const MOST: usize = 4;
    match names {
        [] => String::new(),
        [name] => name.clone(),
        [names @ .., last] if names.len() < MOST => format!("{} and {last}", names.join(", ")),
        names => format!("{} and {} more", names[..MOST - 1].join(", "), names.len() + 1 - MOST),
    }
}

/// A weight half a decade below or above, as 1 or 3 times a power of ten.
pub(super) fn neighbour(penalty_weight: f64, is_smaller: bool) -> String {
    /// Below ∞: the largest weight of a path.
    const LARGEST: f64 = 1000.0;
    if penalty_weight == f64::INFINITY {
        return weight::shown(LARGEST);
    }
    let step = if is_smaller { -1 } else { 1 };
    let halves = ((2.0 * penalty_weight.log10()).round() as i32).saturating_add(step);
    let power = halves.div_euclid(2);
    let digit = if halves.rem_euclid(2) == 0 { 1 } else { 3 };
    // Parsed as it is written, so that it is shown without the noise of a power.
    format!("{digit}e{power}").parse().map_or_else(|_| String::new(), weight::shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_errors_have_a_decimal_more() {
        let unit = Unit::of([0.32, 0.093], false);
        assert_eq!([unit.error(0.32), unit.change(0.227)], ["32.0 %", "22.7 percentage points"]);
        assert_eq!(unit.interval(-0.061, 0.0152), "95 % interval −6.1 to 1.5");
        assert_eq!(unit.interval(-0.0001, 0.02), "95 % interval 0.0 to 2.0");
        assert_eq!(Unit::of([0.0035, 0.0], false).error(0.0035), "0.35 %");
        assert_eq!(Unit::of([123.4, 98.7], true).change(24.7), "24.7");
        assert_eq!(Unit::of([1.234, 0.98], true).error(0.98), "0.980");
    }

    #[test]
    fn neighbours_of_a_weight_are_half_a_decade_away() {
        assert_eq!([10.0, 3.0, 1.0, 0.2].map(|weight| neighbour(weight, true)), ["3", "1", "0.3", "0.1"]);
        assert_eq!([10.0, 3.0, 1.0].map(|weight| neighbour(weight, false)), ["30", "10", "3"]);
        assert_eq!(neighbour(f64::INFINITY, true), "1000");
    }

    #[test]
    fn long_lists_are_cut() {
        let names: Vec<String> = (1..=7).map(|number| format!("test{number}")).collect();
        assert_eq!(list(&names[..2]), "test1 and test2");
        assert_eq!(list(&names[..4]), "test1, test2, test3 and test4");
        assert_eq!(list(&names), "test1, test2, test3 and 4 more");
    }

    #[test]
    fn ratios_have_two_digits() {
        assert_eq!([0.4213, 0.012, 3.12, 120.0, 0.0].map(ratio), ["0.42", "0.012", "3.1", "120", "0"]);
    }
}
