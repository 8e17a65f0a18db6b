//! Answers for any number of rows, in their order and in bounded memory.
//!
//! Rows come chunk by chunk from a [`RowStream`]. While the models answer one chunk, the next is read and decoded, so that decoder
//! and network keep all threads busy together.
//!
//! ```
//! use corevar::data::writers::{TableFormat, table_writer};
//! use corevar::data::{RowStream, StreamSource};
//! use corevar::predict::{Ensemble, Unwatched, heads, predict};
//! use corevar::{Core, Dataset, WholeFile};
//!
//! # let (values, labels, ids) = corevar::study::example();
//! # let folder = tempfile::tempdir()?;
//! # let (rows, answers) = (folder.path().join("rows.csv"), folder.path().join("answers.csv"));
//! # std::fs::write(&rows, "core,style\n1.0,-2.0\n")?;
//! # let data = Dataset::features(["core", "style"], values).classes(&labels).ids(ids).check()?;
//! # let model = Core::new().fit(&data)?;
//! let models = Ensemble::new(vec![model])?;
//! let mut rows = RowStream::open(StreamSource::Path(rows), &models.stream_options())?;
//! let file = Box::new(WholeFile::create(&answers)?);
//! let out = table_writer(TableFormat::Csv, heads(&models, rows.keys()), file)?;
//! let summary = predict(&models, &mut rows, out, false, &mut Unwatched)?;
//! assert_eq!((summary.rows, summary.unanswered), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod error;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use corevar_data::stream::KeyColumns;
use corevar_data::writers::{ColumnHead, ColumnKind, TableWriter};
use corevar_data::{Dataset, ImageShape, MissingRule, RowStream, StreamOptions, WantedInputs};

use crate::model::{InputShape, Model, ModelError};
use crate::rows::Task;

pub use answers::Answers;
pub use error::{PredictError, Unanswered};

/// What makes features of pictures for models that were trained on such features: an encoder.
pub trait Front: std::fmt::Debug + Send + Sync {
    /// The same rows with features.
    fn features(&self, pictures: Dataset) -> Result<Dataset, ModelError>;
}

/// One model, or several whose answers are averaged: they read rows alike.
#[derive(Debug, Clone)]
pub struct Ensemble {
    models: Vec<Model>,
    front: Option<Arc<dyn Front>>,
}

impl Ensemble {
    /// Refuses no models, and models that read rows in different ways or give different answers.
    pub fn new(models: Vec<Model>) -> Result<Self, PredictError> {
        let (Some(first), rest) = (models.first(), models.iter().skip(1)) else {
            return Err(PredictError::NoModel);
        };
        if { rest }.any(|model| !model.reads_like(first)) {
            return Err(PredictError::NotAlike);
        }
        Ok(Self { models, front: None })
    }

    /// Pictures go through `front` first. Needed where the models have an encoding in their preparation.
    pub fn front(self, front: Arc<dyn Front>) -> Self {
        Self { front: Some(front), ..self }
    }

    /// The rows as the models take them.
    fn seen(&self, rows: Dataset) -> Result<Dataset, ModelError> {
        match &self.front {
            Some(front) => front.features(rows),
            None => Ok(rows),
        }
    }

    /// How rows are read for these models.
    pub fn stream_options(&self) -> StreamOptions {
        let model = &self.models[0];
        let inputs = match model.input() {
            InputShape::Features(_) if let Some(encoding) = &model.preparation().encoding => {
                WantedInputs::Images {
                    shape: encoding.shape(),
                    crop: model.preparation().crop.unwrap_or_default(),
                }
            }
            InputShape::Image { height, width, channels } => WantedInputs::Images {
                shape: ImageShape { height, width, channels },
                crop: model.preparation().crop.unwrap_or_default(),
            },
            // Models of the first version do not name their features.
            InputShape::Features(count) if model.features().is_empty() => {
                WantedInputs::Features((1..=count).map(|place| format!("x{place}")).collect())
            }
            InputShape::Features(_) => WantedInputs::Features(model.features().to_vec()),
        };
        let preparation = model.preparation();
        let medians = match &preparation.missing {
            Some(MissingRule::Medians(medians)) => Some(medians.clone()),
            _ => None,
        };
        let label_column = preparation.label_column.clone();
        StreamOptions { label_column, medians, ..StreamOptions::new(inputs) }
    }

    /// What they say.
    pub fn task(&self) -> &Task {
        self.models[0].task()
    }

    /// Whether answers have a style radius: every model knows how much its outputs vary inside groups.
    pub fn has_style_radius(&self) -> bool {
        *self.task() != Task::Regression && self.models.iter().all(|model| model.style().is_some())
    }
}

/// Who is told how it goes.
pub trait Watch: Send {
    /// A row has no answer.
    fn unanswered(&mut self, why: &Unanswered);

    /// So many rows are done.
    fn done(&mut self, rows: u64);
}

/// Nobody is told.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn unanswered(&mut self, _: &Unanswered) {}

    fn done(&mut self, _: u64) {}
}

/// How many rows there were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Summary {
    /// All.
    pub rows: u64,
    /// Those without an answer.
    pub unanswered: u64,
}

/// Key of rows without a file.
const ROW: &str = "row";

/// The columns of the answers: the keys of the rows, then what the models say.
pub fn heads(models: &Ensemble, keys: &KeyColumns) -> Vec<ColumnHead> {
    let mut answers: Vec<ColumnHead> = Vec::new();
    match models.task() {
        Task::Regression => answers.push(ColumnHead::new("prediction", ColumnKind::Numbers)),
        Task::Classes(names) => {
            answers.push(ColumnHead::new("label", ColumnKind::Texts));
            answers
                .extend(names.iter().map(|name| ColumnHead::new(format!("p_{name}"), ColumnKind::Numbers)));
            answers.push(ColumnHead::new("style_radius", ColumnKind::Numbers));
        }
    }
    // The names of the source, so that answers can be joined to it, unless they are taken.
    let own = |name: &Option<String>, usual: &str| {
        let name = name.as_ref()?;
        let is_taken = name == ROW || answers.iter().any(|head| head.name == *name);
        Some(if is_taken { usual.to_string() } else { name.clone() })
    };
    let key = match own(&keys.file, "filename") {
        Some(name) => ColumnHead::new(name, ColumnKind::Texts),
        None => ColumnHead::new(ROW, ColumnKind::Counts),
    };
    let id = own(&keys.id, "group_id").map(|name| ColumnHead::new(name, ColumnKind::Texts));
    [key].into_iter().chain(id).chain(answers).collect()
}

/// Answers every row in order. A row that cannot be read, or for which the model says no finite number, gets an empty answer;
/// `strict` stops at the first such row instead. Call it inside the thread pool that is to do the work.
pub fn predict(
    models: &Ensemble,
    rows: &mut RowStream,
    mut out: Box<dyn TableWriter>,
    strict: bool,
    watch: &mut dyn Watch,
) -> Result<Summary, PredictError> {
    let mut summary = Summary::default();
    let mut next = rows.next_chunk()?;
    while let Some(chunk) = next.take() {
        let answer = || -> Result<(), PredictError> {
            let answers = Answers::of(models, chunk)?;
            summary.rows += answers.rows() as u64;
            summary.unanswered += answers.unanswered().len() as u64;
            let (rows, why) = (answers.rows(), answers.unanswered());
            let named = if strict { 1 } else { why.len() };
            why.iter().take(named).for_each(|why| watch.unanswered(why));
            if strict && !why.is_empty() {
                return Err(PredictError::Unanswered);
            }
            out.write(rows, &answers.columns()).map_err(PredictError::Write)?;
            watch.done(summary.rows);
            Ok(())
        };
        let (read, answered) = rayon::join(|| rows.next_chunk(), answer);
        answered?;
        next = read?;
    }
    out.finish().map_err(PredictError::Write)?;
    Ok(summary)
}
