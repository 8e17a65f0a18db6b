//! Where the pooled model and CoRe differ: gathered split by split, turned into pictures at the end.

use corevar_data::{DataError, Dataset, SplitName};

use super::answers::Answers;
use super::{Pictures, Subject, changes, picture, rescued};
use crate::results::main;
use crate::rows::Rows;

/// What was seen so far.
pub(super) struct Contrast<'a> {
    dataset: &'a Dataset,
    /// Which subjects are the pooled model and CoRe; None when one of them is missing.
    pair: Option<(usize, usize)>,
    seed: u64,
    /// By how much CoRe errs less, by held-out split.
    gains: Vec<(String, f64)>,
    changes: Vec<changes::Candidate>,
    rescued: Vec<rescued::Candidate>,
}

impl<'a> Contrast<'a> {
    pub fn new(dataset: &'a Dataset, subjects: &[Subject<'_>], seed: u64) -> Self {
        let places: Vec<usize> = (0..subjects.len()).collect();
        let named = |name: &str| {
            let setting = |&place: &usize| &subjects[place].setting;
            main(&places, |place| (setting(place).name == name, setting(place).chosen)).copied()
        };
        let pair = named("pooled").zip(named("core"));
        Self { dataset, pair, seed, gains: Vec::new(), changes: Vec::new(), rescued: Vec::new() }
    }

    /// Whether the answers of this subject are to be kept for [`Self::look`].
    pub fn needs(&self, index: usize) -> bool {
        self.pair.is_some_and(|(pooled, core)| index == pooled || index == core)
    }

    /// Compares the two on a split.
    pub fn look(&mut self, split: &SplitName, rows: &Rows, kept: &[(usize, Answers<'_>)]) {
        let answers = |wanted: usize| kept.iter().find(|(index, _)| *index == wanted).map(|(_, a)| a);
        let pair = self.pair.and_then(|(pooled, core)| answers(pooled).zip(answers(core)));
        let Some((pooled, core)) = pair.filter(|(pooled, _)| !pooled.is_regression()) else { return };
        if self.dataset.pictures().is_some() {
            self.changes.extend(changes::candidates(split, rows, pooled, core));
        }
        if !split.is_test() {
            return;
        }
        let wrong = |answers: &Answers| {
            (0..rows.len()).filter(|&position| answers.is_wrong(rows, position) == Some(true)).count() as f64
        };
        self.gains.push((split.to_string(), (wrong(pooled) - wrong(core)) / rows.len() as f64));
        self.rescued.push(rescued::candidate(split, rows, pooled, core));
    }

    /// The test on which CoRe gains most; the first of equals. None without both models or without a test.
    pub fn most_gained(&self) -> Option<&str> {
        let best = self.gains.iter().reduce(|best, next| if next.1 > best.1 { next } else { best });
        best.map(|(split, _)| split.as_str())
    }

    /// None when the data have no pictures.
    pub fn pictures(&self) -> Result<Option<Pictures>, DataError> {
        let Some(images) = self.dataset.pictures() else { return Ok(None) };
        let most_gained = self.most_gained();
        let rescued = self.rescued.iter().find(|candidate| Some(candidate.split.as_str()) == most_gained);
        Ok(Some(Pictures {
            groups: picture::training_groups(self.dataset, images, self.seed)?,
            changes: changes::chosen(self.dataset, images, &self.changes)?,
            rescued: rescued
                .map(|candidate| candidate.with_pictures(self.dataset, images, self.seed))
                .transpose()?,
        }))
    }
}
