//! `corevar train`: one estimator.

use corevar::compare::Estimator;
use corevar::penalty::Penalty;

use super::run::Prepared;
use crate::args::{Settings, Train};

pub fn run(args: Train) -> anyhow::Result<()> {
    let prepared = Prepared::new(&args.common, &Settings::default(), 1)?;
    let config = prepared.resolved.config.clone();
    let name = match config.penalty {
        Penalty::None => "pooled",
        penalty if penalty.needs_groups() => "core",
        baseline => baseline.name(),
    };
    if config.penalty.needs_groups() {
        prepared.refuse_without_groups()?;
    }
    prepared.train_and_show(&[Estimator { name: name.into(), config }])
}
