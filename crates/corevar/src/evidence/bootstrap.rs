//! Confidence intervals by bootstrap over ids: rows of one id are not independent, so an id is drawn with all its rows.

use corevar_data::Groups;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::answers::Answers;
use crate::certificate::quantile;
use crate::rows::Rows;

/// Times that the ids are drawn anew, with replacement.
pub const DRAWS: usize = 1000;

/// Share of the draws that an interval holds.
pub const LEVEL: f64 = 0.95;

/// A number and its percentile interval over [`DRAWS`] draws, at [`LEVEL`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// On the rows themselves.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Sums over the rows of one id.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Cluster {
    pub rows: f64,
    pub error: f64,
    pub loss: f64,
}

/// One per id, in the order of their first rows. A row without an id is its own.
pub(crate) fn clusters(rows: &Rows, answers: &Answers) -> Vec<Cluster> {
    let ids = Groups::by_id((0..rows.len()).map(|position| rows.id(position)));
    let cluster = |positions: &[usize]| Cluster {
        rows: positions.len() as f64,
        error: positions.iter().map(|&position| answers.error_term(rows, position)).sum(),
        loss: positions.iter().map(|&position| answers.losses[position]).sum(),
    };
    ids.iter().map(cluster).collect()
}

/// Intervals of the error and of the loss. None when a sum is not finite or there is no row.
pub(crate) fn intervals(clusters: &[Cluster], is_regression: bool, seed: u64) -> [Option<Interval>; 2] {
    let error = |mean: f64| if is_regression { mean.sqrt() } else { mean };
    let drawn = draws(clusters, DRAWS, seed);
    let here = means(clusters.iter());
    [
        interval(error(here[0]), drawn.iter().map(|means| error(means[0]))),
        interval(here[1], drawn.iter().map(|means| means[1])),
    ]
}

/// Mean error term and mean loss of the rows.
pub(super) fn means<'a>(clusters: impl Iterator<Item = &'a Cluster>) -> [f64; 2] {
    let sum = clusters.fold(Cluster::default(), |sum, cluster| Cluster {
        rows: sum.rows + cluster.rows,
        error: sum.error + cluster.error,
        loss: sum.loss + cluster.loss,
    });
    [sum.error / sum.rows, sum.loss / sum.rows]
}

/// Every draw has its own stream of the seed, so threads do not matter, and all models of a split see the same draws.
pub(super) fn draws(clusters: &[Cluster], draws: usize, seed: u64) -> Vec<[f64; 2]> {
    if clusters.is_empty() {
        return Vec::new();
    }
    let one = |number: u64| {
        let mut rng = stream(seed, number);
        let drawn = (0..clusters.len()).map(|_| &clusters[rng.random_range(0..clusters.len())]);
        means(drawn)
    };
    (0..draws as u64).into_par_iter().map(one).collect()
}

/// The random numbers of one draw.
pub(super) fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

pub(super) fn interval(value: f64, drawn: impl Iterator<Item = f64>) -> Option<Interval> {
    let mut drawn: Vec<f64> = drawn.collect();
    if drawn.is_empty() || !value.is_finite() || drawn.iter().any(|value| !value.is_finite()) {
        return None;
    }
    drawn.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - LEVEL) / 2.0;
    Some(Interval { value, low: quantile(&drawn, tail), high: quantile(&drawn, 1.0 - tail) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster(rows: f64, error: f64, loss: f64) -> Cluster {
        Cluster { rows, error, loss }
    }

    #[test]
    fn the_mean_is_over_rows_and_not_over_ids() {
        // Three rows with one wrong, one row that is right: 1/4 and not the mean of 1/3 and 0.
        let [error, loss] = intervals(&[cluster(3.0, 1.0, 6.0), cluster(1.0, 0.0, 2.0)], false, 0);
        assert_eq!((error.unwrap().value, loss.unwrap().value), (0.25, 2.0));
    }

    #[test]
    fn ids_that_are_all_alike_leave_no_doubt() {
        let [error, _] = intervals(&[cluster(2.0, 1.0, 1.0); 9], false, 0);
        assert_eq!(error, Some(Interval { value: 0.5, low: 0.5, high: 0.5 }));
    }

    #[test]
    fn the_interval_of_a_coin_is_that_of_the_normal_distribution() {
        // 400 ids, half of them wrong: standard error 0.025, so ± 0.049.
        let clusters: Vec<Cluster> = (0..400).map(|id| cluster(1.0, f64::from(id % 2), 0.0)).collect();
        let error = intervals(&clusters, false, 1)[0].unwrap();
        assert!((error.low - 0.451).abs() < 0.006 && (error.high - 0.549).abs() < 0.006, "{error:?}");
    }

    #[test]
    fn pairs_that_agree_make_the_interval_wider() {
        // 400 rows, half of them wrong, always both rows of an id: as good as 200 rows.
        let wrong = |id: i32| f64::from(id % 2);
        let pairs: Vec<Cluster> = (0..200).map(|id| cluster(2.0, 2.0 * wrong(id), 0.0)).collect();
        let rows: Vec<Cluster> = (0..400).map(|id| cluster(1.0, wrong(id), 0.0)).collect();
        let width = |clusters: &[Cluster]| {
            let error = intervals(clusters, false, 2)[0].unwrap();
            error.high - error.low
        };
        let ratio = width(&pairs) / width(&rows);
        assert!((ratio - 2f64.sqrt()).abs() < 0.15, "{ratio}");
    }

    #[test]
    fn the_error_of_a_regression_is_the_root_of_the_mean() {
        let [error, loss] = intervals(&[cluster(1.0, 1.0, 1.0), cluster(1.0, 7.0, 7.0)], true, 0);
        let (error, loss) = (error.unwrap(), loss.unwrap());
        assert_eq!((error.value, loss.value), (2.0, 4.0));
        assert_eq!((error.low, error.high), (1.0, 7f64.sqrt()));
    }

    #[test]
    fn what_is_not_finite_has_no_interval() {
        let [error, loss] = intervals(&[cluster(1.0, 0.0, f64::INFINITY), cluster(1.0, 1.0, 1.0)], false, 0);
        assert!(error.is_some() && loss.is_none());
        assert_eq!(intervals(&[], false, 0), [None, None]);
    }

    #[test]
    fn a_seed_draws_the_same_ids_every_time() {
        let clusters: Vec<Cluster> = (0..50).map(|id| cluster(1.0, f64::from(id % 3), 0.0)).collect();
        assert_eq!(intervals(&clusters, false, 5), intervals(&clusters, false, 5));
        assert_ne!(draws(&clusters, 9, 5), draws(&clusters, 9, 6));
    }
}
