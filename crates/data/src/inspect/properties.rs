//! Every property that is looked at, and what it says about the label.

use rayon::prelude::*;
use serde::Serialize;

use super::chance::{Chance, Tested, Told};
use super::columns::{Column, columns};
use super::probe::{Prepared, Probe};
use super::sample::Sample;
use super::score::{Variance, within_ids};
use super::units::{SHUFFLES, Units};
use super::vectors::Vectors;
use crate::{DataError, Dataset, ReadReport};

/// Feature columns that are kept: those that predict best.
const COLUMNS: usize = 10;
/// A score from here on is worth a word.
pub(super) const WORTH: f64 = 0.6;
/// A score that chance brings more often than this is not worth a word.
pub(super) const ALPHA: f64 = 0.05;
/// A property with at least this share of its variance inside groups counts as varying there.
pub(super) const VARIES: f64 = 0.1;

/// What a property is a property of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// The picture as the model sees it.
    Picture,
    /// The file before it was resized.
    File,
    /// A column of the features.
    Feature,
    /// The small grey picture, or the features, along a direction in which rows of a group differ most.
    Direction,
}

/// One number per row, and what it says about the label.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Property {
    /// `brightness`, a column, or `direction 1`.
    pub name: String,
    /// Where it comes from.
    pub kind: Kind,
    /// How well it predicts the label alone: the area under the ROC curve, 0.5 for chance and 1 for always; of several
    /// classes the one that is told best from the rest, of numbers the upper half from the lower.
    pub score: f64,
    /// In which share of the shuffles of the labels over ids any property or probe does as well.
    pub by_chance: f64,
    /// The class that is told best.
    pub class: String,
    /// The score is worth a word and more than chance may bring.
    pub predicts: bool,
    /// The same area for rows of one id with different labels; `None` without such rows.
    pub within_ids: Option<f64>,
    /// Share of its variance among rows of the same label that lies inside groups; `None` without groups.
    pub inside_groups: Option<f64>,
}

impl Property {
    /// It predicts the label and varies inside groups: style if it may change later, noise of the measurement otherwise. The
    /// data cannot tell which.
    pub fn is_style_or_noise(&self) -> bool {
        self.predicts && self.inside_groups.is_some_and(|share| share >= VARIES)
    }

    /// It predicts the label and hardly varies inside groups.
    pub fn is_steady(&self) -> bool {
        self.predicts && self.inside_groups.is_some_and(|share| share < VARIES)
    }
}

/// All properties, the best predictor first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Properties {
    /// Rows that were measured, of how many.
    pub measured_rows: usize,
    /// Rows that are studied.
    pub rows: usize,
    /// Ids over which the labels were shuffled; a row without an id counts as one.
    pub ids: usize,
    /// How often they were.
    pub shuffles: usize,
    /// Of all inputs together, the share of the variance among rows of the same label that lies inside groups.
    pub inputs_inside_groups: Option<f64>,
    /// The properties; one that is the same for every row is left out.
    pub list: Vec<Property>,
    /// All columns together; `None` with fewer than two ids or classes.
    pub probe: Option<Probe>,
}

/// Measures the rows of the sample.
pub(super) fn study(
    dataset: &Dataset,
    report: Option<&ReadReport>,
    sample: &Sample,
    seed: u64,
) -> Result<Properties, DataError> {
    let (columns, vectors) = columns(dataset, report, sample, seed)?;
    let (names, of_row) = super::classes(dataset.labels(), 2);
    let classes: Vec<u32> = sample.rows.iter().map(|row| of_row[*row]).collect();
    let units = Units::new(&classes, &sample.ids);
    let tested = Tested::new(&units, sample.scored.clone()).bounded(seed, columns.len());
    let probe = Prepared::new(&vectors, sample, &units, seed);
    let chance = probe.as_ref().map_or_else(Chance::none, |probe| probe.chance(seed));
    let chance = chance_of(&columns, &tested, seed).with(&chance);
    let judge = Judge { sample, names, classes, tested, chance };
    Ok(Properties {
        measured_rows: judge.tested.rows.len(),
        rows: sample.studied.len(),
        ids: units.ids(),
        shuffles: SHUFFLES,
        inputs_inside_groups: inside_groups(&vectors, sample),
        list: judge.all(&columns),
        probe: probe.map(|probe| probe.probe(&judge.chance)),
    })
}

/// The largest z over all columns, for each shuffle.
fn chance_of(columns: &[Column<'_>], tested: &Tested<'_>, seed: u64) -> Chance {
    let shuffles = tested.shuffles(seed);
    let of = |column: &Column<'_>| Chance::of(tested, &tested.pick(&column.values()), &shuffles);
    columns.par_iter().map(of).reduce(Chance::none, |a, b| a.with(&b))
}

/// Of all columns of the vectors together.
fn inside_groups(vectors: &Vectors<'_>, sample: &Sample) -> Option<f64> {
    let mut variance = Variance::default();
    for column in 0..vectors.width {
        let values = vectors.column(column, sample.rows.len());
        variance.add(&values, &sample.classes, &sample.grouped);
    }
    variance.share()
}

/// What is to be predicted, for which rows, and what chance may bring.
struct Judge<'a> {
    sample: &'a Sample,
    names: Vec<String>,
    /// Class of each measured row; of numbers the lower or the upper half.
    classes: Vec<u32>,
    tested: Tested<'a>,
    chance: Chance,
}

impl Judge<'_> {
    /// The best predictors first; of many features the best.
    fn all(&self, columns: &[Column<'_>]) -> Vec<Property> {
        let mut list: Vec<Property> = columns.par_iter().filter_map(|column| self.judge(column)).collect();
        list.sort_by(|a, b| b.predicts.cmp(&a.predicts).then(b.score.total_cmp(&a.score)));
        let mut features = 0;
        list.retain(|property| {
            features += usize::from(property.kind == Kind::Feature);
            property.kind != Kind::Feature || features <= COLUMNS
        });
        list
    }

    /// `None` for a constant, and where there is nothing to tell apart.
    fn judge(&self, column: &Column<'_>) -> Option<Property> {
        let values = column.values();
        let tested = self.tested.pick(&values);
        if tested.iter().all(|value| *value == tested[0]) {
            return None;
        }
        let told = self.best(self.tested.told(&self.tested.rank_sums(&tested), &self.tested.seen()))?;
        let turned = |area: f64| if told.area >= 0.5 { area } else { 1.0 - area };
        let mut variance = Variance::default();
        variance.add(&values, &self.sample.classes, &self.sample.grouped);
        let (score, by_chance) = (turned(told.area), self.chance.share(told.z.abs()));
        Some(Property {
            name: column.name.clone(),
            kind: column.kind,
            score,
            by_chance,
            class: self.names[told.class as usize].clone(),
            predicts: score >= WORTH && by_chance <= ALPHA,
            within_ids: within_ids(&values, &self.classes, &self.sample.ids, told.class).map(turned),
            inside_groups: variance.share(),
        })
    }

    /// The class with the best score among those that are told better than by chance; else the one that comes closest to that.
    /// Of two classes that with the larger values.
    fn best(&self, told: Vec<Told>) -> Option<Told> {
        let key = |told: &Told| {
            let by_chance = self.chance.share(told.z.abs());
            let score = told.area.max(1.0 - told.area);
            if by_chance <= ALPHA { (true, score) } else { (false, told.z.abs()) }
        };
        let order = |a: &Told, b: &Told| {
            let ((a_certain, a_score), (b_certain, b_score)) = (key(a), key(b));
            a_certain.cmp(&b_certain).then(a_score.total_cmp(&b_score)).then(a.area.total_cmp(&b.area))
        };
        told.into_iter().max_by(order)
    }
}
