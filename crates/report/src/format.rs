//! Numbers as text.

/// What stands for a number that does not exist.
pub const MISSING: &str = "–";

/// How the values of a measure are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Fractions, shown in percent.
    Percent,
    /// Numbers as they are.
    Plain,
}

impl Unit {
    /// As it stands on an axis.
    pub fn scale(self, value: f64) -> f64 {
        match self {
            Self::Percent => 100.0 * value,
            Self::Plain => value,
        }
    }

    /// `9.04 ± 0.31`; without the standard error when there is none.
    pub fn show(self, mean: Option<f64>, standard_error: Option<f64>) -> String {
        let finite =
            |value: Option<f64>| value.filter(|value| value.is_finite()).map(|value| self.scale(value));
        let Some(mean) = finite(mean) else { return MISSING.into() };
        let show = |value: f64| match self {
            Self::Percent => format!("{value:.2}"),
            Self::Plain => like(mean, value),
        };
        match finite(standard_error) {
            Some(spread) => format!("{} ± {}", show(mean), show(spread)),
            None => show(mean),
        }
    }

    /// `8.00 to 10.00`.
    pub fn range(self, low: f64, high: f64) -> String {
        let show = |value: f64| self.show(Some(value), None);
        format!("{} to {}", show(low), show(high))
    }
}

/// Three significant digits.
pub fn number(value: f64) -> String {
    like(value, value)
}

/// `value` with the decimals that `model` needs for three significant digits.
fn like(model: f64, value: f64) -> String {
    let size = model.abs();
    match size {
        0.0 => format!("{value:.0}"),
        _ if !(1e-4..1e6).contains(&size) => format!("{value:.2e}"),
        _ => format!("{value:.*}", (2.0 - size.log10().floor()).max(0.0) as usize),
    }
}

/// A setting: all its digits, and none more.
pub fn exact(value: f64) -> String {
    match value.is_finite() && value != 0.0 && !(1e-4..1e7).contains(&value.abs()) {
        true => format!("{value:e}"),
        false => corevar::penalty::weight::shown(value),
    }
}

/// Groups of three digits, held together by narrow spaces that do not break.
pub fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// `1 row`, `2 rows`.
pub fn counted(value: usize, singular: &str, plural: &str) -> String {
    format!("{} {}", count(value), if value == 1 { singular } else { plural })
}

/// `0.4 s`, `2 min 5 s`, `1 h 2 min`.
pub fn seconds(value: f64) -> String {
    if !value.is_finite() {
        return MISSING.into();
    }
    let whole = value.round() as u64;
    match whole {
        0..60 => format!("{value:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents_have_two_decimals_and_plain_numbers_three_digits() {
        assert_eq!(Unit::Percent.show(Some(0.0904), Some(0.0031)), "9.04 ± 0.31");
        assert_eq!(Unit::Plain.show(Some(18.86), Some(0.123)), "18.9 ± 0.1");
        assert_eq!(Unit::Plain.show(Some(0.702), None), "0.702");
        assert_eq!(Unit::Plain.show(Some(0.0000123), Some(0.000001)), "1.23e-5 ± 1.00e-6");
        assert_eq!(Unit::Plain.show(Some(0.0), Some(0.0)), "0 ± 0");
    }

    #[test]
    fn a_number_that_does_not_exist_is_a_dash() {
        assert_eq!(Unit::Percent.show(None, Some(1.0)), "–");
        assert_eq!(Unit::Percent.show(Some(f64::NAN), None), "–");
        assert_eq!(Unit::Percent.show(Some(0.5), Some(f64::NAN)), "50.00");
        assert_eq!(seconds(f64::INFINITY), "–");
    }

    #[test]
    fn times_and_counts_are_read_at_a_glance() {
        assert_eq!([0.44, 125.0, 3720.0].map(seconds), ["0.4 s", "2 min 5 s", "1 h 2 min"]);
        assert_eq!([7, 1234, 1234567].map(count), ["7", "1\u{202f}234", "1\u{202f}234\u{202f}567"]);
        assert_eq!([0.001, 1e-5, 10.0, f64::INFINITY].map(exact), ["0.001", "1e-5", "10", "∞"]);
    }
}
