//! Batches of an epoch: every row once, groups kept whole, the order a pure function of (seed, epoch).

use burn::tensor::Tensor;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use serde::{Deserialize, Serialize};

use corevar_data::Groups;

use crate::penalty::{Normalise, logit_variance, loss_variance};

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
    /// Groups of the batch; row `i` here is `rows[i]`.
    pub groups: Groups,
    share_of_larger: f64,
    share_of_all: f64,
}

impl Batch {
    /// What the penalty of this batch counts, so that its mean over an epoch is the penalty of all rows,
    /// whatever the batch size: (groups here / groups in all) x batches. Groups are those that the
    /// normalisation divides by; 0 when none of them is here. [`Normalise::Batch`] weighs all batches alike: 1.
    pub fn share(&self, normalise: Normalise) -> f64 {
        match normalise {
            Normalise::Grouped => self.share_of_larger,
            Normalise::All => self.share_of_all,
            Normalise::Batch => 1.0,
        }
    }

    /// The penalty [`logit_variance`] of this batch, weighted by its share: what a loop of your own adds to the loss,
    /// times λ.
    /// # Shapes
    /// logits `[rows of the batch, classes]` -> `[1]`
    pub fn logit_variance(&self, logits: Tensor<2>) -> Tensor<1> {
        logit_variance(logits, &self.groups, Normalise::Grouped).mul_scalar(self.share(Normalise::Grouped))
    }

    /// The penalty [`loss_variance`] of this batch, weighted by its share.
    /// # Shapes
    /// losses `[rows of the batch]` -> `[1]`
    pub fn loss_variance(&self, losses: Tensor<1>) -> Tensor<1> {
        loss_variance(losses, &self.groups, Normalise::Grouped).mul_scalar(self.share(Normalise::Grouped))
    }
}

/// Makes the batches of each epoch.
#[derive(Debug, Clone)]
pub struct Batches {
    /// Whole groups, or pieces of those larger than a batch. `larger` have two rows or more.
    larger: Vec<Vec<usize>>,
    single: Vec<usize>,
    batch_size: usize,
    mode: BatchMode,
    seed: u64,
}

impl Batches {
    /// # Panics
    /// When `batch_size` is 0.
    pub fn new(groups: &Groups, batch_size: usize, mode: BatchMode, seed: u64) -> Self {
        assert!(batch_size > 0, "a batch holds at least one row");
        let pieces = groups.iter().flat_map(|rows| rows.chunks(batch_size));
        let (larger, single): (Vec<_>, Vec<_>) = pieces.partition(|piece| piece.len() > 1);
        Self {
            larger: larger.into_iter().map(<[usize]>::to_vec).collect(),
            single: single.into_iter().flatten().copied().collect(),
            batch_size,
            mode,
            seed,
        }
    }

    /// All batches of an epoch. None holds more than `batch_size` rows.
    pub fn epoch(&self, epoch: usize) -> Vec<Batch> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(epoch as u64);
        if self.rows() == 0 {
            return Vec::new();
        }
        self.finish(match self.mode {
            BatchMode::Spread => self.spread(&mut rng),
            BatchMode::Shuffled => self.shuffled(&mut rng),
        })
    }

    fn rows(&self) -> usize {
        self.single.len() + self.larger.iter().map(Vec::len).sum::<usize>()
    }

    fn shuffled(&self, rng: &mut ChaCha8Rng) -> Vec<Pile<'_>> {
        let single = self.single.iter().map(std::slice::from_ref);
        let mut pieces: Vec<&[usize]> = self.larger.iter().map(Vec::as_slice).chain(single).collect();
        pieces.shuffle(rng);
        let mut piles = Vec::new();
        let mut open = Pile::default();
        for piece in pieces {
            if open.rows + piece.len() > self.batch_size {
                piles.push(std::mem::take(&mut open));
            }
            open.add(piece);
        }
        piles.push(open);
        piles
    }

    fn spread(&self, rng: &mut ChaCha8Rng) -> Vec<Pile<'_>> {
        let mut larger: Vec<&[usize]> = self.larger.iter().map(Vec::as_slice).collect();
        larger.shuffle(rng);
        let mut single: Vec<&[usize]> = self.single.iter().map(std::slice::from_ref).collect();
        single.shuffle(rng);

        let count = self.rows().div_ceil(self.batch_size);
        let mut piles = vec![Pile::default(); count];
        let turn = rng.random_range(0..count);
        for (j, &piece) in larger.iter().enumerate() {
            place(&mut piles, piece, turn + j * count / larger.len(), self.batch_size);
        }
        // Batches of one size, as far as groups allow: enough room for all single rows by construction.
        let level = self.rows().div_ceil(piles.len());
        let mut single = single.iter().copied();
        for pile in &mut piles {
            for piece in single.by_ref().take(level.saturating_sub(pile.rows)) {
                pile.add(piece);
            }
        }
        piles
    }

    fn finish(&self, piles: Vec<Pile>) -> Vec<Batch> {
        let batches = piles.len();
        piles
            .into_iter()
            .map(|pile| {
                let groups = Groups::by_key(
                    pile.pieces.iter().enumerate().flat_map(|(j, piece)| std::iter::repeat_n(j, piece.len())),
                );
                let share = |here: usize, all: usize| (here * batches) as f64 / all.max(1) as f64;
                Batch {
                    rows: pile.pieces.concat(),
                    share_of_larger: share(groups.larger().count(), self.larger.len()),
                    share_of_all: share(groups.count(), self.larger.len() + self.single.len()),
                    groups,
                }
            })
            .collect()
    }
}

/// A batch in the making: whole groups and how many rows they have together.
#[derive(Debug, Clone, Default)]
struct Pile<'a> {
    pieces: Vec<&'a [usize]>,
    rows: usize,
}

impl<'a> Pile<'a> {
    fn add(&mut self, piece: &'a [usize]) {
        self.rows += piece.len();
        self.pieces.push(piece);
    }
}

/// Adds a piece to the wanted pile, or to the next one with room, or to a new one.
fn place<'a>(piles: &mut Vec<Pile<'a>>, piece: &'a [usize], wanted: usize, batch_size: usize) {
    let count = piles.len();
    let with_room =
        (wanted..wanted + count).map(|b| b % count).find(|&b| piles[b].rows + piece.len() <= batch_size);
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
