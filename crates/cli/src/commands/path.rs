//! `corevar path`: a linear model at many penalty weights, solved one from the other.

use corevar::study::Grid;

use super::run::Prepared;
use crate::args::Sweep;
use crate::failure::Usage;
use crate::settings::{ChoiceFlags, Choosing, Settings, given};
use crate::table;
use crate::values::ModelKind;

pub fn run(args: &Sweep) -> anyhow::Result<()> {
    let usual = Settings {
        model: Some(ModelKind::Linear),
        choice: ChoiceFlags { penalty_weights: Some(Grid::path_weights()), ..Default::default() },
        ..Default::default()
    };
    let given = given(&args.common.settings, args.common.config.as_deref())?;
    if given.model.is_some_and(|model| model != ModelKind::Linear) {
        return Err(Usage::new("path is for linear models").tip("use `corevar sweep` for networks").into());
    }
    let prepared = Prepared::new(&args.common, &usual, 1, Choosing::Always)?;
    prepared.run(prepared.study(), |outcome| table::path(&outcome.results, &outcome.evidence))
}
