//! Limits for a user who has none yet.

use super::{CheckReport, Measure, ValidationRecord};

/// A drift below this is hardly a reason to stop a pipeline.
const SMALLEST_DRIFT: f64 = 0.5;

/// A limit that could be set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proposal {
    /// Of what.
    pub measure: Measure,
    /// The largest value that would pass.
    pub limit: f64,
}

/// Where the limits come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProposedFrom {
    /// From the split `val`, measured when the model was trained; so many rows.
    Validation(usize),
    /// From the rows that were checked: they are taken to be good ones.
    TheseRows(usize),
}

/// A limit for everything that could be measured: the upper end of its 95 % interval, rounded up to two digits, and for drift at
/// least half an SD. From the validation rows of the model if it has such, else from the checked rows.
pub fn proposals(
    report: &CheckReport,
    validation: Option<&ValidationRecord>,
) -> (ProposedFrom, Vec<Proposal>) {
    let here: Vec<(Measure, f64)> =
        report.findings.iter().filter_map(|finding| Some((finding.measure, finding.high?))).collect();
    let (from, highest) = match validation {
        // Another radius is another measure.
        Some(record) => {
            let is_same = |measure: Measure| measure != Measure::LowRadius || record.radius == report.radius;
            let of_record = record
                .measured
                .iter()
                .filter(|(measure, ..)| is_same(*measure) && here.iter().any(|(other, _)| other == measure));
            (
                ProposedFrom::Validation(record.rows),
                of_record.map(|(measure, _, high)| (*measure, *high)).collect(),
            )
        }
        None => (ProposedFrom::TheseRows(report.rows), here),
    };
    let proposal = |(measure, high): (Measure, f64)| {
        let limit = match measure {
            Measure::StyleDrift | Measure::OtherDrift => rounded_up(high.max(SMALLEST_DRIFT)),
            _ if measure.is_share(report.is_regression) => rounded_up(high).min(1.0),
            _ => rounded_up(high),
        };
        Proposal { measure, limit }
    };
    (from, highest.into_iter().map(proposal).collect())
}

/// To two digits.
fn rounded_up(value: f64) -> f64 {
    if value <= 0.0 || !value.is_finite() {
        return 0.0;
    }
    let unit = 10f64.powi(value.log10().floor() as i32 - 1);
    // As text and back: 0.07 x 100 is a little more than 7.
    let steps = (value / unit - 1e-9).ceil();
    format!("{:.1e}", steps * unit).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_rounded_up_to_two_digits() {
        let expected =
            [(0.0, 0.0), (0.07, 0.07), (0.0701, 0.071), (12.31, 13.0), (0.996, 1.0), (1234.0, 1300.0)];
        for (value, rounded) in expected {
            assert_eq!(rounded_up(value), rounded, "{value}");
        }
    }
}
