//! What is chosen from, and by which rule.

use corevar::compare::Estimator;
use corevar::model::ModelSpec;
use corevar::penalty::Penalty;
use corevar::select::{Criterion, TOLERANCE};
use corevar::train::{CheckedTrainConfig, TrainConfig};

use crate::args::{ChoiceFlags, Settings};
use crate::failure::Usage;
use crate::settings::refuse;
use crate::values::{Auto, Weight};

/// Around 1, the weight that suits most data. Far beyond, the penalty shrinks the logits rather than their style.
const PENALTY_WEIGHTS: [f64; 6] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0];

/// Whether a command chooses a penalty weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choosing {
    /// With --penalty-weight auto.
    IfAsked,
    /// It is what the command does.
    Always,
}

/// The grid and the rule.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub penalty_weights: Vec<f64>,
    pub ridges: Vec<f64>,
    pub penalties: Vec<Penalty>,
    pub criterion: Criterion,
    choosing: Choosing,
}

impl Choice {
    /// None when the weight is given. Flags that choose have no effect then, and are refused.
    pub fn new(settings: &Settings, config: &TrainConfig, choosing: Choosing) -> Result<Option<Self>, Usage> {
        let flags = &settings.choice;
        let auto = settings.penalty_weight == Some(Weight::Auto(Auto::Auto));
        if choosing == Choosing::IfAsked && !auto {
            refuse_all(flags, "the penalty weight is given; --penalty-weight auto chooses one")?;
            return Ok(None);
        }
        refuse(&[
            ("ridges", flags.ridges.is_some() && choosing == Choosing::IfAsked, "only sweep chooses a ridge"),
            (
                "penalties",
                flags.penalties.is_some() && choosing == Choosing::IfAsked,
                "only sweep chooses a penalty",
            ),
            (
                "penalty-weight",
                choosing == Choosing::Always && settings.penalty_weight.is_some(),
                "sweep takes a list, --penalty-weights",
            ),
        ])?;
        if config.penalty == Penalty::None {
            let tip = "choose a conditional penalty; the pooled estimator comes along anyway";
            return Err(Usage::new("--penalty none: there is no weight to choose").tip(tip));
        }
        let criterion = criterion(flags)?;
        if criterion == Criterion::StandardError && config.model == ModelSpec::Linear {
            let tip = "choose by --tolerance or --guard";
            let message = "--one-standard-error: a linear model is solved exactly, its runs have no spread";
            return Err(Usage::new(message).tip(tip));
        }
        check_lists(settings)?;
        Ok(Some(Self {
            penalty_weights: flags.penalty_weights.clone().unwrap_or_else(|| PENALTY_WEIGHTS.to_vec()),
            ridges: flags.ridges.clone().unwrap_or_else(|| vec![config.ridge]),
            penalties: flags.penalties.clone().unwrap_or_else(|| vec![config.penalty]),
            criterion,
            choosing,
        }))
    }

    /// Whether ridges and penalties are chosen too.
    pub fn sweeps(&self) -> bool {
        self.choosing == Choosing::Always
    }

    /// As the flags that say it.
    pub fn flags(&self) -> ChoiceFlags {
        let sweeps = self.sweeps();
        ChoiceFlags {
            penalty_weights: Some(self.penalty_weights.clone()),
            ridges: sweeps.then(|| self.ridges.clone()),
            penalties: sweeps.then(|| self.penalties.clone()),
            tolerance: if let Criterion::Tolerance(share) = self.criterion { Some(share) } else { None },
            one_standard_error: (self.criterion == Criterion::StandardError).then_some(true),
            guard: if let Criterion::Guard(shift) = self.criterion { Some(shift) } else { None },
        }
    }

    /// The pooled estimator for each ridge, and every other setting of the grid.
    pub fn estimators(&self, base: &CheckedTrainConfig) -> anyhow::Result<Vec<Estimator>> {
        let mut estimators = Vec::new();
        for &ridge in &self.ridges {
            estimators.push(setting(base, Penalty::None, 0.0, ridge)?);
        }
        for &penalty in &self.penalties {
            for &ridge in &self.ridges {
                for &weight in &self.penalty_weights {
                    estimators.push(setting(base, penalty, weight, ridge)?);
                }
            }
        }
        Ok(estimators)
    }
}

/// Its key names the whole setting: another value in the grid must not change it.
fn setting(base: &TrainConfig, penalty: Penalty, weight: f64, ridge: f64) -> anyhow::Result<Estimator> {
    let config = TrainConfig { penalty, penalty_weight: weight, ridge, ..base.clone() };
    let config = config.check().map_err(|error| Usage::new(format!("--{error}")))?;
    let name = penalty.estimator_name();
    let key = match penalty {
        Penalty::None => format!("{name}-ridge{ridge}"),
        penalty if penalty.needs_groups() => format!("{name}-{penalty}-{weight}-ridge{ridge}"),
        _ => format!("{name}-{weight}-ridge{ridge}"),
    };
    Ok(Estimator { name: name.into(), key, config })
}

/// Refuses lists that are empty or say something twice.
fn check_lists(settings: &Settings) -> Result<(), Usage> {
    let flags = &settings.choice;
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
    if flags.penalties.iter().flatten().any(|penalty| *penalty == Penalty::None) {
        return Err(Usage::new("--penalties: the pooled estimator comes along anyway").tip("leave out none"));
    }
    Ok(())
}

fn criterion(flags: &ChoiceFlags) -> Result<Criterion, Usage> {
    let share = flags.tolerance.unwrap_or(TOLERANCE);
    if !(0.0..=1.0).contains(&share) {
        return Err(Usage::new(format!("--tolerance is {share}, but must be a share from 0 to 1")));
    }
    match (flags.one_standard_error == Some(true), flags.guard) {
        (true, Some(_)) => {
            Err(Usage::new("--guard and --one-standard-error are two rules").tip("give one of them"))
        }
        (_, Some(shift)) if !(shift.is_finite() && shift >= 0.0) => {
            Err(Usage::new(format!("--guard is {shift}, but must be the size of a shift, from 0")))
        }
        (rule, guard) if flags.tolerance.is_some() && (rule || guard.is_some()) => {
            Err(Usage::new("--tolerance has no effect beside another rule").tip("leave out --tolerance"))
        }
        (true, None) => Ok(Criterion::StandardError),
        (false, Some(shift)) => Ok(Criterion::Guard(shift)),
        (false, None) => Ok(Criterion::Tolerance(share)),
    }
}

fn refuse_all(flags: &ChoiceFlags, why: &str) -> Result<(), Usage> {
    refuse(&[
        ("penalty-weights", flags.penalty_weights.is_some(), why),
        ("ridges", flags.ridges.is_some(), why),
        ("penalties", flags.penalties.is_some(), why),
        ("tolerance", flags.tolerance.is_some(), why),
        ("one-standard-error", flags.one_standard_error.is_some(), why),
        ("guard", flags.guard.is_some(), why),
    ])
}
