//! `corevar compare`: pooled and CoRe side by side.

use super::run::Prepared;
use crate::args::Compare;
use crate::failure::Usage;
use crate::settings::{Choosing, RUNS_OF_COMPARE, Settings};
use crate::table;

pub fn run(args: Compare) -> anyhow::Result<()> {
    let refuse = |given: &Settings| match given.penalty {
        Some(penalty) if !penalty.needs_groups() => {
            let message =
                format!("--penalty {penalty}: compare always trains the pooled estimator beside CoRe");
            Err(Usage::new(message)
                .tip("choose a conditional penalty; the two baselines come with --baselines"))
        }
        _ => Ok(()),
    };
    let prepared =
        Prepared::new(&args.common, &Settings::default(), RUNS_OF_COMPARE, Choosing::IfAsked, refuse)?;
    let study = prepared.study();
    let study = if args.baselines { study.with_baselines() } else { study };
    prepared.run(study, |outcome| table::errors(&outcome.results))
}
