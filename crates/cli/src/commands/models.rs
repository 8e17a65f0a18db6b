//! What `evaluate`, `stress` and `check` share: trained models and the data to see them on.

use std::path::Path;

use corevar::Model;
use corevar::study::{
    FoundModel, ModelsOnData, RunFolderError, Start, check_folder, find_models, tell_apart,
};
use corevar_data::groups::QuantileBins;
use corevar_data::table::{Purpose, TableProblem, Task, UnknownLabels};
use corevar_data::{DataError, Dataset, TableOptions};

use super::run::in_pool;
use crate::args::Models;
use crate::data::{Reading, Source, load};
use crate::encoding::{encode, of_model, refuse_idle};
use crate::failure::{Failure, Usage};
use crate::output;
use crate::settings::{TableFlags, no_effect};

/// Models, each with the data as it reads them.
pub struct Loaded {
    pub parts: Vec<ModelsOnData>,
    pub data: String,
}

impl Loaded {
    pub fn new(args: &Models) -> anyhow::Result<Self> {
        let Some((data, paths)) = args.models_and_data.split_last() else {
            return Err(Usage::new("a model and data are needed").into());
        };
        if let Some((_, twice)) =
            paths.iter().enumerate().find(|(place, path)| paths[..*place].contains(path))
        {
            return Err(Usage::new(format!("{twice}: is listed twice")).tip("leave one of them out").into());
        }
        let mut models = Vec::new();
        for path in paths {
            models.extend(find_models(Path::new(path))?);
        }
        if let Some(out) = &args.out {
            let start = if args.overwrite { Start::Overwrite } else { Start::New };
            check_folder(out, start).map_err(|error| match error {
                RunFolderError::HoldsARun(_) => {
                    let tip = "choose another --out, or pass --overwrite to replace it";
                    anyhow::Error::from(Failure::new(error.to_string()).tip(tip))
                }
                error => error.into(),
            })?;
            if paths.iter().any(|model| same_place(Path::new(model), out)) {
                let message = format!("--out {} is the folder of a model", out.display());
                return Err(Usage::new(message).tip("choose another --out").into());
            }
        }
        refuse_idle(args.encoder.as_ref(), models.iter().map(|found| &found.model))?;
        tell_apart(&mut models);
        refuse_two_tasks(&models)?;
        Ok(Self { parts: parts(data, args, models)?, data: data.clone() })
    }
}

/// Errors of a classifier and of a regression have no common table.
fn refuse_two_tasks(models: &[FoundModel]) -> Result<(), Failure> {
    let is_regression = |found: &FoundModel| *found.model.task() == corevar::Task::Regression;
    let Some(first) = models.first() else { return Ok(()) };
    match models.iter().find(|other| is_regression(other) != is_regression(first)) {
        None => Ok(()),
        Some(other) => {
            let (a, b) = (first.source.display(), other.source.display());
            Err(Failure::new(format!("{a} and {b}: one predicts classes, the other a number"))
                .tip("evaluate them one by one"))
        }
    }
}

/// The data once for all models that read them alike.
fn parts(data: &str, args: &Models, models: Vec<FoundModel>) -> anyhow::Result<Vec<ModelsOnData>> {
    let mut parts: Vec<ModelsOnData> = Vec::new();
    for found in models {
        match parts.iter_mut().find(|part| part.models[0].model.reads_like(&found.model)) {
            Some(part) => part.models.push(found),
            None => {
                let (dataset, unknown_labels) = read(data, args, &found.model, parts.is_empty())?;
                parts.push(ModelsOnData { dataset, models: vec![found], unknown_labels });
            }
        }
    }
    Ok(parts)
}

/// Whether a model lies in the folder.
fn same_place(model: &Path, folder: &Path) -> bool {
    match (model.canonicalize(), folder.canonicalize()) {
        (Ok(model), Ok(folder)) => model.starts_with(folder),
        _ => false,
    }
}

/// The data as the model reads them: a flag that says something else is refused.
fn read(
    data: &str,
    args: &Models,
    model: &Model,
    is_first: bool,
) -> anyhow::Result<(Dataset, UnknownLabels)> {
    let options = TableOptions { skip_unknown_labels: !args.strict, ..model.table_options() };
    read_as(data, args, model, options, is_first)
}

/// The same, with or without a column of labels.
pub fn read_perhaps_labelled(data: &str, args: &Models, model: &Model) -> anyhow::Result<Dataset> {
    let labelled = read(data, args, model, true);
    let has_no_labels = |error: &anyhow::Error| {
        matches!(
            error.downcast_ref(),
            Some(DataError::Table { problem: TableProblem::MissingColumn { field: "label_column", .. }, .. })
        )
    };
    let read = match labelled {
        // A column that was named must be there.
        Err(error) if args.table.label_column.is_none() && has_no_labels(&error) => {
            let options =
                TableOptions { purpose: Purpose::Predict, label_column: None, ..model.table_options() };
            read_as(data, args, model, options, true)
        }
        read => read,
    };
    Ok(read?.0)
}

fn read_as(
    data: &str,
    args: &Models,
    model: &Model,
    options: TableOptions,
    is_first: bool,
) -> anyhow::Result<(Dataset, UnknownLabels)> {
    let source = Source::new(data);
    if args.table.transform.is_some() {
        return Err(no_effect("transform", "the model file says what is done to its features").into());
    }
    if let Source::Path(_) = source {
        refuse_conflicts(&args.table, &options, model.label_slices())?;
    }
    let encoder = of_model(model, args.encoder.as_ref())?;
    let (flags, quiet) = (args.reader.clone(), args.show.quiet);
    let reading = Reading { options, flags, encoder: encoder.clone(), quiet };
    let loaded = load(&source, &args.table, &args.sizes, &reading)?;
    let unknown_labels =
        loaded.report.as_ref().map(|report| report.unknown_labels.clone()).unwrap_or_default();
    if is_first && !args.show.quiet {
        loaded.notes().iter().for_each(|line| output::note(line));
        if loaded.report.as_ref().is_some_and(|report| report.columns.split.is_none())
            && loaded.dataset.splits().len() == 1
        {
            output::note(
                "there is no split column: all rows are treated as `test`, including any used for training",
            );
        }
    }
    let dataset =
        in_pool(args.threads, || encode(loaded.dataset, encoder.as_deref(), &args.reader.cache(), quiet))?;
    let dataset = model.check_task(dataset).and_then(|dataset| model.prepare(dataset))?;
    Ok((dataset, unknown_labels))
}

/// What was done to the training rows is in the model.
fn refuse_conflicts(
    flags: &TableFlags,
    of_model: &TableOptions,
    slices: Option<&QuantileBins>,
) -> Result<(), Usage> {
    let given = flags.table_options(&TableOptions::default());
    let size = |size: Option<(usize, usize)>| size.map(|(height, width)| format!("{height}x{width}"));
    let colour = |channels: Option<usize>| {
        channels.map(|channels| if channels == 1 { "grey" } else { "rgb" }.to_string())
    };
    let crop = |options: &TableOptions| options.image_size.map(|_| options.crop.name().to_string());
    let bins = slices.map_or(1, |slices| slices.edges().len()).to_string();
    let task =
        |task: Task| if task == Task::Regression { "regression" } else { "classification" }.to_string();
    let pairs = [
        ("image-size", flags.image_size.is_some(), size(given.image_size), size(of_model.image_size)),
        ("colour", flags.colour.is_some(), colour(given.channels), colour(of_model.channels)),
        ("crop", flags.crop.is_some(), Some(given.crop.name().into()), crop(of_model)),
        ("task", flags.task.is_some(), Some(task(given.task)), Some(task(of_model.task))),
        ("label-bins", flags.label_bins.is_some(), flags.label_bins.map(|bins| bins.to_string()), Some(bins)),
    ];
    let conflict = pairs.into_iter().find(|(_, is_given, given, of_model)| *is_given && given != of_model);
    let Some((flag, _, _, of_model)) = conflict else { return Ok(()) };
    let of_model = of_model.unwrap_or_else(|| "features, not images".into());
    let message = format!("--{flag}: the model was trained with {of_model}");
    Err(Usage::new(message).tip(format!("leave out --{flag}: the model file says how its inputs are read")))
}
