//! What to be careful about: poor models, worse calibration, a single run.

use corevar_data::SplitName;

use super::Compared;
use super::change::Change;
use super::words::{Unit, list};
use crate::model::ModelKind;
use crate::results::EstimatorResult;

/// A model is poor where its error is more than this share of that of the best constant answer.
const POOR: f64 = 0.9;

/// A model has learned nothing when it is better on the training rows than the most frequent class by less than this.
const LEARNED: f64 = 0.01;

/// A calibration error that rises by less than this is not mentioned, nor one that so few ids cannot tell from noise.
const NOTICEABLE: f64 = 0.02;

/// None when there is nothing to be careful about.
pub(super) fn text(compared: &Compared) -> Option<String> {
    let all = [poor_text(compared), calibration(compared), one_run(compared)];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// When neither model does better on the training rows than to answer the most frequent class.
pub(super) fn nothing_learned(compared: &Compared) -> Option<String> {
    let classes = &compared.pooled.runs.first()?.splits.get(SplitName::TRAIN)?.by_class;
    let rows: usize = classes.values().map(|class| class.rows).sum();
    let (name, most) = classes.iter().max_by_key(|(_, class)| class.rows)?;
    let without = 1.0 - most.rows as f64 / rows.max(1) as f64;
    let error = |estimator: &EstimatorResult| estimator.mean.get(SplitName::TRAIN)?.error;
    let lowest = error(compared.pooled)?.min(error(compared.core)?);
    (lowest > without - LEARNED).then(|| {
        format!(
            "Neither model has learned anything: on the training rows they are no better than always answering `{name}`. \
             Train longer, with a larger model or another learning rate."
        )
    })
}

/// Neither model is much better on this split than the best constant answer.
pub(super) fn is_poor(change: &Change) -> bool {
    let constant = change.difference.map_or(f64::INFINITY, |difference| difference.constant_error);
    change.pooled.min(change.core) > POOR * constant
}

fn poor_text(compared: &Compared) -> Option<String> {
    let poor: Vec<&Change> = compared.changes.iter().filter(|change| is_poor(change)).collect();
    let worst = |a: &&&Change, b: &&&Change| a.pooled.min(a.core).total_cmp(&b.pooled.min(b.core));
    let example = poor.iter().max_by(worst)?;
    let constant = example.difference?.constant_error;
    let lower = example.pooled.min(example.core);
    let unit = Unit::of([lower, constant], compared.is_regression());
    let names: Vec<String> = poor.iter().map(|change| change.split.to_string()).collect();
    let on = if poor.len() > 1 { format!("On {} the", example.split) } else { "The".into() };
    let compares = if lower >= constant { "not below" } else { "little below" };
    let answer = if compared.is_regression() { "the mean label" } else { "the most frequent class" };
    Some(format!(
        "Both models are poor on {}. {on} lower of the two errors is {}, {compares} the {} of always answering {answer}.",
        list(&names),
        unit.error(lower),
        unit.error(constant),
    ))
}

/// Where CoRe's probabilities are worse, on the split where they are worst.
fn calibration(compared: &Compared) -> Option<String> {
    let of = |estimator: &EstimatorResult, split: &str| estimator.mean.get(split)?.calibration_error;
    let rise = |change: &Change| {
        let (pooled, core) = (of(compared.pooled, change.split)?, of(compared.core, change.split)?);
        let noise = 1.0 / (change.difference?.ids as f64).sqrt();
        (core - pooled > noise.max(NOTICEABLE)).then(|| (change.split.clone(), pooled, core))
    };
    let rises = compared.changes.iter().filter_map(rise);
    let (split, pooled, core) = rises.max_by(|a, b| (a.2 - a.1).total_cmp(&(b.2 - b.1)))?;
    let unit = Unit::of([pooled, core], false);
    Some(format!(
        "CoRe's probabilities are calibrated worse on {split}: the calibration error rises from {} to {}. Before you use them as \
         probabilities, fit one temperature on validation rows.",
        unit.error(pooled),
        unit.error(core),
    ))
}

/// A linear model has one run by nature.
fn one_run(compared: &Compared) -> Option<String> {
    let difference = compared.changes.iter().find_map(|change| change.difference)?;
    (difference.runs == 1 && difference.model != ModelKind::Linear).then(|| {
        "One run is compared: the intervals do not say how much another training run would differ. Train three runs or more of \
         each model before you rely on this."
            .into()
    })
}
