//! `corevar train`: one estimator.

use super::run::Prepared;
use crate::args::Train;
use crate::settings::{Choosing, RUNS, Settings};
use crate::table;

pub fn run(args: Train) -> anyhow::Result<()> {
    let prepared = Prepared::new(&args.common, &Settings::default(), RUNS, Choosing::IfAsked, |_| Ok(()))?;
    prepared.run(prepared.study().one(), |outcome| table::errors(&outcome.results))
}
