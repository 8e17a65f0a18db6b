//! `corevar compare`: pooled and CoRe side by side.

use super::run::Prepared;
use crate::args::Compare;
use crate::failure::Usage;
use crate::settings::{Choosing, Settings};
use crate::table;

/// Runs of each estimator unless --runs says other: enough for a standard error.
const RUNS: usize = 3;

pub fn run(args: Compare) -> anyhow::Result<()> {
    let prepared = Prepared::new(&args.common, &Settings::default(), RUNS, Choosing::IfAsked)?;
    let penalty = prepared.resolved.decided.config.penalty;
    if !penalty.needs_groups() {
        let message = format!("--penalty {penalty}: compare always trains the pooled estimator beside CoRe");
        let tip = "choose a conditional penalty; the two baselines come with --baselines";
        return Err(Usage::new(message).tip(tip).into());
    }
    let study = prepared.study();
    let study = if args.baselines { study.with_baselines() } else { study };
    prepared.run(study, |outcome| table::errors(&outcome.results))
}
