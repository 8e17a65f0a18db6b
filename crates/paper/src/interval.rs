//! How sure a ratio of two means over runs is.

/// A mean over runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub mean: f64,
    /// Its standard error; None of one run.
    pub spread: Option<f64>,
    pub runs: usize,
}

impl Estimate {
    /// The mean of several that are independent of each other; None of none. It counts the runs of the one with the fewest.
    pub fn mean_of(parts: &[Self]) -> Option<Self> {
        let count = parts.len() as f64;
        let squares: Option<f64> = parts.iter().map(|part| Some(part.spread?.powi(2))).sum();
        Some(Self {
            mean: parts.iter().map(|part| part.mean).sum::<f64>() / count,
            spread: squares.map(|squares| squares.sqrt() / count),
            runs: parts.iter().map(|part| part.runs).min()?,
        })
    }
}

/// The 95 % interval of `of / to` by Fieller's theorem: all ratios r for which `of - r · to` is within t standard errors of 0,
///
/// ```text
/// (of - r · to)² <= t² (s_of² + r² s_to²)
/// ```
///
/// with the runs of both sides taken as independent and t of Student's distribution, whose degrees of freedom are the smaller
/// number of runs less one: rather too wide than too narrow. None where a side has one run, and where `to` may be 0.
pub(super) fn ratio_interval(of: Estimate, to: Estimate) -> Option<[f64; 2]> {
    let t = student(of.runs.min(to.runs).checked_sub(1)?)?;
    let [of_error, to_error] = [t * of.spread?, t * to.spread?];
    let square = to.mean.powi(2) - to_error.powi(2);
    if square <= 0.0 {
        return None;
    }
    let middle = of.mean * to.mean;
    let root = (middle.powi(2) - square * (of.mean.powi(2) - of_error.powi(2))).max(0.0).sqrt();
    // Errors and variances are not negative.
    Some([((middle - root) / square).max(0.0), (middle + root) / square])
}

/// The 97.5 % point of Student's distribution; None without a degree of freedom.
fn student(freedom: usize) -> Option<f64> {
    const POINTS: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145,
        2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048,
        2.045, 2.042,
    ];
    // Beyond the table its last point, which is the larger one.
    POINTS.get(freedom.checked_sub(1)?.min(POINTS.len() - 1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(mean: f64, spread: f64, runs: usize) -> Estimate {
        Estimate { mean, spread: Some(spread), runs }
    }

    #[test]
    fn a_denominator_without_spread_only_scales_the_interval_of_the_numerator() {
        // 0.2 ± 2.776 · 0.01, by 0.4.
        let [low, high] = ratio_interval(estimate(0.2, 0.01, 5), estimate(0.4, 0.0, 5)).unwrap();
        assert!((low - (0.2 - 0.02776) / 0.4).abs() < 1e-12 && (high - (0.2 + 0.02776) / 0.4).abs() < 1e-12);
    }

    #[test]
    fn both_ends_are_t_standard_errors_away() {
        let (of, to) = (estimate(0.08, 0.006, 5), estimate(0.29, 0.02, 5));
        for end in ratio_interval(of, to).unwrap() {
            let error = (0.006f64.powi(2) + (end * 0.02).powi(2)).sqrt();
            assert!(((0.08 - end * 0.29).abs() / error - 2.776).abs() < 1e-9);
        }
    }

    #[test]
    fn the_interval_counts_the_side_with_fewer_runs() {
        let width = |runs| {
            let [low, high] = ratio_interval(estimate(0.2, 0.001, 5), estimate(0.4, 0.0, runs)).unwrap();
            high - low
        };
        assert!((width(2) / width(5) - 12.706 / 2.776).abs() < 1e-9);
    }

    #[test]
    fn one_run_or_a_denominator_that_may_be_zero_has_no_interval() {
        let one = Estimate { spread: None, ..estimate(0.2, 0.0, 1) };
        assert_eq!(ratio_interval(one, estimate(0.4, 0.01, 5)), None);
        assert_eq!(ratio_interval(estimate(0.2, 0.01, 5), one), None);
        assert_eq!(ratio_interval(estimate(0.2, 0.01, 5), estimate(0.02, 0.01, 5)), None);
        assert_eq!(ratio_interval(estimate(0.0, 0.0, 5), estimate(0.4, 0.01, 5)), Some([0.0, 0.0]));
    }

    #[test]
    fn the_mean_of_two_has_half_the_root_of_the_squares() {
        let mean = Estimate::mean_of(&[estimate(0.1, 0.03, 5), estimate(0.3, 0.04, 4)]).unwrap();
        assert!((mean.mean - 0.2).abs() < 1e-12 && (mean.spread.unwrap() - 0.025).abs() < 1e-12);
        assert_eq!(mean.runs, 4);
        assert_eq!(Estimate::mean_of(&[]), None);
    }
}
