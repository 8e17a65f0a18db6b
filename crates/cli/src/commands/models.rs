//! What `evaluate` and `stress` share: trained models and the data to see them on.

use std::path::Path;

use corevar::model::InputShape;
use corevar::study::{FoundModel, ModelsOnData, Start, check_folder, find_models, tell_apart};
use corevar::{Model, Task};
use corevar_data::Dataset;
use corevar_data::table::Purpose;

use crate::args::Models;
use crate::data::{Reading, Source, cache, load};
use crate::failure::{Failure, Usage};
use crate::settings::TableFlags;
use crate::values::{Colour, CropFlag, ImageSize, TaskKind};

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
            return Err(Usage::new(format!("{twice}: stands there twice"))
                .tip("leave one of them out")
                .into());
        }
        let mut models = Vec::new();
        for path in paths {
            models.extend(find_models(Path::new(path))?);
        }
        if let Some(out) = &args.out {
            check_folder(out, if args.overwrite { Start::Overwrite } else { Start::New })?;
            if paths.iter().any(|model| same_place(Path::new(model), out)) {
                let message = format!("--out {} is the folder of a model", out.display());
                return Err(Usage::new(message).tip("choose another --out").into());
            }
        }
        tell_apart(&mut models);
        refuse_two_tasks(&models)?;
        Ok(Self { parts: parts(data, args, models)?, data: data.clone() })
    }
}

/// Errors of a classifier and of a regression have no common table.
fn refuse_two_tasks(models: &[FoundModel]) -> Result<(), Failure> {
    let is_regression = |found: &FoundModel| *found.model.task() == Task::Regression;
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
                let dataset = read(data, args, &found.model, parts.is_empty())?;
                parts.push(ModelsOnData { dataset, models: vec![found] });
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

/// The data as the model sees them: what was done to its training rows is in the model, and a flag that says
/// something else is refused.
fn read(data: &str, args: &Models, model: &Model, is_first: bool) -> anyhow::Result<Dataset> {
    let source = Source::new(data);
    let table = match source {
        Source::BuiltIn(_) => args.table.clone(),
        Source::Path(_) => prepared(&args.table, model)?,
    };
    let (classes, channels) = match (model.task(), model.input()) {
        (Task::Classes(names), InputShape::Image { channels, .. }) => (names.clone(), Some(channels)),
        (Task::Classes(names), InputShape::Features(_)) => (names.clone(), None),
        (Task::Regression, InputShape::Image { channels, .. }) => (Vec::new(), Some(channels)),
        (Task::Regression, InputShape::Features(_)) => (Vec::new(), None),
    };
    let asked = args.table.features.is_some() || args.table.features_file.is_some();
    let features = (!asked && !model.features().is_empty()).then(|| model.features().to_vec());
    let reading = Reading {
        purpose: Purpose::Evaluate { classes },
        channels,
        features,
        cache: cache(&args.cache),
        quiet: args.show.quiet,
    };
    let loaded = load(&source, &table, &args.sizes, &reading)?;
    if is_first && !args.show.quiet {
        loaded.notes().iter().for_each(|line| eprintln!("{line}"));
        if loaded.report.as_ref().is_some_and(|report| report.columns.split.is_none())
            && loaded.dataset.splits().len() == 1
        {
            eprintln!(
                "there is no split column: all rows are treated as `test`, including any used for training"
            );
        }
    }
    Ok(model.check_task(loaded.dataset).and_then(|dataset| model.prepare(dataset))?)
}

/// The flags with what the model says of its inputs.
fn prepared(flags: &TableFlags, model: &Model) -> Result<TableFlags, Usage> {
    let (image_size, colour, crop) = match model.input() {
        InputShape::Image { height, width, channels } => (
            Some(ImageSize { height, width }),
            Some(if channels == 1 { Colour::Grey } else { Colour::Rgb }),
            Some(CropFlag::from(model.preparation().crop)),
        ),
        InputShape::Features(_) => (None, None, None),
    };
    let task = match model.task() {
        Task::Classes(_) => TaskKind::Classification,
        Task::Regression => TaskKind::Regression,
    };
    let conflict = |given: bool, flag: &str, known: String| match given {
        true => {
            let message = format!("--{flag}: the model was trained with {known}");
            Err(Usage::new(message).tip(format!("leave out --{flag}: the model brings its own preparation")))
        }
        false => Ok(()),
    };
    let shown = |size: Option<ImageSize>| size.map_or("features, not images".into(), |size| size.to_string());
    let differs = |given: bool, same: bool| given && !same;
    conflict(
        differs(flags.image_size.is_some(), flags.image_size == image_size),
        "image-size",
        shown(image_size),
    )?;
    conflict(
        differs(flags.colour.is_some(), flags.colour == colour),
        "colour",
        format!("{colour:?}").to_lowercase(),
    )?;
    conflict(differs(flags.crop.is_some(), flags.crop == crop), "crop", format!("{crop:?}").to_lowercase())?;
    conflict(flags.task.is_some_and(|given| given != task), "task", format!("{task:?}").to_lowercase())?;
    let label_column = flags.label_column.clone().or_else(|| model.preparation().label_column.clone());
    // The channels go by the model itself, which also knows grey pictures among coloured ones.
    Ok(TableFlags {
        image_size,
        colour: None,
        crop,
        task: Some(task),
        label_column,
        ..flags.clone()
    })
}
