//! The error of pooled and CoRe on one split.

use corevar_data::SplitName;

use super::words::{Unit, counted, error_name};
use crate::results::{Difference, EstimatorResult, Results};

/// The errors of both on one split.
pub(super) struct Change<'a> {
    pub split: &'a SplitName,
    pub pooled: f64,
    pub core: f64,
    /// None in records of earlier versions.
    pub difference: Option<&'a Difference>,
    pub is_significant: bool,
    is_regression: bool,
}

impl<'a> Change<'a> {
    /// On every test, or on `val` where there is no test.
    pub fn all(results: &'a Results, pooled: &'a EstimatorResult, core: &'a EstimatorResult) -> Vec<Self> {
        let is_regression = results.data.classes.is_empty();
        let of = |split: &'a SplitName, difference, is_significant| {
            let error = |estimator: &EstimatorResult| estimator.mean.get(split)?.error;
            let (pooled, core) = (error(pooled)?, error(core)?);
            Some(Self { split, pooled, core, difference, is_significant, is_regression })
        };
        let judged = results.judged(&core.name, &pooled.name);
        if !judged.is_empty() {
            let of_judged =
                judged.iter().map(|one| of(&one.difference.split, Some(one.difference), one.is_significant));
            return of_judged.flatten().collect();
        }
        let all: Vec<Self> = pooled.mean.keys().filter_map(|split| of(split, None, false)).collect();
        let has_test = all.iter().any(|change| change.split.is_test());
        let is_counted = |change: &Self| change.split.is_test() == has_test && !change.split.is_train();
        all.into_iter().filter(is_counted).collect()
    }

    /// Of CoRe minus that of the pooled model.
    pub fn error(&self) -> f64 {
        self.core - self.pooled
    }

    pub fn unit(&self) -> Unit {
        Unit::of([self.pooled, self.core], self.is_regression)
    }

    /// `the error falls from 32.0 % (pooled) to 9.3 % (CoRe), by 22.7 percentage points (95 % interval 19.9 to 25.5)`.
    pub fn sentence(&self) -> String {
        let unit = self.unit();
        let (moves, sign) = if self.error() <= 0.0 { ("falls", -1.0) } else { ("rises", 1.0) };
        let interval = self.range().map_or(String::new(), |(low, high)| {
            let (low, high) = if sign < 0.0 { (-high, -low) } else { (low, high) };
            format!(" ({})", unit.interval(low, high))
        });
        format!(
            "the {} {moves} from {} (pooled) to {} (CoRe), by {}{interval}",
            error_name(self.is_regression),
            unit.error(self.pooled),
            unit.error(self.core),
            unit.change(sign * self.error()),
        )
    }

    /// `the error is 68.4 % (pooled) and 66.1 % (CoRe), a change of −2.3 percentage points (95 % interval −6.1 to 1.5)`.
    pub fn undecided(&self) -> String {
        let unit = self.unit();
        if self.error() == 0.0 && self.range() == Some((0.0, 0.0)) {
            return format!("the {} of both is {}", error_name(self.is_regression), unit.error(self.core));
        }
        let interval =
            self.range().map_or(String::new(), |(low, high)| format!(" ({})", unit.interval(low, high)));
        format!(
            "the {} is {} (pooled) and {} (CoRe), a change of {}{interval}",
            error_name(self.is_regression),
            unit.error(self.pooled),
            unit.error(self.core),
            unit.change(self.error()),
        )
    }

    /// Ends of the interval of the difference.
    pub fn range(&self) -> Option<(f64, f64)> {
        let difference = self.difference?;
        Some((difference.low?, difference.high?))
    }

    /// `test2 (294 rows of 40 ids)`.
    pub fn name_with_rows(&self) -> String {
        match self.difference {
            Some(Difference { rows, ids, .. }) if ids < rows => {
                format!("{} ({} of {})", self.split, counted(*rows, "row"), counted(*ids, "id"))
            }
            Some(Difference { rows, .. }) => format!("{} ({})", self.split, counted(*rows, "row")),
            None => self.split.to_string(),
        }
    }
}
