//! Which records still count: those of the settings that the file has now.

use std::path::PathBuf;

use toml::{Table, Value};

use super::data::{OriginalFiles, Source};
use super::record::{Reproduction, VariantRecord};
use super::spec::{Experiment, Variant};

impl Reproduction {
    /// With what an earlier record has of variants that are not in this one.
    pub fn with_others_of(self, earlier: &Self) -> Self {
        let is_new = |other: &&VariantRecord| self.variants.iter().all(|variant| variant.name != other.name);
        let others = earlier.all().filter(is_new).cloned().collect();
        Self { others, ..self }
    }

    fn all(&self) -> impl Iterator<Item = &VariantRecord> {
        self.variants.iter().chain(&self.others)
    }

    /// Whether it shows a variant.
    pub fn has(&self, variant: &Variant) -> bool {
        self.variants.iter().any(|record| record.name == variant.name)
    }

    /// What it has of a variant, with whatever settings.
    pub fn of(&self, variant: &Variant) -> Option<&VariantRecord> {
        self.all().find(|record| record.name == variant.name)
    }

    /// The record of a variant if it ran with these settings, also where its folder is gone. The paper's numbers are
    /// those that the file has now.
    pub fn kept(&self, variant: &Variant, config: &str) -> Option<VariantRecord> {
        let mut record = self.of(variant).filter(|record| is_same(&record.config, config))?.clone();
        for setting in &mut record.settings {
            for (split, cell) in &mut setting.splits {
                *cell = cell.beside_paper(variant, &setting.key, split);
            }
        }
        Some(record)
    }

    /// What of it the experiment's file of now would train just so, beside the paper as that file has it. None if that
    /// is nothing.
    pub(super) fn as_of(&self, experiment: &Experiment) -> Option<Self> {
        let material = self.material();
        let kept = |variant: &Variant| {
            let config = experiment.plan(variant, self.size).ok()?.config_toml(&material).ok()?;
            self.kept(variant, &config)
        };
        let variants: Vec<VariantRecord> = experiment.variants_in(self.size).filter_map(kept).collect();
        (!variants.is_empty()).then(|| Self::new(experiment, self.size, &material, variants))
    }

    /// What it was made of, as far as settings tell.
    fn material(&self) -> OriginalFiles {
        let features = self.variants.iter().find_map(|variant| {
            let config: Table = variant.config.parse().ok()?;
            Some(config.get("features-file")?.as_str()?.into())
        });
        OriginalFiles { originals: (self.source == Source::Real).then(PathBuf::new), features }
    }
}

/// Whether two texts are the same settings, however they are written.
fn is_same(one: &str, other: &str) -> bool {
    let settings = |text: &str| text.parse::<Table>().map(without_idle);
    matches!((settings(one), settings(other)), (Ok(one), Ok(other)) if one == other)
}

/// Without settings that cannot matter here: the labels of all experiments are classes, and nobody slices them. Another default
/// of that setting must not void hours of training.
fn without_idle(mut settings: Table) -> Table {
    let estimators = settings.get_mut("estimators").and_then(Value::as_table_mut);
    for config in estimators.into_iter().flat_map(|estimators| estimators.iter_mut()) {
        if let Value::Table(config) = config.1 {
            config.remove("label-bins");
        }
    }
    settings
}
