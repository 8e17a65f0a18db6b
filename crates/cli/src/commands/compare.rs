//! `corevar compare`: pooled and CoRe side by side.

use corevar::compare::Estimator;
use corevar::penalty::Penalty;
use corevar::train::{CheckedTrainConfig, TrainConfig};

use super::run::Prepared;
use crate::args::{Compare, Settings};
use crate::choice::Choosing;
use crate::failure::Usage;

/// Runs of each estimator unless --runs says other: enough for a standard error.
const RUNS: usize = 3;

pub fn run(args: Compare) -> anyhow::Result<()> {
    let mut prepared = Prepared::new(&args.common, &Settings::default(), RUNS, Choosing::IfAsked)?;
    let config = &prepared.resolved.config;
    if !config.penalty.needs_groups() {
        let message =
            format!("--penalty {}: compare always trains the pooled estimator beside CoRe", config.penalty);
        let tip = "choose a conditional penalty; the two baselines come with --baselines";
        return Err(Usage::new(message).tip(tip).into());
    }
    prepared.refuse_without_groups()?;
    prepared.train_and_show(|config| estimators(config, args.baselines))
}

/// Pooled and CoRe, and the baselines with the same penalty weight.
pub fn estimators(core: &CheckedTrainConfig, baselines: bool) -> anyhow::Result<Vec<Estimator>> {
    let with = |name: &str, penalty, penalty_weight| -> anyhow::Result<Estimator> {
        let config = TrainConfig { penalty, penalty_weight, ..TrainConfig::clone(core) }.check()?;
        Ok(Estimator { name: name.into(), key: name.into(), config })
    };
    let mut estimators =
        vec![with("pooled", Penalty::None, 0.0)?, with("core", core.penalty, core.penalty_weight)?];
    if baselines {
        for penalty in [Penalty::LabelVariance, Penalty::TotalVariance] {
            estimators.push(with(penalty.name(), penalty, core.penalty_weight)?);
        }
    }
    Ok(estimators)
}
