//! Examples that the pooled model gets wrong and CoRe right, with both probabilities (as in the paper's appendix).

use std::collections::HashSet;

use corevar_data::{DataError, Dataset, Images};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::answers::Answers;
use super::picture::{data_uri, id_of_row};
use crate::rows::Rows;

/// Examples that are shown.
const EXAMPLES: usize = 12;

/// What CoRe wins and loses on the test on which it gains most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rescued {
    /// Which test.
    pub split: String,
    /// Its rows.
    pub rows: usize,
    /// Rows that the pooled model gets wrong and CoRe right.
    pub won: usize,
    /// Rows that the pooled model gets right and CoRe wrong.
    pub lost: usize,
    /// Some of those won, drawn at random, no two of one id.
    pub examples: Vec<RescuedExample>,
}

/// One row that CoRe gets right and the pooled model wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RescuedExample {
    /// Data URI.
    pub picture: String,
    /// As the user wrote it, where it was observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its class.
    pub class: String,
    /// What the pooled model says.
    pub pooled: Answer,
    /// What CoRe says.
    pub core: Answer,
}

/// What a model says of a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The class it takes the row for.
    pub class: String,
    /// Its probability of that class.
    pub probability: f64,
    /// Its probability of the true class.
    pub of_truth: f64,
}

/// One split before its pictures are read.
pub(super) struct Candidate {
    pub split: String,
    rows: usize,
    lost: usize,
    won: Vec<Won>,
}

#[derive(Clone)]
struct Won {
    row: usize,
    pooled: Said,
    core: Said,
}

#[derive(Clone, Copy)]
struct Said {
    class: u32,
    probability: f64,
    of_truth: f64,
}

pub(super) fn candidate(split: &str, rows: &Rows, pooled: &Answers, core: &Answers) -> Candidate {
    let right = |answers: &Answers, position| answers.is_wrong(rows, position) == Some(false);
    let said = |answers: &Answers, position: usize| {
        let class = answers.predicted()[position];
        let probability = answers.probability(position, class);
        Said { class, probability, of_truth: answers.probability_of_truth(position) }
    };
    let won = |position: usize| {
        let is_won = !right(pooled, position) && right(core, position);
        is_won.then(|| Won {
            row: rows.row(position),
            pooled: said(pooled, position),
            core: said(core, position),
        })
    };
    let positions = 0..rows.len();
    let lost = positions.clone().filter(|&position| right(pooled, position) && !right(core, position));
    Candidate {
        split: split.into(),
        rows: rows.len(),
        lost: lost.count(),
        won: positions.filter_map(won).collect(),
    }
}

impl Candidate {
    /// Reads the pictures of some examples.
    pub fn with_pictures(&self, dataset: &Dataset, images: &Images, seed: u64) -> Result<Rescued, DataError> {
        let examples = self.drawn(dataset, seed).into_iter().map(|won| won.example(dataset, images));
        Ok(Rescued {
            split: self.split.clone(),
            rows: self.rows,
            won: self.won.len(),
            lost: self.lost,
            examples: examples.collect::<Result<_, _>>()?,
        })
    }

    fn drawn(&self, dataset: &Dataset, seed: u64) -> Vec<&Won> {
        let mut won: Vec<&Won> = self.won.iter().collect();
        won.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        let mut seen = HashSet::new();
        won.retain(|won| dataset.ids()[won.row].is_none_or(|id| seen.insert(id)));
        won.truncate(EXAMPLES);
        won
    }
}

impl Won {
    fn example(&self, dataset: &Dataset, images: &Images) -> Result<RescuedExample, DataError> {
        let names = dataset.labels().class_names();
        let name = |class: u32| names.get(class as usize).cloned().unwrap_or_default();
        let answer = |said: Said| Answer {
            class: name(said.class),
            probability: said.probability,
            of_truth: said.of_truth,
        };
        Ok(RescuedExample {
            picture: data_uri(dataset, images, self.row)?,
            id: id_of_row(dataset, self.row),
            // CoRe is right.
            class: name(self.core.class),
            pooled: answer(self.pooled),
            core: answer(self.core),
        })
    }
}
