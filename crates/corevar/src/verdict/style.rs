//! The part that style plays, read from held-out groups (paper, small-n example, "presence of sample bias").
//!
//! The paper compares the penalty of both estimators. A large λ shrinks all logits, and the penalty with them, also where
//! nothing was gained. So this compares [`StyleRatio`], which does not change with the scale of the logits.

use corevar_data::SplitName;

use super::Compared;
use super::words::{counted, ratio};
use crate::results::{Difference, EstimatorResult, StyleRatio};

/// Below this the outputs hardly vary inside groups: their SD there is less than a seventh of that between groups.
const SMALL: f64 = 0.02;

/// How many times as large the pooled model's ratio must be to speak of a biased sample.
const MUCH_LARGER: f64 = 2.0;

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

/// The ratios of both estimators on the groups of one held-out split.
pub(super) struct StyleReading<'a> {
    split: &'a SplitName,
    ratio: StyleRatio,
    style: Style,
}

impl<'a> StyleReading<'a> {
    /// On the split with the largest gain if it has groups, else on the one with most groups. None without held-out groups.
    pub fn new(compared: &'a Compared<'a>) -> Option<Self> {
        let (core, pooled) = (&compared.core.name, &compared.pooled.name);
        let of_pair = |one: &&Difference| one.estimator == *core && one.against == *pooled;
        let gain = compared.gain().map(|gain| gain.split);
        let rank = |(split, ratio): &(&SplitName, StyleRatio)| (Some(*split) == gain, ratio.groups);
        // Backwards, so that the first of equals is taken.
        let differences = compared.results.differences.iter().filter(of_pair).rev();
        let (split, ratio) =
            differences.filter_map(|one| Some((&one.split, one.style_ratio?))).max_by_key(rank)?;
        Some(Self { split, ratio, style: Style::of(ratio) })
    }

    /// Whether CoRe relies on style less than the pooled model does.
    pub fn has_fallen(&self) -> bool {
        matches!(self.style, Style::Fell | Style::FellMuch)
    }

    /// The paragraph.
    pub fn text(&self, compared: &Compared) -> String {
        let (falls, is) = (self.numbers(compared, "falls from", "to"), self.numbers(compared, "is", "and"));
        match (self.style, compared.gain().is_some()) {
            (Style::FellMuch, true) => format!(
                "Style is the likely reason: {falls}. The pooled model relied on style that predicted the label in training: the \
                 training sample looks biased."
            ),
            (Style::FellMuch, false) => format!(
                "The training sample looks biased: {falls}, so style predicted the label in training. But no test shows a gain \
                 from relying on it less."
            ),
            (Style::Fell, true) => format!("Style is part of the reason: {falls}."),
            (Style::Fell, false) => {
                format!(
                    "CoRe relies on style somewhat less: {falls}. That is no sign of a biased training sample."
                )
            }
            (Style::HardlyPredicts, true) => {
                format!("Style is not shown to be the reason: {is}, small for both.")
            }
            (Style::HardlyPredicts, false) => format!(
                "Style hardly predicts the label, as far as these groups show it, so there is no sign of a biased training \
                 sample: {is}, small for both."
            ),
            (Style::NotFallen, true) => {
                format!(
                    "Style is not shown to be the reason: {is}, without a detectable fall.{}",
                    self.shrunk(compared)
                )
            }
            (Style::NotFallen, false) => format!(
                "No sign of a biased training sample: {is}, without a detectable fall.{}",
                self.shrunk(compared)
            ),
        }
    }

    /// `on the 250 groups of test3, the variance of the logits inside groups, relative to that between groups of the same class,
    /// falls from 0.42 (pooled) to 0.05 (CoRe)`.
    fn numbers(&self, compared: &Compared, moves: &str, and: &str) -> String {
        let (outputs, alike) = match compared.is_regression() {
            true => ("predictions", "with similar labels"),
            false => ("logits", "of the same class"),
        };
        format!(
            "on the {} of {}, the variance of the {outputs} inside groups, relative to that between groups {alike}, {moves} {} \
             (pooled) {and} {} (CoRe)",
            counted(self.ratio.groups, "group"),
            self.split,
            ratio(self.ratio.against),
            ratio(self.ratio.estimator),
        )
    }

    /// A penalty that fell with the scale of the logits must not be taken for less style.
    fn shrunk(&self, compared: &Compared) -> String {
        let penalty = |estimator: &EstimatorResult| estimator.mean.get(self.split)?.penalty;
        match (penalty(compared.pooled), penalty(compared.core)) {
            (Some(pooled), Some(core)) if pooled >= SHRUNK * core && pooled > 0.0 => format!(
                " The penalty fell from {} to {}, but mostly because all of CoRe's {} are smaller.",
                ratio(pooled),
                ratio(core),
                if compared.is_regression() { "predictions" } else { "logits" },
            ),
            _ => String::new(),
        }
    }
}

impl Style {
    fn of(ratio: StyleRatio) -> Self {
        let StyleRatio { estimator: core, against: pooled, high, .. } = ratio;
        match high < 1.0 {
            _ if pooled < SMALL && core < SMALL => Self::HardlyPredicts,
            true if pooled >= MUCH_LARGER * core => Self::FellMuch,
            true => Self::Fell,
            false => Self::NotFallen,
        }
    }
}

/// Where a gain has no held-out groups to explain it.
pub(super) fn unknown(compared: &Compared) -> Option<String> {
    compared.gain()?;
    Some("Whether style is the reason cannot be said: no two held-out rows share a label and an id.".into())
}
