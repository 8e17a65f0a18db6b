//! `corevar sweep`: a path of penalty weights, and the choice of one.

use super::run::Prepared;
use crate::args::{Settings, Sweep};
use crate::choice::Choosing;

pub fn run(args: Sweep) -> anyhow::Result<()> {
    let prepared = Prepared::new(&args.common, &Settings::default(), 1, Choosing::Always)?;
    prepared.refuse_without_groups()?;
    prepared.sweep_and_show()
}
