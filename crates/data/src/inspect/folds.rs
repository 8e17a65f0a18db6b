//! Least squares, fitted on some ids and asked about the others, for any labels of the same rows.
//!
//! Everything but the labels is prepared once: the answers are linear in the labels, so that a shuffle costs a few products.

use super::linear_algebra::{add, add_square, dot, inverse, times};

/// Weight of the variance inside groups in the objective of a steady fit, that of the squared error being 1. Well above the
/// variance that rows have, and low enough that a few noisy pairs do not decide alone.
pub(super) const STEADINESS: f64 = 10.0;

/// Rows cut into folds by id.
pub(super) struct Folds {
    width: usize,
    /// Row-major, each column with mean 0 and deviation 1.
    values: Vec<f64>,
    fold_of_row: Vec<usize>,
    parts: Vec<Part>,
    /// Of all folds.
    whole: Part,
}

/// Sums over the rows of a fold.
#[derive(Clone)]
struct Part {
    rows: f64,
    sum: Vec<f64>,
    /// Σ x x'
    squares: Vec<f64>,
    /// Σ (x - mean of the group) (x - mean of the group)'
    inside: Vec<f64>,
    /// Rows in groups less groups.
    freedom: f64,
}

/// The inverses of the normal equations, one for each fold that is left out.
pub(super) struct Fits(Vec<Vec<f64>>);

/// What a fit says of each row while the fold of the row was left out.
pub(super) struct Answers {
    /// `x' w`. Without the constant, which follows the share of the class in the other folds and so speaks against the
    /// class of the rows that are left out.
    pub(super) logits: Vec<f64>,
    /// With the constant: about 1 for the class and 0 for others.
    pub(super) answers: Vec<f64>,
}

impl Folds {
    /// `values` are row-major; `groups` hold rows, all of one fold.
    pub(super) fn new(
        mut values: Vec<f64>,
        width: usize,
        fold_of_row: Vec<usize>,
        groups: &[Vec<usize>],
    ) -> Folds {
        standardise(&mut values, width);
        let count = fold_of_row.iter().max().map_or(0, |last| last + 1);
        let mut parts = vec![Part::empty(width); count];
        for (row, fold) in values.chunks_exact(width.max(1)).zip(&fold_of_row) {
            let part = &mut parts[*fold];
            part.rows += 1.0;
            add(&mut part.sum, 1.0, row);
            add_square(&mut part.squares, 1.0, row);
        }
        for group in groups {
            let rows = group.iter().map(|row| &values[row * width..(row + 1) * width]);
            parts[fold_of_row[group[0]]].add_group(rows, group.len());
        }
        let mut whole = Part::empty(width);
        parts.iter().for_each(|part| whole.add(1.0, part));
        Folds { width, values, fold_of_row, parts, whole }
    }

    /// For each fold least squares on the others: Σ (y - b - x'w)² + width |w|² + steadiness * rows * (variance of x'w inside
    /// groups). The ridge is that of labels of which the columns explain about half.
    pub(super) fn fits(&self, steadiness: f64) -> Option<Fits> {
        let fit = |part: &Part| {
            let mut others = self.whole.clone();
            others.add(-1.0, part);
            let mut matrix = others.squares;
            let mean: Vec<f64> = others.sum.iter().map(|sum| sum / others.rows).collect();
            add_square(&mut matrix, -others.rows, &mean);
            if others.freedom > 0.0 {
                add(&mut matrix, steadiness * others.rows / others.freedom, &others.inside);
            }
            (0..self.width).for_each(|column| matrix[column * self.width + column] += self.width as f64);
            inverse(&matrix, self.width)
        };
        // A fold that is alone has no others to fit on.
        (self.parts.len() > 1).then(|| self.parts.iter().map(fit).collect::<Option<_>>().map(Fits))?
    }

    /// Σ x over the rows of a class, and their number, for each fold.
    pub(super) fn class_sums(&self, labels: &[u32], class: u32) -> Vec<(Vec<f64>, f64)> {
        let mut sums = vec![(vec![0.0; self.width], 0.0); self.parts.len()];
        let rows = self.values.chunks_exact(self.width.max(1)).zip(&self.fold_of_row).zip(labels);
        for ((row, fold), _) in rows.filter(|(_, label)| **label == class) {
            add(&mut sums[*fold].0, 1.0, row);
            sums[*fold].1 += 1.0;
        }
        sums
    }

    /// What the fits say of each row, the class counting 1 and others 0.
    pub(super) fn answers(&self, fits: &Fits, class_sums: &[(Vec<f64>, f64)]) -> Answers {
        let mut total = (vec![0.0; self.width], 0.0);
        for (sum, rows) in class_sums {
            add(&mut total.0, 1.0, sum);
            total.1 += rows;
        }
        let weights = |fold: usize| {
            let rows = self.whole.rows - self.parts[fold].rows;
            let share = (total.1 - class_sums[fold].1) / rows;
            let mean: Vec<f64> =
                self.whole.sum.iter().zip(&self.parts[fold].sum).map(|(a, b)| (a - b) / rows).collect();
            let mut moments = total.0.clone();
            add(&mut moments, -1.0, &class_sums[fold].0);
            add(&mut moments, -share * rows, &mean);
            let weights = times(&fits.0[fold], &moments);
            let constant = share - dot(&mean, &weights);
            (weights, constant)
        };
        let weights: Vec<(Vec<f64>, f64)> = (0..self.parts.len()).map(weights).collect();
        let rows = self.values.chunks_exact(self.width.max(1)).zip(&self.fold_of_row);
        let logits: Vec<f64> = rows.map(|(row, fold)| dot(row, &weights[*fold].0)).collect();
        let answers = logits.iter().zip(&self.fold_of_row).map(|(logit, fold)| logit + weights[*fold].1);
        Answers { answers: answers.collect(), logits }
    }
}

impl Part {
    fn empty(width: usize) -> Part {
        let (sum, squares) = (vec![0.0; width], vec![0.0; width * width]);
        Part { rows: 0.0, sum, inside: squares.clone(), squares, freedom: 0.0 }
    }

    fn add(&mut self, sign: f64, other: &Part) {
        self.rows += sign * other.rows;
        self.freedom += sign * other.freedom;
        add(&mut self.sum, sign, &other.sum);
        add(&mut self.squares, sign, &other.squares);
        add(&mut self.inside, sign, &other.inside);
    }

    fn add_group<'a>(&mut self, rows: impl Iterator<Item = &'a [f64]> + Clone, count: usize) {
        let mut mean = vec![0.0; self.sum.len()];
        rows.clone().for_each(|row| add(&mut mean, 1.0 / count as f64, row));
        for row in rows {
            let difference: Vec<f64> = row.iter().zip(&mean).map(|(value, mean)| value - mean).collect();
            add_square(&mut self.inside, 1.0, &difference);
        }
        self.freedom += count as f64 - 1.0;
    }
}

/// Mean 0 and deviation 1 for each column; a constant becomes 0.
fn standardise(values: &mut [f64], width: usize) {
    let rows = (values.len() / width.max(1)) as f64;
    for column in 0..width {
        let mean = values.iter().skip(column).step_by(width).sum::<f64>() / rows;
        let squares: f64 =
            values.iter().skip(column).step_by(width).map(|value| (value - mean).powi(2)).sum();
        let deviation = (squares / rows).sqrt();
        let factor = if deviation > 1e-12 * mean.abs() { 1.0 / deviation } else { 0.0 };
        values.iter_mut().skip(column).step_by(width).for_each(|value| *value = (*value - mean) * factor);
    }
}

/// A fold for each row: ids in the given order, each into the fold that has the fewest rows.
pub(super) fn fold_of_row(id_of_row: &[usize], order: &[usize], folds: usize) -> Vec<usize> {
    let mut sizes = vec![0; order.len()];
    id_of_row.iter().for_each(|id| sizes[*id] += 1);
    let (mut rows, mut fold_of_id) = (vec![0; folds.max(1)], vec![0; order.len()]);
    for id in order {
        let fold = (0..rows.len()).min_by_key(|fold| rows[*fold]).unwrap_or(0);
        fold_of_id[*id] = fold;
        rows[fold] += sizes[*id];
    }
    id_of_row.iter().map(|id| fold_of_id[*id]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_whole_and_folds_are_even() {
        let folds = fold_of_row(&[0, 1, 0, 2, 3, 0, 1], &[0, 1, 2, 3], 2);
        assert_eq!(folds, [0, 1, 0, 1, 0, 0, 1]);
    }

    #[test]
    fn columns_have_mean_0_and_deviation_1() {
        let mut values = vec![1.0, 7.0, 3.0, 7.0];
        standardise(&mut values, 2);
        assert_eq!(values, [-1.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn the_fold_that_is_asked_about_was_left_out() {
        // One column, -1 and 1; both folds hold one of each, and the class is the 1. On either fold alone: the sum of squares is 2, the
        // ridge 1, the moment (1 - 0) * 1 - 1/2 * 2 * 0 = 1, so w = 1/3, and the constant is 1/2.
        let folds = Folds::new(vec![-1.0, 1.0, -1.0, 1.0], 1, vec![0, 0, 1, 1], &[]);
        let answers = folds.answers(&folds.fits(0.0).unwrap(), &folds.class_sums(&[0, 1, 0, 1], 1));
        let wanted = [-1.0 / 3.0, 1.0 / 3.0, -1.0 / 3.0, 1.0 / 3.0];
        assert!(
            answers.logits.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12),
            "{:?}",
            answers.logits
        );
        assert!((answers.answers[1] - 5.0 / 6.0).abs() < 1e-12);
        // The labels of a fold have no say in its own answers.
        let other = folds.answers(&folds.fits(0.0).unwrap(), &folds.class_sums(&[1, 0, 0, 1], 1));
        assert_eq!(other.logits[..2], answers.logits[..2]);
        assert_ne!(other.logits[2..], answers.logits[2..]);
    }

    #[test]
    fn a_steady_fit_turns_away_from_what_varies_inside_groups() {
        // Both columns are the label; the second one also differs inside the groups (two rows each, one fold a group).
        let values =
            vec![-1.0, -1.5, -1.0, -0.5, 1.0, 0.5, 1.0, 1.5, -1.0, -1.5, -1.0, -0.5, 1.0, 0.5, 1.0, 1.5];
        let groups: Vec<Vec<usize>> = (0..4).map(|group| vec![2 * group, 2 * group + 1]).collect();
        let folds = Folds::new(values, 2, vec![0, 0, 0, 0, 1, 1, 1, 1], &groups);
        let sums = folds.class_sums(&[0, 0, 1, 1, 0, 0, 1, 1], 1);
        let difference = |steadiness: f64| {
            let logits = folds.answers(&folds.fits(steadiness).unwrap(), &sums).logits;
            (logits[1] - logits[0]) / (logits[2] - logits[0])
        };
        assert!(difference(0.0) > 0.1, "{}", difference(0.0));
        assert!(difference(1000.0) < 0.01, "{}", difference(1000.0));
    }

    #[test]
    fn one_fold_has_no_others_to_fit_on() {
        assert!(Folds::new(vec![1.0, 2.0], 1, vec![0, 0], &[]).fits(0.0).is_none());
        assert!(Folds::new(vec![], 1, vec![], &[]).fits(0.0).is_none());
    }
}
