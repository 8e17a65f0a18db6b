//! The numbers that are looked at, one column each: of pictures, of files, of features, along directions.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::Path;

use rayon::prelude::*;

use super::Kind;
use super::directions::directions;
use super::linear_algebra::dot;
use super::measure::Look;
use super::sample::Sample;
use super::score::variance_in_classes;
use super::vectors::Vectors;
use crate::{DataError, Dataset, Features, Images, Inputs, ReadReport, images};

/// Directions inside groups that are looked at.
const DIRECTIONS: usize = 3;

/// A number for each row of the sample.
pub(super) struct Column<'a> {
    pub(super) name: String,
    pub(super) kind: Kind,
    values: Values<'a>,
}

enum Values<'a> {
    Here(Vec<f64>),
    /// Copied when asked for: all features of all rows at once may not fit into memory.
    Feature {
        features: &'a Features,
        column: usize,
        rows: &'a [usize],
    },
}

impl Column<'_> {
    pub(super) fn values(&self) -> Cow<'_, [f64]> {
        match &self.values {
            Values::Here(values) => Cow::Borrowed(values),
            Values::Feature { features, column, rows } => {
                let width = features.names.len();
                rows.iter().map(|row| f64::from(features.values[row * width + column])).collect()
            }
        }
    }
}

/// All columns of the rows of the sample, and the rows as vectors: small grey pictures, or features.
pub(super) fn columns<'a>(
    dataset: &'a Dataset,
    report: Option<&ReadReport>,
    sample: &'a Sample,
    seed: u64,
) -> Result<(Vec<Column<'a>>, Vectors<'a>), DataError> {
    let (mut columns, vectors) = match dataset.inputs() {
        Inputs::Images(images) => {
            let looks = looks(images, &sample.rows)?;
            let mut columns = look_columns(&looks);
            columns.extend(file_columns(report, dataset.len(), sample)?);
            let width = looks.first().map_or(0, |look| look.thumbnail.len());
            (columns, Vectors::new(width, move |row, column| looks[row].thumbnail[column]))
        }
        Inputs::Features(features) => (feature_columns(features, sample), scaled(features, sample)),
    };
    for (number, direction) in directions(&vectors, &sample.grouped, DIRECTIONS, seed).iter().enumerate() {
        let along = |row| dot(&vectors.row(row), direction);
        let values = Values::Here((0..sample.rows.len()).into_par_iter().map(along).collect());
        columns.push(Column { name: format!("direction {}", number + 1), kind: Kind::Direction, values });
    }
    Ok((columns, vectors))
}

fn looks(images: &Images, rows: &[usize]) -> Result<Vec<Look>, DataError> {
    let look = |row: &usize| {
        let mut pixels = vec![0; images.shape.len()];
        images.read_bytes(*row, &mut pixels)?;
        Ok(Look::of(images.shape, &pixels))
    };
    rows.par_iter().map(look).collect()
}

fn look_columns<'a>(looks: &[Look]) -> Vec<Column<'a>> {
    let column = |name: &str, value: fn(&Look) -> f64| Column {
        name: name.into(),
        kind: Kind::Picture,
        values: Values::Here(looks.iter().map(value).collect()),
    };
    vec![
        column("brightness", |look| look.brightness),
        column("contrast", |look| look.contrast),
        column("colourfulness", |look| look.colourfulness),
        column("sharpness", |look| look.sharpness),
    ]
}

/// Pixels and bytes per pixel of the files, if every one is known and there.
fn file_columns<'a>(
    report: Option<&ReadReport>,
    rows: usize,
    sample: &Sample,
) -> Result<Vec<Column<'a>>, DataError> {
    let Some(report) = report.filter(|report| report.files.len() == rows) else { return Ok(Vec::new()) };
    let read = |row: &usize| size_and_bytes(&report.files[*row]);
    let sizes: Vec<Option<(f64, f64)>> = sample.rows.par_iter().map(read).collect::<Result<_, _>>()?;
    let Some(sizes) = sizes.into_iter().collect::<Option<Vec<(f64, f64)>>>() else { return Ok(Vec::new()) };
    let column = |name: &str, value: fn(&(f64, f64)) -> f64| Column {
        name: name.into(),
        kind: Kind::File,
        values: Values::Here(sizes.iter().map(value).collect()),
    };
    Ok(vec![
        column("original size", |(pixels, _)| *pixels),
        column("bytes per pixel", |(pixels, bytes)| bytes / pixels.max(1.0)),
    ])
}

/// Pixels by the header, and bytes of the file. None where there is no picture (any more): pixels may come from the cache. What the
/// disk refuses is an error, or a column would be missing by chance.
fn size_and_bytes(path: &Path) -> Result<Option<(f64, f64)>, DataError> {
    match images::pixels_and_bytes(path) {
        Ok((pixels, bytes)) => Ok(Some((pixels as f64, bytes as f64))),
        Err(cause) => match cause.kind() {
            ErrorKind::NotFound | ErrorKind::InvalidData | ErrorKind::UnexpectedEof => Ok(None),
            _ => Err(DataError::io(path, "read")(cause)),
        },
    }
}

fn feature_columns<'a>(features: &'a Features, sample: &'a Sample) -> Vec<Column<'a>> {
    let column = |(column, name): (usize, &String)| Column {
        name: name.clone(),
        kind: Kind::Feature,
        values: Values::Feature { features, column, rows: &sample.rows },
    };
    features.names.iter().enumerate().map(column).collect()
}

/// Features over their deviation among rows of the same label, so that no unit of measurement outweighs the others, and no column
/// counts less because the labels lie far apart in it.
fn scaled<'a>(features: &'a Features, sample: &'a Sample) -> Vectors<'a> {
    let width = features.names.len();
    let at = move |row: usize, column: usize| f64::from(features.values[sample.rows[row] * width + column]);
    let factor = |column: usize| {
        let values: Vec<f64> = (0..sample.rows.len()).map(|row| at(row, column)).collect();
        let variance = variance_in_classes(&values, &sample.classes);
        if variance > 0.0 { variance.sqrt().recip() } else { 0.0 }
    };
    let factors: Vec<f64> = (0..width).into_par_iter().map(factor).collect();
    Vectors::new(width, move |row, column| at(row, column) * factors[column])
}
