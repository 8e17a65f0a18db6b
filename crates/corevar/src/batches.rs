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
        mean_over_groups(logits, &self.groups, weights, None, Power::Variance, normalise)
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

    fn shuffled<'a>(&self, larger: &'a [Piece], single: &'a [Piece], rng: &mut ChaCha8Rng) -> Vec<Pile<'a>> {
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

    fn spread<'a>(&self, larger: &'a [Piece], single: &'a [Piece], rng: &mut ChaCha8Rng) -> Vec<Pile<'a>> {
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
mod tests;
