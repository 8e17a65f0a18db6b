//! Who follows a study.

use crate::train::{Log, Quiet};

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
