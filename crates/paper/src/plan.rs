//! From the words of a file to what is trained.

use std::collections::BTreeMap;
use std::iter;
use std::path::Path;

use corevar::linear::StyleRank;
use corevar::model::ModelSpec;
use corevar::penalty::Penalty;
use corevar::study::{Estimator, Grid, check_runs, check_settings_count};
use corevar::train::TrainConfig;
use corevar::{ConfigError, Rule};
use corevar_data::{DataError, Dataset};
use serde::Serialize;
use toml::{Table, Value};

use super::data::{OriginalFiles, Plans, Protocol};
use super::protocols::ChangeAt;
use super::spec::{
    EstimatorForm, Experiment, ExperimentError, Size, SizeForm, Variant, check_names, in_one_line,
};

/// What is trained for a variant in one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Settings of the data, those that the file does not name included.
    pub data: Table,
    /// How the data are made.
    pub(super) protocol: Protocol,
    /// The same with the settings.
    pub(super) plans: Plans,
    /// In the order of the table.
    pub estimators: Vec<Estimator>,
    /// Of each estimator.
    pub runs: usize,
    /// What chooses the penalty weight of CoRe, the last estimator, where it is not given.
    pub rule: Option<Rule>,
}

impl Plan {
    /// Edition of the weights that networks start with, where there was more than one.
    fn start(&self) -> Option<u32> {
        let editions = self.estimators.iter().map(|one| one.config.model.edition());
        editions.max().filter(|edition| *edition > 1)
    }

    /// All settings, for the folder of the run: where they differ, its models are others.
    pub fn config_toml(&self, material: &OriginalFiles) -> Result<String, toml::ser::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "kebab-case")]
        struct Settings<'a> {
            protocol: Protocol,
            runs: usize,
            real: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            drawing: Option<u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            features_file: Option<&'a Path>,
            #[serde(skip_serializing_if = "Option::is_none")]
            change_at: Option<ChangeAt>,
            #[serde(skip_serializing_if = "Option::is_none")]
            start: Option<u32>,
            order: Vec<&'a str>,
            data: &'a Table,
            #[serde(skip_serializing_if = "Option::is_none")]
            choice: Option<ChoiceSettings>,
            estimators: BTreeMap<&'a str, &'a TrainConfig>,
        }
        #[derive(Serialize)]
        #[serde(rename_all = "kebab-case")]
        struct ChoiceSettings {
            #[serde(flatten)]
            rule: Rule,
            penalty_weights: Vec<f64>,
        }
        let weights = |core: &Estimator| Grid::of(&core.config).penalty_weights;
        let choice = self
            .rule
            .zip(self.estimators.last())
            .map(|(rule, core)| ChoiceSettings { rule, penalty_weights: weights(core) });
        toml::to_string(&Settings {
            protocol: self.protocol,
            runs: self.runs,
            real: material.originals.is_some(),
            drawing: material.originals.is_none().then(|| self.protocol.edition()),
            features_file: material.features.as_deref(),
            // Drawn pictures have no larger original.
            change_at: material.originals.as_ref().and_then(|_| self.plans.change_at()),
            start: self.start(),
            order: self.estimators.iter().map(|one| one.key.as_str()).collect(),
            data: &self.data,
            choice,
            estimators: self.estimators.iter().map(|one| (one.key.as_str(), &*one.config)).collect(),
        })
    }
}

impl Experiment {
    /// What is trained for a variant.
    pub fn plan(&self, variant: &Variant, size: Size) -> Result<Plan, ExperimentError> {
        let of_this = |problem: String| self.form(format!("{}: {problem}", variant.name));
        let SizeForm { runs, data, train } = self.settings(variant, size);
        check_runs(runs).map_err(|cause| of_this(out_of_range(&cause)))?;
        let base = Self::config(&train).map_err(of_this)?;
        // The exact solver has no randomness: one run is all there is.
        let runs = if base.model == ModelSpec::Linear { 1 } else { runs };
        let plans = self.protocol.plans(data).map_err(of_this)?;
        plans.check().map_err(|cause| self.unfit(variant, cause))?;
        let data = Table::try_from(&plans).map_err(|error| of_this(error.to_string()))?;
        if let Some(grid) = &variant.grid {
            let counted = check_settings_count(&[grid.penalty_weights.len(), grid.ridges.len()]);
            counted.map_err(|cause| of_this(out_of_range(&cause)))?;
        }
        let estimators = self.estimators(variant, &base)?;
        variant.check_estimators(&estimators).map_err(of_this)?;
        let rule = variant.by_rule.then(Rule::default);
        Ok(Plan { data, protocol: self.protocol, plans, estimators, runs, rule })
    }

    /// What the file says of the experiment and of its size, and over it what it says of the variant.
    fn settings(&self, variant: &Variant, size: Size) -> SizeForm {
        let (of_size, of_variant) = match size {
            Size::Quick => (&self.quick, &variant.quick),
            Size::Full => (&self.full, &variant.full),
        };
        let over = |tables: [&Table; 4]| tables.into_iter().cloned().reduce(overlay).unwrap_or_default();
        SizeForm {
            runs: of_variant.runs.unwrap_or(of_size.runs),
            data: over([&self.data, &of_size.data, &variant.data, &of_variant.data]),
            train: over([&self.train, &of_size.train, &variant.train, &of_variant.train]),
        }
    }

    /// Whether every variant can be planned, and figures and findings speak of what is then there: a slip in
    /// them would show only after hours, as a figure without lines.
    pub fn check(&self, size: Size) -> Result<(), ExperimentError> {
        let plans = self.variants_in(size).map(|variant| self.plan(variant, size));
        let plans: Vec<Plan> = plans.collect::<Result<_, _>>()?;
        for side in self.findings.iter().flat_map(|finding| [&finding.of, &finding.to]) {
            let has = |plan: &Plan| plan.estimators.iter().any(|estimator| estimator.key == side.estimator);
            let mut of_side = self.variants_in(size).zip(&plans).filter(|(variant, _)| side.is_of(variant));
            if let Some((variant, _)) = of_side.find(|(_, plan)| !has(plan)) {
                return Err(self.form(format!(
                    "a finding speaks of the estimator `{}`, which {} has not",
                    side.estimator, variant.name
                )));
            }
        }
        for curve in &self.curves {
            let is_there = |key: &String, own: &[&str]| {
                own.contains(&key.as_str()) || plans.iter().any(|plan| plan.data.contains_key(key))
            };
            let over = (!is_there(&curve.over, &["penalty-weight"])).then_some(&curve.over);
            let lost =
                over.or_else(|| curve.lines.iter().find(|key| !is_there(key, &["estimator", "ridge"])));
            if let Some(key) = lost {
                return Err(self
                    .form(format!("the figure \"{}\" speaks of `{key}`, which is no setting", curve.title)));
            }
            if curve.class.is_some() && !curve.measured.is_by_class() {
                return Err(self.form(format!(
                    "the figure \"{}\" is of one class, which only the variances and their ratio have",
                    curve.title
                )));
            }
        }
        Ok(())
    }

    /// Whether the data have the splits and classes that the file speaks of.
    pub fn check_splits(&self, dataset: &Dataset) -> Result<(), ExperimentError> {
        let of_findings = self.findings.iter().flat_map(|finding| [&finding.of.split, &finding.to.split]);
        let of_curves = self.curves.iter().map(|curve| &curve.split);
        let papers = self.variants.iter().flat_map(|variant| [&variant.paper, &variant.paper_penalty]);
        let of_paper = papers.flat_map(|numbers| numbers.values().flat_map(|splits| splits.keys()));
        let of_headline = self.headlines.iter().flat_map(|line| &line.splits);
        let mut named =
            iter::once(&self.shifted).chain(of_findings).chain(of_curves).chain(of_paper).chain(of_headline);
        if let Some(lost) = named.find(|name| dataset.split(name).is_none()) {
            let known = dataset.split_names();
            return Err(self.form(format!("there is no split `{lost}`; there are {}", known.join(", "))));
        }
        let classes = dataset.labels().class_names();
        let mut of_figures = self.curves.iter().filter_map(|curve| curve.class.as_ref());
        match of_figures.find(|name| !classes.contains(name)) {
            Some(lost) => {
                Err(self.form(format!("there is no class `{lost}`; there are {}", classes.join(", "))))
            }
            None => Ok(()),
        }
    }

    /// The default settings with these over them.
    fn config(train: &Table) -> Result<TrainConfig, String> {
        let table = |config: &TrainConfig| Table::try_from(config).map_err(|error| error.to_string());
        // The paper takes features as they are.
        let usual = TrainConfig { standardise: false, ..Default::default() };
        let style_rank = StyleRank::Directions(1);
        let optional = TrainConfig { clip_norm: Some(1.0), label_bins: 2, style_rank, ..Default::default() };
        refuse_unknown("training", train, &table(&optional)?)?;
        let all = overlay(table(&usual)?, train.clone());
        let config: TrainConfig = all.try_into().map_err(in_one_line)?;
        if let (Some(Value::Table(given)), Some(Value::Table(known))) =
            (train.get("model"), table(&config)?.get("model"))
        {
            refuse_unknown("the model", given, known)?;
        }
        Ok(config)
    }

    fn estimators(&self, variant: &Variant, base: &TrainConfig) -> Result<Vec<Estimator>, ExperimentError> {
        let plain = |penalty| EstimatorForm { key: None, penalty, penalty_weight: None, ridge: None };
        let usual = [plain(Penalty::NONE), plain(base.penalty)];
        let forms = match (&variant.grid, variant.estimators.as_slice(), self.estimators.as_slice()) {
            (Some(grid), ..) => grid.estimators(base.penalty),
            (None, [], _) if variant.by_rule => usual.to_vec(),
            (None, [], []) => usual.to_vec(),
            (None, [], of_experiment) => of_experiment.to_vec(),
            (None, of_variant, _) => of_variant.to_vec(),
        };
        forms.iter().map(|form| self.estimator(form, base)).collect()
    }

    fn estimator(&self, form: &EstimatorForm, base: &TrainConfig) -> Result<Estimator, ExperimentError> {
        let usual = if form.penalty == Penalty::NONE { 0.0 } else { base.penalty_weight };
        let config = TrainConfig {
            penalty: form.penalty,
            penalty_weight: form.penalty_weight.unwrap_or(usual),
            ridge: form.ridge.unwrap_or(base.ridge),
            ..base.clone()
        };
        let config = config
            .check()
            .map_err(|cause| ExperimentError::Config { experiment: self.name.clone(), cause })?;
        let name = form.penalty.estimator_name();
        Ok(Estimator { name: name.into(), key: form.key.clone().unwrap_or_else(|| name.into()), config })
    }

    fn unfit(&self, variant: &Variant, cause: DataError) -> ExperimentError {
        ExperimentError::Unfit { experiment: self.name.clone(), variant: variant.name.clone(), cause }
    }

    fn form(&self, problem: String) -> ExperimentError {
        ExperimentError::Form { experiment: self.name.clone(), problem }
    }
}

impl Variant {
    fn check_estimators(&self, estimators: &[Estimator]) -> Result<(), String> {
        if self.grid.is_some() && !self.estimators.is_empty() {
            return Err("a variant has either a grid or estimators, not both".into());
        }
        if self.by_rule && (self.grid.is_some() || !self.estimators.is_empty()) {
            return Err("by-rule trains the pooled model and CoRe, and has no grid or estimators".into());
        }
        let keys: Vec<&str> = estimators.iter().map(|estimator| estimator.key.as_str()).collect();
        check_names("estimator", &keys)?;
        let mut of_paper = self.paper.keys().chain(self.paper_penalty.keys());
        match of_paper.find(|key| !keys.contains(&key.as_str())) {
            Some(key) => Err(format!("the paper's number of `{key}` has no estimator")),
            None => Ok(()),
        }
    }
}

impl super::spec::Grid {
    fn estimators(&self, penalty: Penalty) -> Vec<EstimatorForm> {
        let setting = |weight: f64, ridge: f64| {
            let penalty = if weight == 0.0 { Penalty::NONE } else { penalty };
            let key = Some(format!("{}-{weight}-ridge{ridge}", penalty.estimator_name()));
            EstimatorForm { key, penalty, penalty_weight: Some(weight), ridge: Some(ridge) }
        };
        let of_ridge = |ridge: &f64| {
            self.penalty_weights.iter().map(|weight| setting(*weight, *ridge)).collect::<Vec<_>>()
        };
        self.ridges.iter().flat_map(of_ridge).collect()
    }
}

/// As the file would write it.
fn out_of_range(ConfigError { field, value, rule }: &ConfigError) -> String {
    format!("{} = {value}, but must be {rule}", field.replace('_', "-"))
}

/// Slips in names would otherwise train something else without a word.
fn refuse_unknown(of: &str, given: &Table, known: &Table) -> Result<(), String> {
    match given.keys().find(|key| !known.contains_key(*key)) {
        Some(key) => {
            let known: Vec<&str> = known.keys().map(String::as_str).collect();
            Err(format!("no setting `{key}` of {of}; there are {}", known.join(", ")))
        }
        None => Ok(()),
    }
}

/// `upper` where it says something, `lower` elsewhere; also within a model, as long as it stays of one kind.
fn overlay(mut lower: Table, upper: Table) -> Table {
    for (key, value) in upper {
        let value = match (lower.remove(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) if is_one_kind(&below, &above) => {
                Value::Table(overlay(below, above))
            }
            (_, value) => value,
        };
        lower.insert(key, value);
    }
    lower
}

fn is_one_kind(below: &Table, above: &Table) -> bool {
    above.get("kind").is_none_or(|kind| below.get("kind") == Some(kind))
}
