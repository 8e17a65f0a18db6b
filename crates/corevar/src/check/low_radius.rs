//! How many answers a small style shift could turn.

use corevar_data::Groups;

use super::CheckConfig;
use super::flips::share;
use super::measure::{Measured, NotMeasured};
use crate::evidence::bootstrap::{Cluster, intervals};
use crate::model::{Model, Predictions};
use crate::outputs::Outputs;
use crate::rows::Task;

/// The share of answers with a style radius below that of the configuration; ids are drawn with all their rows.
pub(super) fn low_radius(
    model: &Model,
    ids: &Groups,
    outputs: &Outputs,
    config: &CheckConfig,
) -> Result<Measured, NotMeasured> {
    if *model.task() == Task::Regression {
        return Err(NotMeasured::Numbers);
    }
    let predictions = Predictions::new(outputs.clone(), model.task().clone(), model.style().cloned());
    let radii = predictions.style_radii().ok_or(NotMeasured::NoStyleRadius)?;
    if radii.iter().any(|radius| radius.is_nan()) {
        return Err(NotMeasured::NotFinite);
    }
    let low = |position: &usize| f64::from(u8::from(radii[*position] < config.radius));
    let cluster = |positions: &[usize]| Cluster {
        rows: positions.len() as f64,
        error: positions.iter().map(low).sum(),
        loss: 0.0,
    };
    let clusters: Vec<Cluster> = ids.iter().map(cluster).collect();
    let [found, _] = intervals(&clusters, false, config.seed);
    let found = found.ok_or(NotMeasured::NotFinite)?;
    let ids = clusters.len() as f64;
    let Measured { low, high, .. } = match found.low < found.high {
        true => Measured { value: found.value, low: found.low, high: found.high, notes: Vec::new() },
        false => share(found.value * ids, ids),
    };
    let note = format!("share of answers with a style radius below {}", config.radius);
    Ok(Measured { value: found.value, low, high, notes: vec![note] })
}
