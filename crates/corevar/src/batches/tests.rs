use burn::tensor::{Device, Int, TensorData};

use super::*;
use crate::penalty::logit_variance;

const BOTH: [BatchMode; 2] = [BatchMode::Spread, BatchMode::Shuffled];

/// `sizes` groups of that many rows each, numbered one after the other.
fn groups(sizes: &[usize]) -> Groups {
    Groups::by_key(sizes.iter().enumerate().flat_map(|(j, &size)| vec![j; size]))
}

fn random_sizes(rng: &mut ChaCha8Rng, count: usize, largest: usize) -> Vec<usize> {
    (0..count).map(|_| if rng.random_bool(0.5) { 1 } else { rng.random_range(1..=largest) }).collect()
}

#[test]
fn every_row_comes_once_an_epoch_and_no_batch_is_too_large() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for trial in 0..200 {
        let sizes = random_sizes(&mut rng, 1 + trial, 30);
        let batch_size = rng.random_range(1..40);
        for mode in BOTH {
            let batches = Batches::new(&groups(&sizes), batch_size, mode, 3).epoch(trial);
            let mut rows: Vec<usize> = batches.iter().flat_map(|batch| batch.rows.clone()).collect();
            rows.sort_unstable();
            assert!(rows.into_iter().eq(0..sizes.iter().sum::<usize>()));
            assert!(batches.iter().all(|batch| !batch.rows.is_empty() && batch.rows.len() <= batch_size));
        }
    }
}

#[test]
fn a_group_stays_whole_unless_it_is_larger_than_a_batch() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for trial in 0..100 {
        let whole = groups(&random_sizes(&mut rng, 50, 25));
        for mode in BOTH {
            for batch in Batches::new(&whole, 10, mode, 3).epoch(trial) {
                for rows in batch.groups.iter() {
                    let group = whole.of_row(batch.rows[rows[0]]);
                    assert!(rows.iter().all(|&row| whole.of_row(batch.rows[row]) == group));
                    let size = whole.iter().nth(group).unwrap().len();
                    assert!(rows.len() == size || rows.len() == 10 || rows.len() == size % 10);
                }
            }
        }
    }
}

#[test]
fn the_order_depends_on_seed_and_epoch_alone() {
    let groups = groups(&[2, 1, 3, 1, 1, 2, 1, 1, 1]);
    for mode in BOTH {
        let batches = Batches::new(&groups, 4, mode, 9);
        assert_eq!(batches.epoch(5), Batches::new(&groups, 4, mode, 9).epoch(5));
        assert_ne!(batches.epoch(5), batches.epoch(6));
        assert_ne!(batches.epoch(5), Batches::new(&groups, 4, mode, 8).epoch(5));
    }
}

#[test]
fn spread_lays_groups_at_equal_distances() {
    // 5 pairs and 90 single rows, 10 batches: a pair in every second batch.
    let sizes: Vec<usize> = [2; 5].into_iter().chain([1; 90]).collect();
    let batches = Batches::new(&groups(&sizes), 10, BatchMode::Spread, 0).epoch(0);
    let pairs: Vec<usize> = batches.iter().map(|batch| batch.groups.larger().count()).collect();
    assert_eq!(pairs.len(), 10);
    assert!(pairs.chunks(2).all(|two| two.iter().sum::<usize>() == 1), "{pairs:?}");
    assert!(batches.iter().all(|batch| batch.rows.len() == 10));
}

#[test]
fn the_penalty_of_an_epoch_counts_every_group_alike() {
    // The group of ten is cut into pieces of 4, 4 and 2.
    let sizes = [2, 2, 3, 10, 1, 1, 1, 1, 1, 1, 1, 1];
    for mode in BOTH {
        let batches = Batches::new(&groups(&sizes), 4, mode, 0).epoch(1);
        for normalise in [Normalise::Grouped, Normalise::All] {
            let sum: f64 = batches.iter().map(|batch| batch.share(normalise)).sum();
            assert!((sum / batches.len() as f64 - 1.0).abs() < 1e-12);
        }
    }
}

/// The variances of all pieces of the batches, each weighted by its rows.
fn weighted_variances(batches: &[Batch], value: impl Fn(usize) -> f64) -> f64 {
    let of_piece = |batch: &Batch, rows: &[usize]| {
        let values: Vec<f64> = rows.iter().map(|&row| value(batch.rows[row])).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64
    };
    let of_batch = |batch: &Batch| {
        let pieces = batch.groups.iter().zip(&batch.group_weights);
        pieces.map(|(rows, weight)| weight * of_piece(batch, rows)).sum::<f64>()
    };
    batches.iter().map(of_batch).sum()
}

/// Four values 0, 1, 4, 9: mean 3.5, variance (12.25 + 6.25 + 0.25 + 30.25) / 4 = 12.25. In batches of two, P = 2, the three
/// cuts into pairs have variances (1/4 + 25/4)/2, (16/4 + 64/4)/2 and (81/4 + 9/4)/2, which are 3.25, 10 and 11.25: their
/// mean 49/6 is 12.25 · (4 - 2)/(4 - 1).
#[test]
fn over_all_cuts_the_pieces_of_a_group_have_its_variance_times_a_known_factor() {
    let values = [0.0, 1.0, 4.0, 9.0];
    for mode in BOTH {
        let batches = Batches::new(&groups(&[4]), 2, mode, 7);
        let mut seen: Vec<(f64, usize)> = Vec::new();
        for epoch in 0..3000 {
            let value = weighted_variances(&batches.epoch(epoch), |row| values[row]);
            match seen.iter_mut().find(|(cut, _)| (cut - value).abs() < 1e-12) {
                Some((_, times)) => *times += 1,
                None => seen.push((value, 1)),
            }
        }
        seen.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(seen.iter().map(|cut| cut.0).collect::<Vec<_>>(), [3.25, 10.0, 11.25]);
        let mean = seen.iter().map(|cut| cut.0).sum::<f64>() / 3.0;
        assert!((mean - 12.25 * 2.0 / 3.0).abs() < 1e-12);
        // Each of the three comes about as often: 1000 times, give or take four standard deviations.
        assert!(seen.iter().all(|(_, times)| (900..=1100).contains(times)), "{mode:?} {seen:?}");
    }
}

#[test]
fn the_mean_over_epochs_tends_to_the_penalty_of_all_groups() {
    // A group of 23 in pieces of 10, 10 and 3, a pair, and single rows.
    let groups = groups(&[23, 2, 1, 1, 1, 1, 1, 1]);
    let value = |row: usize| (row * row % 11) as f64;
    let variance = |rows: std::ops::Range<usize>| {
        let mean = rows.clone().map(value).sum::<f64>() / rows.len() as f64;
        rows.clone().map(|row| (value(row) - mean).powi(2)).sum::<f64>() / rows.len() as f64
    };
    let expected = (variance(0..23) * (23.0 - 3.0) / (23.0 - 1.0) + variance(23..25)) / 2.0;
    for mode in BOTH {
        let batches = Batches::new(&groups, 10, mode, 5);
        let epochs = 4000;
        let of_epoch = |epoch| {
            let batches = batches.epoch(epoch);
            // C of a batch times its share is the sum of its weighted variances, times batches by groups.
            weighted_variances(&batches, value) / 2.0
        };
        let mean = (0..epochs).map(of_epoch).sum::<f64>() / epochs as f64;
        assert!((mean / expected - 1.0).abs() < 0.005, "{mode:?}: {mean}, {expected}");
    }
}

#[test]
fn every_two_rows_of_a_group_meet_in_some_epoch() {
    for mode in BOTH {
        let batches = Batches::new(&groups(&[12, 1, 1]), 4, mode, 1);
        let mut met = [[false; 12]; 12];
        for batch in (0..60).flat_map(|epoch| batches.epoch(epoch)) {
            for piece in batch.groups.larger() {
                let rows = || piece.iter().map(|&row| batch.rows[row]);
                rows().for_each(|a| rows().for_each(|b| met[a][b] = true));
            }
        }
        assert!(met.iter().flatten().all(|met| *met));
    }
}

#[test]
fn no_rows_make_no_batches() {
    for mode in BOTH {
        assert!(Batches::new(&groups(&[]), 4, mode, 0).epoch(0).is_empty());
    }
}

/// Also where the group of three is cut into pieces of two and one, which are variances of their own.
#[test]
fn the_penalty_of_an_epoch_is_that_of_its_pieces() {
    let groups = groups(&[2, 1, 3, 1, 2]);
    let device = Device::flex();
    let values: Vec<f32> = (0..groups.rows()).map(|row| (row * row % 7) as f32).collect();
    let logits = Tensor::<2>::from_data(TensorData::new(values.clone(), [groups.rows(), 1]), &device);
    for mode in BOTH {
        let batches = Batches::new(&groups, 2, mode, 1).epoch(0);
        let of_batch = |batch: &Batch| {
            let rows = Tensor::<1, Int>::from_data(batch.rows.as_slice(), &device);
            batch.logit_variance(logits.clone().select(0, rows)).into_scalar::<f32>()
        };
        let mean = batches.iter().map(of_batch).sum::<f32>() / batches.len() as f32;
        let pieces = weighted_variances(&batches, |row| f64::from(values[row])) as f32;
        assert!((mean - pieces / 3.0).abs() < 1e-6, "{mode:?}: {mean}, {pieces}");
    }
}

#[test]
fn the_mean_over_the_batches_of_an_epoch_is_the_penalty_of_all_rows() {
    let groups = groups(&[2, 1, 3, 1, 2, 2, 1, 1, 2, 1]);
    let device = Device::flex();
    let values: Vec<f32> = (0..groups.rows()).map(|row| (row * row % 7) as f32).collect();
    let logits = Tensor::<2>::from_data(TensorData::new(values, [groups.rows(), 1]), &device);
    let whole = logit_variance(logits.clone(), &groups, Normalise::Grouped).into_scalar::<f32>();
    for (mode, size) in BOTH.into_iter().flat_map(|mode| [4, 6, 20].map(|size| (mode, size))) {
        let batches = Batches::new(&groups, size, mode, 1).epoch(0);
        let of_batch = |batch: &Batch| {
            let rows = Tensor::<1, Int>::from_data(batch.rows.as_slice(), &device);
            let logits = logits.clone().select(0, rows);
            let losses = batch.loss_variance(logits.clone().squeeze_dim(1)).into_scalar::<f32>();
            let penalty = batch.logit_variance(logits).into_scalar::<f32>();
            assert!((losses - penalty).abs() < 1e-6);
            penalty
        };
        let mean = batches.iter().map(of_batch).sum::<f32>() / batches.len() as f32;
        assert!((mean - whole).abs() < 1e-5 * whole, "{mode:?} {size}: {mean}, {whole}");
    }
}

#[test]
fn by_batch_all_batches_count_alike() {
    // One pair among nine rows: at most one of the three batches has a group.
    let batches = Batches::new(&groups(&[2, 1, 1, 1, 1, 1, 1, 1]), 3, BatchMode::Shuffled, 0).epoch(0);
    assert!(batches.len() >= 3);
    assert!(batches.iter().all(|batch| batch.share(Normalise::Batch) == 1.0));
    let grouped: f64 = batches.iter().map(|batch| batch.share(Normalise::Grouped)).fold(0.0, f64::max);
    assert_eq!(grouped, batches.len() as f64);
}
