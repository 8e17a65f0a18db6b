//! Rows for a model to answer, chunk by chunk in bounded memory: a table of any length, a pipe, a matrix, a folder of pictures.
//!
//! Labels are not needed. A row that cannot be read does not end the stream: its chunk says what is wrong with it.

mod block;
mod chunk;
mod matrix;
mod pictures;
mod plan;
#[cfg(test)]
mod tests;
mod text;

use std::io::Read;
use std::path::{Path, PathBuf};

pub use chunk::Chunk;

use crate::error::{Place, TableProblem};
use crate::images::{Crop, has_image_suffix};
use crate::source_folder::SourceFolder;
use crate::table::{open, open_in, pictures_of, rows};
use crate::{DataError, Features, ImageShape, Images, Inputs, Pixels};
use block::Block;
use matrix::MatrixRows;
use pictures::PictureRows;
use plan::{Plan, Taken};
use text::TextRows;

/// Where the rows come from.
#[non_exhaustive]
pub enum StreamSource {
    /// A table, a `.npy` matrix, a picture, or a folder with a table or with pictures: by what is there.
    Path(PathBuf),
    /// Pictures by their files, in this order.
    Pictures(Vec<PathBuf>),
    /// A table as text. Paths of pictures are relative to the present folder.
    Pipe(Box<dyn Read + Send>),
}

/// What a model sees of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum WantedInputs {
    /// Columns of these names, in this order.
    Features(Vec<String>),
    /// Pictures, brought to this shape.
    Images {
        /// Size and channels.
        shape: ImageShape,
        /// Which part of a picture is resized.
        crop: Crop,
    },
}

/// How rows are read.
#[derive(Debug, Clone)]
pub struct StreamOptions {
    /// What is read of each row.
    pub inputs: WantedInputs,
    /// Column of the label, which is not looked at; `None`: `y` or `label`.
    pub label_column: Option<String>,
    /// Column of the id, which is passed on; `None`: `group_id`, if there is one.
    pub group_column: Option<String>,
    /// Column of the pictures; `None`: `filename`, `img_filename` or `file_name`.
    pub filename_column: Option<String>,
    /// A `.npy` matrix with one row per row of the table, instead of feature columns.
    pub features_file: Option<PathBuf>,
    /// What takes the place of missing numbers, one for each feature; None: a row that lacks one cannot be read.
    pub medians: Option<Vec<f32>>,
    /// Let the table name pictures outside its own folder.
    pub allow_outside: bool,
    /// Pictures of more pixels than this are not decoded.
    pub max_pixels: u64,
    /// Bytes that pictures may take while they are decoded, all threads together.
    pub decode_memory: u64,
    /// The most rows of a chunk; `None`: as many as fit a few megabytes. The answers do not depend on it.
    pub chunk_rows: Option<usize>,
}

impl StreamOptions {
    /// With the usual columns and limits.
    pub fn new(inputs: WantedInputs) -> Self {
        let usual = crate::TableOptions::default();
        Self {
            inputs,
            label_column: None,
            group_column: None,
            filename_column: None,
            features_file: None,
            medians: None,
            allow_outside: false,
            max_pixels: usual.max_pixels,
            decode_memory: usual.decode_memory,
            chunk_rows: None,
        }
    }

    /// Rows of a chunk, each of so many bytes.
    fn rows_of(&self, bytes: usize) -> usize {
        const MOST_ROWS: usize = 1 << 14;
        const MOST_BYTES: usize = 8 << 20;
        (MOST_BYTES / bytes.max(1)).clamp(1, self.chunk_rows.unwrap_or(MOST_ROWS).max(1))
    }
}

/// Names of the columns that tell a row from the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyColumns {
    /// Of the file of a picture; `None`: rows have numbers only.
    pub file: Option<String>,
    /// Of the id, if there is one.
    pub id: Option<String>,
}

/// Rows one chunk after the other.
pub struct RowStream {
    rows: Box<dyn BlockRows>,
    keys: KeyColumns,
    notes: Vec<String>,
    inputs: WantedInputs,
    features: Option<MatrixRows>,
    pictures: Option<PictureRows>,
    chunk_rows: usize,
    /// Rows that were given out.
    done: u64,
    expected: Option<u64>,
}

/// What a stream is made of: rows as text, as Parquet, or as a list.
trait BlockRows: Send {
    /// At most so many rows; None after the last.
    fn next_block(&mut self, most_rows: usize) -> Result<Option<Block>, DataError>;
}

impl RowStream {
    /// Opens the source and looks at its columns. Nothing but its beginning is read.
    pub fn open(source: StreamSource, options: &StreamOptions) -> Result<Self, DataError> {
        match source {
            StreamSource::Pipe(pipe) => Self::of_text(Path::new("stdin"), Path::new(""), pipe, options),
            StreamSource::Pictures(files) => Self::of_pictures(files, options),
            StreamSource::Path(path) => {
                let kind = std::fs::metadata(&path).map_err(|cause| match cause.kind() {
                    std::io::ErrorKind::NotFound => Place::file(&path).table(TableProblem::NoSuchPath),
                    _ => DataError::Io { path: path.clone(), action: "read", cause },
                })?;
                if kind.is_dir() {
                    Self::of_folder(&path, options)
                } else if has_image_suffix(&path) {
                    Self::of_pictures(vec![path], options)
                } else if path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("npy")) {
                    Self::of_matrix(&path, options)
                } else {
                    Self::of_table(&path, open_ordinary(&path)?, options)
                }
            }
        }
    }

    /// Names of the key columns.
    pub fn keys(&self) -> &KeyColumns {
        &self.keys
    }

    /// What the user should be told, a line each: columns that are ignored, for instance.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many rows there are, where that is known beforehand.
    pub fn expected(&self) -> Option<u64> {
        self.expected
    }

    /// The next rows; None after the last. After an error there are no more.
    pub fn next_chunk(&mut self) -> Result<Option<Chunk>, DataError> {
        let Some(mut block) = self.rows.next_block(self.chunk_rows)? else {
            self.features.as_ref().map_or(Ok(()), |matrix| matrix.check_end(self.done))?;
            return Ok(None);
        };
        if let Some(matrix) = &mut self.features {
            matrix.fill(self.done, &mut block)?;
        }
        let inputs = match (&self.inputs, &mut self.pictures) {
            (WantedInputs::Images { shape, .. }, Some(pictures)) => {
                Inputs::Images(Images::new(*shape, Pixels::Memory(pictures.decode(&mut block)?)))
            }
            (WantedInputs::Features(names), _) => {
                Inputs::Features(Features { names: names.clone(), values: std::mem::take(&mut block.values) })
            }
            (WantedInputs::Images { .. }, None) => return Ok(None),
        };
        let first = self.done + 1;
        self.done += block.rows as u64;
        Ok(Some(Chunk::new(first, block, inputs, &self.keys)))
    }

    fn of_table(path: &Path, file: std::fs::File, options: &StreamOptions) -> Result<Self, DataError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        match rows::open_binary(path, file)? {
            rows::Opened::Binary(rows) => {
                let plan = Plan::of(path, rows.columns(), options)?;
                let rows = text::OtherRows { rows, plan: plan.clone() };
                Self::of_rows(Box::new(rows), &plan, path, folder, options)
            }
            rows::Opened::Text(file) => Self::of_text(path, folder, Box::new(file), options),
        }
    }

    fn of_text(
        path: &Path,
        folder: &Path,
        source: Box<dyn Read + Send>,
        options: &StreamOptions,
    ) -> Result<Self, DataError> {
        let (rows, plan) = TextRows::open(path, source, options)?;
        Self::of_rows(Box::new(rows), &plan, path, folder, options)
    }

    /// Of a table, whatever its form. Pictures are relative to the folder.
    fn of_rows(
        rows: Box<dyn BlockRows>,
        plan: &Plan,
        path: &Path,
        folder: &Path,
        options: &StreamOptions,
    ) -> Result<Self, DataError> {
        let mut stream = Self::new(rows, options);
        stream.keys = plan.keys();
        stream.notes.extend(plan.ignored_note());
        match (&options.inputs, &plan.taken, &options.features_file) {
            (WantedInputs::Features(names), Taken::Nothing, Some(matrix)) => {
                stream.take_matrix(MatrixRows::open(matrix, names, options)?);
            }
            (WantedInputs::Images { .. }, ..) => {
                let root = SourceFolder::new(folder, options.allow_outside)
                    .map_err(DataError::io(folder, "open"))?;
                stream.pictures = Some(PictureRows::new(path, folder, root, options));
            }
            _ => {}
        }
        Ok(stream)
    }

    fn of_folder(folder: &Path, options: &StreamOptions) -> Result<Self, DataError> {
        let tables = ["metadata.csv", "metadata.parquet"].map(|name| folder.join(name));
        if let Some(table) = tables.into_iter().find(|file| file.is_file()) {
            return Self::of_table(&table, open_in(folder, &table, options.allow_outside)?, options);
        }
        refuse_table_options(folder, options, "the folder has no metadata.csv, so it has no columns")?;
        let (files, other) = pictures_of(folder, options.allow_outside)?;
        let root = SourceFolder::new(folder, options.allow_outside).map_err(DataError::io(folder, "open"))?;
        let mut stream = Self::of_files(folder, folder, root, files, options)?;
        if other > 0 {
            stream.notes.push(format!("passed over {other} files that are not images by their suffix"));
        }
        Ok(stream)
    }

    /// Files that the user named may lie anywhere.
    fn of_pictures(files: Vec<PathBuf>, options: &StreamOptions) -> Result<Self, DataError> {
        let first = files.first().map_or(Path::new(""), PathBuf::as_path).to_path_buf();
        refuse_table_options(&first, options, "pictures have no columns")?;
        if let Some(missing) = files.iter().find(|file| !file.exists()) {
            return Err(Place::file(missing).table(TableProblem::NoSuchPath));
        }
        let here = Path::new("");
        let root = SourceFolder::new(here, true).map_err(DataError::io(here, "open"))?;
        Self::of_files(&first, here, root, files, options)
    }

    fn of_files(
        name: &Path,
        folder: &Path,
        root: SourceFolder,
        files: Vec<PathBuf>,
        options: &StreamOptions,
    ) -> Result<Self, DataError> {
        let WantedInputs::Images { .. } = options.inputs else {
            return Err(
                Place::file(name).table(TableProblem::OtherInputs { found: "images", wanted: "features" })
            );
        };
        let expected = files.len() as u64;
        let rows = pictures::Listed::new(folder, files);
        let mut stream = Self::new(Box::new(rows), options);
        stream.keys.file = Some("filename".into());
        stream.expected = Some(expected);
        stream.pictures = Some(PictureRows::new(name, folder, root, options));
        Ok(stream)
    }

    fn of_matrix(path: &Path, options: &StreamOptions) -> Result<Self, DataError> {
        refuse_table_options(path, options, "a matrix alone has no columns of other kinds")?;
        let WantedInputs::Features(names) = &options.inputs else {
            return Err(
                Place::file(path).table(TableProblem::OtherInputs { found: "features", wanted: "images" })
            );
        };
        let matrix = MatrixRows::open(path, names, options)?;
        let mut stream = Self::new(Box::new(matrix::Numbered::new(matrix.rows())), options);
        stream.expected = Some(matrix.rows());
        stream.take_matrix(matrix);
        Ok(stream)
    }

    fn take_matrix(&mut self, matrix: MatrixRows) {
        self.notes.extend(matrix.note());
        self.features = Some(matrix);
    }

    fn new(rows: Box<dyn BlockRows>, options: &StreamOptions) -> Self {
        let bytes = match &options.inputs {
            WantedInputs::Features(names) => 4 * names.len(),
            WantedInputs::Images { shape, .. } => shape.len(),
        };
        // A network takes no more pictures at once.
        const MOST_PICTURES: usize = 250;
        let most = if let WantedInputs::Images { .. } = options.inputs { MOST_PICTURES } else { usize::MAX };
        Self {
            rows,
            keys: KeyColumns::default(),
            notes: Vec::new(),
            inputs: options.inputs.clone(),
            features: None,
            pictures: None,
            chunk_rows: options.rows_of(bytes).min(most),
            done: 0,
            expected: None,
        }
    }
}

/// A table whose name is that of a pipe or a device may have been meant to come from there.
fn open_ordinary(path: &Path) -> Result<std::fs::File, DataError> {
    open(path).map_err(|error| match error {
        DataError::Table { place, problem: TableProblem::Malformed(reason) } => {
            place.table(TableProblem::NotAFile(reason))
        }
        error => error,
    })
}

/// Fields that speak of columns mean nothing where there are none.
fn refuse_table_options(path: &Path, options: &StreamOptions, reason: &'static str) -> Result<(), DataError> {
    let given = [
        (options.group_column.is_some(), "group_column"),
        (options.filename_column.is_some(), "filename_column"),
        (options.features_file.is_some(), "features_file"),
    ];
    match given.iter().find(|(given, _)| *given) {
        Some((_, field)) => Err(Place::file(path).table(TableProblem::NoEffect { field, reason })),
        None => Ok(()),
    }
}
