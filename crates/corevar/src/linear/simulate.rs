//! Random data for the tests.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{LinearConfig, LinearData, LinearError, LinearFit, MemoryMatrix, Targets, fit};

/// A standard normal number (Box, Muller).
pub(crate) fn normal(rng: &mut ChaCha8Rng) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Rows whose style (two directions of all columns) leans towards the class. The last `pairs` rows show the objects
/// of the first once more.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    pub columns: usize,
    pub x: Vec<f32>,
    pub y: Vec<u32>,
    pub classes: usize,
    pub group: Vec<usize>,
}

impl Sample {
    pub fn new(rows: usize, columns: usize, pairs: usize, classes: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64((rows * columns + pairs) as u64);
        let mut vector = || (0..columns).map(|_| normal(&mut rng)).collect::<Vec<f64>>();
        let (direction, styles) = (vector(), [vector(), vector()]);
        let mut objects: Vec<(Vec<f64>, u32)> = Vec::new();
        let mut sample = Self { columns, x: Vec::new(), y: Vec::new(), classes, group: Vec::new() };
        for row in 0..rows {
            let object = if row < rows - pairs { row } else { row + pairs - rows };
            if object == row {
                let core: Vec<f64> = (0..columns).map(|_| normal(&mut rng)).collect();
                let score: f64 = core.iter().zip(&direction).map(|(x, d)| x * d).sum();
                let score = score / (columns as f64).sqrt() + normal(&mut rng);
                let class =
                    (0..classes - 1).filter(|&k| score > k as f64 - 0.5 * (classes - 2) as f64).count();
                objects.push((core, class as u32));
            }
            let (core, class) = &objects[object];
            let amounts = styles.each_ref().map(|_| 0.5 * f64::from(*class) + normal(&mut rng));
            let style = |c: usize| amounts[0] * styles[0][c] + amounts[1] * styles[1][c];
            sample.x.extend((0..columns).map(|c| (core[c] + 0.5 * style(c)) as f32));
            sample.y.push(*class);
            sample.group.push(object);
        }
        sample
    }

    /// The same rows with style in every column by itself, not only along two directions.
    pub fn with_style_everywhere(mut self) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(11);
        self.x.iter_mut().for_each(|x| *x += 0.3 * normal(&mut rng) as f32);
        self
    }

    pub fn features(&self) -> MemoryMatrix<'_, f32> {
        MemoryMatrix::new(&self.x, self.columns).unwrap()
    }

    pub fn targets(&self) -> Targets<'_> {
        Targets::Classes { of_row: &self.y, count: self.classes }
    }

    pub fn fit(&self, config: LinearConfig) -> Result<LinearFit, LinearError> {
        self.fit_weighted(config, None)
    }

    pub fn fit_weighted(
        &self,
        config: LinearConfig,
        weights: Option<&[f64]>,
    ) -> Result<LinearFit, LinearError> {
        let features = self.features();
        let (targets, group_of_row) = (self.targets(), &self.group[..]);
        fit(
            &config.check()?,
            &LinearData { features: &features, targets, group_of_row, sample_weights: weights },
        )
    }

    /// The same rows, some of them several times or not at all.
    pub fn rows(&self, rows: &[usize]) -> Self {
        let row = |&row: &usize| &self.x[row * self.columns..(row + 1) * self.columns];
        Self {
            x: rows.iter().flat_map(row).copied().collect(),
            y: rows.iter().map(|&row| self.y[row]).collect(),
            group: rows.iter().map(|&row| self.group[row]).collect(),
            ..*self
        }
    }
}
