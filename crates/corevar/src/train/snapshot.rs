//! The state of a training run between two steps: weights, Adam's moments, position. A run that goes on from one ends as if it
//! had never stopped, to the last bit.
//!
//! In a file it is a magic word, the length and text of a JSON header, the weights as little-endian f32, the optimiser's record, and a
//! checksum of all that. Every length is checked against the file before memory is taken.

use std::panic::{AssertUnwindSafe, catch_unwind};

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::optim::{ModuleOptimizer, OptimizerRecord};
use burn::tensor::{Bytes, Tensor, TensorData};
use corevar_data::Tip;
use serde::{Deserialize, Serialize};

use super::{EpochRecord, EpochSums, State};

const MAGIC: &[u8; 8] = b"corevarS";

/// Where a run stands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Position {
    /// Epochs that are done.
    pub epoch: usize,
    /// Steps of the next one that are done.
    pub step: usize,
    /// What these steps add up to.
    pub sums: EpochSums,
    /// The epochs that are done.
    pub epochs: Vec<EpochRecord>,
}

/// A run between two steps.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Snapshot {
    /// Where it stands.
    pub position: Position,
    /// Burn's id and the numbers of each weight tensor, in the order of the module.
    weights: Vec<(u64, Vec<f32>)>,
    /// Adam's moments, as Burn writes them; they are kept by the ids above.
    optimiser: Vec<u8>,
}

/// What should happen after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterStep {
    /// The next step.
    GoOn,
    /// Keep the state, then the next step.
    Keep,
    /// Keep the state and stop.
    Stop,
}

/// Somewhere to keep the state of a run.
pub(crate) trait CheckpointStore: Send {
    /// The state to go on from, if there is one.
    fn earlier(&mut self) -> Option<Snapshot>;
    /// Asked after every step.
    fn after_step(&mut self) -> AfterStep;
    /// Keeps the state.
    fn keep(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError>;
    /// Seconds that the state of [`CheckpointStore::earlier`] took.
    fn seconds_before(&self) -> f64;
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoCheckpoints;

impl CheckpointStore for NoCheckpoints {
    fn earlier(&mut self) -> Option<Snapshot> {
        None
    }

    fn after_step(&mut self) -> AfterStep {
        AfterStep::GoOn
    }

    fn keep(&mut self, _: &Snapshot) -> Result<(), SnapshotError> {
        Ok(())
    }

    fn seconds_before(&self) -> f64 {
        0.0
    }
}

/// Why a state could not be kept or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The file system said no.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The bytes are not those of a state.
    #[error("{0}")]
    Damaged(String),
}

impl Tip for SnapshotError {
    fn tip(&self) -> Option<String> {
        let tip = match self {
            Self::Io(_) => {
                "make room on the disk of `KeepIn::folder`, or see that it can be written; `Start::Resume` then goes on"
            }
            Self::Damaged(_) => {
                "remove the folder `states` in `KeepIn::folder`; `Start::Resume` then begins this run anew"
            }
        };
        Some(tip.into())
    }
}

fn damaged(reason: impl Into<String>) -> SnapshotError {
    SnapshotError::Damaged(reason.into())
}

#[derive(Serialize, Deserialize)]
struct Header<T> {
    /// Whose state it is.
    run: T,
    position: Position,
    /// Id and length of each weight tensor.
    weights: Vec<(u64, usize)>,
    optimiser: usize,
}

impl Snapshot {
    pub(super) fn of(
        model: &impl Module,
        optimiser: &ModuleOptimizer,
        position: Position,
    ) -> Result<Self, SnapshotError> {
        struct Collect(Vec<(u64, Vec<f32>)>);
        impl ModuleVisitor for Collect {
            fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
                let values = param.val().inner().into_data().try_to_vec::<f32>().expect("weights are f32");
                self.0.push((param.id.val(), values));
            }
        }
        let mut weights = Collect(Vec::new());
        model.visit(&mut weights);
        let optimiser = optimiser.into_bytes().map_err(|error| damaged(error.to_string()))?.to_vec();
        Ok(Self { position, weights: weights.0, optimiser })
    }

    /// Whether all weights are numbers: no other state is worth keeping.
    pub(super) fn is_finite(&self) -> bool {
        self.weights.iter().all(|(_, values)| values.iter().all(|value| value.is_finite()))
    }

    /// The model and optimiser of this state. `model` is a new one of the same kind.
    pub(super) fn restore<M: Module>(
        self,
        model: M,
        optimiser: impl Fn(&M) -> ModuleOptimizer,
    ) -> Result<State<M>, SnapshotError> {
        struct Replace {
            weights: std::vec::IntoIter<(u64, Vec<f32>)>,
            fits: bool,
        }
        impl ModuleMapper for Replace {
            fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
                let old = param.val();
                match self.weights.next() {
                    Some((id, values)) if values.len() == old.shape().num_elements() => {
                        let data = TensorData::new(values, old.shape());
                        let value = Tensor::from_data(data, &old.device()).require_grad();
                        Param::initialized(ParamId::from(id), value)
                    }
                    _ => {
                        self.fits = false;
                        param
                    }
                }
            }
        }
        let mut replace = Replace { weights: self.weights.into_iter(), fits: true };
        let model = model.map(&mut replace);
        if !replace.fits || replace.weights.next().is_some() {
            return Err(damaged("its weights are not those of this model"));
        }
        // Burn trusts its records; one with a sound checksum that it did not write may make it panic.
        let load = || {
            let record = OptimizerRecord::from_bytes(Bytes::from_bytes_vec(self.optimiser));
            record
                .map(|record| optimiser(&model).load_record(record))
                .map_err(|error| damaged(error.to_string()))
        };
        let loaded = catch_unwind(AssertUnwindSafe(load));
        let optimiser = loaded.unwrap_or_else(|_| Err(damaged("its optimiser is none of Burn's")))?;
        Ok(State { optimiser, model, position: self.position })
    }

    /// As a file, with a word on whose state it is.
    pub fn to_bytes<T: Serialize>(&self, run: &T) -> Vec<u8> {
        let header = Header {
            run,
            position: self.position.clone(),
            weights: self.weights.iter().map(|(id, values)| (*id, values.len())).collect(),
            optimiser: self.optimiser.len(),
        };
        let header = serde_json::to_vec(&header).expect("plain data");
        let mut bytes = MAGIC.to_vec();
        bytes.extend((header.len() as u64).to_le_bytes());
        bytes.extend(&header);
        let values = self.weights.iter().flat_map(|(_, values)| values);
        bytes.extend(values.flat_map(|value| value.to_le_bytes()));
        bytes.extend(&self.optimiser);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        bytes
    }

    /// Reads what [`Snapshot::to_bytes`] wrote, and whose it is.
    pub fn from_bytes<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Result<(Self, T), SnapshotError> {
        let (content, sum) = bytes.split_last_chunk::<4>().ok_or_else(|| damaged("it is too short"))?;
        if crc32fast::hash(content) != u32::from_le_bytes(*sum) {
            return Err(damaged("its checksum is wrong"));
        }
        let rest = content.strip_prefix(MAGIC).ok_or_else(|| damaged("it is no state of a run"))?;
        let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(|| damaged("it is too short"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        let (header, mut rest) = rest.split_at_checked(length).ok_or_else(|| damaged("it is too short"))?;
        let header: Header<T> = serde_json::from_slice(header).map_err(|error| damaged(error.to_string()))?;
        let mut weights = Vec::new();
        for (id, count) in header.weights {
            let taken = count.checked_mul(4).and_then(|length| rest.split_at_checked(length));
            let (values, after) = taken.ok_or_else(|| damaged("it is too short"))?;
            rest = after;
            weights.push((id, values.as_chunks().0.iter().map(|&value| f32::from_le_bytes(value)).collect()));
        }
        if rest.len() != header.optimiser {
            return Err(damaged("its lengths do not add up"));
        }
        Ok((Self { position: header.position, weights, optimiser: rest.to_vec() }, header.run))
    }
}

/// Whether these bytes are the state of some run; for tests of the reader. Whether a model can go on from it is not looked at.
#[doc(hidden)]
pub fn is_state(bytes: &[u8]) -> bool {
    Snapshot::from_bytes::<serde::de::IgnoredAny>(bytes).is_ok()
}
