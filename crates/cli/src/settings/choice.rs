//! What is chosen from, and by which rule.

use corevar::Rule;
use corevar::penalty::Penalty;
use corevar::study::{Choice, FOLDS, FOLDS_OF_IMAGES, Grid};
use corevar::train::TrainConfig;

use super::group::settings;
use super::situation::{Idle, Situation};
use crate::failure::Usage;

settings! {
    /// How `sweep` and --penalty-weight auto choose.
    ChoiceFlags of Situation<'_>;

    "Choice of the penalty weight" {
        /// Weights to choose from, beside 0
        penalty_weights: Vec<f64> [visible_alias = "lambdas", value_name = "W,W,..", value_delimiter = ',']
            idle(no_choice),
            by(|_, _: Vec<f64>| {}, |decided| {
                let fixed = decided.choice.as_ref().filter(|choice| !choice.grid.grows)?;
                Some(fixed.grid.penalty_weights.clone())
            }),
            usually(usual_weights());

        /// Ridges to choose from (sweep only) [default: that of --ridge]
        ridges: Vec<f64> [value_name = "W,W,..", value_delimiter = ',']
            idle(|on| only_sweep(on, "only sweep chooses a ridge")),
            by(|_, _: Vec<f64>| {}, |decided| decided.grid(|grid| grid.ridges.clone()));

        /// Penalties to choose from (sweep only) [default: that of --penalty]
        penalties: Vec<Penalty> [value_name = "NAME,..", value_delimiter = ',']
            idle(|on| only_sweep(on, "only sweep chooses a penalty")),
            by(|_, _: Vec<Penalty>| {}, |decided| decided.grid(|grid| grid.penalties.clone()));

        /// Style shift to guard against, in within-group SDs [default: a swap of the styles of two classes, at least 1]
        guard: f64 [value_name = "SDS", allow_negative_numbers = true]
            idle(no_choice), by(|_, _: f64| {}, |decided| match decided.choice.as_ref()?.rule {
                Rule::GuardedError { guard } => guard,
                _ => None,
            });

        /// Instead: the largest weight that costs at most this share (such as 0.15) of what is gained over a
        /// constant prediction
        tolerance: f64 [value_name = "SHARE", allow_negative_numbers = true]
            idle(no_choice), by(|_, _: f64| {}, |decided| match decided.choice.as_ref()?.rule {
                Rule::Tolerance { tolerance } => Some(tolerance),
                _ => None,
            });

        /// Instead: the largest weight within one standard error (over folds) of the lowest loss
        one_standard_error: bool [num_args = 0..=1, default_missing_value = "true", require_equals = true]
            idle(no_choice),
            by(|_, _: bool| {}, |decided| (decided.choice.as_ref()?.rule == Rule::StandardError).then_some(true));

        /// How often rows are held out for the choice: 1 takes the split `val` or a fifth of the training ids, more hold out
        /// every training id once
        folds: usize [value_name = "N"]
            idle(no_choice), by(|_, _: usize| {}, |decided| decided.choice.as_ref()?.folds),
            usually(format!("1 with enough rows and groups, else {FOLDS}, or {FOLDS_OF_IMAGES} for images"));
    }
}

impl ChoiceFlags {
    /// Without a rule, where another one is given elsewhere.
    pub fn without_rule(self) -> Self {
        Self { tolerance: None, one_standard_error: None, guard: None, ..self }
    }

    /// Whether a rule is given.
    pub fn has_rule(&self) -> bool {
        *self != self.clone().without_rule()
    }

    /// The grid, with what the settings of CoRe say where no list is given.
    pub fn grid(&self, config: &TrainConfig) -> Grid {
        let usual = Grid::of(config);
        Grid {
            penalty_weights: self.penalty_weights.clone().unwrap_or(usual.penalty_weights),
            ridges: self.ridges.clone().unwrap_or(usual.ridges),
            penalties: self.penalties.clone().unwrap_or(usual.penalties),
            grows: self.penalty_weights.is_none(),
        }
    }
}

/// For --help.
fn usual_weights() -> String {
    let [first, .., last] = Grid::PENALTY_WEIGHTS;
    format!("{first} to {last}, and larger ones until the criterion has turned")
}

/// Of the flags that choose.
fn no_choice(situation: &Situation) -> Idle {
    let why = "the penalty weight is given; --penalty-weight auto chooses one";
    (!situation.chooses()).then(|| why.into())
}

fn only_sweep(situation: &Situation, why: &str) -> Idle {
    no_choice(situation).or_else(|| (!situation.sweeps()).then(|| why.into()))
}

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
        let tip = "choose a conditional penalty; the pooled estimator is always trained too";
        return Err(Usage::new("--penalty none: there is no weight to choose").tip(tip).into());
    }
    let rule = rule(flags)?;
    rule.check()?;
    check_lists(flags)?;
    let grid = flags.grid(config);
    grid.estimators(config)?;
    Ok(Some(Choice { grid, rule, folds: flags.folds }))
}

/// Refuses lists that are empty or say something twice.
fn check_lists(flags: &ChoiceFlags) -> Result<(), Usage> {
    let check = |name: &str, list: &Option<Vec<String>>| {
        let Some(list) = list else { return Ok(()) };
        let twice = list.iter().enumerate().find(|(place, value)| list[..*place].contains(value));
        match twice {
            Some((_, value)) => {
                Err(Usage::new(format!("--{name}: {value} is listed twice")).tip("leave one of them out"))
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
        return Err(
            Usage::new("--penalties: the pooled estimator is always trained too").tip("leave out none")
        );
    }
    Ok(())
}

fn rule(flags: &ChoiceFlags) -> Result<Rule, Usage> {
    let one_standard_error = flags.one_standard_error == Some(true);
    match (flags.guard, flags.tolerance, one_standard_error) {
        (guard, None, false) => Ok(Rule::GuardedError { guard }),
        (None, Some(tolerance), false) => Ok(Rule::Tolerance { tolerance }),
        (None, None, true) => Ok(Rule::StandardError),
        _ => Err(Usage::new("--guard, --tolerance and --one-standard-error are different rules")
            .tip("give one of them")),
    }
}
