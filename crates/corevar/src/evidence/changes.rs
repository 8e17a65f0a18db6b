//! Groups on which the pooled model changes its mind: the same object, other answers.

use corevar_data::{DataError, Dataset, Images, SplitName};
use serde::{Deserialize, Serialize};

use super::answers::Answers;
use super::picture::{PICTURES_A_GROUP, data_uri, id_of_row, spread};
use crate::rows::Rows;

/// Groups that are shown.
const GROUPS: usize = 8;

/// One object in several pictures, and how sure both models are of its class in each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MindChange {
    /// Where the pictures are.
    pub split: String,
    /// As the user wrote it.
    pub id: String,
    /// Its class.
    pub class: String,
    /// From the least to the most probable under the pooled model.
    pub pictures: Vec<Judged>,
}

/// Probability of the true class in one picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// Data URI.
    pub picture: String,
    /// By the pooled model.
    pub pooled: f64,
    /// By CoRe.
    pub core: f64,
}

/// A group before its pictures are read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    split: String,
    /// Row, pooled, CoRe; by growing probability under the pooled model.
    judged: Vec<(usize, f64, f64)>,
}

impl Candidate {
    /// How far the probability moves inside the group.
    fn distance(&self) -> f64 {
        match (self.judged.first(), self.judged.last()) {
            (Some(first), Some(last)) => last.1 - first.1,
            _ => 0.0,
        }
    }
}

/// Of one split: those on which the pooled model changes its mind most, the largest first.
pub(super) fn candidates(split: &str, rows: &Rows, pooled: &Answers, core: &Answers) -> Vec<Candidate> {
    let candidate = |positions: &[usize]| {
        let judge = |&position: &usize| {
            let [pooled, core] = [pooled, core].map(|answers| answers.probability_of_truth(position));
            (rows.row(position), pooled, core)
        };
        let mut judged: Vec<_> = positions.iter().map(judge).collect();
        judged.sort_by(|a, b| a.1.total_cmp(&b.1));
        Candidate { split: split.into(), judged }
    };
    let are_finite = |candidate: &Candidate| {
        candidate.judged.iter().all(|(_, pooled, core)| pooled.is_finite() && core.is_finite())
    };
    let mut candidates: Vec<Candidate> = rows.groups.larger().map(candidate).filter(are_finite).collect();
    candidates.sort_by(|a, b| b.distance().total_cmp(&a.distance()));
    candidates.truncate(GROUPS);
    candidates
}

/// From the held-out splits; from training when no other split has groups.
pub(super) fn chosen(
    dataset: &Dataset,
    images: &Images,
    candidates: &[Candidate],
) -> Result<Vec<MindChange>, DataError> {
    let (training, mut held_out): (Vec<&Candidate>, Vec<&Candidate>) =
        candidates.iter().partition(|candidate| candidate.split == SplitName::TRAIN);
    held_out.sort_by(|a, b| b.distance().total_cmp(&a.distance()));
    let best = if held_out.is_empty() { training } else { held_out };
    best.into_iter().take(GROUPS).map(|candidate| with_pictures(dataset, images, candidate)).collect()
}

fn with_pictures(dataset: &Dataset, images: &Images, candidate: &Candidate) -> Result<MindChange, DataError> {
    let all: Vec<usize> = (0..candidate.judged.len()).collect();
    let judged = |index: usize| {
        let (row, pooled, core) = candidate.judged[index];
        Ok(Judged { picture: data_uri(dataset, images, row)?, pooled, core })
    };
    let pictures: Result<_, DataError> = spread(&all, PICTURES_A_GROUP).into_iter().map(judged).collect();
    let first = candidate.judged[0].0;
    Ok(MindChange {
        split: candidate.split.clone(),
        id: id_of_row(dataset, first).unwrap_or_default(),
        class: dataset.labels().text(first),
        pictures: pictures?,
    })
}
