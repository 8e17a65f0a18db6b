//! DATA on the command line: a built-in name, or a table or folder of the user's.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use corevar::model::ModelKind;
use corevar_data::synthetic::{Generator, Sizes};
use corevar_data::table::{InputColumns, TableProblem};
use corevar_data::{Augmentation, Cache, DataError, Dataset, Missing, table};
use corevar_onnx::Encoder;
use corevar_paper::drawn;

use crate::args::ReaderFlags;
use crate::failure::Usage;
use crate::progress::Decoding;
use crate::settings::{AugmentFlags, DataSituation, Settings, SizeFlags, TableFlags, no_effect};
use crate::values::{Colour, ImageSize, MissingFlag, Weight};

/// Unit of --decode-memory.
pub const MEGABYTE: u64 = 1_000_000;

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
    pub flags: ReaderFlags,
    /// Decides on the size of images; they are not encoded by the reader.
    pub encoder: Option<Arc<Encoder>>,
    pub quiet: bool,
}

/// Data, and what their reader said of them.
pub struct Loaded {
    pub dataset: Dataset,
    pub report: Option<table::ReadReport>,
    /// The flags that say how the data were read, including those that nobody typed.
    pub table: TableFlags,
    /// The same for data that were drawn.
    pub sizes: SizeFlags,
}

impl Loaded {
    /// For the user: what was taken for what, and what was left out.
    pub fn notes(&self) -> Vec<String> {
        self.report.as_ref().map(table::ReadReport::lines_of_text).unwrap_or_default()
    }
}

impl Reading {
    /// What holds where no flag says something else: what an encoder takes goes before what a model takes.
    fn usual(&self) -> table::TableOptions {
        let Some(encoder) = &self.encoder else { return self.options.clone() };
        let shape = encoder.encoding().shape();
        table::TableOptions {
            image_size: Some((shape.height, shape.width)),
            channels: Some(shape.channels),
            crop: encoder.crop(),
            ..self.options.clone()
        }
    }

    /// Options for images where there are features.
    fn features_for_encoder(&self, error: DataError) -> anyhow::Error {
        let is_idle = matches!(&error, DataError::Table { problem: TableProblem::NoEffect { .. }, .. });
        match is_idle && self.encoder.is_some() {
            true => no_effect("encoder", "the inputs are features, not images").into(),
            false => error.into(),
        }
    }
}

impl ReaderFlags {
    /// Where decoded images and their features are kept.
    pub fn cache(&self) -> Cache {
        match &self.cache {
            None => Cache::Default,
            Some(word) if word.as_os_str() == "off" => Cache::Off,
            Some(folder) => Cache::Dir(folder.clone()),
        }
    }

    /// Over `usual`.
    fn over(&self, usual: table::TableOptions) -> table::TableOptions {
        let cache = self.cache();
        let decode_memory = self.decode_memory.map_or(usual.decode_memory, |megabytes| megabytes * MEGABYTE);
        table::TableOptions { cache, decode_memory, allow_outside: self.allow_outside, ..usual }
    }

    /// Built-in data are not read.
    fn refuse_idle(&self, situation: &DataSituation) -> Result<(), Usage> {
        let given = [("allow_outside", self.allow_outside), ("decode_memory", self.decode_memory.is_some())];
        match given.iter().find(|(_, is_given)| *is_given && situation.built_in) {
            None => Ok(()),
            Some((name, _)) => {
                Err(no_effect(name, &format!("`{}` is built in, not a table", situation.data)))
            }
        }
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
    reading.flags.refuse_idle(&situation)?;
    sizes.refuse_idle(&situation)?;
    match source {
        Source::BuiltIn(generator) => {
            let sizes = sizes.complete_for(*generator);
            let dataset = draw(*generator, &sizes)?;
            let dataset = match &table.transform {
                Some(transform) => dataset.transformed(transform.clone())?,
                None => dataset,
            };
            let table = TableFlags { transform: table.transform.clone(), ..Default::default() };
            Ok(Loaded { dataset, report: None, table, sizes })
        }
        Source::Path(path) => read(path, table, reading),
    }
}

/// Adds the copies that the flags ask for.
pub fn augment(dataset: Dataset, flags: &AugmentFlags) -> anyhow::Result<Dataset> {
    match flags.augmentation()? {
        Some(augmentation) => Ok(augmentation.apply(dataset)?),
        None => Ok(dataset),
    }
}

impl AugmentFlags {
    fn augmentation(&self) -> anyhow::Result<Option<Augmentation>> {
        let Some(recipe) = &self.augment else { return Ok(None) };
        let usual = Augmentation::new(recipe.parse()?);
        Ok(Some(Augmentation {
            rows: self.augment_rows.as_deref().map_or(Ok(usual.rows), str::parse)?,
            label: self.augment_label.clone(),
            mode: self.augment_mode.unwrap_or_default(),
            ..usual
        }))
    }

    /// With how many copies there are and when they are drawn, if there are any.
    pub fn complete_copies(&self) -> anyhow::Result<Self> {
        let Some(augmentation) = self.augmentation()? else { return Ok(self.clone()) };
        let (rows, mode) = (augmentation.rows.to_string(), augmentation.mode);
        Ok(Self { augment_rows: Some(rows), augment_mode: Some(mode), ..self.clone() })
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

impl SizeFlags {
    /// With the sizes that the generator draws unless told otherwise.
    fn complete_for(&self, generator: &dyn Generator) -> Self {
        let usual = generator.default_sizes();
        Self {
            rows: self.rows.or(Some(usual.rows)),
            groups: self.groups.or(Some(usual.groups)),
            test_rows: self.test_rows.or(Some(usual.test_rows)),
            data_seed: self.data_seed.or(Some(DATA_SEED)),
        }
    }
}

fn read(path: &Path, flags: &TableFlags, reading: &Reading) -> anyhow::Result<Loaded> {
    let options = reading.flags.over(flags.table_options(&reading.usual()));
    let progress = Decoding::new(reading.quiet);
    let read = table::read_with(path, &options, &|done, all| progress.show(done, all));
    let (dataset, report) = read.map_err(|error| match path.exists() {
        true => reading.features_for_encoder(error),
        false => built_in_hint(path, error),
    })?;
    let table = flags.complete_for(&options, &report, &dataset);
    let table = if reading.encoder.is_some() { table.without_image() } else { table };
    Ok(Loaded { dataset, report: Some(report), table, sizes: SizeFlags::default() })
}

/// More text than this in one setting helps nobody.
const LONGEST_LIST: usize = 1 << 16;

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
            missing: match (self.missing, usual.missing) {
                (None, usual) => usual,
                (Some(MissingFlag::Drop), _) => Missing::Drop,
                // Those of the model.
                (Some(MissingFlag::Median), Missing::Fill(medians)) => Missing::Fill(medians),
                (Some(MissingFlag::Median), _) => Missing::Median,
            },
            transform: self.transform.clone().or(usual.transform),
            task: self.task.unwrap_or(usual.task),
            image_size: self.image_size.map(|size| (size.height, size.width)).or(usual.image_size),
            channels: match self.colour {
                Some(Colour::Grey) => Some(1),
                Some(Colour::Rgb) => Some(3),
                None => usual.channels,
            },
            crop: self.crop.unwrap_or(usual.crop),
            seed: self.split_seed.unwrap_or(usual.seed),
            skip_unreadable: self.skip_unreadable.unwrap_or(usual.skip_unreadable),
            ..usual
        }
    }

    /// Without what an encoder decides.
    fn without_image(self) -> Self {
        Self { image_size: None, crop: None, colour: None, ..self }
    }

    /// With what the reader decided where no flag says it, so that --config reads the same data in the same way.
    fn complete_for(
        &self,
        options: &table::TableOptions,
        report: &table::ReadReport,
        dataset: &Dataset,
    ) -> Self {
        let columns = &report.columns;
        let image = dataset.inputs().as_images().map(|images| images.shape);
        let read = Self {
            task: Some(options.task),
            image_size: image.map(|shape| ImageSize { height: shape.height, width: shape.width }),
            crop: image.map(|_| options.crop),
            colour: image.map(|shape| if shape.channels == 1 { Colour::Grey } else { Colour::Rgb }),
            skip_unreadable: image.map(|_| options.skip_unreadable),
            split_seed: report.split_seed,
            ..self.clone()
        };
        match &columns.inputs {
            // Folders have no columns.
            InputColumns::Folder => read,
            inputs => Self {
                label_column: columns.label.clone(),
                group_column: columns.group.clone(),
                split_column: columns.split.clone(),
                filename_column: match inputs {
                    InputColumns::Filename(name) => Some(name.clone()),
                    _ => None,
                },
                features: self.features.clone().or_else(|| names_of(inputs)),
                ..read
            },
        }
    }
}

/// Feature columns as --features takes them; None where a name would be read as a pattern, or where there are too many.
fn names_of(inputs: &InputColumns) -> Option<String> {
    let InputColumns::Features(names) = inputs else { return None };
    let list = names.join(",");
    let is_plain = names.iter().all(|name| !name.contains(['*', '?', ',']) && name.trim() == name);
    (is_plain && list.len() <= LONGEST_LIST).then_some(list)
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
