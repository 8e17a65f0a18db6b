//! Decision boundaries of data in the plane: what each model says on a grid, and some rows to lay over it.

use corevar_data::{DataError, Dataset, Features, Inputs, Labels, SplitName};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::Subject;
use super::answers::Answers;
use crate::certificate::quantile;
use crate::model::ModelError;
use crate::rows::Rows;

/// Cells of the grid.
const COLUMNS: usize = 96;
const ROWS: usize = 72;
/// Rows that are laid over it.
const MOST_POINTS: usize = 400;
/// So many of them in groups, so that single rows are seen as well.
const MOST_GROUPED: usize = 80;
/// Rows of a test.
const MOST_HELD_OUT: usize = 150;
/// Share of the rows at either end that may lie outside: one stray row must not press all others together.
const OUTSIDE: f64 = 0.001;

/// The plane of two features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plane {
    /// Names of the features: across, and up.
    pub features: [String; 2],
    /// Cells across.
    pub columns: usize,
    /// Cells up.
    pub rows: usize,
    /// From the left to the right edge.
    pub across: [f64; 2],
    /// From the lower to the upper edge.
    pub up: [f64; 2],
    /// One per model, in the order of the models.
    pub maps: Vec<Map>,
    /// Some rows of training; groups are whole.
    pub points: Vec<Point>,
    /// Some rows of the test on which CoRe gains most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<SplitPoints>,
}

/// What a model says in each cell, row by row from below, from the left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Map {
    /// Place in the list of models.
    pub model: usize,
    /// Predicted class.
    pub classes: Vec<u32>,
    /// Its probability in thousandths.
    pub confidence: Vec<u16>,
}

/// Rows of one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SplitPoints {
    /// Which.
    pub split: String,
    /// Some of its rows.
    pub points: Vec<Point>,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Across.
    pub x: f64,
    /// Up.
    pub y: f64,
    /// Its class.
    pub class: u32,
    /// Equal numbers, same group. None for a row of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<usize>,
}

/// None unless the data are classes by two features. `held_out` names a split whose rows are shown as well.
pub(super) fn plane(
    dataset: &Dataset,
    subjects: &[Subject<'_>],
    held_out: Option<&str>,
    seed: u64,
) -> Result<Option<Plane>, ModelError> {
    let (Inputs::Features(features), Labels::Classes { names, .. }) = (dataset.inputs(), dataset.labels())
    else {
        return Ok(None);
    };
    let [first, second] = features.names.as_slice() else { return Ok(None) };
    let (Some(across), Some(up)) = (range(features, 0), range(features, 1)) else { return Ok(None) };
    let grid = grid(features, names, across, up)?;
    let map = |(model, subject): (usize, &Subject<'_>)| map(model, subject, &grid);
    let inside =
        |point: &Point| (across[0]..=across[1]).contains(&point.x) && (up[0]..=up[1]).contains(&point.y);
    let points = |split: &str, most: usize| {
        let mut points = points(dataset, features, split, most, seed);
        points.retain(inside);
        points
    };
    Ok(Some(Plane {
        features: [first.clone(), second.clone()],
        columns: COLUMNS,
        rows: ROWS,
        across,
        up,
        maps: subjects.iter().enumerate().map(map).collect::<Result<_, _>>()?,
        points: points(SplitName::TRAIN, MOST_POINTS),
        held_out: held_out
            .map(|split| SplitPoints { split: split.into(), points: points(split, MOST_HELD_OUT) }),
    }))
}

/// Of one feature over all rows, with room at the edges. None when it does not vary.
fn range(features: &Features, column: usize) -> Option<[f64; 2]> {
    let mut values: Vec<f64> =
        features.values.iter().skip(column).step_by(2).map(|value| f64::from(*value)).collect();
    values.retain(|value| value.is_finite());
    values.sort_unstable_by(f64::total_cmp);
    if values.is_empty() {
        return None;
    }
    let (low, high) = (quantile(&values, OUTSIDE), quantile(&values, 1.0 - OUTSIDE));
    let room = 0.05 * (high - low);
    (high > low).then_some([low - room, high + room])
}

/// The middles of the cells as data that a model can be asked about.
fn grid(
    features: &Features,
    classes: &[String],
    across: [f64; 2],
    up: [f64; 2],
) -> Result<Dataset, DataError> {
    let middle = |[from, to]: [f64; 2], cell: usize, cells: usize| {
        (from + (to - from) * (cell as f64 + 0.5) / cells as f64) as f32
    };
    let cells = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    let values = cells.flat_map(|(column, row)| [middle(across, column, COLUMNS), middle(up, row, ROWS)]);
    let labels = Labels::Classes { names: classes.to_vec(), of_row: vec![0; COLUMNS * ROWS] };
    Dataset::features(features.names.iter(), values.collect()).name("grid").labels(labels).check()
}

fn map(model: usize, subject: &Subject<'_>, grid: &Dataset) -> Result<Map, ModelError> {
    let cells: Vec<usize> = (0..grid.len()).collect();
    let rows = Rows::new(grid, &cells, 1);
    let outputs = subject.model.outputs(&rows)?;
    let answers = Answers::new(&outputs, &rows);
    let thousandths =
        |(cell, class): (usize, &u32)| (1000.0 * answers.probability(cell, *class)).round() as u16;
    let confidence = answers.predicted().iter().enumerate().map(thousandths).collect();
    Ok(Map { model, classes: answers.predicted().to_vec(), confidence })
}

/// Groups first, whole, then single rows, both drawn at random.
fn points(dataset: &Dataset, features: &Features, split: &str, most: usize, seed: u64) -> Vec<Point> {
    let rows = Rows::new(dataset, dataset.split(split).unwrap_or_default(), 1);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut single, mut larger): (Vec<&[usize]>, Vec<&[usize]>) =
        rows.groups.iter().partition(|group| group.len() == 1);
    larger.shuffle(&mut rng);
    single.shuffle(&mut rng);
    let mut kept: Vec<&[usize]> = Vec::new();
    let mut count = 0;
    for group in larger {
        if count + group.len() <= most.min(MOST_GROUPED) {
            count += group.len();
            kept.push(group);
        }
    }
    kept.extend(single.into_iter().take(most - count));
    let point = |(number, &position): (usize, &usize), is_grouped: bool| {
        let row = rows.row(position);
        let [x, y] = [0, 1].map(|column| f64::from(features.values[2 * row + column]));
        Point { x, y, class: rows.labels[position], group: is_grouped.then_some(number) }
    };
    let of_group = |(number, group): (usize, &&[usize])| {
        let is_grouped = group.len() > 1;
        group.iter().map(|position| point((number, position), is_grouped)).collect::<Vec<_>>()
    };
    kept.iter().enumerate().flat_map(of_group).collect()
}
