//! `corevar sweep`: a path of penalty weights, and the choice of one.

use super::run::Prepared;
use crate::args::Sweep;
use crate::settings::{Choosing, RUNS, Settings};
use crate::table;

pub fn run(args: Sweep) -> anyhow::Result<()> {
    let prepared = Prepared::new(&args.common, &Settings::default(), RUNS, Choosing::Always, |_| Ok(()))?;
    prepared.run(prepared.study(), |outcome| table::errors(&outcome.results))
}
