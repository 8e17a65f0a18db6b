//! DATA on the command line: a built-in name, or a table or folder of the user's.

use std::path::{Path, PathBuf};

use corevar_data::synthetic::{self, Generator, Sizes};
use corevar_data::{Dataset, table};

use crate::args::{Settings, SizeFlags, TableFlags};
use crate::failure::Usage;
use crate::settings::{refuse_size_flags, refuse_table_flags};
use crate::values::{ModelKind, TaskKind};

/// Drawn with this seed unless --data-seed says other.
const DATA_SEED: u64 = 1;

/// Where data come from.
pub enum Source {
    BuiltIn(&'static dyn Generator),
    Path(PathBuf),
}

impl Source {
    /// Built-in names win; `./stickmen` is a folder.
    pub fn new(data: &str) -> Self {
        match synthetic::find(data) {
            Some(generator) => Self::BuiltIn(generator),
            None => Self::Path(data.into()),
        }
    }

    /// Settings that suit built-in data: those of the paper, as far as it names them.
    pub fn settings(&self) -> Settings {
        let name = match self {
            Self::BuiltIn(generator) => generator.name(),
            Self::Path(_) => return Settings::default(),
        };
        match name {
            "nonlinear" => Settings { model: Some(ModelKind::Mlp), epochs: Some(30), ..Default::default() },
            "stickmen" => Settings { penalty_weight: Some(10.0), epochs: Some(8), ..Default::default() },
            _ => Settings::default(),
        }
    }
}

/// Reads or draws the data. The lines are for the user: what was taken for what, and what was left out.
pub fn load(source: &Source, settings: &Settings) -> anyhow::Result<(Dataset, Vec<String>)> {
    match source {
        Source::BuiltIn(generator) => {
            refuse_table_flags(&settings.table, generator.name())?;
            Ok((draw(*generator, &settings.sizes)?, Vec::new()))
        }
        Source::Path(path) => {
            refuse_size_flags(&settings.sizes, &path.display().to_string())?;
            read(path, &settings.table)
        }
    }
}

/// Draws built-in data.
pub fn draw(generator: &dyn Generator, flags: &SizeFlags) -> anyhow::Result<Dataset> {
    let usual = generator.default_sizes();
    let sizes = Sizes {
        rows: flags.rows.unwrap_or(usual.rows),
        groups: flags.groups.unwrap_or(usual.groups),
        test_rows: flags.test_rows.unwrap_or(usual.test_rows),
    };
    Ok(generator.generate(&sizes, flags.data_seed.unwrap_or(DATA_SEED))?)
}

fn read(path: &Path, flags: &TableFlags) -> anyhow::Result<(Dataset, Vec<String>)> {
    let usual = table::TableOptions::default();
    let options = table::TableOptions {
        label_column: flags.label_column.clone(),
        group_column: flags.group_column.clone(),
        split_column: flags.split_column.clone(),
        filename_column: flags.filename_column.clone(),
        features: flags.features.clone(),
        features_file: flags.features_file.clone(),
        task: match flags.task {
            Some(TaskKind::Regression) => table::Task::Regression,
            Some(TaskKind::Classification) | None => table::Task::Classification,
        },
        image_size: flags.image_size.map(|size| (size.height, size.width)),
        seed: flags.split_seed.unwrap_or(usual.seed),
        skip_unreadable: flags.skip_unreadable.unwrap_or(usual.skip_unreadable),
        allow_outside: flags.allow_outside.unwrap_or(usual.allow_outside),
        ..usual
    };
    let (dataset, report) = table::read(path, &options).map_err(|error| built_in_hint(path, error))?;
    Ok((dataset, report.lines_of_text()))
}

/// A name that is no path was perhaps meant as a built-in one.
fn built_in_hint(path: &Path, error: corevar_data::DataError) -> anyhow::Error {
    if path.exists() || path.components().count() > 1 {
        return error.into();
    }
    let names: Vec<&str> = synthetic::generators().iter().map(|generator| generator.name()).collect();
    let tip = format!("give a metadata.csv, a folder, or one of the built-in {}", names.join(", "));
    Usage::new(format!("{}: no such file, folder or built-in data", path.display())).tip(tip).into()
}
