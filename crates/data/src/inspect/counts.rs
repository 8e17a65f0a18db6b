//! Rows, classes, splits and ids, counted.

use serde::Serialize;

use super::sample::{Sample, groups as groups_of};
use crate::Dataset;
use crate::groups::ids_with_several;

/// Ids named in a list, at most.
const NAMED: usize = 5;

/// A split and how much of it is grouped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SplitCount {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// Groups of two rows or more.
    pub groups: usize,
    /// Rows in them.
    pub grouped_rows: usize,
    /// Rows in them less the groups: those beyond the first of their group.
    pub grouped_observations: usize,
}

/// A class and how much of it is grouped, among the rows that are studied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassCount {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// Groups of two rows or more.
    pub groups: usize,
    /// Rows in them.
    pub grouped_rows: usize,
    /// Rows in them less the groups: those beyond the first of their group.
    pub grouped_observations: usize,
}

/// The groups of the rows that are studied.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupCounts {
    /// Rows that are studied: those of `train`, or all.
    pub rows: usize,
    /// Rows with an id among them.
    pub rows_with_id: usize,
    /// Groups of two rows or more.
    pub groups: usize,
    /// Rows in them.
    pub grouped_rows: usize,
    /// The paper's c: rows less groups, a row that shares its label and id with no other being a group of its own. 50 pairs count 50.
    pub grouped_observations: usize,
    /// Share of the rows that are in groups of two or more.
    pub grouped_share: f64,
    /// How many groups there are of each size.
    pub sizes: Vec<SizeCount>,
    /// Ids that come with two labels or more; each label forms its own group.
    pub ids_with_two_labels: Leak,
}

/// Groups of `from` up to `to` rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SizeCount {
    /// Least size.
    pub from: usize,
    /// Largest size; `None` for any.
    pub to: Option<usize>,
    /// Groups of such a size.
    pub groups: usize,
}

/// Ids that are somewhere they should not be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leak {
    /// How many.
    pub count: usize,
    /// The first few.
    pub first: Vec<String>,
}

pub(super) fn splits(dataset: &Dataset, classes: &[u32]) -> Vec<SplitCount> {
    let count = |split: &crate::Split| {
        let groups = groups_of(&split.rows, classes, dataset.ids());
        let grouped_rows = groups.iter().map(Vec::len).sum();
        SplitCount {
            name: split.name.to_string(),
            rows: split.rows.len(),
            groups: groups.len(),
            grouped_rows,
            grouped_observations: grouped_rows - groups.len(),
        }
    };
    dataset.splits().iter().map(count).collect()
}

pub(super) fn classes(names: Vec<String>, classes: &[u32], sample: &Sample) -> Vec<ClassCount> {
    let empty = |name| ClassCount { name, rows: 0, groups: 0, grouped_rows: 0, grouped_observations: 0 };
    let mut counts: Vec<ClassCount> = names.into_iter().map(empty).collect();
    sample.studied.iter().for_each(|row| counts[classes[*row] as usize].rows += 1);
    for group in &sample.groups {
        let count = &mut counts[classes[group[0]] as usize];
        count.groups += 1;
        count.grouped_rows += group.len();
        count.grouped_observations += group.len() - 1;
    }
    counts
}

pub(super) fn groups(dataset: &Dataset, sample: &Sample) -> GroupCounts {
    let rows = sample.studied.len();
    let grouped_rows: usize = sample.groups.iter().map(Vec::len).sum();
    GroupCounts {
        rows,
        rows_with_id: sample.studied.iter().filter(|row| dataset.ids()[**row].is_some()).count(),
        groups: sample.groups.len(),
        grouped_rows,
        grouped_observations: grouped_rows - sample.groups.len(),
        grouped_share: grouped_rows as f64 / rows.max(1) as f64,
        sizes: sizes(&sample.groups),
        ids_with_two_labels: two_labels(dataset),
    }
}

/// One by one up to 5, then in steps that a reader takes in.
fn sizes(groups: &[Vec<usize>]) -> Vec<SizeCount> {
    const STARTS: [usize; 9] = [2, 3, 4, 5, 6, 10, 20, 50, 100];
    let count = |(i, from): (usize, &usize)| {
        let to = STARTS.get(i + 1).map(|next| next - 1);
        let fits = |group: &&Vec<usize>| group.len() >= *from && to.is_none_or(|to| group.len() <= to);
        SizeCount { from: *from, to, groups: groups.iter().filter(fits).count() }
    };
    STARTS.iter().enumerate().map(count).filter(|count| count.groups > 0).collect()
}

fn two_labels(dataset: &Dataset) -> Leak {
    // Two rows of an object need not have the same number.
    match dataset.labels().classes() {
        Some(classes) => Leak::of(dataset, &ids_with_several(dataset.ids(), classes)),
        None => Leak { count: 0, first: Vec::new() },
    }
}

/// Two splits other than train may share an id: neither is learned from.
pub(super) fn ids_across_splits(dataset: &Dataset) -> Leak {
    let mut in_train = vec![false; dataset.len()];
    dataset.train().iter().for_each(|row| in_train[*row] = true);
    Leak::of(dataset, &ids_with_several(dataset.ids(), &in_train))
}

impl Leak {
    fn of(dataset: &Dataset, ids: &[u32]) -> Leak {
        let first = ids.iter().take(NAMED).map(|id| dataset.id_names()[*id as usize].clone()).collect();
        Leak { count: ids.len(), first }
    }

    /// ``2 ids (`a`, `b`)``
    pub(super) fn text(&self) -> String {
        let names: Vec<String> = self.first.iter().map(|name| format!("`{name}`")).collect();
        let more = if self.count > self.first.len() { ", ..." } else { "" };
        format!("{} {} ({}{more})", self.count, if self.count == 1 { "id" } else { "ids" }, names.join(", "))
    }
}
