//! Numbers that are missing in rows of features: counted by column, and then refused, left out or filled.

use serde::{Deserialize, Serialize};

use crate::error::{Place, TableProblem};
use crate::names::keep;
use crate::{DataError, Features};

/// What is done about rows of features that lack a number.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub enum Missing {
    /// An error, which counts them by column.
    #[default]
    Refuse,
    /// Such rows are left out, and counted.
    Drop,
    /// The median of its column over the training rows takes its place. A model keeps the medians.
    Median,
    /// These medians take its place.
    Fill(Medians),
}

/// Medians of features over the training rows, by the names of the features.
#[derive(Debug, Clone, PartialEq)]
pub struct Medians {
    /// Of the features.
    pub names: Vec<String>,
    /// One per name.
    pub values: Vec<f32>,
}

/// What was done about missing numbers in training, as a model keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MissingRule {
    /// Such rows were left out.
    Drop,
    /// These took their place, in the order of the features.
    Medians(Vec<f32>),
}

impl MissingRule {
    /// How new rows of these features are read.
    pub fn for_features(&self, names: &[String]) -> Missing {
        match self {
            Self::Drop => Missing::Drop,
            Self::Medians(values) => Missing::Fill(Medians { names: names.to_vec(), values: values.clone() }),
        }
    }

    /// Whether it is one for so many features.
    pub fn is_valid(&self, features: usize) -> bool {
        match self {
            Self::Drop => true,
            Self::Medians(values) => {
                values.len() == features && values.iter().all(|median| median.is_finite())
            }
        }
    }
}

/// Missing numbers (NaN here) by column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Name of each column that lacks some, and how many.
    pub(crate) columns: Vec<(String, usize)>,
    /// Rows that lack any, and the first of them.
    pub(crate) rows: usize,
    pub(crate) first: usize,
}

impl Counts {
    /// None where nothing is missing.
    pub(crate) fn of(features: &Features) -> Option<Self> {
        let width = features.names.len().max(1);
        let (mut counts, mut rows, mut first) = (vec![0; width], 0, None);
        for (row, values) in features.values.chunks_exact(width).enumerate() {
            let mut lacks = false;
            for (count, value) in counts.iter_mut().zip(values) {
                *count += usize::from(value.is_nan());
                lacks |= value.is_nan();
            }
            rows += usize::from(lacks);
            first = first.or(lacks.then_some(row));
        }
        let columns = features.names.iter().zip(counts).filter(|(_, count)| *count > 0);
        let columns = columns.map(|(name, count)| (name.clone(), count)).collect();
        Some(Self { columns, rows, first: first? })
    }

    /// `x1` (12), `x2` (3): most first.
    pub(crate) fn text(&self) -> String {
        const SHOWN: usize = 12;
        let mut columns = self.columns.clone();
        columns.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let named = columns.iter().take(SHOWN).map(|(name, count)| format!("`{name}` ({count})"));
        let mut text = named.collect::<Vec<_>>().join(", ");
        if columns.len() > SHOWN {
            text += &format!(" and {} more columns", columns.len() - SHOWN);
        }
        text
    }

    fn cells(&self) -> usize {
        self.columns.iter().map(|(_, count)| count).sum()
    }
}

/// What was done.
#[derive(Debug)]
pub(crate) struct Handled {
    /// For new rows.
    pub(crate) rule: Option<MissingRule>,
    /// Whether each row stays; None: all do.
    pub(crate) kept: Option<Vec<bool>>,
    /// For the user.
    pub(crate) note: Option<String>,
}

/// Does what `missing` says. `training` are the rows that medians are of; `place` says where a row stands.
pub(crate) fn handle(
    features: &mut Features,
    missing: &Missing,
    training: &[usize],
    place: impl Fn(usize) -> Place,
) -> Result<Handled, DataError> {
    let counts = Counts::of(features);
    let rows = features.values.len() / features.names.len().max(1);
    let (rule, medians) = match missing {
        Missing::Refuse => (None, None),
        Missing::Drop => (Some(MissingRule::Drop), None),
        Missing::Median => {
            let medians = medians(features, training).map_err(|column| {
                let path = place(0).path;
                Place::file(&path).table(TableProblem::NoNumber { column })
            })?;
            (Some(MissingRule::Medians(medians.clone())), Some(medians))
        }
        Missing::Fill(Medians { names, values }) => (None, Some(in_order(features, names, values))),
    };
    let Some(counts) = counts else { return Ok(Handled { rule, kept: None, note: None }) };
    let fault = || {
        let Counts { rows: lacking, ref columns, first } = counts;
        let columns = columns.clone();
        place(first).table(TableProblem::MissingNumbers { columns, text: counts.text(), lacking, rows })
    };
    let (cells, lacking, text) = (counts.cells(), counts.rows, counts.text());
    if let Some(medians) = medians {
        let width = features.names.len();
        for (place, value) in features.values.iter_mut().enumerate().filter(|(_, value)| value.is_nan()) {
            *value = medians[place % width];
        }
        let numbers = if cells == 1 { "number" } else { "numbers" };
        let note = format!(
            "filled {cells} missing {numbers} in {lacking} of {rows} rows with medians of the training rows: {text}"
        );
        // A feature without a median is none of the model's.
        return if features.values.iter().any(|value| value.is_nan()) {
            Err(fault())
        } else {
            Ok(Handled { rule, kept: None, note: Some(note) })
        };
    }
    if *missing == Missing::Refuse || lacking == rows {
        return Err(fault());
    }
    let width = features.names.len();
    let kept: Vec<bool> =
        features.values.chunks_exact(width).map(|row| !row.iter().any(|value| value.is_nan())).collect();
    let note = format!("left out {lacking} of {rows} rows with a missing number: {text}");
    Ok(Handled { rule, kept: Some(kept), note: Some(note) })
}

/// Of each column over these rows; the name of a column without any number there.
fn medians(features: &Features, rows: &[usize]) -> Result<Vec<f32>, String> {
    let width = features.names.len();
    let median = |column: usize| {
        let mut values: Vec<f32> = rows.iter().map(|row| features.values[row * width + column]).collect();
        let present: Vec<bool> = values.iter().map(|value| !value.is_nan()).collect();
        keep(&mut values, &present);
        median(&mut values).ok_or_else(|| features.names[column].clone())
    };
    (0..width).map(median).collect()
}

/// The middle value, or the mean of the two in the middle.
fn median(values: &mut [f32]) -> Option<f32> {
    let middle = values.len() / 2;
    let is_even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) =
        if values.is_empty() { return None } else { values.select_nth_unstable_by(middle, f32::total_cmp) };
    if !is_even {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f32::total_cmp)?;
    Some(((f64::from(lower) + f64::from(upper)) / 2.0) as f32)
}

/// NaN for a feature without one.
fn in_order(features: &Features, names: &[String], values: &[f32]) -> Vec<f32> {
    let of_name: std::collections::HashMap<&String, f32> = names.iter().zip(values.iter().copied()).collect();
    features.names.iter().map(|name| of_name.get(name).copied().unwrap_or(f32::NAN)).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    const NAN: f32 = f32::NAN;

    fn features() -> Features {
        let values = vec![1.0, NAN, 3.0, 20.0, NAN, 40.0, 8.0, 60.0];
        Features { names: vec!["a".into(), "b".into()], values }
    }

    fn run(features: &mut Features, missing: &Missing) -> Result<Handled, DataError> {
        handle(features, missing, &[0, 1, 2], |row| Place::line(Path::new("t.csv"), row as u64 + 2))
    }

    #[test]
    fn medians_are_of_the_training_rows_and_fill_all_rows() {
        let mut features = features();
        let handled = run(&mut features, &Missing::Median).unwrap();
        // a: 1, 3 in training; b: 20, 40.
        assert_eq!(handled.rule, Some(MissingRule::Medians(vec![2.0, 30.0])));
        assert_eq!(features.values, [1.0, 30.0, 3.0, 20.0, 2.0, 40.0, 8.0, 60.0]);
        let note =
            "filled 2 missing numbers in 2 of 4 rows with medians of the training rows: `a` (1), `b` (1)";
        assert_eq!(handled.note.unwrap(), note);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut []), None);
    }

    #[test]
    fn medians_of_a_model_go_by_name() {
        let mut features = features();
        let medians = Medians { names: vec!["b".into(), "a".into()], values: vec![7.0, 5.0] };
        let handled = run(&mut features, &Missing::Fill(medians)).unwrap();
        assert_eq!((features.values[1], features.values[4], handled.rule), (7.0, 5.0, None));
    }

    #[test]
    fn rows_are_dropped_and_counted() {
        let handled = run(&mut features(), &Missing::Drop).unwrap();
        assert_eq!(handled.kept.unwrap(), [false, true, false, true]);
        assert_eq!(handled.note.unwrap(), "left out 2 of 4 rows with a missing number: `a` (1), `b` (1)");
        let mut whole = Features { names: vec!["a".into()], values: vec![1.0] };
        assert!(run(&mut whole, &Missing::Drop).unwrap().kept.is_none());
    }

    #[test]
    fn what_nobody_decided_is_refused_with_counts() {
        let message = run(&mut features(), &Missing::Refuse).unwrap_err().to_string();
        assert_eq!(message, "t.csv:2: a number is missing in 2 of 4 rows: `a` (1), `b` (1)");
        let mut empty = Features { names: vec!["a".into(), "b".into()], values: vec![1.0, NAN, 2.0, NAN] };
        let error = handle(&mut empty, &Missing::Median, &[0, 1], |_| Place::file(Path::new("t.csv")));
        assert_eq!(error.unwrap_err().to_string(), "t.csv: column `b` holds no number in the training rows");
        assert!(run(&mut empty, &Missing::Drop).unwrap_err().to_string().contains("missing in 2 of 2 rows"));
    }
}
