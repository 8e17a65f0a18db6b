//! What can be wrong with a table.

use crate::Tip;
use crate::names::nearest;

/// A fault in a table or in a folder `split/class/image`. The place is in [`crate::DataError::Table`].
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TableProblem {
    /// Neither a file nor a folder.
    #[error("no such file or folder")]
    NoSuchPath,
    /// A folder that holds neither a table nor pictures in folders.
    #[error("the folder holds no metadata.csv and no pictures in folders split/class/image")]
    NoTable,
    /// No byte, or only a header.
    #[error("the table has no rows{}", if *header { " below its header" } else { ": the file is empty" })]
    Empty {
        /// There is a header.
        header: bool,
    },
    /// The file is not a table that can be read at all.
    #[error("cannot be read as a table: {0}")]
    Malformed(String),
    /// A pipe or a device where a file is asked for.
    #[error("cannot be read as a table: {0}")]
    NotAFile(String),
    /// A `.npy` file that cannot be used.
    #[error("cannot be read as a matrix of features: {0}")]
    NotAMatrix(String),
    /// A matrix that does not fit the table.
    #[error("the matrix has {matrix} rows, the table has {table}")]
    MatrixRows {
        /// Rows of the matrix.
        matrix: usize,
        /// Rows of the table.
        table: usize,
    },
    /// A table that goes on after the last row of its matrix.
    #[error("the matrix has {0} rows, the table has more")]
    MatrixTooShort(usize),
    /// A matrix that does not fit the model.
    #[error("the matrix has {matrix} columns, the model takes {wanted} features")]
    MatrixColumns {
        /// Columns of the matrix.
        matrix: usize,
        /// Features of the model.
        wanted: usize,
    },
    /// Data of another kind than the model was trained on.
    #[error("these are {found}, but the model takes {wanted}")]
    OtherInputs {
        /// What is there.
        found: &'static str,
        /// What the model takes.
        wanted: &'static str,
    },
    /// Text that is not UTF-8.
    #[error("the text is not valid UTF-8{}", in_column(column))]
    NotUtf8 {
        /// In which column, when known.
        column: Option<String>,
    },
    /// More or fewer fields than the header has columns.
    #[error("the row has {found} fields, the header has {expected}")]
    Ragged {
        /// Columns of the header.
        expected: u64,
        /// Fields of this row.
        found: u64,
    },
    /// Two columns of one name.
    #[error("there are two columns named `{0}`")]
    DuplicateColumn(String),
    /// A header without a name for a column.
    #[error("column {0} has no name")]
    UnnamedColumn(usize),
    /// A column that is needed or was asked for.
    #[error("there is no column `{wanted}`; the columns are {}", list(present))]
    MissingColumn {
        /// The name looked for.
        wanted: String,
        /// The field of [`crate::TableOptions`] that names another.
        field: &'static str,
        /// The columns that are there.
        present: Vec<String>,
    },
    /// One column in two roles.
    #[error("column `{column}` is taken as the {first} and cannot be the {second} too")]
    TwoRoles {
        /// The column.
        column: String,
        /// Its first role.
        first: &'static str,
        /// Its second role.
        second: &'static str,
    },
    /// Nothing a model could see.
    #[error(
        "there is no image column and no feature column; the columns that hold numbers are {}",
        list(numeric)
    )]
    NoInputs {
        /// Columns that could be features.
        numeric: Vec<String>,
    },
    /// Features that a model takes.
    #[error("the model takes features that are not there: {}; there are {}", list(missing), list(present))]
    MissingFeatures {
        /// What the model takes.
        missing: Vec<String>,
        /// The columns that are there.
        present: Vec<String>,
    },
    /// A pattern of [`crate::TableOptions::features`] that fits nothing.
    #[error(
        "no column fits the pattern `{pattern}` of the field `features`; the columns are {}",
        list(present)
    )]
    NoFeature {
        /// The pattern.
        pattern: String,
        /// Columns that could be features.
        present: Vec<String>,
    },
    /// An option that has no effect on these data.
    #[error("the field `{field}` has no effect: {reason}")]
    NoEffect {
        /// The field of [`crate::TableOptions`].
        field: &'static str,
        /// Why not.
        reason: &'static str,
    },
    /// A cell that must hold something.
    #[error("the {role} is empty in column `{column}`")]
    EmptyCell {
        /// Label, image or split.
        role: &'static str,
        /// Which column.
        column: String,
    },
    /// A cell that must hold a number.
    #[error("`{text}` in column `{column}` is not a number")]
    NotANumber {
        /// Which column.
        column: String,
        /// What is there.
        text: String,
    },
    /// A date where a number is needed.
    #[error("`{text}` in column `{column}` is a date, not a number")]
    IsDate {
        /// Which column.
        column: String,
        /// What is there.
        text: String,
    },
    /// A number with a comma for its point.
    #[error("`{text}` in column `{column}` has a decimal comma")]
    DecimalComma {
        /// Which column.
        column: String,
        /// What is there.
        text: String,
    },
    /// Numbers that are not there, and nothing says what is to be done.
    #[error("a number is missing in {lacking} of {rows} rows: {text}")]
    MissingNumbers {
        /// Columns that lack some, and how many.
        columns: Vec<(String, usize)>,
        /// The same as text.
        text: String,
        /// Rows that lack any.
        lacking: usize,
        /// All rows.
        rows: usize,
    },
    /// A column that no median can be taken of.
    #[error("column `{column}` holds no number in the training rows")]
    NoNumber {
        /// Which column.
        column: String,
    },
    /// A file of another format, known by its first bytes.
    #[error("this is {found}, not a table as text or Parquet")]
    OtherFormat {
        /// The format.
        found: &'static str,
        /// What to do.
        tip: &'static str,
    },
    /// NaN, an infinity or a number beyond single precision.
    #[error("`{text}` in column `{column}` is not a finite number")]
    NotFinite {
        /// Which column.
        column: String,
        /// What is there.
        text: String,
    },
    /// A split given by a number other than 0, 1, 2.
    #[error("`{text}` in column `{column}` is not a split: 0, 1, 2 mean train, val, test")]
    UnknownSplit {
        /// Which column.
        column: String,
        /// What is there.
        text: String,
    },
    /// No row to train on.
    #[error("no row is in the split `train`; the splits are {}", list(splits))]
    EmptyTrain {
        /// The splits that are there.
        splits: Vec<String>,
    },
    /// Nothing to tell apart.
    #[error("every row of the split `train` has the label `{class}`")]
    OneClass {
        /// The one label.
        class: String,
    },
    /// A label outside the training rows, or outside the model's classes.
    #[error("label `{label}` of split `{split}` was never seen in training; known are {}", list(known))]
    UnseenLabel {
        /// The label.
        label: String,
        /// Where it is.
        split: String,
        /// The labels of the training rows.
        known: Vec<String>,
    },
    /// A path that leads out of the folder of the table.
    #[error("image `{image}` lies outside the folder of the table")]
    Outside {
        /// The path as written.
        image: String,
    },
    /// A link out of the folder that was named.
    #[error("`{name}` is a link that leads out of the folder")]
    LinkOut {
        /// The link, relative to the folder.
        name: String,
    },
    /// A name of a picture that no system takes.
    #[error("the image name has {0} bytes")]
    LongName(usize),
    /// A folder without a picture.
    #[error("the folder holds no metadata.csv and no images")]
    NoPictures,
    /// A picture below more folders than are looked into.
    #[error("`{image}` lies more than two folders deep")]
    TooDeep {
        /// The picture, relative to the folder.
        image: String,
    },
    /// Pictures that are not two folders deep.
    #[error("`{image}` does not lie in a folder split/class or class")]
    WrongDepth {
        /// The picture, relative to the folder.
        image: String,
    },
}

impl Tip for TableProblem {
    fn tip(&self) -> Option<String> {
        let tip = match self {
            TableProblem::MissingColumn { wanted, field, present } => match nearest(wanted, present) {
                Some(name) => format!("did you mean `{name}`? set the field `{field}` to {name}"),
                None => format!("name the column in the field `{field}`"),
            },
            TableProblem::NoInputs { numeric } => match numeric.is_empty() {
                false => format!("set the field `features` to '{}'", patterns(numeric)),
                true => {
                    "name the image column in the field `filename_column`, or a .npy matrix in the field `features_file`".into()
                }
            },
            TableProblem::NoFeature { pattern, present } => match nearest(pattern, present) {
                Some(name) => format!("did you mean `{name}`?"),
                None => {
                    "a pattern is a name, or a part of it with `*`; several are separated by commas".into()
                }
            },
            TableProblem::MissingFeatures { missing, present } => {
                match missing.first().and_then(|name| nearest(name, present)) {
                    Some(name) => format!("did you mean `{name}`? name the columns as they were in training"),
                    None => "name the columns as they were in training".into(),
                }
            }
            TableProblem::UnseenLabel { label, known, .. } => match nearest(label, known) {
                Some(name) => format!("did you mean `{name}`? mend the label, or move such rows to train"),
                None if label.parse::<f64>().is_ok() && known.iter().all(|name| name.parse::<f64>().is_ok()) => {
                    "set the field `task` to regression if the labels are measurements; else remove such rows, or train with them".into()
                }
                None => "remove rows of this label, or train a model that has seen it".into(),
            },
            TableProblem::OtherFormat { tip, .. } => (*tip).into(),
            TableProblem::EmptyTrain { splits } => match nearest("train", splits) {
                Some(name) => format!("call the split `{name}` `train`"),
                None => "mark the rows to learn from with `train` in the split column".into(),
            },
            _ => return self.fixed_tip().map(str::to_string),
        };
        Some(tip)
    }
}

impl TableProblem {
    fn fixed_tip(&self) -> Option<&'static str> {
        Some(match self {
            TableProblem::NoSuchPath => {
                "pass a metadata.csv, a folder that contains one, or a folder split/class/image"
            }
            TableProblem::NoTable => {
                "put a metadata.csv with the columns filename,y,group_id,split beside the pictures"
            }
            TableProblem::Empty { .. } => "the first line names the columns, each further line is a row",
            TableProblem::Malformed(_) => "save the table again as comma-separated text (.csv) or as Parquet",
            TableProblem::NotAFile(_) => "name a file; a table from a pipe is read from stdin, by the name -",
            TableProblem::NotAMatrix(_) => {
                "write it with numpy.save(file, x.astype('float32')), x of rows x columns"
            }
            TableProblem::MatrixRows { .. } | TableProblem::MatrixTooShort(_) => {
                "row i of the matrix belongs to row i of the table, header not counted"
            }
            TableProblem::MatrixColumns { .. } => {
                "give the features that the model was trained on, in their order"
            }
            TableProblem::OtherInputs { .. } => "give data like those that the model was trained on",
            TableProblem::NoPictures => "name a table, or a folder with images",
            TableProblem::TooDeep { .. } => "name the folder that it lies in, or write a metadata.csv",
            TableProblem::NotUtf8 { .. } => "save the table as UTF-8",
            TableProblem::Ragged { .. } => "put quotes around fields that contain commas",
            TableProblem::DuplicateColumn(_) => "rename or remove one of them",
            TableProblem::UnnamedColumn(_) => "give every column a name in the first line",
            TableProblem::TwoRoles { .. } => "name another column for one of them",
            TableProblem::NoEffect { .. } => "leave it out",
            TableProblem::EmptyCell { .. } => "fill it in, or remove the row",
            TableProblem::NotANumber { .. } => {
                "mend the cell, or leave the column out of the field `features`"
            }
            TableProblem::IsDate { .. } => {
                "turn it into a number, such as days since the first; or leave the column out of the field `features`"
            }
            TableProblem::DecimalComma { .. } => "save the table with points in its numbers",
            TableProblem::MissingNumbers { lacking, rows, .. } if lacking == rows => {
                "set the field `missing` to median, or leave columns with gaps out of the field `features`"
            }
            TableProblem::MissingNumbers { .. } => {
                "set the field `missing` to drop (leaves such rows out) or median (fills them in)"
            }
            TableProblem::NoNumber { .. } => "leave the column out of the field `features`",
            TableProblem::NotFinite { .. } => "replace it by a number, or remove the row",
            TableProblem::UnknownSplit { .. } => "write a name such as test2 instead of a number",
            TableProblem::OneClass { .. } => "put rows of another label into the split `train`",
            TableProblem::Outside { .. } => "move it into the folder, or set the field `allow_outside`",
            TableProblem::LinkOut { .. } => {
                "put the file itself into the folder, or set the field `allow_outside`"
            }
            TableProblem::LongName(_) => "mend the cell: it must hold a path relative to the table",
            TableProblem::WrongDepth { .. } => {
                "sort the pictures into split/class/image, or write a metadata.csv"
            }
            _ => return None,
        })
    }
}

/// `size1` -> `size*`: the pattern that fits the likely siblings of a column.
/// All columns, numbered ones by their stem.
fn patterns(columns: &[String]) -> String {
    let mut patterns: Vec<String> = columns.iter().map(|column| stem_pattern(column)).collect();
    patterns.dedup();
    patterns.join(",")
}

fn stem_pattern(column: &str) -> String {
    let stem = column.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.is_empty() || stem.len() == column.len() { column.into() } else { format!("{stem}*") }
}

fn in_column(column: &Option<String>) -> String {
    column.as_ref().map_or(String::new(), |name| format!(" in column `{name}`"))
}

/// At most twelve names, so that a table of a thousand columns gives a message of one line.
pub(crate) fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    if names.is_empty() {
        return "none".into();
    }
    let mut text = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}
