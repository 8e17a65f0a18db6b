//! `corevar path`: a linear model at many penalty weights, solved one from the other.

use corevar::model::ModelKind;
use corevar::study::Grid;

use super::run::Prepared;
use crate::args::Sweep;
use crate::failure::Usage;
use crate::settings::{ChoiceFlags, Choosing, RUNS, Settings, given};
use crate::table;

pub fn run(args: &Sweep) -> anyhow::Result<()> {
    let given = given(&args.common.settings, args.common.config.as_deref())?;
    let penalties = given.choice.penalties.unwrap_or_else(|| vec![given.penalty.unwrap_or_default()]);
    let usual = Settings {
        model: Some(ModelKind::Linear),
        choice: ChoiceFlags { penalty_weights: Some(Grid::path_weights(&penalties)), ..Default::default() },
        ..Default::default()
    };
    let mut prepared =
        Prepared::new(&args.common, &usual, RUNS, Choosing::Always, |given| match given.model {
            None | Some(ModelKind::Linear) => Ok(()),
            Some(_) => Err(Usage::new("path is for linear models").tip("use `corevar sweep` for networks")),
        })?;
    // Whoever lists inf is told why it cannot be; the usual weights do without it.
    if given.choice.penalty_weights.is_none() {
        prepared.leave_out_empty_limit()?;
    }
    prepared.run(prepared.study(), |outcome| {
        // With several folds the rows were held out in the choice, and the path is trained on all.
        let held_out = outcome.path.as_ref().unwrap_or(&outcome.results);
        table::path(&outcome.results, held_out, &outcome.evidence)
    })
}
