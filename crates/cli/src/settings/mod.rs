//! From what was typed to what is done: defaults, then those of the built-in data, then the --config file,
//! then the flags. A flag that would have no effect is refused.

mod choice;
mod group;
mod rows;
mod situation;

use std::path::Path;

use corevar::model::ModelKind;
use corevar::penalty::Penalty;
use corevar::study::{Choice, Grid, check_runs};
use corevar::train::{CheckedTrainConfig, TrainConfig};
use corevar::{ConfigError, Rule};
use corevar_data::bounded;

pub use choice::ChoiceFlags;
pub use group::help;
pub use rows::{AugmentFlags, EncoderFlags, Settings, SizeFlags, TableFlags};
pub use situation::{Choosing, DataSituation, Situation};

use crate::failure::{Failure, Usage};

/// Training runs of each estimator unless --runs says other.
pub const RUNS: usize = 1;

/// The same for `compare`: enough for a standard error.
pub const RUNS_OF_COMPARE: usize = 3;

/// Flags over the file.
pub fn given(flags: &Settings, file: Option<&Path>) -> anyhow::Result<Settings> {
    match file {
        Some(path) => overlay(&without_overridden(read(path)?, flags)?, flags),
        None => Ok(flags.clone()),
    }
}

/// The file without what a typed flag makes void: another rule, and what had an effect with the model and penalty of the file but
/// has none with those of the flags.
fn without_overridden(mut file: Settings, flags: &Settings) -> anyhow::Result<Settings> {
    if flags.choice.has_rule() {
        file.choice = file.choice.without_rule();
    }
    let both = overlay(&file, flags)?;
    let mut kept = toml::Table::try_from(&file)?;
    // Which inputs there are is not known yet.
    for are_images in [false, true] {
        let with_effect = |settings: &Settings| {
            let situation = Situation::new(settings, are_images, Choosing::IfAsked);
            toml::Table::try_from(file.clone().without_idle(&situation))
        };
        let (before, now) = (with_effect(&file)?, with_effect(&both)?);
        kept.retain(|key, _| !before.contains_key(key) || now.contains_key(key));
    }
    Ok(kept.try_into()?)
}

/// `upper` where it says something, `lower` elsewhere.
pub fn overlay(lower: &Settings, upper: &Settings) -> anyhow::Result<Settings> {
    let mut table = table(lower)?;
    table.extend(self::table(upper)?);
    Ok(table.try_into()?)
}

/// As a file of settings holds them.
fn table(settings: &Settings) -> Result<toml::Table, Usage> {
    toml::Table::try_from(settings).map_err(|_| {
        let most = i64::MAX;
        Usage::new(format!("a number is above {most}, the largest that a file of settings holds"))
            .tip("give a smaller number")
    })
}

fn read(path: &Path) -> anyhow::Result<Settings> {
    let name = path.display();
    let tip = "--config takes a file like the config.toml of a run";
    let unreadable = |cause| Failure::new(format!("{name}: cannot be read: {cause}")).tip(tip);
    let text = bounded::read_text(path, bounded::LARGEST_SETTINGS).map_err(unreadable)?;
    let wrong =
        |cause: toml::de::Error| Failure::new(format!("{name}: {}", cause.to_string().trim_end())).tip(tip);
    let table: toml::Table =
        text.parse().map_err(|cause| Failure::new(format!("{name}: not TOML: {cause}")).tip(tip))?;
    if table.contains_key("allow-outside") {
        let message = format!("{name}: `allow-outside` cannot stand in a file of settings");
        let tip = "take it out, and pass --allow-outside if these data may name files outside their folder";
        return Err(Usage::new(message).tip(tip).into());
    }
    let settings: Settings = table.clone().try_into().map_err(wrong)?;
    // What serde took comes out again; what does not was no setting.
    let known = toml::Table::try_from(&settings)?;
    if let Some(key) = table.keys().find(|key| !known.contains_key(*key)) {
        let tip = "the settings are the long flags of `corevar train --help`, without the dashes in front";
        return Err(Usage::new(format!("{name}: no setting `{key}`")).tip(tip).into());
    }
    Ok(settings)
}

/// Everything that the settings decide.
#[derive(Debug, Clone)]
pub struct Decided {
    pub config: CheckedTrainConfig,
    pub runs: usize,
    /// What to choose the penalty weight from; None when it is given.
    pub choice: Option<Choice>,
    /// Whether the command trains the grid and nothing else.
    pub sweeps: bool,
}

impl Decided {
    /// What holds where nothing is given.
    fn usual(model: ModelKind, chooses: bool) -> Self {
        let config = TrainConfig { model: model.spec(), ..Default::default() };
        let choice = chooses.then(|| Choice { grid: Grid::of(&config), rule: Rule::default(), folds: None });
        // A default that is out of range would show in every test.
        let config = config.check().unwrap_or_else(|error| unreachable!("{error}"));
        Self { config, runs: 1, choice, sweeps: false }
    }

    /// A sweep has lists of it.
    fn unless_swept<T>(&self, value: T) -> Option<T> {
        (!self.sweeps).then_some(value)
    }

    fn grid<T>(&self, list: impl Fn(&Grid) -> T) -> Option<T> {
        self.choice.as_ref().map(|choice| list(&choice.grid))
    }
}

/// What is decided, and the settings that say it: complete, as they would have to be typed.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub decided: Decided,
    pub settings: Settings,
}

/// Fills in what was not given. `of_data` are the settings that suit built-in data, `data` is where the rows come from.
pub fn resolve(
    given: &Settings,
    of_data: &Settings,
    data: &DataSituation,
    are_images: bool,
    runs: usize,
    choosing: Choosing,
) -> anyhow::Result<Resolved> {
    let settings = overlay(of_data, given)?;
    let situation = Situation::new(&settings, are_images, choosing);
    given.refuse_idle(&situation)?;
    given.choice.refuse_idle(&situation)?;
    given.augment.refuse_idle(&situation)?;
    let config = config(&settings, &situation)?;
    let runs = runs_of(&situation, runs)?;
    let choice = choice::choice(&settings.choice, &config, &situation)?;
    let decided = Decided { config, runs, choice, sweeps: situation.sweeps() };
    let complete = Settings {
        choice: settings.choice.complete(&decided, &situation),
        augment: settings.augment.complete(&decided, &situation),
        table: settings.table.complete(&decided, data),
        sizes: settings.sizes.complete(&decided, data),
        ..settings.complete(&decided, &situation)
    };
    Ok(Resolved { decided, settings: complete })
}

fn config(settings: &Settings, situation: &Situation) -> anyhow::Result<CheckedTrainConfig> {
    let mut config = TrainConfig { model: situation.model.spec(), ..Default::default() };
    settings.apply(&mut config);
    if config.penalty == Penalty::NONE {
        config.penalty_weight = 0.0;
    }
    Ok(config.check()?)
}

/// The exact solver has no randomness: one run is all there is.
fn runs_of(situation: &Situation, usual: usize) -> Result<usize, ConfigError> {
    match situation.settings.runs.unwrap_or(usual) {
        _ if situation.is_linear() => Ok(1),
        runs => check_runs(runs).map(|()| runs),
    }
}

/// For a flag that was given in vain; `name` is its field.
pub fn no_effect(name: &str, why: &str) -> Usage {
    let name = name.replace('_', "-");
    Usage::new(format!("--{name} has no effect here: {why}")).tip(format!("leave out --{name}"))
}

#[cfg(test)]
mod tests {
    use corevar::penalty::Penalty;
    use corevar_data::table::Task;

    use super::*;
    use crate::values::Weight;

    fn table(is_regression: bool) -> DataSituation {
        DataSituation { data: "t.csv".into(), built_in: false, is_regression }
    }

    fn resolved(given: Settings) -> anyhow::Result<Resolved> {
        let data = table(given.table.task == Some(Task::Regression));
        given.table.refuse_idle(&data)?;
        resolve(&given, &Settings::default(), &data, true, 1, Choosing::IfAsked)
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_the_data() {
        let of_data = Settings { epochs: Some(1), ridge: Some(0.1), seed: Some(1), ..Default::default() };
        let file = Settings { epochs: Some(2), ridge: Some(0.2), ..Default::default() };
        let flags = Settings { epochs: Some(3), ..Default::default() };
        let given = overlay(&file, &flags).unwrap();
        let resolved = resolve(&given, &of_data, &table(false), true, 1, Choosing::IfAsked).unwrap();
        let config = resolved.decided.config;
        assert_eq!((config.epochs, config.ridge, config.seed), (3, 0.2, 1));
    }

    #[test]
    fn a_typed_flag_drops_from_the_file_only_what_it_makes_void() {
        let file = Settings {
            epochs: Some(3),
            hidden: Some(vec![5]),
            penalty_warmup: Some(1.0),
            ..Default::default()
        };
        let kept = |flags: Settings| without_overridden(file.clone(), &flags).unwrap();
        assert_eq!(kept(Settings { penalty: Some(Penalty::LOGIT_SD), ..Default::default() }), file);
        let pooled = kept(Settings { penalty: Some(Penalty::NONE), ..Default::default() });
        assert_eq!(pooled, Settings { penalty_warmup: None, ..file.clone() });
        let linear = kept(Settings { model: Some(ModelKind::Linear), ..Default::default() });
        assert_eq!((linear.epochs, linear.penalty_warmup), (None, None));
    }

    #[test]
    fn complete_settings_resolve_to_themselves() {
        for model in [ModelKind::Linear, ModelKind::Mlp, ModelKind::Cnn] {
            let first = resolved(Settings { model: Some(model), ..Default::default() }).unwrap();
            let again = resolved(first.settings.clone()).unwrap();
            assert_eq!(first.settings, again.settings);
            assert_eq!(first.decided.config, again.decided.config);
        }
    }

    #[test]
    fn a_flag_without_effect_is_refused() {
        let idle = [
            Settings { hidden: Some(vec![5]), ..Default::default() },
            Settings { channels: Some(vec![5]), model: Some(ModelKind::Mlp), ..Default::default() },
            Settings {
                penalty: Some(Penalty::NONE),
                penalty_weight: Some(Weight::Is(1.0)),
                ..Default::default()
            },
            Settings {
                table: TableFlags { label_bins: Some(3), ..Default::default() },
                ..Default::default()
            },
        ];
        for given in idle {
            let message = resolved(given).unwrap_err().to_string();
            assert!(message.contains("has no effect here"), "{message}");
        }
    }

    #[test]
    fn a_value_out_of_range_names_the_flag() {
        let given = Settings { penalty_weight: Some(Weight::Is(-1.0)), ..Default::default() };
        let error = resolved(given).unwrap_err();
        let message = crate::failure::message(&error);
        assert_eq!(message, "--penalty-weight is -1, but must be a number from 0 (inf is for linear models)");
    }
}
