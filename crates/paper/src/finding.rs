//! What the paper found, or a user's file expects, as a ratio of two errors with a bound.

use serde::{Deserialize, Serialize};

use super::record::VariantRecord;
use super::spec::{Experiment, Variant};

/// A finding of the paper, or of a user's file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Finding {
    /// In words.
    pub text: String,
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
        let [of, to] = [self.of.error(experiment, variants)?, self.to.error(experiment, variants)?];
        // Of two errors of 0 none is a multiple of the other.
        let is_multiple = |least: f64| of >= least * to && (least == 0.0 || of.max(to) > 0.0);
        let holds = self.at_most.is_none_or(|most| of <= most * to) && self.at_least.is_none_or(is_multiple);
        let paper_ratio = self.of.paper_error(experiment).zip(self.to.paper_error(experiment));
        Some(Judged {
            finding: self.clone(),
            ratio: ratio(of, to),
            paper_ratio: paper_ratio.and_then(|(of, to)| ratio(of, to)),
            holds,
        })
    }
}

fn ratio(of: f64, to: f64) -> Option<f64> {
    (to > 0.0).then_some(of / to)
}

impl Judged {
    /// `0.42 [0.22], at most 0.6: holds`, the paper's ratio in brackets.
    pub fn verdict(&self) -> String {
        let bound = |word: &str, bound: Option<f64>| bound.map(|bound| format!(", {word} {bound}"));
        let most = bound("at most", self.finding.at_most).unwrap_or_default();
        let least = bound("at least", self.finding.at_least).unwrap_or_default();
        let holds = if self.holds { "holds" } else { "does not hold" };
        let ratio = self.ratio.map_or("no ratio to an error of 0".into(), |ratio| format!("{ratio:.2}"));
        let paper = self.paper_ratio.map(|ratio| format!(" [{ratio:.2}]")).unwrap_or_default();
        format!("{ratio}{paper}{most}{least}: {holds}")
    }
}

impl Side {
    /// Whether it looks at this variant: those aside are not of the paper.
    pub(super) fn is_of(&self, variant: &Variant) -> bool {
        !variant.aside && corevar_data::table::matches(&self.variant, &variant.name)
    }

    fn error(&self, experiment: &Experiment, variants: &[VariantRecord]) -> Option<f64> {
        self.mean(experiment, |wanted| {
            let trained = variants.iter().find(|trained| trained.name == wanted.name)?;
            let setting = trained.settings.iter().find(|setting| setting.key == self.estimator)?;
            setting.splits.get(&self.split)?.error
        })
    }

    fn paper_error(&self, experiment: &Experiment) -> Option<f64> {
        self.mean(experiment, |variant| variant.paper.get(&self.estimator)?.get(&self.split).copied())
    }

    /// None while one of its variants has no error.
    fn mean(&self, experiment: &Experiment, error: impl Fn(&Variant) -> Option<f64>) -> Option<f64> {
        let wanted = experiment.variants.iter().filter(|variant| self.is_of(variant));
        let errors: Vec<f64> = wanted.map(error).collect::<Option<_>>()?;
        (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
    }
}
