//! `corevar train`: one estimator.

use corevar::compare::Estimator;

use super::run::Prepared;
use crate::args::{Settings, Train};
use crate::choice::Choosing;

pub fn run(args: Train) -> anyhow::Result<()> {
    let mut prepared = Prepared::new(&args.common, &Settings::default(), 1, Choosing::IfAsked)?;
    let penalty = prepared.resolved.config.penalty;
    let name = penalty.estimator_name();
    if penalty.needs_groups() {
        prepared.refuse_without_groups()?;
    }
    prepared.train_and_show(|config| {
        Ok(vec![Estimator { name: name.into(), key: name.into(), config: config.clone() }])
    })
}
