//! `corevar path`: a linear model at many penalty weights, solved one from the other.

use corevar::model::ModelSpec;

use super::run::Prepared;
use crate::args::{ChoiceFlags, Settings, Sweep};
use crate::choice::Choosing;
use crate::failure::Usage;
use crate::values::ModelKind;

/// Weights of the path unless others are given: 0.001 to 1000, five a decade, and infinity.
fn weights() -> Vec<f64> {
    // Two digits are enough, and read better.
    let round = |weight: f64| format!("{weight:.1e}").parse().unwrap_or(weight);
    (-15..=15).map(|fifth| round(10f64.powf(f64::from(fifth) / 5.0))).chain([f64::INFINITY]).collect()
}

pub fn run(args: &Sweep) -> anyhow::Result<()> {
    let usual = Settings {
        model: Some(ModelKind::Linear),
        choice: ChoiceFlags { penalty_weights: Some(weights()), ..Default::default() },
        ..Default::default()
    };
    let prepared = Prepared::new(&args.common, &usual, 1, Choosing::Always)?;
    if prepared.resolved.config.model != ModelSpec::Linear {
        return Err(Usage::new("path is for linear models").tip("use `corevar sweep` for networks").into());
    }
    prepared.refuse_without_groups()?;
    prepared.path_and_show()
}
