//! DATA on the command line: a built-in name, or a table or folder of the user's.

use std::path::{Path, PathBuf};

use corevar_data::images::Crop;
use corevar_data::synthetic::{Generator, Sizes};
use corevar_data::{Augmentation, Cache, Dataset, Mode, table};
use corevar_paper::drawn;

use crate::args::CacheFlag;
use crate::failure::Usage;
use crate::progress::Decoding;
use crate::settings::{AugmentFlags, DataSituation, Settings, SizeFlags, TableFlags};
use crate::values::{AugmentMode, Colour, CropFlag, ModelKind, TaskKind, Weight};

/// Drawn with this seed unless --data-seed says other.
pub const DATA_SEED: u64 = 1;

/// Where data come from.
pub enum Source {
    BuiltIn(&'static dyn Generator),
    Path(PathBuf),
}

impl Source {
    /// Built-in names win; `./stickmen` is a folder.
    pub fn new(data: &str) -> Self {
        match drawn::find(data) {
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
            // The paper takes their features as they are.
            "linear" => Settings { standardise: Some(false), ..Default::default() },
            "nonlinear" => Settings {
                model: Some(ModelKind::Mlp),
                epochs: Some(30),
                standardise: Some(false),
                ..Default::default()
            },
            "stickmen" => {
                Settings { penalty_weight: Some(Weight::Is(10.0)), epochs: Some(8), ..Default::default() }
            }
            _ => Settings::default(),
        }
    }
}

/// How data are read.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// What holds where no flag says something else: what the data are for, and what a model takes.
    pub options: table::TableOptions,
    pub cache: Cache,
    pub quiet: bool,
}

/// Data, and what their reader said of them.
pub struct Loaded {
    pub dataset: Dataset,
    pub report: Option<table::ReadReport>,
}

impl Loaded {
    /// For the user: what was taken for what, and what was left out.
    pub fn notes(&self) -> Vec<String> {
        self.report.as_ref().map(table::ReadReport::lines_of_text).unwrap_or_default()
    }
}

/// Where decoded pictures are kept.
pub fn cache(flag: &CacheFlag) -> Cache {
    match &flag.cache {
        None => Cache::Default,
        Some(word) if word.as_os_str() == "off" => Cache::Off,
        Some(folder) => Cache::Dir(folder.clone()),
    }
}

/// Reads or draws the data.
pub fn load(
    source: &Source,
    table: &TableFlags,
    sizes: &SizeFlags,
    reading: &Reading,
) -> anyhow::Result<Loaded> {
    let situation = DataSituation::new(source, table.task);
    table.refuse_idle(&situation)?;
    sizes.refuse_idle(&situation)?;
    match source {
        Source::BuiltIn(generator) => Ok(Loaded { dataset: draw(*generator, sizes)?, report: None }),
        Source::Path(path) => read(path, table, reading),
    }
}

/// Adds the copies that the flags ask for.
pub fn augment(dataset: Dataset, flags: &AugmentFlags) -> anyhow::Result<Dataset> {
    let Some(recipe) = &flags.augment else { return Ok(dataset) };
    let usual = Augmentation::new(recipe.parse()?);
    let augmentation = Augmentation {
        rows: flags.augment_rows.as_deref().map_or(Ok(usual.rows), str::parse)?,
        label: flags.augment_label.clone(),
        mode: match flags.augment_mode {
            Some(AugmentMode::Fresh) => Mode::Fresh,
            Some(AugmentMode::Fixed) | None => Mode::Fixed,
        },
        ..usual
    };
    Ok(augmentation.apply(dataset)?)
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

fn read(path: &Path, flags: &TableFlags, reading: &Reading) -> anyhow::Result<Loaded> {
    let options =
        table::TableOptions { cache: reading.cache.clone(), ..flags.table_options(&reading.options) };
    let progress = Decoding::new(reading.quiet);
    let read = table::read_with(path, &options, &|done, all| progress.show(done, all));
    let (dataset, report) = read.map_err(|error| built_in_hint(path, error))?;
    Ok(Loaded { dataset, report: Some(report) })
}

impl TableFlags {
    /// As typed, over `usual`.
    pub fn table_options(&self, usual: &table::TableOptions) -> table::TableOptions {
        let usual = usual.clone();
        let names_features = self.features.is_some() || self.features_file.is_some();
        table::TableOptions {
            label_column: self.label_column.clone().or(usual.label_column),
            group_column: self.group_column.clone().or(usual.group_column),
            split_column: self.split_column.clone().or(usual.split_column),
            filename_column: self.filename_column.clone().or(usual.filename_column),
            features: self.features.clone().or(usual.features),
            feature_columns: usual.feature_columns.filter(|_| !names_features),
            features_file: self.features_file.clone().or(usual.features_file),
            task: match self.task {
                Some(TaskKind::Regression) => table::Task::Regression,
                Some(TaskKind::Classification) => table::Task::Classification,
                None => usual.task,
            },
            image_size: self.image_size.map(|size| (size.height, size.width)).or(usual.image_size),
            channels: match self.colour {
                Some(Colour::Grey) => Some(1),
                Some(Colour::Rgb) => Some(3),
                None => usual.channels,
            },
            crop: match self.crop {
                Some(CropFlag::Center) => Crop::Center,
                Some(CropFlag::None) => Crop::None,
                None => usual.crop,
            },
            seed: self.split_seed.unwrap_or(usual.seed),
            skip_unreadable: self.skip_unreadable.unwrap_or(usual.skip_unreadable),
            allow_outside: self.allow_outside.unwrap_or(usual.allow_outside),
            ..usual
        }
    }
}

/// A name that is no path was perhaps meant as a built-in one.
fn built_in_hint(path: &Path, error: corevar_data::DataError) -> anyhow::Error {
    if path.exists() || path.components().count() > 1 {
        return error.into();
    }
    let names: Vec<&str> = drawn::generators().map(|generator| generator.name()).collect();
    let tip = format!("give a metadata.csv, a folder, or one of the built-in {}", names.join(", "));
    Usage::new(format!("{}: no such file, folder or built-in data", path.display())).tip(tip).into()
}
