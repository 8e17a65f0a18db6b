//! The part that style plays, read from the variance ratio on held-out groups (paper, small-n example, "presence of sample bias").
//!
//! The paper compares the penalty of both estimators. A large λ shrinks all logits, and the penalty with them, also where
//! nothing was gained; the ratio of the variance inside groups to that between groups does not change with the scale.

use corevar_data::SplitName;

use super::Compared;
use super::words::{counted, ratio};
use crate::results::{Difference, EstimatorResult, RatioChange};

/// Below this the outputs hardly vary inside groups: their SD there is less than a quarter of that between groups.
const SMALL: f64 = 0.05;

/// How many times as large the pooled model's ratio must be to speak of a biased sample.
const MUCH_LARGER: f64 = 3.0;

/// Without an interval, a ratio that is not halved is not said to have fallen.
const HALVED: f64 = 0.5;

/// How many times as large the pooled model's penalty must be to mention that it shrank while the ratio did not.
const SHRUNK: f64 = 2.0;

/// What the ratios say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    /// Both ratios are small: style hardly predicts the label.
    HardlyPredicts,
    /// CoRe's ratio is many times smaller.
    FellMuch,
    /// CoRe's ratio is smaller.
    Fell,
    /// No fall is detectable.
    NotFallen,
}

/// The variance ratios of both estimators on the groups of one held-out split.
pub(super) struct StyleReading<'a> {
    split: &'a SplitName,
    pooled: f64,
    core: f64,
    /// None in records of earlier versions.
    groups: Option<usize>,
    style: Style,
}

impl<'a> StyleReading<'a> {
    /// On the split with the largest gain if it has groups, else on the one with most groups. None without held-out groups.
    pub fn new(compared: &'a Compared<'a>) -> Option<Self> {
        let (core, pooled) = (&compared.core.name, &compared.pooled.name);
        let of_pair = |one: &&Difference| one.estimator == *core && one.against == *pooled;
        let gain = compared.gain().map(|gain| gain.split);
        let rank = |(split, change): &(&SplitName, RatioChange)| (Some(*split) == gain, change.groups);
        // The first of equals.
        let ratios = compared.results.differences.iter().filter(of_pair).rev();
        let ratios = ratios.filter_map(|one| Some((&one.split, one.variance_ratio?)));
        match ratios.max_by_key(rank) {
            Some((split, change)) => Some(Self::of_change(split, change)),
            None => Self::of_means(compared),
        }
    }

    fn of_change(split: &'a SplitName, change: RatioChange) -> Self {
        let (pooled, core) = (change.against, change.estimator);
        let style = Style::of(pooled, core, change.high < 1.0);
        Self { split, pooled, core, groups: Some(change.groups), style }
    }

    /// From records without intervals.
    fn of_means(compared: &'a Compared<'a>) -> Option<Self> {
        let ratio = |estimator: &EstimatorResult, split: &str| estimator.mean.get(split)?.variance_ratio;
        let splits = compared.changes.iter().map(|change| change.split);
        let both = |split: &'a SplitName| Some((split, ratio(compared.pooled, split)?, ratio(compared.core, split)?));
        let (split, pooled, core) = splits.filter_map(both).next()?;
        let style = Style::of(pooled, core, core < HALVED * pooled);
        Some(Self { split, pooled, core, groups: None, style })
    }

    /// Whether CoRe relies on style less than the pooled model does.
    pub fn has_fallen(&self) -> bool {
        matches!(self.style, Style::Fell | Style::FellMuch)
    }

    /// The paragraph.
    pub fn text(&self, compared: &Compared) -> String {
        let has_gain = compared.gain().is_some();
        let (falls, is) = (self.numbers(compared, "falls from", "to"), self.numbers(compared, "is", "and"));
        match (self.style, has_gain) {
            (Style::FellMuch, true) => format!(
                "Style is the likely reason: {falls}. The pooled model relied on style that predicted the label in training: the \
                 training sample looks biased."
            ),
            (Style::FellMuch, false) => format!(
                "The training sample looks biased: {falls}, so style predicted the label in training.{}",
                if self.groups.is_some() { " But no test shows a gain from relying on it less." } else { "" },
            ),
            (Style::Fell, true) => format!("Style is part of the reason: {falls}."),
            (Style::Fell, false) => {
                format!("CoRe relies on style somewhat less: {falls}. That is no sign of a biased training sample.")
            }
            (Style::HardlyPredicts, _) => format!(
                "Style hardly predicts the label here, so there is no sign of a biased training sample{}: {is}.",
                if has_gain { ", and style is not the reason for the gain" } else { "" },
            ),
            (Style::NotFallen, true) => {
                format!("Style is not shown to be the reason: {is}, without a detectable fall.{}", self.shrunk(compared))
            }
            (Style::NotFallen, false) => format!(
                "No sign of a biased training sample: {is}, without a detectable fall.{}",
                self.shrunk(compared)
            ),
        }
    }

    /// `on the 250 groups of test3, the variance of the logits inside groups, as a share of that between groups, falls from 0.42
    /// (pooled) to 0.05 (CoRe)`.
    fn numbers(&self, compared: &Compared, moves: &str, and: &str) -> String {
        let outputs = if compared.is_regression() { "predictions" } else { "logits" };
        let groups = self.groups.map_or_else(|| "the groups".into(), |groups| format!("the {}", counted(groups, "group")));
        format!(
            "on {groups} of {}, the variance of the {outputs} inside groups, relative to that between groups, {moves} {} \
             (pooled) {and} {} (CoRe)",
            self.split,
            ratio(self.pooled),
            ratio(self.core),
        )
    }

    /// A penalty that fell with the scale of the logits must not be taken for less style.
    fn shrunk(&self, compared: &Compared) -> String {
        let penalty = |estimator: &EstimatorResult| estimator.mean.get(self.split)?.penalty;
        match (penalty(compared.pooled), penalty(compared.core)) {
            (Some(pooled), Some(core)) if pooled >= SHRUNK * core && pooled > 0.0 => format!(
                " The penalty fell from {} to {} only because all of CoRe's {} are smaller.",
                ratio(pooled),
                ratio(core),
                if compared.is_regression() { "predictions" } else { "logits" },
            ),
            _ => String::new(),
        }
    }
}

impl Style {
    fn of(pooled: f64, core: f64, has_fallen: bool) -> Self {
        match has_fallen {
            _ if pooled < SMALL && core < SMALL => Self::HardlyPredicts,
            true if pooled >= MUCH_LARGER * core => Self::FellMuch,
            true => Self::Fell,
            false => Self::NotFallen,
        }
    }
}

/// Where a gain has no held-out groups to explain it.
pub(super) fn unknown(compared: &Compared) -> Option<String> {
    let gain = compared.gain()?;
    Some(format!(
        "Whether style is the reason cannot be said: no two rows of {} or of another held-out split share a label and an id.",
        gain.split
    ))
}
