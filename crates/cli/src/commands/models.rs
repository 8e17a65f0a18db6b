//! What `evaluate` and `stress` share: trained models and the data to see them on.

use std::path::Path;

use corevar::evidence::Subject;
use corevar::model::InputShape;
use corevar::models::{Found, find};
use corevar::run_folder::{self, Start};
use corevar::task::{Task, input_shape};
use corevar_data::Dataset;
use corevar_data::table::Purpose;

use crate::args::{Models, TableFlags};
use crate::data::{Reading, Source, cache, load};
use crate::failure::{Failure, Usage};
use crate::settings::refuse;
use crate::values::{ImageSize, TaskKind};

/// Models and data that fit each other.
pub struct Ready {
    pub found: Vec<Found>,
    /// For each of them, by which argument it was found: models of different folders are not runs of one setting.
    pub argument: Vec<usize>,
    pub dataset: Dataset,
    pub data: String,
}

impl Ready {
    pub fn new(args: &Models) -> anyhow::Result<Self> {
        let Some((data, models)) = args.models_and_data.split_last() else {
            return Err(Usage::new("a model and data are needed").into());
        };
        let (mut found, mut argument) = (Vec::new(), Vec::new());
        for (place, model) in models.iter().enumerate() {
            found.extend(find(Path::new(model))?);
            argument.resize(found.len(), place);
        }
        if let Some(out) = &args.out {
            run_folder::check(out, if args.overwrite { Start::Overwrite } else { Start::New })?;
            if models.iter().any(|model| same_place(Path::new(model), out)) {
                let message = format!("--out {} is the folder of a model", out.display());
                return Err(Usage::new(message).tip("choose another --out").into());
            }
        }
        let Some(first) = found.first() else { return Err(Usage::new("a model is needed").into()) };
        let (input, task) = (first.model.input, first.model.task.clone());
        let other = found.iter().find(|one| one.model.input != input || one.model.task != task);
        if let Some(other) = other {
            let message =
                format!("`{}` and `{}` take other inputs or classes", first.setting.name, other.setting.name);
            return Err(Failure::new(message).tip("compare models of the same data").into());
        }
        let dataset = read(data, args, input, &task)?;
        Ok(Self { found, argument, dataset, data: data.clone() })
    }
}

/// The models as the library looks at them.
pub fn subjects(found: &[Found]) -> Vec<Subject<'_>> {
    found.iter().map(|one| Subject { setting: one.setting.clone(), model: &one.model }).collect()
}

/// Whether a model lies in the folder.
fn same_place(model: &Path, folder: &Path) -> bool {
    match (model.canonicalize(), folder.canonicalize()) {
        (Ok(model), Ok(folder)) => model.starts_with(folder),
        _ => false,
    }
}

/// The data as the model sees them.
fn read(data: &str, args: &Models, input: InputShape, task: &Task) -> anyhow::Result<Dataset> {
    let why = "the model decides";
    refuse(&[
        ("image-size", args.table.image_size.is_some(), why),
        ("colour", args.table.colour.is_some(), why),
        ("task", args.table.task.is_some(), why),
    ])?;
    let source = Source::new(data);
    let (classes, kind) = match task {
        Task::Classes(names) => (names.clone(), None),
        Task::Regression => (Vec::new(), Some(TaskKind::Regression)),
    };
    let (image_size, channels) = match input {
        InputShape::Image { height, width, channels } => (Some(ImageSize { height, width }), Some(channels)),
        InputShape::Features(_) => (None, None),
    };
    let table = match source {
        Source::BuiltIn(_) => args.table.clone(),
        Source::Path(_) => TableFlags { image_size, task: kind, ..args.table.clone() },
    };
    let reading = Reading {
        purpose: Purpose::Evaluate { classes },
        channels,
        cache: cache(&args.cache),
        quiet: args.show.quiet,
    };
    let loaded = load(&source, &table, &args.sizes, &reading)?;
    if !args.show.quiet {
        loaded.notes().iter().for_each(|line| eprintln!("{line}"));
    }
    let asked = corevar::task::task(&loaded.dataset);
    if asked != *task {
        let message = format!("{data}: {}, but the model knows {}", answers(&asked), answers(task));
        return Err(Failure::new(message).tip("evaluate a model on data with its own labels").into());
    }
    let seen = input_shape(&loaded.dataset);
    if seen != input {
        let message = format!("{data}: {}, but the model takes {}", shape(seen), shape(input));
        return Err(Failure::new(message).tip("name the features with --features or --features-file").into());
    }
    Ok(loaded.dataset)
}

fn answers(task: &Task) -> String {
    match task {
        Task::Classes(names) => format!("the classes {}", names.join(", ")),
        Task::Regression => "a number as the label".into(),
    }
}

fn shape(input: InputShape) -> String {
    match input {
        InputShape::Features(count) => format!("{count} features"),
        InputShape::Image { height, width, channels } => format!("images of {height}x{width}x{channels}"),
    }
}
