//! Who follows a study.

use crate::train::{AfterStep, CheckpointStore, Log, NoCheckpoints, Quiet, Snapshot, SnapshotError};

/// Follows a study: shows its progress, and may stop it. Called from several threads; every method can be left out.
pub trait Observer: Sync {
    /// Something that the user should know.
    fn note(&self, _line: &str) {}

    /// A training run begins. The log follows its steps and epochs.
    fn started(&self, _run: &str, _epochs: usize) -> Box<dyn Log> {
        Box::new(Quiet::default())
    }

    /// A training run is done and kept.
    fn finished(&self, _run: &str, _seconds: f64) {}

    /// Asked after every step of a network, before every block of rows of a linear fit, and between the parts of the evidence. True
    /// stops the study: networks keep their state first, and what is finished is kept anyway.
    fn is_interrupted(&self) -> bool {
        false
    }
}

/// Shows nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// Keeps nothing of a run, but stops it when its observer says so.
pub(crate) struct StoppedBy<'a>(pub &'a dyn Observer);

impl CheckpointStore for StoppedBy<'_> {
    fn earlier(&mut self) -> Option<Snapshot> {
        NoCheckpoints.earlier()
    }

    fn after_step(&mut self) -> AfterStep {
        if self.0.is_interrupted() { AfterStep::Stop } else { AfterStep::GoOn }
    }

    fn keep(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        NoCheckpoints.keep(snapshot)
    }

    fn seconds_before(&self) -> f64 {
        NoCheckpoints.seconds_before()
    }
}

/// Follows the runs of one fold of several under names that say so. That each of them is done is not said: there are many.
pub(super) struct InFold<'a> {
    pub observer: &'a dyn Observer,
    pub fold: usize,
    pub folds: usize,
}

impl Observer for InFold<'_> {
    fn note(&self, line: &str) {
        self.observer.note(&format!("fold {} of {}: {line}", self.fold, self.folds));
    }

    fn started(&self, run: &str, epochs: usize) -> Box<dyn Log> {
        self.observer.started(&format!("fold {} of {}: {run}", self.fold, self.folds), epochs)
    }

    fn is_interrupted(&self) -> bool {
        self.observer.is_interrupted()
    }
}
