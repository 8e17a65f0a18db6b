//! Every property that is looked at, and what it says about the label.

use std::path::Path;

use image::ImageReader;
use rayon::prelude::*;
use serde::Serialize;

use super::directions::{directions, dot};
use super::measure::Look;
use super::sample::Sample;
use super::score::{Variance, best, variance_in_classes, within_ids};
use super::vectors::Vectors;
use crate::{DataError, Dataset, Features, Images, Inputs, Labels, ReadReport};

/// Directions inside groups that are looked at.
const DIRECTIONS: usize = 3;
/// Feature columns that are kept: those that predict best.
const COLUMNS: usize = 10;
/// A score from here on is worth a word.
const WORTH: f64 = 0.6;
/// A property with at least this share of its variance inside groups counts as varying there.
const VARIES: f64 = 0.1;

/// What a property is a property of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// The picture as the model sees it.
    Picture,
    /// The file before it was resized.
    File,
    /// A column of the features.
    Feature,
    /// The small grey picture, or the features, along a direction in which rows of a group differ most.
    Direction,
}

/// One number a row, and what it says about the label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Property {
    /// `brightness`, a column, or `direction 1`.
    pub name: String,
    /// Where it comes from.
    pub kind: Kind,
    /// How well it predicts the label alone: the area under the ROC curve, 0.5 for chance and 1 for always; of several
    /// classes the one that is told best from the rest, of numbers the upper half from the lower.
    pub score: f64,
    /// The class that is told best.
    pub class: String,
    /// The score is worth a word and more than chance may bring.
    pub predicts: bool,
    /// The same area for rows of one id with different labels; `None` without such rows.
    pub within_ids: Option<f64>,
    /// Share of its variance among grouped rows of the same label that lies inside groups; `None` without groups.
    pub inside_groups: Option<f64>,
}

impl Property {
    /// What CoRe removes: it predicts the label and varies inside groups.
    pub fn is_removable(&self) -> bool {
        self.predicts && self.inside_groups.is_some_and(|share| share >= VARIES)
    }
}

/// All properties, the best predictor first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Properties {
    /// Rows that were measured, of how many.
    pub measured_rows: usize,
    /// Rows that are studied.
    pub rows: usize,
    /// Of all inputs together, the share of the variance among grouped rows of the same label that lies inside groups.
    pub inputs_inside_groups: Option<f64>,
    /// The properties; one that is the same for every row is left out.
    pub list: Vec<Property>,
}

/// A property before it is judged.
struct Column {
    name: String,
    kind: Kind,
    values: Vec<f64>,
}

/// Measures the rows of the sample.
pub(super) fn study(
    dataset: &Dataset,
    report: Option<&ReadReport>,
    sample: &Sample,
) -> Result<Properties, DataError> {
    let judge = Judge::new(dataset.labels(), sample);
    let (mut list, vectors) = match dataset.inputs() {
        Inputs::Images(images) => {
            let looks = looks(images, &sample.rows)?;
            let columns = look_columns(&looks).into_iter().chain(file_columns(report, dataset.len(), sample));
            let list: Vec<Property> = columns.filter_map(|column| judge.judge(column)).collect();
            let width = looks.first().map_or(0, |look| look.thumbnail.len());
            (list, Vectors::new(width, move |row, column| looks[row].thumbnail[column]))
        }
        Inputs::Features(features) => (judge.features(features), scaled(features, sample)),
    };
    for (number, direction) in directions(&vectors, &sample.grouped, DIRECTIONS).iter().enumerate() {
        let along = |row| dot(&vectors.row(row), direction);
        let values = (0..sample.rows.len()).into_par_iter().map(along).collect();
        let name = format!("direction {}", number + 1);
        list.extend(judge.judge(Column { name, kind: Kind::Direction, values }));
    }
    list.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(Properties {
        measured_rows: sample.scored.len(),
        rows: sample.studied.len(),
        inputs_inside_groups: judge.inside_groups(&vectors),
        list,
    })
}

fn looks(images: &Images, rows: &[usize]) -> Result<Vec<Look>, DataError> {
    let look = |row: &usize| {
        let mut pixels = vec![0; images.shape.len()];
        images.read_bytes(*row, &mut pixels)?;
        Ok(Look::of(images.shape, &pixels))
    };
    rows.par_iter().map(look).collect()
}

fn look_columns(looks: &[Look]) -> Vec<Column> {
    let column = |name: &str, value: fn(&Look) -> f64| Column {
        name: name.into(),
        kind: Kind::Picture,
        values: looks.iter().map(value).collect(),
    };
    vec![
        column("brightness", |look| look.brightness),
        column("contrast", |look| look.contrast),
        column("colourfulness", |look| look.colourfulness),
        column("sharpness", |look| look.sharpness),
    ]
}

/// Pixels and bytes a pixel of the files, if every one is known and there.
fn file_columns(report: Option<&ReadReport>, rows: usize, sample: &Sample) -> Vec<Column> {
    let Some(report) = report.filter(|report| report.files.len() == rows) else { return Vec::new() };
    let sizes: Option<Vec<(f64, f64)>> =
        sample.rows.par_iter().map(|row| size_and_bytes(&report.files[*row])).collect();
    let Some(sizes) = sizes else { return Vec::new() };
    let column = |name: &str, value: fn(&(f64, f64)) -> f64| Column {
        name: name.into(),
        kind: Kind::File,
        values: sizes.iter().map(value).collect(),
    };
    vec![
        column("original size", |(pixels, _)| *pixels),
        column("bytes a pixel", |(pixels, bytes)| bytes / pixels.max(1.0)),
    ]
}

/// Pixels by the header, and bytes of the file.
fn size_and_bytes(path: &Path) -> Option<(f64, f64)> {
    let bytes = std::fs::metadata(path).ok()?.len();
    let (width, height) = ImageReader::open(path).ok()?.with_guessed_format().ok()?.into_dimensions().ok()?;
    Some((f64::from(width) * f64::from(height), bytes as f64))
}

/// Features over their deviation among rows of the same label, so that no unit of measurement outweighs the others.
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

/// What is to be predicted, and for which rows.
struct Judge<'a> {
    sample: &'a Sample,
    names: Vec<String>,
    /// Class of each measured row; of numbers the lower or the upper half.
    classes: Vec<u32>,
    scored_classes: Vec<u32>,
    scored_ids: Vec<Option<u32>>,
}

impl<'a> Judge<'a> {
    fn new(labels: &Labels, sample: &'a Sample) -> Judge<'a> {
        let (names, of_row) = super::classes(labels, 2);
        let classes: Vec<u32> = sample.rows.iter().map(|row| of_row[*row]).collect();
        Judge {
            names,
            scored_classes: sample.scored.iter().map(|place| classes[*place]).collect(),
            scored_ids: sample.scored.iter().map(|place| sample.ids[*place]).collect(),
            classes,
            sample,
        }
    }

    /// `None` for a constant, and where there is nothing to tell apart.
    fn judge(&self, Column { name, kind, values }: Column) -> Option<Property> {
        let scored: Vec<f64> = self.sample.scored.iter().map(|place| values[*place]).collect();
        if scored.iter().all(|value| *value == scored[0]) {
            return None;
        }
        let best = best(&scored, &self.scored_classes)?;
        let mut variance = Variance::default();
        variance.add(&values, &self.sample.classes, &self.sample.grouped);
        // Groups that are known count whole here, beside the rows that were drawn one by one.
        let within = match self.sample.grouped.is_empty() {
            true => within_ids(&scored, &self.scored_classes, &self.scored_ids, &best),
            false => within_ids(&values, &self.classes, &self.sample.ids, &best),
        };
        Some(Property {
            name,
            kind,
            score: best.score,
            class: self.names[best.class as usize].clone(),
            predicts: best.score >= WORTH && best.score >= 0.5 + best.noise,
            within_ids: within,
            inside_groups: variance.share(),
        })
    }

    fn features(&self, features: &Features) -> Vec<Property> {
        let width = features.names.len();
        let column = |column: usize| Column {
            name: features.names[column].clone(),
            kind: Kind::Feature,
            values: self
                .sample
                .rows
                .iter()
                .map(|row| f64::from(features.values[row * width + column]))
                .collect(),
        };
        let mut list: Vec<Property> =
            (0..width).into_par_iter().filter_map(|place| self.judge(column(place))).collect();
        list.sort_by(|a, b| b.score.total_cmp(&a.score));
        list.truncate(COLUMNS);
        list
    }

    fn inside_groups(&self, vectors: &Vectors<'_>) -> Option<f64> {
        let mut variance = Variance::default();
        for column in 0..vectors.width {
            let values = vectors.column(column, self.sample.rows.len());
            variance.add(&values, &self.sample.classes, &self.sample.grouped);
        }
        variance.share()
    }
}
