//! What training says while it runs: risk, penalty and ridge, apart.

use burn::tensor::Tensor;
use serde::{Deserialize, Serialize};

use super::Symptom;

/// Means over one epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochRecord {
    /// Counted from 1.
    pub epoch: usize,
    /// Mean loss.
    pub risk: f64,
    /// The penalty before its weight.
    pub penalty: f64,
    /// The ridge term with its weight, at the end of the epoch.
    pub ridge: f64,
}

/// Somewhere to show progress.
pub trait Log: Send {
    /// After each step of an epoch.
    fn step(&mut self, step: usize, steps: usize);
    /// After each epoch.
    fn epoch(&mut self, record: EpochRecord);
}

/// Shows nothing and keeps the epochs.
#[derive(Debug, Default)]
pub struct Quiet(
    /// In order.
    pub Vec<EpochRecord>,
);

impl Log for Quiet {
    fn step(&mut self, _: usize, _: usize) {}

    fn epoch(&mut self, record: EpochRecord) {
        self.0.push(record);
    }
}

/// Sums over the steps of an epoch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EpochSums {
    epoch: usize,
    steps: usize,
    risk: f64,
    penalty: f64,
}

impl Default for EpochSums {
    fn default() -> Self {
        Self::start(0)
    }
}

impl EpochSums {
    pub(super) fn start(epoch: usize) -> Self {
        Self { epoch, steps: 0, risk: 0.0, penalty: 0.0 }
    }

    /// Adds a step, unless its objective `risk + weight * penalty` left the finite numbers of f32.
    pub(super) fn add(
        &mut self,
        risk: &Tensor<1>,
        penalty: &Tensor<1>,
        share: f64,
        weight: f64,
    ) -> Result<(), Symptom> {
        let [risk, penalty] = [risk, penalty].map(|value| f64::from(value.clone().into_scalar::<f32>()));
        // The penalty by itself too: a weight that is still 0 would hide it.
        if !((risk + weight * penalty) as f32).is_finite() || !penalty.is_finite() {
            return Err(Symptom::Loss { risk, penalty });
        }
        self.steps += 1;
        self.risk += risk;
        self.penalty += penalty * share;
        Ok(())
    }

    /// Risk and penalty of the steps so far.
    pub(super) fn means(&self) -> [f64; 2] {
        let steps = self.steps.max(1) as f64;
        [self.risk / steps, self.penalty / steps]
    }

    pub(super) fn finish(self, ridge: f64) -> EpochRecord {
        let [risk, penalty] = self.means();
        EpochRecord { epoch: self.epoch + 1, risk, penalty, ridge }
    }
}
