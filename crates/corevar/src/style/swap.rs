//! The style swap: how far the outputs of a model would move if the style of one class appeared with another.
//!
//! Two classes differ in what tells them apart (core) and in the style that happened to come with them in training. Let h be what the
//! last layer sees, `mu_a` its mean in class a, T its covariance inside classes, and W its covariance inside groups, where the object
//! is fixed and only style varies. Of a difference of means, the part that is like the variation inside groups is
//!
//! ```text
//! W T⁻¹ (mu_a - mu_b)
//! ```
//!
//! the best linear guess of the style part when objects of a class vary by `T - W` and views of an object by W. A swap of styles moves
//! the difference of logits `d_ab = w_ab' h` by `w_ab' W T⁻¹ (mu_a - mu_b)`: the covariance, inside groups, of `d_ab` with the
//! discriminant score `g_ab = (mu_a - mu_b)' T⁻¹ h`. So the weights of the last layer are not needed:
//!
//! ```text
//! swap_ab = Cov_within(d_ab, g_ab)
//! ```
//!
//! T and the means come from rows of any kind. The covariance inside groups comes from groups that the model was not trained on: on
//! its own groups a penalised model hardly varies. For a regression the two classes are one SD of the label above and below its mean.

use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef, Side};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::spread::centre;
use crate::linear::{Gram, LinearError, dot};
use crate::model::{Model, ModelError};
use crate::outputs::Outputs;
use crate::rows::Rows;

/// T is raised by this share of its mean diagonal: with few rows it is known badly where it is small.
const RIDGE: f64 = 0.1;

/// Rows that T and the means are computed from at most, and numbers in them.
const MOST_ROWS: usize = 1000;
const MOST_NUMBERS: usize = 1 << 21;

/// Draws these rows.
const SEED: u64 = 0;

/// Rows of one group that are looked at.
const ROWS_PER_GROUP: usize = 64;

/// `swap_ab` of every pair of classes, as sums over groups so that folds can be added.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StyleSwap {
    /// Classes, or 1.
    outputs: usize,
    /// Outputs x scores: sums over groups of the products of their deviations.
    products: Vec<f64>,
    /// `sum_j (|S_j| - 1)`.
    degrees: f64,
}

impl StyleSwap {
    /// Of a model and its outputs on validation rows that it was not trained on.
    pub fn of(
        model: &Model,
        scores: &Scores,
        validation: &Rows,
        outputs: &Outputs,
    ) -> Result<Self, ModelError> {
        let columns = outputs.columns;
        let mut swap = Self { outputs: columns, products: vec![0.0; columns * columns], degrees: 0.0 };
        for group in validation.groups.larger() {
            let positions: Vec<usize> =
                group.iter().step_by(group.len().div_ceil(ROWS_PER_GROUP)).copied().collect();
            let mut of_rows = Vec::with_capacity(positions.len() * columns);
            model.for_each_hidden(validation, &positions, |_, row| of_rows.extend(scores.of_row(row)))?;
            let logits =
                positions.iter().flat_map(|&row| &outputs.values[row * columns..(row + 1) * columns]);
            let mut logits: Vec<f64> = logits.copied().collect();
            centre(&mut of_rows, columns);
            centre(&mut logits, columns);
            for (logits, scores) in logits.chunks_exact(columns).zip(of_rows.chunks_exact(columns)) {
                let products = swap.products.chunks_exact_mut(columns).zip(logits);
                products
                    .for_each(|(sums, logit)| sums.iter_mut().zip(scores).for_each(|(s, g)| *s += logit * g));
            }
            swap.degrees += (positions.len() - 1) as f64;
        }
        Ok(swap)
    }

    /// Those of all folds together.
    pub fn add(mut self, other: &Self) -> Self {
        self.products.iter_mut().zip(&other.products).for_each(|(sum, product)| *sum += product);
        self.degrees += other.degrees;
        self
    }

    /// How far the difference of the logits of a and b moves, as a magnitude; the prediction of a regression for `a = b = 0`.
    pub fn between(&self, a: usize, b: usize) -> f64 {
        let at = |row: usize, column: usize| self.products[row * self.outputs + column];
        let sum = if self.outputs == 1 { at(0, 0) } else { at(a, a) - at(a, b) - at(b, a) + at(b, b) };
        let moved = sum.abs() / self.degrees;
        if moved.is_finite() { moved } else { 0.0 }
    }
}

/// `g_b = mu_b' T⁻¹ h` for each class b.
pub(crate) struct Scores {
    directions: Vec<Vec<f64>>,
}

impl Scores {
    /// Of a model that says so many outputs.
    pub fn of(model: &Model, train: &Rows, validation: &Rows, outputs: usize) -> Result<Self, ModelError> {
        let mut sample = Sample::default();
        let all = train.len() + validation.len();
        // Drawn, because every tenth row may be of one class.
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        for rows in [train, validation] {
            let width = sample.width(model, rows)?;
            let most = MOST_ROWS.min(MOST_NUMBERS / width.max(1)).max(2);
            let share = (rows.len() * most).div_ceil(all.max(most));
            let positions = rand::seq::index::sample(&mut rng, rows.len(), share.min(rows.len())).into_vec();
            model.for_each_hidden(rows, &positions, |position, row| sample.push(rows, position, row))?;
        }
        let means = sample.centre_by_label(outputs);
        Ok(Self { directions: solve(&sample.values, sample.width, &means)? })
    }

    fn of_row(&self, row: &[f32]) -> impl Iterator<Item = f64> {
        let row: Vec<f64> = row.iter().copied().map(f64::from).collect();
        self.directions.iter().map(move |direction| dot(direction, &row))
    }
}

/// What the last layer sees of some rows, with their labels.
#[derive(Default)]
struct Sample {
    width: usize,
    /// Row-major.
    values: Vec<f64>,
    classes: Vec<usize>,
    /// Labels of a regression.
    numbers: Vec<f64>,
}

impl Sample {
    /// Numbers that the last layer sees of a row.
    fn width(&mut self, model: &Model, rows: &Rows) -> Result<usize, ModelError> {
        if self.width == 0 && !rows.is_empty() {
            model.for_each_hidden(rows, &[0], |_, row| self.width = row.len())?;
        }
        Ok(self.width)
    }

    fn push(&mut self, rows: &Rows, position: usize, row: &[f32]) {
        self.values.extend(row.iter().copied().map(f64::from));
        match rows.number(position) {
            Some(number) => self.numbers.push(f64::from(number)),
            None => self.classes.push(rows.labels[position] as usize),
        }
    }

    /// The mean of each class, taken from its rows; of a regression the slope along two SDs of the label.
    fn centre_by_label(&mut self, outputs: usize) -> Vec<Vec<f64>> {
        if !self.numbers.is_empty() {
            return vec![self.centre_by_number()];
        }
        let mut means = vec![vec![0.0; self.width]; outputs];
        let mut counts = vec![0.0f64; outputs];
        for (row, &class) in self.values.chunks_exact(self.width).zip(&self.classes) {
            counts[class] += 1.0;
            means[class].iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        for (mean, count) in means.iter_mut().zip(counts) {
            mean.iter_mut().for_each(|sum| *sum /= count.max(1.0));
        }
        for (row, &class) in self.values.chunks_exact_mut(self.width).zip(&self.classes) {
            row.iter_mut().zip(&means[class]).for_each(|(x, mean)| *x -= mean);
        }
        means
    }

    fn centre_by_number(&mut self) -> Vec<f64> {
        let count = self.numbers.len() as f64;
        let mean = self.numbers.iter().sum::<f64>() / count;
        self.numbers.iter_mut().for_each(|number| *number -= mean);
        let variance = dot(&self.numbers, &self.numbers) / count;
        let sd = variance.sqrt().max(f64::MIN_POSITIVE);
        centre(&mut self.values, self.width);
        let mut slope = vec![0.0; self.width];
        for (row, number) in self.values.chunks_exact(self.width).zip(&self.numbers) {
            slope.iter_mut().zip(row).for_each(|(sum, x)| *sum += x * number / sd / count);
        }
        for (row, number) in self.values.chunks_exact_mut(self.width).zip(&self.numbers) {
            row.iter_mut().zip(&slope).for_each(|(x, slope)| *x -= slope * number / sd);
        }
        slope.iter().map(|slope| 2.0 * slope).collect()
    }
}

/// `(T + r I)⁻¹ v` of each v, for `T = X'X / rows` of centred rows X and r a share of its mean diagonal.
///
/// By the matrix of inner products of the rows, which are few: `(v - X' (r rows I + X X')⁻¹ X v) / r`.
fn solve(values: &[f64], width: usize, vectors: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, LinearError> {
    let rows = values.len() / width.max(1);
    let x = MatRef::from_row_major_slice(values, rows, width);
    let mut gram = Gram::zeros(rows);
    let transposed: Vec<f64> = (0..width).flat_map(|column| x.col(column).iter().copied()).collect();
    gram.add(&transposed, 1.0);
    // Where nothing varies, any ridge will do.
    let trace = gram.mean_diagonal() * rows as f64;
    let ridge = Some(RIDGE * trace / (rows * width) as f64).filter(|ridge| *ridge > 0.0).unwrap_or(1.0);
    gram.add_diagonal(ridge * rows as f64);
    let factor = gram.as_ref().llt(Side::Lower);
    let factor = factor.map_err(|_| LinearError::Factorisation { what: "a Cholesky factorisation" })?;
    let of = |vector: &Vec<f64>| {
        let along = Mat::from_fn(rows, 1, |row, _| dot(&values[row * width..(row + 1) * width], vector));
        let along = factor.solve(&along);
        let mut solution = vector.clone();
        for row in 0..rows {
            let weight = along[(row, 0)];
            let of_row = &values[row * width..(row + 1) * width];
            solution.iter_mut().zip(of_row).for_each(|(out, x)| *out -= weight * x);
        }
        solution.iter().map(|value| value / ridge).collect()
    };
    Ok(vectors.iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use corevar_data::Dataset;

    use super::*;
    use crate::Core;
    use crate::linear::simulate::normal;

    #[test]
    fn solving_by_inner_products_inverts_the_covariance() {
        // T = diag(2, 0.5), ridge 0.1 x 1.25.
        let values = [2.0, 0.0, -2.0, 0.0, 0.0, 1.0, 0.0, -1.0];
        let solved = solve(&values, 2, &[vec![1.0, 1.0]]).unwrap();
        assert!((solved[0][0] - 1.0 / 2.125).abs() < 1e-12, "{solved:?}");
        assert!((solved[0][1] - 1.0 / 0.625).abs() < 1e-12, "{solved:?}");
    }

    /// `scripts/golden/swap.py` made the file.
    #[test]
    fn the_discriminant_direction_is_that_of_scikit_learn() {
        #[derive(serde::Deserialize)]
        struct Golden {
            rows: Vec<f64>,
            labels: Vec<usize>,
            direction: Vec<f64>,
        }
        let golden: Golden = serde_json::from_str(include_str!("../../tests/golden/swap.json")).unwrap();
        let mut sample =
            Sample { width: 4, values: golden.rows, classes: golden.labels, ..Default::default() };
        let means = sample.centre_by_label(2);
        let directions = solve(&sample.values, 4, &means).unwrap();
        for (place, expected) in golden.direction.iter().enumerate() {
            let found = directions[1][place] - directions[0][place];
            assert!((found - expected).abs() < 1e-9, "{place}: {found} {expected}");
        }
    }

    /// Core along the first feature, style along the second, twice as far apart in class a as it varies inside groups: a swap moves
    /// the margin by the whole distance of the styles, whatever the core does.
    #[test]
    fn a_swap_moves_the_margin_by_the_distance_of_the_styles() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut values, mut labels, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        for object in 0..4000 {
            let (label, side) = if object % 2 == 0 { ("a", 1.0) } else { ("b", -1.0) };
            let core = 1.5 * side + normal(&mut rng);
            for _ in 0..2 {
                values.extend([core as f32, (side + normal(&mut rng)) as f32]);
                labels.push(label);
                ids.push(Some(object));
            }
        }
        let data = Dataset::features(["core", "style"], values).classes(&labels).ids(ids).check().unwrap();
        let model = Core::pooled().with(|config| config.standardise = false).fit(&data).unwrap();
        let rows = Rows::new(&data, data.train(), 1);
        let outputs = model.outputs(&rows).unwrap();
        let scores = Scores::of(&model, &rows, &rows, 2).unwrap();
        let swap = StyleSwap::of(&model, &scores, &rows, &outputs).unwrap().between(0, 1);
        // The ridge of a tenth takes a tenth of it, as it does of every direction with variance 1.
        let weights = model.linear().unwrap().logit_weights();
        let expected = 2.0 * (weights[0][1] - weights[1][1]).abs() / 1.1;
        assert!((swap / expected - 1.0).abs() < 0.1, "{swap} {expected}");
    }

    #[test]
    fn rows_that_do_not_vary_still_have_a_solution() {
        assert_eq!(solve(&[0.0; 6], 2, &[vec![1.0, 3.0]]).unwrap(), [[1.0, 3.0]]);
    }

    #[test]
    fn the_slope_of_a_regression_is_that_over_two_sds() {
        // h = 3 y + e with e orthogonal to y; y = -1, 1, -1, 1 has SD 1.
        let mut sample = Sample {
            width: 1,
            values: vec![-3.5, 2.5, -2.5, 3.5],
            numbers: vec![9.0, 11.0, 9.0, 11.0],
            ..Default::default()
        };
        assert_eq!(sample.centre_by_label(1), [[6.0]]);
        assert_eq!(sample.values, [-0.5, -0.5, 0.5, 0.5]);
    }
}
