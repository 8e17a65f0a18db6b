//! Which form the model of the Hessian takes, how many rows it is made of, how often it is renewed.

use super::scatter::LARGEST_DENSE;

/// Multiplications that a model may cost when it is renewed in every iteration (Newton's method).
const CHEAP: f64 = 1e9;
/// Rows of a thin model at most, when there are too many columns for a dense one.
const MOST_THIN_ROWS: usize = 1024;

/// How the Hessian is modelled for a problem of some size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Plan {
    /// `[columns, columns]` when true; rows and Woodbury's identity when false.
    pub dense: bool,
    /// True when products of rows are taken in f32. See [`super::gram::Gram::add_single`].
    pub single: bool,
    /// The first model, far from the minimum, is made of a part of the rows.
    pub first: Sample,
    /// Those that follow.
    pub later: Sample,
}

/// What a model is made of, and how long it serves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sample {
    /// Rows of the loss, evenly spaced.
    pub loss_rows: usize,
    /// Contrasts of a coupled penalty.
    pub contrasts: usize,
    /// Iterations after which the model is renewed.
    pub patience: usize,
}

impl Plan {
    /// `rows` of the loss and `contrasts` of a coupled penalty, on `columns`. `exact` says that such a model of all
    /// rows is the Hessian, not only near it.
    pub fn new(rows: usize, contrasts: usize, columns: usize, exact: bool) -> Self {
        let all = rows + contrasts;
        let dense = columns <= LARGEST_DENSE && 4 * all > 3 * columns;
        let part = |most: usize, patience| {
            let share = most as f64 / all.max(most) as f64;
            let part = |count: usize| (count as f64 * share).ceil() as usize;
            Sample { loss_rows: part(rows), contrasts: part(contrasts), patience }
        };
        let (long, short) = if dense { (all, columns) } else { (columns, all) };
        let cost = long as f64 * (short as f64).powi(2) + (short as f64).powi(3) / 3.0;
        if cost <= CHEAP {
            let cheap = part(all, if exact { 1 } else { 10 });
            return Self { dense, single: false, first: cheap, later: cheap };
        }
        let (few, many) = if dense { (2 * columns, all) } else { (MOST_THIN_ROWS, MOST_THIN_ROWS) };
        Self { dense, single: true, first: part(few, 12), later: part(many, 25) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_problems_take_newtons_method() {
        let plan = Plan::new(20_000, 0, 100, true);
        assert_eq!(plan.first, Sample { loss_rows: 20_000, contrasts: 0, patience: 1 });
        assert!(plan.dense && !plan.single && plan.first == plan.later);
    }

    #[test]
    fn many_columns_begin_with_a_part_of_the_rows() {
        let plan = Plan::new(17_000, 0, 2048, true);
        assert_eq!((plan.first.loss_rows, plan.later.loss_rows), (4096, 17_000));
        assert!(plan.dense && plan.single);
    }

    #[test]
    fn fewer_rows_than_columns_need_no_square_matrix() {
        let plan = Plan::new(290, 280, 9216, false);
        assert_eq!((plan.dense, plan.later.loss_rows, plan.later.contrasts), (false, 290, 280));
        assert!(!Plan::new(75, 0, 100, true).dense && Plan::new(76, 0, 100, true).dense);
        let dense = |columns| Plan::new(100_000, 0, columns, true).dense;
        assert!(dense(LARGEST_DENSE) && !dense(LARGEST_DENSE + 1));
    }
}
