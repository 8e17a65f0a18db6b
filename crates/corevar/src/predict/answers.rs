//! What the models say of a chunk, in columns.

use corevar_data::stream::Chunk;
use corevar_data::writers::ColumnBlock;
use corevar_data::{DataError, Dataset};

use super::{Ensemble, Unanswered};
use crate::model::{ModelError, Predictions};
use crate::rows::Task;

/// Answers of the rows of a chunk; those without one have a place, too.
#[derive(Debug)]
pub struct Answers {
    rows: usize,
    first: u64,
    files: Option<Vec<String>>,
    ids: Option<Vec<String>>,
    /// Names of the classes; empty for a regression.
    classes: Vec<String>,
    labels: Vec<Option<u32>>,
    /// Probabilities and style radius, or the numbers of a regression: a column each, NaN where there is none.
    numbers: Vec<Vec<f64>>,
    unanswered: Vec<Unanswered>,
}

impl Answers {
    /// Asks the models about the rows of the chunk that could be read.
    pub fn of(models: &Ensemble, chunk: Chunk) -> Result<Self, ModelError> {
        let readable = chunk.is_readable();
        let rows: Vec<usize> = (0..chunk.rows).filter(|row| readable[*row]).collect();
        let classes = match models.task() {
            Task::Classes(names) => names.clone(),
            Task::Regression => Vec::new(),
        };
        let columns = if classes.is_empty() { 1 } else { classes.len() + 1 };
        let mut answers = Self {
            rows: chunk.rows,
            first: chunk.first,
            files: chunk.files,
            ids: chunk.ids,
            classes,
            labels: vec![None; chunk.rows],
            numbers: vec![vec![f64::NAN; chunk.rows]; columns],
            unanswered: Vec::new(),
        };
        let mut without = chunk.unreadable;
        let mut not_finite = Vec::new();
        if !rows.is_empty() {
            let dataset = models.seen(Dataset::of(chunk.inputs).check()?)?;
            let said = models.models.iter().map(|model| model.predict(&dataset));
            let said = said.collect::<Result<Vec<Predictions>, _>>()?;
            let is_finite = |place: usize| said.iter().all(|one| one.is_finite(place));
            let mut take = |place: usize, row: usize| match is_finite(place) {
                true => Some((place, row)),
                false => {
                    not_finite.push(row);
                    None
                }
            };
            let places: Vec<(usize, usize)> =
                rows.iter().enumerate().filter_map(|(place, row)| take(place, *row)).collect();
            match answers.classes.is_empty() {
                true => answers.fill_numbers(&said, &places),
                false => answers.fill_classes(&said, &places),
            }
        }
        answers.unanswered = in_order(&mut without, not_finite, answers.first);
        Ok(answers)
    }

    /// Number of rows, with those without an answer.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Why rows have no answer, in the order of the rows.
    pub fn unanswered(&self) -> &[Unanswered] {
        &self.unanswered
    }

    /// As the heads of [`super::heads`] name them.
    pub fn columns(&self) -> Vec<ColumnBlock<'_>> {
        let key = match &self.files {
            Some(files) => ColumnBlock::Texts(files),
            None => ColumnBlock::CountsFrom(self.first),
        };
        let ids = self.ids.as_ref().map(|ids| ColumnBlock::Texts(ids));
        let label = ColumnBlock::Names { names: &self.classes, of_row: &self.labels };
        let label = (!self.classes.is_empty()).then_some(label);
        let numbers = self.numbers.iter().map(|values| ColumnBlock::Numbers(values));
        [key].into_iter().chain(ids).chain(label).chain(numbers).collect()
    }

    fn fill_numbers(&mut self, said: &[Predictions], places: &[(usize, usize)]) {
        for (place, row) in places {
            let sum: f64 = said.iter().map(|one| one.numbers()[*place]).sum();
            self.numbers[0][*row] = sum / said.len() as f64;
        }
    }

    /// The class with the largest mean probability, the means, and the mean style radius of that answer.
    fn fill_classes(&mut self, said: &[Predictions], places: &[(usize, usize)]) {
        let mut means = said[0].probabilities();
        for one in &said[1..] {
            let more = one.probabilities();
            means.iter_mut().flatten().zip(more.iter().flatten()).for_each(|(sum, more)| *sum += more);
        }
        let count = said.len() as f64;
        means.iter_mut().flatten().for_each(|sum| *sum /= count);
        let labels = match said {
            // By the logits, which differ where probabilities are both rounded to 1.
            [one] => one.outputs().predicted(),
            _ => means.iter().map(|row| largest(row)).collect(),
        };
        let radii = mean_radii(said, &labels);
        let radius = self.classes.len();
        for (place, row) in places {
            self.labels[*row] = Some(labels[*place]);
            for (class, mean) in means[*place].iter().enumerate() {
                self.numbers[class][*row] = *mean;
            }
            if let Some(radii) = &radii {
                self.numbers[radius][*row] = radii[*place];
            }
        }
    }
}

/// Of the answers of an ensemble; None where a model does not know how much style varies.
fn mean_radii(said: &[Predictions], labels: &[u32]) -> Option<Vec<f64>> {
    let radii = said.iter().map(|one| one.style_radii_of(labels)).collect::<Option<Vec<Vec<f64>>>>()?;
    let mean = |place: usize| radii.iter().map(|radii| radii[place]).sum::<f64>() / radii.len() as f64;
    Some((0..labels.len()).map(mean).collect())
}

fn largest(row: &[f64]) -> u32 {
    (1..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best }) as u32
}

fn in_order(unreadable: &mut Vec<(usize, DataError)>, not_finite: Vec<usize>, first: u64) -> Vec<Unanswered> {
    let not_finite = not_finite.into_iter().map(|row| (row, Unanswered::NotFinite(first + row as u64)));
    let unreadable = unreadable.drain(..).map(|(row, error)| (row, Unanswered::Unreadable(error)));
    let mut all: Vec<(usize, Unanswered)> = unreadable.chain(not_finite).collect();
    all.sort_by_key(|(row, _)| *row);
    all.into_iter().map(|(_, why)| why).collect()
}
