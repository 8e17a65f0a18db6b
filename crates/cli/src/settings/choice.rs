//! What is chosen from, and by which rule.

use corevar::model::ModelSpec;
use corevar::penalty::Penalty;
use corevar::study::{Choice, Criterion, TOLERANCE};
use corevar::train::TrainConfig;

use super::{ChoiceFlags, Situation};
use crate::failure::Usage;

/// None when the penalty weight is given.
pub fn choice(
    flags: &ChoiceFlags,
    config: &TrainConfig,
    situation: &Situation,
) -> anyhow::Result<Option<Choice>> {
    if !situation.chooses() {
        return Ok(None);
    }
    if config.penalty == Penalty::NONE {
        let tip = "choose a conditional penalty; the pooled estimator comes along anyway";
        return Err(Usage::new("--penalty none: there is no weight to choose").tip(tip).into());
    }
    let rule = criterion(flags)?;
    rule.check()?;
    if rule == Criterion::StandardError && config.model == ModelSpec::Linear {
        let tip = "choose by --tolerance or --guard";
        let message = "--one-standard-error: a linear model is solved exactly, its runs have no spread";
        return Err(Usage::new(message).tip(tip).into());
    }
    check_lists(flags)?;
    let grid = flags.grid(config);
    grid.estimators(config)?;
    Ok(Some(Choice { grid, rule }))
}

/// Refuses lists that are empty or say something twice.
fn check_lists(flags: &ChoiceFlags) -> Result<(), Usage> {
    let check = |name: &str, list: &Option<Vec<String>>| {
        let Some(list) = list else { return Ok(()) };
        let twice = list.iter().enumerate().find(|(place, value)| list[..*place].contains(value));
        match twice {
            Some((_, value)) => {
                Err(Usage::new(format!("--{name}: {value} stands there twice")).tip("leave one of them out"))
            }
            None if list.is_empty() => Err(Usage::new(format!("--{name} is empty"))),
            None => Ok(()),
        }
    };
    let numbers =
        |list: &Option<Vec<f64>>| list.as_ref().map(|list| list.iter().map(f64::to_string).collect());
    check("penalty-weights", &numbers(&flags.penalty_weights))?;
    check("ridges", &numbers(&flags.ridges))?;
    let penalties = flags.penalties.as_ref().map(|list| list.iter().map(Penalty::to_string).collect());
    check("penalties", &penalties)?;
    if flags.penalties.iter().flatten().any(|penalty| *penalty == Penalty::NONE) {
        return Err(Usage::new("--penalties: the pooled estimator comes along anyway").tip("leave out none"));
    }
    Ok(())
}

fn criterion(flags: &ChoiceFlags) -> Result<Criterion, Usage> {
    match (flags.one_standard_error == Some(true), flags.guard) {
        (true, Some(_)) => {
            Err(Usage::new("--guard and --one-standard-error are two rules").tip("give one of them"))
        }
        (rule, guard) if flags.tolerance.is_some() && (rule || guard.is_some()) => {
            Err(Usage::new("--tolerance has no effect beside another rule").tip("leave out --tolerance"))
        }
        (true, None) => Ok(Criterion::StandardError),
        (false, Some(shift)) => Ok(Criterion::Guard(shift)),
        (false, None) => Ok(Criterion::Tolerance(flags.tolerance.unwrap_or(TOLERANCE))),
    }
}
