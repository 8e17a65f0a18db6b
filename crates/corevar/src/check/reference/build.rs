//! The statistics of the training rows, from a sample of them.

use corevar_data::Dataset;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::centres::{Centres, class_and_score};
use super::directions::{Directions, Spectrum, spectrum};
use super::numbers::Numbers;
use super::{DriftReference, MOST_DIRECTIONS, MOST_NUMBERS};
use crate::linear::dot;
use crate::model::{Model, ModelError};
use crate::rows::{Rows, Task};

/// Rows that means are taken of at most, and numbers in them.
const MOST_ROWS: usize = 2000;
const MOST_IN_MEMORY: usize = 1 << 22;

/// Where rows are wider than this, directions come from at most so many of them.
const WIDE: usize = 256;

/// Rows of one group that are looked at.
const ROWS_PER_GROUP: usize = 8;

/// The directions of style hold at least this share of the variance inside groups, where so many are kept.
const STYLE_SHARE: f64 = 0.8;

/// Directions in which groups vary less than this share of the strongest are no directions of style: their SDs are noise.
const WEAKEST: f64 = 0.01;

/// None where the rows are too wide, or not finite.
pub(super) fn drift_reference(model: &Model, data: &Dataset) -> Result<Option<DriftReference>, ModelError> {
    let train = model.rows(data, data.train());
    let Some(width) = width(model, &train)? else { return Ok(None) };
    let is_regression = *model.task() == Task::Regression;
    let classes = if is_regression { 1 } else { model.task().outputs() };
    let most = directions_within(width, classes + usize::from(is_regression));
    if most == 0 {
        return Ok(None);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let inside = Inside::of(model, &train, width, &mut rng)?;
    let style = spectrum(&inside.rows, width, inside.degrees.max(1.0), most)?;
    let (style_count, style_share) = leading(&style);
    let mut sample = Sample::of(model, data, &train, width, &mut rng)?;
    if !sample.values.iter().chain(&inside.rows).all(|value| value.is_finite()) {
        return Ok(None);
    }
    let centres = sample.centre(classes, is_regression);
    let row_sds = sample.take_out(&style.vectors[..style_count]);
    let rest = spectrum(sample.rows_for_directions(), width, sample.degrees(), most)?;
    let other_sds = sample.take_out(&rest.vectors);
    let (rest_sd, rest_directions) = remainder(&rest, sample.variance());
    let sds = |variances: &[f64]| variances.iter().map(|variance| variance.sqrt()).collect();
    let packed = |vectors: &[Vec<f64>]| vectors.iter().flatten().copied().collect::<Numbers>();
    let keeps = other_sds.iter().take_while(|sd| **sd > 0.0).count();
    Ok(Some(DriftReference {
        width,
        groups: inside.groups,
        centres,
        style: Directions {
            sds: sds(&style.variances[..style_count]),
            row_sds,
            vectors: packed(&style.vectors[..style_count]),
        },
        style_share,
        other: Directions {
            sds: other_sds[..keeps].to_vec(),
            row_sds: other_sds[..keeps].to_vec(),
            vectors: packed(&rest.vectors[..keeps]),
        },
        rest_sd,
        rest_directions,
    }))
}

/// Numbers that the last layer sees; None without rows.
fn width(model: &Model, rows: &Rows) -> Result<Option<usize>, ModelError> {
    let mut width = None;
    if !rows.is_empty() {
        model.for_each_hidden(rows, &[0], |_, row| width = Some(row.len()).filter(|width| *width > 0))?;
    }
    Ok(width)
}

/// Directions of each kind that fit the header beside so many means.
fn directions_within(width: usize, vectors: usize) -> usize {
    (MOST_NUMBERS / width).saturating_sub(vectors).div_euclid(2).min(MOST_DIRECTIONS)
}

/// How many directions of style there are, and their share of the variance.
fn leading(style: &Spectrum) -> (usize, f64) {
    let (mut count, mut held) = (0, 0.0);
    for variance in &style.variances {
        if held >= STYLE_SHARE * style.trace || *variance < WEAKEST * style.variances[0] {
            break;
        }
        held += variance;
        count += 1;
    }
    (count, if style.trace > 0.0 { (held / style.trace).min(1.0) } else { 0.0 })
}

/// SD per direction, and number of directions, of what `kept` leaves; `variance` is what is left by rows.
fn remainder(kept: &Spectrum, variance: f64) -> (f64, f64) {
    let squares = kept.squares - kept.variances.iter().map(|variance| variance * variance).sum::<f64>();
    let trace = kept.trace - kept.variances.iter().sum::<f64>();
    if variance <= 1e-9 * kept.trace || trace <= 1e-9 * kept.trace {
        return (0.0, 0.0);
    }
    // Where few rows leave nothing to estimate the squares from, all that is left is one direction for each.
    let directions = if squares > 0.0 {
        trace * trace / squares
    } else {
        trace / kept.variances.last().copied().unwrap_or(trace)
    };
    let directions = directions.max(1.0);
    ((variance / directions).sqrt(), directions)
}

/// Deviations of training rows from the mean of their group.
struct Inside {
    rows: Vec<f64>,
    /// `sum_j (|S_j| - 1)`.
    degrees: f64,
    groups: usize,
}

impl Inside {
    fn of(model: &Model, train: &Rows, width: usize, rng: &mut ChaCha8Rng) -> Result<Self, ModelError> {
        let mut groups: Vec<&[usize]> = train.groups.larger().collect();
        groups.shuffle(rng);
        let most = if width > WIDE { WIDE } else { MOST_ROWS }.min(MOST_IN_MEMORY / width).max(2);
        let mut inside = Self { rows: Vec::new(), degrees: 0.0, groups: 0 };
        for group in groups {
            let positions: Vec<usize> =
                group.iter().step_by(group.len().div_ceil(ROWS_PER_GROUP)).copied().collect();
            if inside.rows.len() / width + positions.len() > most && inside.groups > 0 {
                break;
            }
            let first = inside.rows.len();
            model.for_each_hidden(train, &positions, |_, row| {
                inside.rows.extend(row.iter().copied().map(f64::from));
            })?;
            crate::style::centre(&mut inside.rows[first..], width);
            inside.degrees += (positions.len() - 1) as f64;
            inside.groups += 1;
        }
        Ok(inside)
    }
}

/// What the last layer sees of some training rows, and what the model says of them.
struct Sample {
    width: usize,
    /// Row-major.
    values: Vec<f64>,
    /// Class and score of each row.
    answers: Vec<(usize, f64)>,
    /// Degrees of freedom that the means and slopes take.
    taken: usize,
}

impl Sample {
    fn of(
        model: &Model,
        data: &Dataset,
        train: &Rows,
        width: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Self, ModelError> {
        let most = MOST_ROWS.min(MOST_IN_MEMORY / width).max(2).min(train.len());
        let drawn: Vec<usize> = rand::seq::index::sample(rng, train.len(), most)
            .into_iter()
            .map(|place| train.row(place))
            .collect();
        let rows = model.rows(data, &drawn);
        let outputs = model.outputs(&rows)?;
        let mut values = Vec::with_capacity(drawn.len() * width);
        let all: Vec<usize> = (0..rows.len()).collect();
        model.for_each_hidden(&rows, &all, |_, row| values.extend(row.iter().copied().map(f64::from)))?;
        let is_regression = *model.task() == Task::Regression;
        let answers = outputs.rows().map(|row| class_and_score(row, is_regression)).collect();
        Ok(Self { width, values, answers, taken: 1 })
    }

    /// Takes from each row what rows with its answer look like.
    fn centre(&mut self, classes: usize, is_regression: bool) -> Centres {
        let centres = Centres::new(&self.values, &self.answers, classes, is_regression);
        for (answer, row) in self.answers.iter().zip(self.values.chunks_exact_mut(self.width)) {
            let hidden: Vec<f32> = row.iter().map(|x| *x as f32).collect();
            centres.residual(*answer, &hidden, row);
        }
        self.taken = centres.rows.iter().filter(|rows| **rows > 0).count() + usize::from(is_regression);
        centres
    }

    /// Removes what lies along these directions, and gives the SD along each.
    fn take_out(&mut self, directions: &[Vec<f64>]) -> Vec<f64> {
        let degrees = self.all_degrees();
        let mut squares = vec![0.0; directions.len()];
        for row in self.values.chunks_exact_mut(self.width) {
            for (direction, square) in directions.iter().zip(&mut squares) {
                let along = dot(direction, row);
                *square += along * along;
                row.iter_mut().zip(direction).for_each(|(x, direction)| *x -= along * direction);
            }
        }
        squares.into_iter().map(|square| (square / degrees).sqrt()).collect()
    }

    /// What is left of the variance, in all directions together.
    fn variance(&self) -> f64 {
        dot(&self.values, &self.values) / self.all_degrees()
    }

    /// Fewer rows where they are wide.
    fn rows_for_directions(&self) -> &[f64] {
        let most = if self.width > WIDE { WIDE } else { usize::MAX };
        &self.values[..self.values.len().min(self.width.saturating_mul(most))]
    }

    fn degrees(&self) -> f64 {
        let rows = self.rows_for_directions().len() / self.width;
        (rows as f64 - self.taken as f64).max(1.0)
    }

    fn all_degrees(&self) -> f64 {
        ((self.values.len() / self.width) as f64 - self.taken as f64).max(1.0)
    }
}
