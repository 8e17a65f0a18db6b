//! What the paper found, or a user's file expects, as a ratio of two errors with a bound.

use serde::{Deserialize, Serialize};

use super::interval::{Estimate, ratio_interval};
use super::measured::Measured;
use super::record::VariantRecord;
use super::spec::{Experiment, Variant};

/// A finding of the paper, or of a user's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Finding {
    /// In words.
    pub text: String,
    /// What is compared, the error if there is no word.
    #[serde(default, skip_serializing_if = "is_error")]
    pub measured: Measured,
    /// Whose error is compared.
    pub of: Side,
    /// With whose.
    pub to: Side,
    /// The ratio must not be larger.
    #[serde(default)]
    pub at_most: Option<f64>,
    /// The ratio must not be smaller.
    #[serde(default)]
    pub at_least: Option<f64>,
}

fn is_error(measured: &Measured) -> bool {
    *measured == Measured::Error
}

/// The mean error of an estimator over some variants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Variants (`*` stands for any text).
    pub variant: String,
    /// Key of the estimator.
    pub estimator: String,
    /// Which rows.
    pub split: String,
}

/// A finding beside what came out here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The finding.
    pub finding: Finding,
    /// Ratio of the two errors; none to an error of 0.
    pub ratio: Option<f64>,
    /// Where the ratio lies with a confidence of 95 %, over the runs; none of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// The same of the paper's numbers, where it has all of them.
    #[serde(default)]
    pub paper_ratio: Option<f64>,
    /// Whether it keeps its bounds.
    pub holds: bool,
}

impl Finding {
    /// Whether nothing could contradict it.
    pub(super) fn has_no_bound(&self) -> bool {
        self.at_most.is_none() && self.at_least.is_none()
    }

    /// None while a variant of one of the sides is not trained.
    pub(super) fn judge(&self, experiment: &Experiment, variants: &[VariantRecord]) -> Option<Judged> {
        let [of, to] = [&self.of, &self.to].map(|side| side.estimate(experiment, variants, self.measured));
        let (of, to) = (of?, to?);
        let paper_ratio = self.paper(&self.of, experiment).zip(self.paper(&self.to, experiment));
        Some(Judged {
            finding: self.clone(),
            ratio: ratio(of.mean, to.mean),
            interval: ratio_interval(of, to),
            paper_ratio: paper_ratio.and_then(|(of, to)| ratio(of, to)),
            holds: self.holds(of.mean, to.mean),
        })
    }

    fn holds(&self, of: f64, to: f64) -> bool {
        // Of two errors of 0 none is a multiple of the other.
        let is_multiple = |least: f64| of >= least * to && (least == 0.0 || of.max(to) > 0.0);
        self.at_most.is_none_or(|most| of <= most * to) && self.at_least.is_none_or(is_multiple)
    }

    fn paper(&self, side: &Side, experiment: &Experiment) -> Option<f64> {
        side.mean(experiment, |variant| {
            let numbers = match self.measured {
                Measured::Error => &variant.paper,
                Measured::Penalty => &variant.paper_penalty,
                _ => return None,
            };
            numbers.get(&side.estimator)?.get(&side.split).copied()
        })
    }
}

fn ratio(of: f64, to: f64) -> Option<f64> {
    (to > 0.0).then_some(of / to)
}

impl Judged {
    /// `0.42 (0.35 to 0.50) [0.22], at most 0.6: holds`: the interval over the runs, the paper's ratio in brackets.
    pub fn verdict(&self) -> String {
        let bound = |word: &str, bound: Option<f64>| bound.map(|bound| format!(", {word} {bound}"));
        let least = bound("at least", self.finding.at_least).unwrap_or_default();
        let most = bound("at most", self.finding.at_most).unwrap_or_default();
        let holds = if self.holds { "holds" } else { "does not hold" };
        let doubt = if self.is_in_doubt() { ", but the interval contains the bound" } else { "" };
        let ratio = self.ratio.map_or("no ratio to an error of 0".into(), |ratio| format!("{ratio:.2}"));
        let interval = self.interval.map(|[low, high]| format!(" ({low:.2} to {high:.2})"));
        let paper = self.paper_ratio.map(|ratio| format!(" [{ratio:.2}]"));
        let [interval, paper] = [interval, paper].map(Option::unwrap_or_default);
        format!("{ratio}{interval}{paper}{least}{most}: {holds}{doubt}")
    }

    /// Whether a bound lies inside the interval, so that other runs could say the opposite.
    fn is_in_doubt(&self) -> bool {
        let Some([low, high]) = self.interval else { return false };
        let bounds = [self.finding.at_least, self.finding.at_most];
        bounds.into_iter().flatten().any(|bound| low < bound && bound < high)
    }
}

impl Side {
    /// Whether it looks at this variant: others are not of the paper.
    pub(super) fn is_of(&self, variant: &Variant) -> bool {
        variant.is_of_paper() && corevar_data::table::matches(&self.variant, &variant.name)
    }

    fn estimate(
        &self,
        experiment: &Experiment,
        variants: &[VariantRecord],
        measured: Measured,
    ) -> Option<Estimate> {
        let estimates = self.each(experiment, |wanted| {
            let trained = variants.iter().find(|trained| trained.name == wanted.name)?;
            let setting = trained.settings.iter().find(|setting| setting.key == self.estimator)?;
            let value = measured.of(trained, setting, &self.split, None)?;
            Some(Estimate { mean: value.mean, spread: value.spread, runs: setting.seeds.len() })
        })?;
        Estimate::mean_of(&estimates)
    }

    fn mean(&self, experiment: &Experiment, number: impl Fn(&Variant) -> Option<f64>) -> Option<f64> {
        let numbers = self.each(experiment, number)?;
        Some(numbers.iter().sum::<f64>() / numbers.len() as f64)
    }

    /// Of all its variants; None while one of them has no number.
    fn each<T>(&self, experiment: &Experiment, of: impl Fn(&Variant) -> Option<T>) -> Option<Vec<T>> {
        let wanted = experiment.variants.iter().filter(|variant| self.is_of(variant));
        let all: Vec<T> = wanted.map(of).collect::<Option<_>>()?;
        (!all.is_empty()).then_some(all)
    }
}
