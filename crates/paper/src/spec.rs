//! An experiment as its TOML file says it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use corevar::ConfigError;
use corevar::penalty::Penalty;
use corevar::train::TrainError;
use corevar_data::{DataError, Tip};
use serde::{Deserialize, Serialize};
use toml::Table;

use super::curve::Curve;
use super::data::Protocol;
use super::finding::Finding;

/// One experiment of the paper with all its variants.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Experiment {
    /// What its folder is called.
    #[serde(skip)]
    pub name: String,
    /// What the user types: the name, or a file.
    #[serde(skip)]
    pub(super) typed: String,
    /// What is predicted, and what is style.
    pub title: String,
    /// Where it stands in the paper.
    #[serde(default)]
    pub section: String,
    /// Where our numbers differ from the paper's, and why.
    #[serde(default)]
    pub remark: String,
    /// The split in which style is not as in training.
    pub shifted: String,
    /// How its data are made.
    pub protocol: Protocol,
    /// Settings of the data; those of a size and then those of a variant go over them.
    #[serde(default)]
    pub(super) data: Table,
    /// Settings of training, spelled as in `config.toml`.
    #[serde(default)]
    pub(super) train: Table,
    /// Pooled and CoRe if there is no word.
    #[serde(default)]
    pub(super) estimators: Vec<EstimatorForm>,
    pub(super) quick: SizeForm,
    pub(super) full: SizeForm,
    /// In the order of the paper's tables.
    pub variants: Vec<Variant>,
    /// Figures of the paper.
    #[serde(default)]
    pub curves: Vec<Curve>,
    /// What the paper found, as a test.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Its lines in the table of all experiments.
    #[serde(default)]
    pub headlines: Vec<Headline>,
}

/// What the table of all experiments shows of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Headline {
    /// The variant with the penalty weight of the file.
    pub variant: String,
    /// The same with the weight that the rule chooses.
    #[serde(default)]
    pub by_rule: Option<String>,
    /// Which splits, a line each.
    pub splits: Vec<String>,
}

/// One row or point of the paper's tables and figures.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Variant {
    /// What `--variant` takes.
    pub name: String,
    /// Not of the paper, and run only by its whole name: the path that a setting was chosen from, on other rows than those
    /// of the results.
    #[serde(default)]
    pub aside: bool,
    /// The usual rule chooses the penalty weight, on training rows held out. Pooled and CoRe alone, not of the paper, and in no
    /// figure or finding.
    #[serde(default)]
    pub by_rule: bool,
    /// Trained in this size alone.
    #[serde(default)]
    pub only: Option<Size>,
    #[serde(default)]
    pub(super) data: Table,
    #[serde(default)]
    pub(super) train: Table,
    #[serde(default)]
    pub(super) quick: Overlay,
    #[serde(default)]
    pub(super) full: Overlay,
    #[serde(default)]
    pub(super) estimators: Vec<EstimatorForm>,
    #[serde(default)]
    pub(super) grid: Option<Grid>,
    /// Errors in the paper, in percent: estimator -> split -> error.
    #[serde(default)]
    pub paper: BTreeMap<String, BTreeMap<String, f64>>,
    /// Penalties in the paper: estimator -> split -> penalty.
    #[serde(default)]
    pub paper_penalty: BTreeMap<String, BTreeMap<String, f64>>,
}

/// What a size of the experiment sets.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SizeForm {
    pub(super) runs: usize,
    #[serde(default)]
    pub(super) data: Table,
    #[serde(default)]
    pub(super) train: Table,
}

/// What a variant sets in one size.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Overlay {
    pub(super) runs: Option<usize>,
    #[serde(default)]
    pub(super) data: Table,
    #[serde(default)]
    pub(super) train: Table,
}

/// An estimator: its penalty, and what differs from the settings of training.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct EstimatorForm {
    /// Tells it from the others; the estimator's name if there is no word.
    pub(super) key: Option<String>,
    pub(super) penalty: Penalty,
    pub(super) penalty_weight: Option<f64>,
    pub(super) ridge: Option<f64>,
}

/// Every penalty weight with every ridge; a weight of 0 is the pooled estimator.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Grid {
    pub(super) penalty_weights: Vec<f64>,
    pub(super) ridges: Vec<f64>,
}

/// How large an experiment is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Size {
    /// Fewer rows, runs or epochs, which still show the effect.
    Quick,
    /// As in the paper.
    Full,
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quick => "quick",
            Self::Full => "full",
        })
    }
}

/// Why an experiment cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// Nothing has that name.
    #[error("there is no experiment `{name}`")]
    NoExperiment {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<&'static str>,
    },
    /// The file of an experiment cannot be read.
    #[error("{}: {cause}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A file is there, but its name does not say that it is an experiment.
    #[error("{} does not end in .toml, as files of experiments do", path.display())]
    Ending {
        /// Which file.
        path: PathBuf,
    },
    /// A file of the user's has the name of an experiment of the paper.
    #[error("{} has the name of an experiment of the paper, whose results it would replace", path.display())]
    Known {
        /// Which file.
        path: PathBuf,
    },
    /// The experiment has no such variant.
    #[error("{experiment} has no variant `{pattern}` in {size} size")]
    NoVariant {
        /// Which experiment.
        experiment: String,
        /// In which size.
        size: Size,
        /// What was asked for.
        pattern: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The file says something that it cannot say.
    #[error("{experiment}.toml: {problem}")]
    Form {
        /// Which experiment.
        experiment: String,
        /// What is wrong.
        problem: String,
    },
    /// A setting of training is out of its range.
    #[error("{experiment}.toml: {cause}")]
    Config {
        /// Which experiment.
        experiment: String,
        /// Why.
        cause: ConfigError,
    },
    /// Settings of the data are out of range, or contradict each other.
    #[error("{experiment}.toml: {variant}: {cause}")]
    Unfit {
        /// Which experiment.
        experiment: String,
        /// Which variant.
        variant: String,
        /// Why.
        cause: DataError,
    },
    /// The real files are asked of data that are always drawn, or features of pictures.
    #[error("{experiment}: {problem}")]
    OriginalFiles {
        /// Which experiment.
        experiment: String,
        /// What does not fit.
        problem: String,
        /// What to do.
        tip: &'static str,
    },
    /// Its data cannot be made.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The network whose features are used cannot be trained.
    #[error("the network for the features")]
    Features(#[from] TrainError),
}

impl Tip for ExperimentError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::NoExperiment { known, .. } => {
                Some(format!("there are {}, and all; or name a file such as mine.toml", known.join(", ")))
            }
            Self::NoVariant { known, .. } => Some(format!("its variants are {}", known.join(", "))),
            Self::Known { .. } => Some("give the file another name".into()),
            Self::Ending { .. } => Some("give it a name such as mine.toml".into()),
            Self::File { cause, .. } if cause.kind() == std::io::ErrorKind::NotFound => {
                Some("see that its name is right; docs/experiments.md has one to begin with".into())
            }
            Self::Form { .. } | Self::File { .. } => None,
            Self::Config { cause, .. } => cause.tip(),
            Self::OriginalFiles { tip, .. } => Some((*tip).into()),
            Self::Unfit { cause: error, .. } | Self::Data(error) => error.tip(),
            Self::Features(error) => error.tip(),
        }
    }
}

impl Experiment {
    /// Reads the text of a file.
    pub fn parse(name: &str, text: &str) -> Result<Self, ExperimentError> {
        let form = |problem: String| ExperimentError::Form { experiment: name.into(), problem };
        let read: Self = toml::from_str(text).map_err(|error| form(in_words(error)))?;
        let experiment = Self { name: name.into(), typed: name.into(), ..read };
        let names: Vec<&str> = experiment.variants.iter().map(|variant| variant.name.as_str()).collect();
        check_names("variant", &names).map_err(form)?;
        if let Some(finding) = experiment.findings.iter().find(|finding| finding.has_no_bound()) {
            return Err(form(format!("the finding \"{}\" needs at-most or at-least", finding.text)));
        }
        let sides = experiment.findings.iter().flat_map(|finding| [&finding.of, &finding.to]);
        let of_headline =
            experiment.headlines.iter().flat_map(|line| [Some(&line.variant), line.by_rule.as_ref()]);
        let patterns = sides
            .map(|side| &side.variant)
            .chain(experiment.curves.iter().filter_map(|curve| curve.variants.as_ref()))
            .chain(of_headline.flatten());
        for pattern in patterns {
            if !names.iter().any(|name| corevar_data::table::matches(pattern, name)) {
                return Err(form(format!(
                    "a finding, figure or headline speaks of `{pattern}`, and no variant is called so"
                )));
            }
        }
        Ok(experiment)
    }

    /// The variants that are trained in a size, in the order of the file.
    pub fn variants_in(&self, size: Size) -> impl Iterator<Item = &Variant> {
        self.variants.iter().filter(move |variant| variant.only.is_none_or(|only| only == size))
    }

    /// The variants of a size that fit one of the patterns (`*` stands for any text), in the order of the file; without
    /// a pattern all. Those aside are in it only by their whole name.
    pub fn variants_like(&self, patterns: &[String], size: Size) -> Result<Vec<&Variant>, ExperimentError> {
        let like = |pattern: &String, variant: &Variant| match variant.aside {
            true => *pattern == variant.name,
            false => corevar_data::table::matches(pattern, &variant.name),
        };
        let lost =
            patterns.iter().find(|pattern| !self.variants_in(size).any(|variant| like(pattern, variant)));
        if let Some(pattern) = lost {
            let known = self.variants_in(size).map(|variant| variant.name.clone()).collect();
            let (experiment, pattern) = (self.name.clone(), pattern.clone());
            return Err(ExperimentError::NoVariant { experiment, size, pattern, known });
        }
        let wanted = |variant: &&Variant| match patterns {
            [] => !variant.aside,
            patterns => patterns.iter().any(|pattern| like(pattern, variant)),
        };
        Ok(self.variants_in(size).filter(wanted).collect())
    }
}

impl Variant {
    /// Whether it shows what the paper shows: figures and findings are about these.
    pub(super) fn is_of_paper(&self) -> bool {
        !self.aside && !self.by_rule
    }
}

/// At least one, none twice, and all fit to be names of files.
pub(super) fn check_names(what: &str, names: &[&str]) -> Result<(), String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    for (place, name) in names.iter().enumerate() {
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(format!(
                "the {what} `{name}` must be named with letters, digits, `-`, `_` and `.` alone"
            ));
        }
        if names[..place].contains(name) {
            return Err(format!("the {what} `{name}` is listed twice"));
        }
    }
    match names {
        [] => Err(format!("there is no {what}")),
        _ => Ok(()),
    }
}

/// What is wrong, and with which setting.
pub(super) fn in_one_line(error: toml::de::Error) -> String {
    in_words(error).trim_end().replace('\n', " ")
}

/// Rust's names of types mean nothing to the user.
fn in_words(error: toml::de::Error) -> String {
    // A variant is something else here.
    let said = error.to_string().replace("unknown variant", "unknown value");
    ["usize", "u64"]
        .into_iter()
        .fold(said, |said, kind| said.replace(&format!("expected {kind}"), "expected a whole number from 0"))
}
