//! The choice of a penalty weight: applies a [`Rule`] to what the settings say of the validation rows.

use std::collections::BTreeMap;

use corevar_data::{Dataset, Labels, SplitName};

use super::criterion::{AfterShift, Answers};
use super::estimator::Estimator;
use crate::penalty::{Penalty, weight};
use crate::results::{CriterionPoint, EstimatorResult, Oracle, Results, Selection, Swap};
use crate::rows::{Rows, Task};
use crate::rule::{Candidate, Pick, Rule, SelectError, Units};

/// Of more pairs of classes the largest are recorded.
const MOST_SWAPS: usize = 10;

/// Below these, the choice is not certain.
const FEW_ROWS: usize = 100;
const FEW_GROUPS: usize = 20;

/// A guarded error above this, at the chosen weight, is no guard.
const UNGUARDED: f64 = 0.4;

/// A setting and what its runs say of the validation rows.
pub(super) struct Judged<'a> {
    pub estimator: &'a Estimator,
    pub answers: Vec<Answers<'a>>,
}

/// What was chosen from a grid.
pub(super) struct Selected {
    /// Places of the chosen settings, one per estimator that has several. The pooled setting stands for λ = 0.
    pub chosen: Vec<usize>,
    /// Penalty, weight and ridge of CoRe.
    pub setting: (Penalty, f64, f64),
    /// The largest weight of the chosen and the lowest of every path: the grid must go beyond it.
    pub highest: f64,
    pub selection: Selection,
}

/// A path: places of its settings in the grid, and what the rule made of it.
struct Path {
    places: Vec<usize>,
    pick: Pick,
}

impl Path {
    fn chosen(&self) -> usize {
        self.places[self.pick.chosen]
    }

    fn value(&self) -> f64 {
        self.pick.values[self.pick.chosen]
    }
}

/// Chooses one setting for every estimator by the same rule. λ = 0, the pooled setting, is part of every path.
pub(super) fn select(
    judged: &[Judged],
    rule: Rule,
    dataset: &Dataset,
    rows: &[Rows],
    units: &Units,
) -> Result<Selected, SelectError> {
    let terms = judged.iter().map(|setting| terms(setting, rule)).collect::<Result<Vec<_>, _>>()?;
    let constant = constant_loss(dataset, rows);
    // Of several penalties the one with the lowest criterion at its chosen weight is taken.
    let mut best: BTreeMap<&str, Path> = BTreeMap::new();
    let mut highest = 0.0f64;
    for (name, places) in paths(judged) {
        let candidate = |&place: &usize| Candidate {
            penalty_weight: judged[place].estimator.config.penalty_weight,
            terms: terms[place].clone(),
        };
        let candidates: Vec<Candidate> = places.iter().map(candidate).collect();
        let Some(pick) = rule.pick(&candidates, units, constant) else { continue };
        for place in [pick.chosen, pick.lowest] {
            highest = highest.max(candidates[place].penalty_weight);
        }
        let path = Path { places, pick };
        match best.get(name) {
            Some(other) if other.value() <= path.value() => {}
            _ => drop(best.insert(name, path)),
        }
    }
    // CoRe, or the baseline that stands in its place.
    let main =
        best.get("core").or_else(|| best.iter().find(|(name, _)| **name != "pooled").map(|(_, path)| path));
    let main = main.ok_or_else(|| SelectError::NoRows(SplitName::VALIDATION.into()))?;
    let chosen = &judged[main.chosen()].estimator.config;
    let penalty = judged[main.places[main.places.len() - 1]].estimator.config.penalty;
    let is_several = |path: &&Path| path.places.len() > 1;
    Ok(Selected {
        chosen: best.values().filter(is_several).map(Path::chosen).collect(),
        setting: (penalty, chosen.penalty_weight, chosen.ridge),
        highest,
        selection: selection(judged, main, rule, dataset, rows)?,
    })
}

/// What each validation row adds to the criterion, as a mean over the runs.
fn terms(setting: &Judged, rule: Rule) -> Result<Vec<f64>, SelectError> {
    let runs: Vec<Vec<f64>> =
        setting.answers.iter().map(|answers| answers.terms(rule)).collect::<Result<_, _>>()?;
    let rows = runs.first().map_or(0, Vec::len);
    Ok((0..rows).map(|row| runs.iter().map(|run| run[row]).sum::<f64>() / runs.len() as f64).collect())
}

/// Name and places of each path: the pooled settings alone, and, before the settings of each penalty, as its λ = 0.
fn paths<'a>(judged: &[Judged<'a>]) -> Vec<(&'a str, Vec<usize>)> {
    let of = |penalty: Penalty| {
        (0..judged.len()).filter(move |&place| judged[place].estimator.config.penalty == penalty)
    };
    let mut penalties: Vec<Penalty> = Vec::new();
    for setting in judged {
        if !penalties.contains(&setting.estimator.config.penalty) {
            penalties.push(setting.estimator.config.penalty);
        }
    }
    let path = |penalty: &Penalty| {
        let pooled = of(Penalty::NONE).filter(|_| *penalty != Penalty::NONE);
        (penalty.estimator_name(), pooled.chain(of(*penalty)).collect())
    };
    penalties.iter().map(path).collect()
}

fn selection(
    judged: &[Judged],
    path: &Path,
    rule: Rule,
    dataset: &Dataset,
    rows: &[Rows],
) -> Result<Selection, SelectError> {
    let config = |place: usize| &judged[path.places[place]].estimator.config;
    let point = |(place, &value): (usize, &f64)| CriterionPoint {
        penalty: config(place).penalty.to_string(),
        penalty_weight: config(place).penalty_weight,
        ridge: config(place).ridge,
        value,
    };
    let losses = |place: usize| -> Result<f64, SelectError> {
        let terms = terms(&judged[path.places[place]], Rule::StandardError)?;
        Ok(terms.iter().sum::<f64>() / terms.len() as f64)
    };
    let losses: Vec<f64> = (0..path.places.len()).map(losses).collect::<Result<_, _>>()?;
    let arg_min = (0..losses.len()).min_by(|&a, &b| losses[a].total_cmp(&losses[b])).unwrap_or(0);
    let mut selection = Selection {
        rule,
        limit: path.pick.limit,
        split: SplitName::VALIDATION.into(),
        chosen: config(path.pick.chosen).penalty_weight,
        arg_min: config(arg_min).penalty_weight,
        oracle: None,
        criterion: path.pick.values.iter().enumerate().map(point).collect(),
        folds: rows.len(),
        rows: rows.iter().map(Rows::len).sum(),
        groups: rows.iter().map(|rows| rows.groups.larger().count()).sum(),
        swaps: swaps(&judged[path.places[0]], dataset),
        cautions: Vec::new(),
    };
    selection.cautions = cautions(&selection, path, judged);
    Ok(selection)
}

/// The largest swaps of the first setting, the pooled one.
fn swaps(pooled: &Judged, dataset: &Dataset) -> Vec<Swap> {
    let Some(mut swaps) = pooled.answers.first().and_then(Answers::swap_in_sds) else { return Vec::new() };
    swaps.retain(|(_, _, sds)| sds.is_finite());
    swaps.sort_by(|a, b| b.2.total_cmp(&a.2));
    let names = match crate::rows::task(dataset) {
        Some(Task::Classes(names)) => names,
        _ => Vec::new(),
    };
    let name = |class: usize| names.get(class).cloned();
    let named = |(a, b, sds): (usize, usize, f64)| Swap { between: name(a).zip(name(b)), sds };
    swaps.into_iter().take(MOST_SWAPS).map(named).collect()
}

/// What makes the choice uncertain.
fn cautions(selection: &Selection, path: &Path, judged: &[Judged]) -> Vec<String> {
    let lowest = judged[path.places[path.pick.lowest]].estimator.config.penalty_weight;
    let answers = judged[path.chosen()].answers.first();
    let after = match selection.rule {
        Rule::GuardedError { guard } => answers.and_then(|answers| answers.after_shift(guard)),
        _ => None,
    };
    [few(selection), end_of_grid(selection, lowest), after.and_then(unguarded)]
        .into_iter()
        .flatten()
        .collect()
}

fn few(selection: &Selection) -> Option<String> {
    let few_groups = selection.rule.is_guarded() && selection.groups < FEW_GROUPS;
    (selection.rows < FEW_ROWS || few_groups).then(|| {
        format!(
            "The choice rests on {} held-out rows with {} groups: another draw of so few may choose another weight.",
            selection.rows, selection.groups
        )
    })
}

/// Where the criterion is lowest, or the choice, at the end of the grid.
fn end_of_grid(selection: &Selection, lowest: f64) -> Option<String> {
    let weights = || selection.criterion.iter().map(|point| point.penalty_weight);
    let largest = weights().fold(0.0, f64::max);
    if weights().all(|weight| weight == largest) {
        return None;
    }
    let shown = weight::shown;
    if selection.chosen == largest {
        let unless = if largest.is_infinite() { "" } else { "; a larger one may be better" };
        return Some(format!("λ = {} is the largest weight that was tried{unless}.", shown(largest)));
    }
    (lowest == largest).then(|| {
        format!(
            "The criterion is lowest at λ = {}, the largest weight that was tried, but by no more than noise.",
            shown(largest)
        )
    })
}

fn unguarded(after: AfterShift) -> Option<String> {
    let could = match after {
        AfterShift::Share(share) if share > UNGUARDED => {
            format!("turn {:.0} % of the answers", 100.0 * share)
        }
        AfterShift::Rms { error, constant } if error > constant => {
            format!(
                "raise the rms error to {error:.3}, beyond the {constant:.3} of always answering the mean label"
            )
        }
        _ => return None,
    };
    Some(format!(
        "Even with this weight, such a style shift could {could}: these groups cannot guard against it. Collect more groups, or \
         groups in which style varies more."
    ))
}

/// The best setting with hindsight, of the path and of what was trained afterwards, on the test split on which the path differs most.
/// For comparison alone.
pub(super) fn oracle(path: &Results, trained: &[EstimatorResult]) -> Option<Oracle> {
    let error = |setting: &EstimatorResult, split: &str| setting.mean.get(split)?.error;
    let is_of_path =
        |setting: &&EstimatorResult| setting.name == "core" || setting.penalty == Penalty::NONE.name();
    let of_path = || path.estimators.iter().filter(is_of_path);
    let spread = |split: &SplitName| {
        let errors: Vec<f64> = of_path().filter_map(|setting| error(setting, split)).collect();
        let (low, high) =
            (errors.iter().copied().reduce(f64::min)?, errors.iter().copied().reduce(f64::max)?);
        Some(high - low)
    };
    let tests = path.data.splits.keys().filter(|name| name.is_test());
    let split = tests.filter_map(|split| Some((split, spread(split)?))).max_by(|a, b| a.1.total_cmp(&b.1))?.0;
    let all = of_path().chain(trained.iter().filter(is_of_path));
    let errors = all.filter_map(|setting| Some((setting.penalty_weight, error(setting, split)?)));
    let (penalty_weight, error) = errors.min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Oracle { split: split.to_string(), penalty_weight, error })
}

/// How a penalty weight was chosen, in a few sentences. The error of a regression has the units of its label.
pub fn sentence(selection: &Selection, is_regression: bool) -> String {
    let Selection { split, chosen, arg_min, .. } = selection;
    let rule = selection.rule.words(split);
    let oracle = selection.oracle.as_ref().map_or(String::new(), |oracle| {
        let (split, weight) = (&oracle.split, weight::shown(oracle.penalty_weight));
        let error = match is_regression {
            true => format!("{:.4}", oracle.error),
            false => format!("{:.1} %", 100.0 * oracle.error),
        };
        format!("; with hindsight, λ = {weight} is best on {split} (error of {error})")
    });
    let (chosen, arg_min) = (weight::shown(*chosen), weight::shown(*arg_min));
    let mut text = format!("Penalty weight λ = {chosen}: {rule}{}.", on_what(selection));
    if let Some(swap) = selection.swaps.first() {
        text += &format!(" {}", swap_words(swap));
    }
    text += &format!(" The lowest loss has λ = {arg_min}{oracle}.");
    selection.cautions.iter().for_each(|caution| text += &format!(" {caution}"));
    text
}

fn on_what(selection: &Selection) -> String {
    let Selection { rows, groups, folds, .. } = selection;
    match (rows, folds) {
        (0, _) => String::new(),
        (_, 1) => format!(", on {rows} held-out rows with {groups} groups"),
        _ => format!(", on {rows} rows with {groups} groups, held out in {folds} folds"),
    }
}

/// What the swap distance means.
fn swap_words(swap: &Swap) -> String {
    let sds = swap.sds;
    let size = match sds {
        sds if sds < 1.0 => "less than style varies inside groups, so shifts of one SD count",
        _ => "the style shift that counts",
    };
    match &swap.between {
        Some((a, b)) => {
            format!(
                "For the pooled model, swapping the styles of {a} and {b} is a shift of {sds:.1} within-group SDs: {size}."
            )
        }
        None => format!(
            "For the pooled model, swapping the styles of high and low labels is a shift of {sds:.1} within-group SDs: {size}."
        ),
    }
}

/// Mean loss on the validation rows of the prediction that only knows the training labels: their shares, or their mean.
fn constant_loss(dataset: &Dataset, validation: &[Rows]) -> f64 {
    let train = dataset.train();
    let rows: Vec<usize> =
        validation.iter().flat_map(|rows| (0..rows.len()).map(|position| rows.row(position))).collect();
    let mean =
        |values: &mut dyn Iterator<Item = f64>, count: usize| values.sum::<f64>() / count.max(1) as f64;
    match dataset.labels() {
        Labels::Classes { names, of_row } => {
            // One more of each class: a class that is rare must not make the loss infinite.
            let mut counts = vec![1.0; names.len()];
            train.iter().for_each(|&row| counts[of_row[row] as usize] += 1.0);
            let total: f64 = counts.iter().sum();
            mean(&mut rows.iter().map(|&row| (total / counts[of_row[row] as usize]).ln()), rows.len())
        }
        Labels::Numbers(values) => {
            let centre = mean(&mut train.iter().map(|&row| f64::from(values[row])), train.len());
            mean(&mut rows.iter().map(|&row| (f64::from(values[row]) - centre).powi(2)), rows.len())
        }
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Numbers;

    const WEIGHTS: [f64; 3] = [0.0, 1.0, 10.0];

    /// A choice from [`WEIGHTS`] on 500 rows with 100 groups.
    fn chosen(weight: f64) -> Selection {
        let point = |penalty_weight| CriterionPoint {
            penalty: "logit-variance".into(),
            penalty_weight,
            ridge: 0.001,
            value: 0.1,
        };
        Selection {
            rule: Rule::default(),
            limit: None,
            split: SplitName::VALIDATION.into(),
            chosen: weight,
            arg_min: 0.0,
            oracle: None,
            criterion: WEIGHTS.map(point).into(),
            folds: 1,
            rows: 500,
            groups: 100,
            swaps: Vec::new(),
            cautions: Vec::new(),
        }
    }

    #[test]
    fn few_rows_or_groups_are_mentioned() {
        assert_eq!(few(&chosen(1.0)), None);
        let few_groups = Selection { groups: 19, ..chosen(1.0) };
        assert_eq!(
            few(&few_groups).unwrap(),
            "The choice rests on 500 held-out rows with 19 groups: another draw of so few may choose another weight."
        );
        // The other rules do not look at groups.
        assert_eq!(few(&Selection { rule: Rule::StandardError, ..few_groups.clone() }), None);
        assert!(few(&Selection { rows: 99, rule: Rule::StandardError, ..few_groups }).is_some());
    }

    #[test]
    fn the_end_of_the_grid_is_mentioned() {
        assert_eq!(end_of_grid(&chosen(1.0), 1.0), None);
        assert_eq!(
            end_of_grid(&chosen(10.0), 10.0).unwrap(),
            "λ = 10 is the largest weight that was tried; a larger one may be better."
        );
        assert_eq!(
            end_of_grid(&chosen(1.0), 10.0).unwrap(),
            "The criterion is lowest at λ = 10, the largest weight that was tried, but by no more than noise."
        );
        let mut one = chosen(10.0);
        one.criterion.drain(..2);
        assert_eq!(end_of_grid(&one, 10.0), None, "nothing else was tried");
    }

    #[test]
    fn a_shift_that_turns_too_much_is_mentioned() {
        assert_eq!(unguarded(AfterShift::Share(0.4)), None);
        let text = unguarded(AfterShift::Share(0.55)).unwrap();
        assert!(
            text.contains("could turn 55 % of the answers: these groups cannot guard against it"),
            "{text}"
        );
        assert_eq!(unguarded(AfterShift::Rms { error: 1.9, constant: 2.0 }), None);
        let text = unguarded(AfterShift::Rms { error: 2.5, constant: 2.0 }).unwrap();
        assert!(text.contains("to 2.500, beyond the 2.000 of always answering the mean label:"), "{text}");
    }

    #[test]
    fn hindsight_counts_the_pooled_model_and_the_refit() {
        let setting = |name: &str, penalty_weight: f64, error: f64| EstimatorResult {
            name: name.into(),
            penalty: if name == "pooled" { "none" } else { "logit-variance" }.into(),
            penalty_weight,
            ridge: 0.001,
            chosen: false,
            runs: Vec::new(),
            mean: [("test", error)]
                .map(|(split, error)| (split, Numbers { error: Some(error), ..Default::default() }))
                .into(),
            standard_error: Default::default(),
        };
        let mut path = Results {
            schema: crate::results::SCHEMA.into(),
            title: None,
            data: crate::results::DataSummary {
                name: "hand-made".into(),
                rows: 10,
                grouped_rows: 4,
                groups: 2,
                classes: vec!["a".into(), "b".into()],
                splits: corevar_data::BySplit::from([("train", 8), ("test", 2)]),
                ..Default::default()
            },
            estimators: vec![
                setting("pooled", 0.0, 0.1),
                setting("core", 1.0, 0.2),
                setting("core", 10.0, 0.4),
            ],
            selection: None,
            differences: Vec::new(),
        };
        let best = |path: &Results, trained: &[EstimatorResult]| {
            let oracle = oracle(path, trained).unwrap();
            (oracle.penalty_weight, oracle.error)
        };
        assert_eq!(best(&path, &[]), (0.0, 0.1));
        assert_eq!(best(&path, &[setting("core", 1.0, 0.05)]), (1.0, 0.05));
        // Baselines are no settings of the path.
        assert_eq!(best(&path, &[setting("label-variance", 1.0, 0.01)]), (0.0, 0.1));
        path.data.splits = corevar_data::BySplit::from([("train", 8)]);
        assert_eq!(oracle(&path, &[]), None, "no test, no hindsight");
    }
}
