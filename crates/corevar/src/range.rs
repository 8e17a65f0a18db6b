//! What a setting may be. Each range is declared once, for networks, linear models and model files alike.

use corevar_data::Tip;

use crate::penalty::Penalty;

/// A setting that is out of its range.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the field `{field}` is {value}, but must be {rule}")]
pub struct ConfigError {
    /// Which field.
    pub field: &'static str,
    /// What it was set to.
    pub value: String,
    /// What it may be.
    pub rule: &'static str,
}

impl Tip for ConfigError {
    /// The message says it all.
    fn tip(&self) -> Option<String> {
        None
    }
}

/// What a number may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// In words, after "must be".
    rule: &'static str,
    holds: fn(f64) -> bool,
}

pub(crate) const FROM_0: Range =
    Range { rule: "a number from 0", holds: |value| value.is_finite() && value >= 0.0 };
pub(crate) const ABOVE_0: Range =
    Range { rule: "a number above 0", holds: |value| value.is_finite() && value > 0.0 };
pub(crate) const AT_LEAST_1: Range = Range { rule: "at least 1", holds: |value| value >= 1.0 };
/// Of the training runs of an estimator.
pub(crate) const RUNS: Range =
    Range { rule: "from 1 to 10000", holds: |value| (1.0..=10_000.0).contains(&value) };
/// Of the settings that are trained side by side.
pub(crate) const SETTINGS: Range =
    Range { rule: "at most 10000 (weights x ridges x penalties)", holds: |value| value <= 10_000.0 };
pub(crate) const SHARE: Range =
    Range { rule: "a share from 0 to 1", holds: |value| (0.0..=1.0).contains(&value) };
pub(crate) const BELOW_1: Range =
    Range { rule: "a number from 0 and below 1", holds: |value| (0.0..1.0).contains(&value) };
pub(crate) const PART: Range =
    Range { rule: "a share above 0 and at most 1", holds: |value| value > 0.0 && value <= 1.0 };
pub(crate) const FACTOR: Range =
    Range { rule: "a factor above 0 and at most 1", holds: |value| value > 0.0 && value <= 1.0 };
pub(crate) const SLOPE: Range =
    Range { rule: "from 0 (ReLU) to 1 (linear)", holds: |value| (0.0..=1.0).contains(&value) };

/// Of the ridge, for every model.
pub(crate) const RIDGE: Range = FROM_0;

/// Of λ. Infinity means something where the model is linear and what varies is the logits: none of them varies inside a
/// group at all.
pub(crate) fn penalty_weight(penalty: Penalty, is_linear: bool) -> Range {
    match (is_linear, penalty.has_limit()) {
        (true, true) => Range { rule: "a number from 0, or inf", holds: |value| value >= 0.0 },
        (true, false) => Range { rule: "a number from 0 (inf is for penalties of the logits)", ..FROM_0 },
        (false, _) => Range { rule: "a number from 0 (inf is for linear models)", ..FROM_0 },
    }
}

impl Range {
    pub(crate) fn check(self, field: &'static str, value: f64) -> Result<(), ConfigError> {
        match (self.holds)(value) {
            true => Ok(()),
            false => Err(ConfigError { field, value: value.to_string(), rule: self.rule }),
        }
    }

    /// Of every number in a list; the message shows the list.
    pub(crate) fn check_all(self, field: &'static str, sizes: &[usize]) -> Result<(), ConfigError> {
        match sizes.iter().all(|&size| (self.holds)(size as f64)) {
            true => Ok(()),
            false => {
                let value = sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
                Err(ConfigError { field, value, rule: self.rule })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_belong_to_a_range_as_its_rule_says() {
        let inside = |range: Range, values: [f64; 4]| values.map(|value| range.check("x", value).is_ok());
        assert_eq!(inside(FROM_0, [0.0, 1e300, -1e-300, f64::INFINITY]), [true, true, false, false]);
        assert_eq!(inside(ABOVE_0, [1e-300, 0.0, f64::NAN, f64::INFINITY]), [true, false, false, false]);
        assert_eq!(inside(SHARE, [0.0, 1.0, 1.01, f64::NAN]), [true, true, false, false]);
        assert_eq!(inside(BELOW_1, [0.0, 0.99, 1.0, -0.1]), [true, true, false, false]);
        assert_eq!(inside(FACTOR, [0.0, 1e-9, 1.0, 1.1]), [false, true, true, false]);
    }

    #[test]
    fn an_infinite_penalty_weight_is_for_linear_models_and_logits() {
        let takes_infinity =
            |penalty, is_linear| penalty_weight(penalty, is_linear).check("w", f64::INFINITY).is_ok();
        assert!(takes_infinity(Penalty::LOGIT_SD, true));
        assert!(!takes_infinity(Penalty::LOSS_SD, true) && !takes_infinity(Penalty::LOGIT_SD, false));
        assert!(penalty_weight(Penalty::LOGIT_SD, true).check("w", f64::NAN).is_err());
    }

    #[test]
    fn a_list_is_shown_whole() {
        let message = AT_LEAST_1.check_all("hidden", &[5, 0]).unwrap_err().to_string();
        assert_eq!(message, "the field `hidden` is 5,0, but must be at least 1");
    }
}
