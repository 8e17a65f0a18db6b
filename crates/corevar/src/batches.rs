//! Batches of an epoch: every row once, groups kept whole, the order a pure function of (seed, epoch).
//!
//! A group S of N rows, more than a batch holds, is cut at random into P pieces, anew in each epoch, so that every two of its rows
//! meet. A piece of n rows weighs n/N. Over the cuts, with `Var` dividing by the number of rows,
//!
//! ```text
//! E[ Σ_pieces n/N Var_piece ] = (N - P)/(N - 1) · Var_S
//! ```
//!
//! since a piece's variance around its own mean is (n - 1)/n of the unbiased one: for 240 rows in batches of 120 the factor is 0.996.

use burn::tensor::Tensor;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use corevar_data::Groups;

use crate::penalty::{Normalise, Power, mean_over_groups};

/// How groups are laid over the batches of an epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BatchMode {
    /// Groups with two rows or more at equal distances, single rows in between. With few groups this
    /// keeps the penalty from coming and going by chance.
    #[default]
    Spread,
    /// Groups shuffled together with the single rows, as the paper's authors did.
    Shuffled,
}

/// One batch: row numbers, and the groups among these rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Rows in the numbering of the [`Groups`] that the batches were made from.
    pub rows: Vec<usize>,
    /// Groups of the batch, or pieces of groups that are larger than a batch; row `i` here is `rows[i]`.
    pub groups: Groups,
    /// What each of them counts in the mean over groups: 1, or a piece's share of the rows of its group.
    pub group_weights: Vec<f64>,
    share_of_larger: f64,
    share_of_all: f64,
}

impl Batch {
    /// What the penalty of this batch counts, so that its mean over an epoch is the penalty of all rows,
    /// whatever the batch size: (groups here / groups in all) x batches. Groups are those that the
    /// normalisation divides by, a piece counting its share; 0 when none of them is here. [`Normalise::Batch`] weighs all batches
    /// alike: 1.
    pub fn share(&self, normalise: Normalise) -> f64 {
        match normalise {
            Normalise::Grouped => self.share_of_larger,
            Normalise::All => self.share_of_all,
            Normalise::Batch => 1.0,
        }
    }

    /// The penalty [`crate::penalty::logit_variance`] of this batch, weighted by its share: what a loop of your own adds to the
    /// loss, times λ. For a regression hand in the residuals.
    /// # Shapes
    /// logits `[rows of the batch, classes]` -> `[1]`
    pub fn logit_variance(&self, logits: Tensor<2>) -> Tensor<1> {
        let normalise = Normalise::Grouped;
        let weights = Some(self.group_weights.as_slice());
        mean_over_groups(logits, &self.groups, weights, Power::Variance, normalise)
            .mul_scalar(self.share(normalise))
    }

    /// The penalty [`crate::penalty::loss_variance`] of this batch, weighted by its share.
    /// # Shapes
    /// losses `[rows of the batch]` -> `[1]`
    pub fn loss_variance(&self, losses: Tensor<1>) -> Tensor<1> {
        self.logit_variance(losses.unsqueeze_dim(1))
    }
}

/// Makes the batches of each epoch.
#[derive(Debug, Clone)]
pub struct Batches {
    groups: Groups,
    batch_size: usize,
    mode: BatchMode,
    seed: u64,
}

/// A group, or a part of one that is larger than a batch.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    rows: Vec<usize>,
    /// Share of the rows of its group.
    weight: f64,
}

impl Batches {
    /// # Panics
    /// When `batch_size` is 0.
    pub fn new(groups: &Groups, batch_size: usize, mode: BatchMode, seed: u64) -> Self {
        assert!(batch_size > 0, "a batch holds at least one row");
        Self { groups: groups.clone(), batch_size, mode, seed }
    }

    /// All batches of an epoch. None holds more than `batch_size` rows.
    pub fn epoch(&self, epoch: usize) -> Vec<Batch> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(epoch as u64);
        if self.groups.rows() == 0 {
            return Vec::new();
        }
        let (larger, single): (Vec<Piece>, Vec<Piece>) =
            self.pieces(&mut rng).into_iter().partition(|piece| piece.rows.len() > 1);
        self.finish(match self.mode {
            BatchMode::Spread => self.spread(&larger, &single, &mut rng),
            BatchMode::Shuffled => self.shuffled(&larger, &single, &mut rng),
        })
    }

    /// Whole groups, and those larger than a batch in pieces that are drawn anew.
    fn pieces(&self, rng: &mut ChaCha8Rng) -> Vec<Piece> {
        let mut pieces = Vec::with_capacity(self.groups.count());
        for group in self.groups.iter() {
            let mut rows = group.to_vec();
            // Without such a group nothing is drawn: the order of the batches stays what it was.
            if rows.len() > self.batch_size {
                rows.shuffle(rng);
            }
            let weight = |piece: &[usize]| piece.len() as f64 / group.len() as f64;
            pieces.extend(
                rows.chunks(self.batch_size)
                    .map(|piece| Piece { rows: piece.to_vec(), weight: weight(piece) }),
            );
        }
        pieces
    }

    fn shuffled<'a>(
        &self,
        larger: &'a [Piece],
        single: &'a [Piece],
        rng: &mut ChaCha8Rng,
    ) -> Vec<Pile<'a>> {
        let mut pieces: Vec<&Piece> = larger.iter().chain(single).collect();
        pieces.shuffle(rng);
        let mut piles = Vec::new();
        let mut open = Pile::default();
        for piece in pieces {
            if open.rows + piece.rows.len() > self.batch_size {
                piles.push(std::mem::take(&mut open));
            }
            open.add(piece);
        }
        piles.push(open);
        piles
    }

    fn spread<'a>(
        &self,
        larger: &'a [Piece],
        single: &'a [Piece],
        rng: &mut ChaCha8Rng,
    ) -> Vec<Pile<'a>> {
        let mut larger: Vec<&Piece> = larger.iter().collect();
        larger.shuffle(rng);
        let mut single: Vec<&Piece> = single.iter().collect();
        single.shuffle(rng);

        let rows = self.groups.rows();
        let count = rows.div_ceil(self.batch_size);
        let mut piles = vec![Pile::default(); count];
        let turn = rng.random_range(0..count);
        for (j, &piece) in larger.iter().enumerate() {
            place(&mut piles, piece, turn + j * count / larger.len(), self.batch_size);
        }
        // Batches of one size, as far as groups allow: enough room for all single rows by construction.
        let level = rows.div_ceil(piles.len());
        let mut single = single.iter().copied();
        for pile in &mut piles {
            for piece in single.by_ref().take(level.saturating_sub(pile.rows)) {
                pile.add(piece);
            }
        }
        piles
    }

    fn finish(&self, piles: Vec<Pile>) -> Vec<Batch> {
        let batches = piles.len() as f64;
        let [larger, all] = [self.groups.larger().count(), self.groups.count()];
        let share = |weights: f64, groups: usize| weights * batches / groups.max(1) as f64;
        piles
            .into_iter()
            .map(|pile| {
                let of_larger = pile.pieces.iter().filter(|piece| piece.rows.len() > 1);
                let of_larger: f64 = of_larger.map(|piece| piece.weight).sum();
                let group_weights: Vec<f64> = pile.pieces.iter().map(|piece| piece.weight).collect();
                Batch {
                    share_of_larger: share(of_larger, larger),
                    share_of_all: share(group_weights.iter().sum(), all),
                    rows: pile.pieces.iter().flat_map(|piece| piece.rows.iter().copied()).collect(),
                    groups: pile.groups(),
                    group_weights,
                }
            })
            .collect()
    }
}

/// A batch in the making: whole groups and how many rows they have together.
#[derive(Debug, Clone, Default)]
struct Pile<'a> {
    pieces: Vec<&'a Piece>,
    rows: usize,
}

impl<'a> Pile<'a> {
    fn add(&mut self, piece: &'a Piece) {
        self.rows += piece.rows.len();
        self.pieces.push(piece);
    }

    /// Each piece is a group of the batch.
    fn groups(&self) -> Groups {
        let of_piece = |(j, piece): (usize, &&Piece)| std::iter::repeat_n(j, piece.rows.len());
        Groups::by_key(self.pieces.iter().enumerate().flat_map(of_piece))
    }
}

/// Adds a piece to the wanted pile, or to the next one with room, or to a new one.
fn place<'a>(piles: &mut Vec<Pile<'a>>, piece: &'a Piece, wanted: usize, batch_size: usize) {
    let count = piles.len();
    let size = piece.rows.len();
    let with_room = (wanted..wanted + count).map(|b| b % count).find(|&b| piles[b].rows + size <= batch_size);
    let found = with_room.unwrap_or_else(|| {
        piles.push(Pile::default());
        count
    });
    piles[found].add(piece);
}

#[cfg(test)]
mod tests {
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
        let sizes = [2, 2, 3, 1, 1, 1, 1, 1, 1, 1, 1];
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
    fn by_batch_all_batches_count_alike() {
        // One pair among nine rows: at most one of the three batches has a group.
        let batches = Batches::new(&groups(&[2, 1, 1, 1, 1, 1, 1, 1]), 3, BatchMode::Shuffled, 0).epoch(0);
        assert!(batches.len() >= 3);
        assert!(batches.iter().all(|batch| batch.share(Normalise::Batch) == 1.0));
        let grouped: f64 = batches.iter().map(|batch| batch.share(Normalise::Grouped)).fold(0.0, f64::max);
        assert_eq!(grouped, batches.len() as f64);
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
}
