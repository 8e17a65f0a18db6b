//! From what was typed to what is done: defaults, then those of the built-in data, then the --config file,
//! then the flags. A flag that would have no effect is refused.

use std::path::Path;

use corevar::model::{CnnSpec, ModelSpec};
use corevar::penalty::Penalty;
use corevar::train::{CheckedTrainConfig, TrainConfig};
use corevar_data::bounded;

use crate::args::{ChoiceFlags, Settings, SizeFlags, TableFlags};
use crate::choice::{Choice, Choosing};
use crate::failure::{Failure, Usage};
use crate::values::{AugmentMode, DecayFlag, ModelKind, TaskKind, Weight};

/// More are a slip of the keyboard.
const MOST_RUNS: usize = 10_000;

/// Flags over the file.
pub fn given(flags: &Settings, file: Option<&Path>) -> anyhow::Result<Settings> {
    match file {
        Some(path) => overlay(&still_meant(read(path)?, flags), flags),
        None => Ok(flags.clone()),
    }
}

/// The file without what a typed flag makes void: another rule, another kind of model.
fn still_meant(mut file: Settings, flags: &Settings) -> Settings {
    let rule = &flags.choice;
    if rule.tolerance.is_some() || rule.one_standard_error.is_some() || rule.guard.is_some() {
        file.choice = ChoiceFlags { tolerance: None, one_standard_error: None, guard: None, ..file.choice };
    }
    if flags.model.is_some_and(|model| Some(model) != file.model) {
        file = Settings {
            standardise: None,
            hidden: None,
            channels: None,
            kernel: None,
            stride: None,
            negative_slope: None,
            ..file
        };
    }
    file
}

/// `upper` where it says something, `lower` elsewhere.
pub fn overlay(lower: &Settings, upper: &Settings) -> anyhow::Result<Settings> {
    let mut table = toml::Table::try_from(lower)?;
    table.extend(toml::Table::try_from(upper)?);
    Ok(table.try_into()?)
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
    let settings: Settings = table.clone().try_into().map_err(wrong)?;
    // What serde took comes out again; what does not was no setting.
    let known = toml::Table::try_from(&settings)?;
    if let Some(key) = table.keys().find(|key| !known.contains_key(*key)) {
        let tip = "the settings are the long flags of `corevar train --help`, without the dashes in front";
        return Err(Usage::new(format!("{name}: no setting `{key}`")).tip(tip).into());
    }
    Ok(settings)
}

/// The settings of a run, complete.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub config: CheckedTrainConfig,
    pub runs: usize,
    /// What to choose the penalty weight from; None when it is given.
    pub choice: Option<Choice>,
    /// As they would have to be typed.
    pub settings: Settings,
}

/// Fills in what was not given. `of_data` are the settings that suit built-in data.
pub fn resolve(
    given: &Settings,
    of_data: &Settings,
    are_images: bool,
    runs: usize,
    choosing: Choosing,
) -> anyhow::Result<Resolved> {
    let settings = overlay(of_data, given)?;
    let kind = settings.model.unwrap_or(if are_images { ModelKind::Cnn } else { ModelKind::Linear });
    refuse_idle_flags(given, kind, settings.penalty, settings.table.task)?;
    refuse(&[
        ("penalty", given.penalty.is_some() && given.choice.penalties.is_some(), "--penalties has the list"),
        ("ridge", given.ridge.is_some() && given.choice.ridges.is_some(), "--ridges has the list"),
        (
            "augment-mode",
            kind == ModelKind::Linear && given.augment.augment_mode == Some(AugmentMode::Fresh),
            "a linear model is solved exactly, not by epochs",
        ),
    ])?;

    let defaults = TrainConfig::default();
    let penalty = settings.penalty.unwrap_or(defaults.penalty);
    let without_penalty = penalty == Penalty::None;
    let config = TrainConfig {
        model: model(&settings, kind),
        penalty,
        penalty_weight: if without_penalty {
            0.0
        } else {
            match settings.penalty_weight {
                Some(Weight::Is(weight)) => weight,
                Some(Weight::Auto(_)) | None => defaults.penalty_weight,
            }
        },
        normalise: settings.normalise.unwrap_or(defaults.normalise),
        ridge: settings.ridge.unwrap_or(defaults.ridge),
        standardise: settings.standardise.unwrap_or(defaults.standardise),
        epochs: settings.epochs.unwrap_or(defaults.epochs),
        batch_size: settings.batch_size.unwrap_or(defaults.batch_size),
        batches: settings.batches.unwrap_or(defaults.batches),
        learning_rate: settings.learning_rate.unwrap_or(defaults.learning_rate),
        decay: settings.decay.map_or(defaults.decay, |decay| decay.0),
        penalty_warmup: settings.penalty_warmup.unwrap_or(defaults.penalty_warmup),
        clip_norm: settings.clip_norm,
        label_bins: settings.table.label_bins.unwrap_or(defaults.label_bins),
        seed: settings.seed.unwrap_or(defaults.seed),
    };
    let config = config.check().map_err(|error| Usage::new(format!("--{error}")))?;
    // The exact solver has no randomness: one run is all there is.
    let runs = if kind == ModelKind::Linear { 1 } else { settings.runs.unwrap_or(runs) };
    if runs == 0 {
        return Err(Usage::new("--runs is 0, but must be at least 1").into());
    }
    if runs > MOST_RUNS {
        return Err(Usage::new(format!("--runs is {runs}, but must be at most {MOST_RUNS}")).into());
    }
    // Built-in data bring a weight of their own, which a sweep does not ask for.
    let weighed = match choosing {
        Choosing::Always => &Settings { penalty_weight: given.penalty_weight, ..settings.clone() },
        Choosing::IfAsked => &settings,
    };
    let choice = Choice::new(weighed, &config, choosing)?;
    let settings = complete(settings, kind, &config, runs, choice.as_ref());
    Ok(Resolved { config, runs, choice, settings })
}

fn model(settings: &Settings, kind: ModelKind) -> ModelSpec {
    let cnn = CnnSpec::default();
    match kind {
        ModelKind::Linear => ModelSpec::Linear,
        ModelKind::Mlp => {
            ModelSpec::Mlp { hidden: settings.hidden.clone().unwrap_or_else(|| vec![500, 500]) }
        }
        ModelKind::Cnn => ModelSpec::Cnn(CnnSpec {
            channels: settings.channels.clone().unwrap_or(cnn.channels),
            kernel: settings.kernel.unwrap_or(cnn.kernel),
            stride: settings.stride.unwrap_or(cnn.stride),
            negative_slope: settings.negative_slope.map_or(cnn.negative_slope, |slope| slope as f32),
        }),
    }
}

/// Every setting with its value, for config.toml. Settings without effect stay out of it.
fn complete(
    settings: Settings,
    kind: ModelKind,
    config: &TrainConfig,
    runs: usize,
    choice: Option<&Choice>,
) -> Settings {
    let penalised = config.penalty != Penalty::None;
    let is_linear = kind == ModelKind::Linear;
    let by_epochs = !is_linear;
    // A sweep has lists of them.
    let lists = choice.is_some_and(Choice::sweeps);
    let cnn = match &config.model {
        ModelSpec::Cnn(cnn) => Some(cnn.clone()),
        ModelSpec::Linear | ModelSpec::Mlp { .. } => None,
    };
    Settings {
        penalty: (!lists).then_some(config.penalty),
        penalty_weight: match choice {
            Some(_) => settings.penalty_weight.filter(|weight| matches!(weight, Weight::Auto(_))),
            None => penalised.then_some(Weight::Is(config.penalty_weight)),
        },
        normalise: penalised.then_some(config.normalise),
        penalty_warmup: (penalised && by_epochs).then_some(config.penalty_warmup),
        ridge: (!lists).then_some(config.ridge),
        model: Some(kind),
        standardise: is_linear.then_some(config.standardise),
        hidden: match &config.model {
            ModelSpec::Mlp { hidden } => Some(hidden.clone()),
            ModelSpec::Linear | ModelSpec::Cnn(_) => None,
        },
        channels: cnn.as_ref().map(|cnn| cnn.channels.clone()),
        kernel: cnn.as_ref().map(|cnn| cnn.kernel),
        stride: cnn.as_ref().map(|cnn| cnn.stride),
        // The shortest decimal that is this f32, not its f64 expansion.
        negative_slope: cnn.as_ref().and_then(|cnn| cnn.negative_slope.to_string().parse().ok()),
        epochs: by_epochs.then_some(config.epochs),
        batch_size: by_epochs.then_some(config.batch_size),
        batches: by_epochs.then_some(config.batches),
        learning_rate: by_epochs.then_some(config.learning_rate),
        decay: by_epochs.then_some(DecayFlag(config.decay)),
        clip_norm: config.clip_norm,
        runs: by_epochs.then_some(runs),
        seed: by_epochs.then_some(config.seed),
        choice: choice.map(Choice::flags).unwrap_or_default(),
        augment: settings.augment,
        table: settings.table,
        sizes: settings.sizes,
    }
}

/// A flag that has no effect is an error: whoever typed it expects one.
fn refuse_idle_flags(
    given: &Settings,
    kind: ModelKind,
    penalty: Option<Penalty>,
    task: Option<TaskKind>,
) -> Result<(), Usage> {
    let is_none = penalty == Some(Penalty::None);
    let not_mlp = kind != ModelKind::Mlp;
    let not_cnn = kind != ModelKind::Cnn;
    let not_regression = task != Some(TaskKind::Regression);
    let linear = kind == ModelKind::Linear;
    let exact = "a linear model is solved exactly, not by epochs";
    refuse(&[
        ("standardise", given.standardise.is_some() && !linear, "only --model linear scales its features"),
        ("epochs", given.epochs.is_some() && linear, exact),
        ("batch-size", given.batch_size.is_some() && linear, exact),
        ("batches", given.batches.is_some() && linear, exact),
        ("learning-rate", given.learning_rate.is_some() && linear, exact),
        ("decay", given.decay.is_some() && linear, exact),
        ("clip-norm", given.clip_norm.is_some() && linear, exact),
        ("penalty-warmup", given.penalty_warmup.is_some() && linear, exact),
        ("runs", given.runs.is_some() && linear, "a linear model is solved exactly: every run is the same"),
        ("seed", given.seed.is_some() && linear, "a linear model is solved exactly: nothing is random"),
        ("hidden", given.hidden.is_some() && not_mlp, "only --model mlp has hidden layers"),
        ("channels", given.channels.is_some() && not_cnn, "only --model cnn has channels"),
        ("kernel", given.kernel.is_some() && not_cnn, "only --model cnn has kernels"),
        ("stride", given.stride.is_some() && not_cnn, "only --model cnn has kernels"),
        ("negative-slope", given.negative_slope.is_some() && not_cnn, "only --model cnn has this activation"),
        ("penalty-weight", given.penalty_weight.is_some() && is_none, "there is no penalty to weigh"),
        ("penalty-warmup", given.penalty_warmup.is_some() && is_none, "there is no penalty to weigh"),
        ("normalise", given.normalise.is_some() && is_none, "there is no penalty to normalise"),
        (
            "normalise",
            given.normalise.is_some() && penalty == Some(Penalty::TotalVariance),
            "the overall variance has one group only",
        ),
        ("label-bins", given.table.label_bins.is_some() && not_regression, "only --task regression has bins"),
    ])
}

/// Flags that say how a table is read have nothing to do on built-in data.
pub fn refuse_table_flags(flags: &TableFlags, name: &str) -> Result<(), Usage> {
    let why = format!("`{name}` is built in, not a table");
    let why = why.as_str();
    refuse(&[
        ("task", flags.task.is_some(), why),
        ("label-column", flags.label_column.is_some(), why),
        ("group-column", flags.group_column.is_some(), why),
        ("split-column", flags.split_column.is_some(), why),
        ("filename-column", flags.filename_column.is_some(), why),
        ("features", flags.features.is_some(), why),
        ("features-file", flags.features_file.is_some(), why),
        ("image-size", flags.image_size.is_some(), why),
        ("crop", flags.crop.is_some(), why),
        ("colour", flags.colour.is_some(), why),
        ("skip-unreadable", flags.skip_unreadable.is_some(), why),
        ("allow-outside", flags.allow_outside.is_some(), why),
        ("split-seed", flags.split_seed.is_some(), why),
        ("label-bins", flags.label_bins.is_some(), why),
    ])
}

/// Sizes belong to built-in data: a table has the rows it has.
pub fn refuse_size_flags(flags: &SizeFlags, data: &str) -> Result<(), Usage> {
    let why = format!("`{data}` is not built in, it has the rows it has");
    let why = why.as_str();
    refuse(&[
        ("rows", flags.rows.is_some(), why),
        ("groups", flags.groups.is_some(), why),
        ("test-rows", flags.test_rows.is_some(), why),
        ("data-seed", flags.data_seed.is_some(), why),
    ])
}

/// Refuses the first flag of (name, whether it is given in vain, why it is in vain).
pub fn refuse(flags: &[(&str, bool, &str)]) -> Result<(), Usage> {
    match flags.iter().find(|(_, in_vain, _)| *in_vain) {
        Some((name, _, why)) => {
            Err(Usage::new(format!("--{name} has no effect here: {why}")).tip(format!("leave out --{name}")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(given: Settings) -> anyhow::Result<Resolved> {
        resolve(&given, &Settings::default(), true, 1, Choosing::IfAsked)
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_the_data() {
        let of_data = Settings { epochs: Some(1), ridge: Some(0.1), seed: Some(1), ..Default::default() };
        let file = Settings { epochs: Some(2), ridge: Some(0.2), ..Default::default() };
        let flags = Settings { epochs: Some(3), ..Default::default() };
        let given = overlay(&file, &flags).unwrap();
        let config = resolve(&given, &of_data, true, 1, Choosing::IfAsked).unwrap().config;
        assert_eq!((config.epochs, config.ridge, config.seed), (3, 0.2, 1));
    }

    #[test]
    fn complete_settings_resolve_to_themselves() {
        for model in [ModelKind::Linear, ModelKind::Mlp, ModelKind::Cnn] {
            let first = resolved(Settings { model: Some(model), ..Default::default() }).unwrap();
            let again = resolved(first.settings.clone()).unwrap();
            assert_eq!(first.settings, again.settings);
            assert_eq!(first.config, again.config);
        }
    }

    #[test]
    fn a_flag_without_effect_is_refused() {
        let idle = [
            Settings { hidden: Some(vec![5]), ..Default::default() },
            Settings { channels: Some(vec![5]), model: Some(ModelKind::Mlp), ..Default::default() },
            Settings {
                penalty: Some(Penalty::None),
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
        let message = resolved(given).unwrap_err().to_string();
        assert_eq!(message, "--penalty-weight is -1, but must be a number from 0 (inf is for linear models)");
    }

    #[test]
    fn a_damaged_config_file_is_an_error_or_settings_never_a_panic() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        let corpus = corevar_fuzz::corpus("configs");
        corevar_fuzz::fuzz("configs", None, &corpus, corevar_fuzz::damaged, |bytes| {
            std::fs::write(&path, bytes).unwrap();
            if let Ok(given) = given(&Settings::default(), Some(&path)) {
                let _ = resolved(given);
            }
        });
    }
}
