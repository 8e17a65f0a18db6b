//! What can be wrong with the data or the settings of a linear fit.

use std::path::PathBuf;

use corevar_data::Tip;

use crate::range::ConfigError;

/// Why a linear model was not fitted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinearError {
    /// A setting out of its range.
    #[error(transparent)]
    Setting(#[from] ConfigError),
    /// Two inputs that should have one entry per row differ.
    #[error("{what} has {found} entries for {rows} rows")]
    Length {
        /// Which input.
        what: &'static str,
        /// Its entries.
        found: usize,
        /// Rows of the matrix.
        rows: usize,
    },
    /// No row, or no column.
    #[error("a matrix of {rows} rows and {columns} columns has nothing to fit")]
    Empty {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A feature that is NaN or infinite.
    #[error("row {row}, column {column}: the feature is {value}")]
    Feature {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// NaN or an infinity.
        value: f64,
    },
    /// A label that is NaN, infinite or not a class.
    #[error("row {row}: the label is {value}, but must be {range}")]
    Label {
        /// Row, from 0.
        row: usize,
        /// What it was.
        value: f64,
        /// What it may be.
        range: String,
    },
    /// A sample weight that is negative, NaN or infinite, or all of them zero (`row` is then `None`).
    #[error("sample weights must be finite, not negative and not all zero; {}", weight_at(*row, *value))]
    Weight {
        /// Row, from 0.
        row: Option<usize>,
        /// What it was.
        value: f64,
    },
    /// A class without a row, whose intercept would go to -∞.
    #[error("class {class} of {classes} has no row (of positive weight)")]
    EmptyClass {
        /// That class, from 0.
        class: usize,
        /// Number of classes.
        classes: usize,
    },
    /// Fewer than two classes.
    #[error("a classifier needs two classes or more, not {classes}")]
    TooFewClasses {
        /// Number of classes.
        classes: usize,
    },
    /// A penalty given the label, for a regression without bins.
    #[error("a penalty given the label of a regression needs the bins of the labels")]
    NoBins,
    /// Without ridge the minimum is not unique.
    #[error("{columns} free columns for {rows} rows: without ridge the fit is not unique")]
    NotUnique {
        /// Rows with a positive weight.
        rows: usize,
        /// Directions that the fit may use.
        columns: usize,
    },
    /// Without ridge there is no finite minimum.
    #[error("the classes can be separated, so that without ridge the weights grow without bound")]
    Separable,
    /// λ = ∞ and the groups vary in every direction.
    #[error(
        "no direction is left at penalty weight inf: the groups vary in all {rank} directions of the features"
    )]
    NoDirectionLeft {
        /// Rank of the within-group differences.
        rank: usize,
    },
    /// A matrix factorisation did not succeed.
    #[error("{what} did not succeed: the features may be of extreme scale")]
    Factorisation {
        /// Which one.
        what: &'static str,
    },
    /// Somebody asked for it; nothing of the fit is kept.
    #[error("interrupted in the linear fit")]
    Interrupted,
    /// A row of a data set that cannot be read.
    #[error(transparent)]
    Data(#[from] corevar_data::DataError),
    /// A matrix file that cannot be read.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        problem: String,
    },
}

impl Tip for LinearError {
    fn tip(&self) -> Option<String> {
        let tip = match self {
            Self::Setting(cause) => return cause.tip(),
            Self::Data(cause) => return cause.tip(),
            Self::Feature { .. } => "remove the row or fill the value in",
            Self::EmptyClass { .. } => "leave the class out",
            Self::NotUnique { .. } | Self::Separable => {
                "set the field `ridge` to a small number, such as 1e-3"
            }
            Self::NoDirectionLeft { .. } => {
                "set the field `style_rank` to 95% (the share of the variance inside groups that counts as style) or to a \
                 number of directions, or set the field `penalty_weight` to a finite number"
            }
            Self::Factorisation { .. } => "set the field `standardise`",
            Self::Length { .. }
            | Self::Empty { .. }
            | Self::Label { .. }
            | Self::Weight { .. }
            | Self::TooFewClasses { .. }
            | Self::NoBins
            | Self::Interrupted
            | Self::File { .. } => return None,
        };
        Some(tip.into())
    }
}

fn weight_at(row: Option<usize>, value: f64) -> String {
    match row {
        Some(row) => format!("row {row} has {value}"),
        None => "all are zero".to_owned(),
    }
}
