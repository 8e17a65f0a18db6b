//! Errors by level of an attribute, and the worst group.

use std::collections::BTreeMap;

use corevar_data::{Attribute, Dataset, Labels};
use serde::{Deserialize, Serialize};

use super::answers::Answers;
use crate::evaluate::MOST_LEVELS;
use crate::rows::Rows;

/// Errors of one model on one split by the levels of an attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttributeErrors {
    /// Of the attribute.
    pub name: String,
    /// Levels that have rows in the split, in the order of the data.
    pub levels: Vec<LevelError>,
}

/// Rows with one value of the attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LevelError {
    /// The value.
    pub level: String,
    /// How many.
    pub rows: usize,
    /// Share of wrong answers; of a regression the root mean squared error. None when it is not finite.
    pub error: Option<f64>,
}

/// The group with the largest error, as `worst_group_error` of the results counts it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorstGroup {
    /// Its class.
    pub class: String,
    /// Attribute and its level; None for the whole class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<(String, String)>,
    /// How many.
    pub rows: usize,
    /// Share of wrong answers.
    pub error: f64,
}

/// Rows, and the sum of their error terms.
type Sum = (usize, f64);

/// Of the attributes that have few levels.
pub(super) fn by_attribute(dataset: &Dataset, rows: &Rows, answers: &Answers) -> Vec<AttributeErrors> {
    let errors = |attribute: &Attribute| {
        let mut sums: BTreeMap<u32, Sum> = BTreeMap::new();
        for position in 0..rows.len() {
            add(&mut sums, attribute.of_row[rows.row(position)], answers.error_term(rows, position));
        }
        let level = |(&level, &(rows, sum)): (&u32, &Sum)| LevelError {
            level: attribute.levels[level as usize].clone(),
            rows,
            error: Some(answers.error(sum / rows as f64)).filter(|error| error.is_finite()),
        };
        AttributeErrors { name: attribute.name.clone(), levels: sums.iter().map(level).collect() }
    };
    usable(dataset).map(|(_, attribute)| errors(attribute)).collect()
}

fn usable(dataset: &Dataset) -> impl Iterator<Item = (usize, &Attribute)> {
    dataset.attributes().iter().enumerate().filter(|(_, attribute)| attribute.levels.len() <= MOST_LEVELS)
}

fn add<Key: Ord>(sums: &mut BTreeMap<Key, Sum>, key: Key, term: f64) {
    let (rows, sum) = sums.entry(key).or_default();
    *rows += 1;
    *sum += term;
}

/// Over the classes, and each of them crossed with each attribute. None for a regression.
pub(super) fn worst_group(dataset: &Dataset, rows: &Rows, answers: &Answers) -> Option<WorstGroup> {
    let Labels::Classes { names, .. } = dataset.labels() else { return None };
    let mut sums: BTreeMap<(u32, Option<(usize, u32)>), Sum> = BTreeMap::new();
    for position in 0..rows.len() {
        let (class, term) = (rows.labels[position], answers.error_term(rows, position));
        add(&mut sums, (class, None), term);
        for (index, attribute) in usable(dataset) {
            add(&mut sums, (class, Some((index, attribute.of_row[rows.row(position)]))), term);
        }
    }
    let error = |(rows, sum): &Sum| sum / *rows as f64;
    // The first of equals: a whole class rather than a part of it.
    let worst = sums.iter().reduce(|best, next| if error(next.1) > error(best.1) { next } else { best });
    let ((class, level), sum) = worst?;
    let named = |(index, level): (usize, u32)| {
        let attribute = &dataset.attributes()[index];
        (attribute.name.clone(), attribute.levels[level as usize].clone())
    };
    let class = names[*class as usize].clone();
    Some(WorstGroup { class, level: level.map(named), rows: sum.0, error: error(sum) })
}
