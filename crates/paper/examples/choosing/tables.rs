//! The tables of the page.

use super::judged::{Errors, Judged, RULES};

/// Points by which a model must be worse than the pooled one to be counted as worse.
const WORSE: f64 = 2.0;

/// A heading for the first column, then one for each way to choose.
fn head(first: &str, more: &[&str]) -> String {
    let mut names = vec![first, "pooled", "λ = 1"];
    names.extend(RULES.iter().map(|(name, _)| *name));
    names.extend(more);
    format!("| {} |\n{}|\n", names.join(" | "), "|---".repeat(names.len()))
}

/// What each way to choose took, in the order of the columns.
fn ways(judged: &Judged) -> Vec<Errors> {
    let mut ways = vec![judged.at(0.0), judged.at(1.0)];
    ways.extend(judged.chosen.iter().map(|chosen| chosen.errors));
    ways
}

/// Mean errors of each data set, plain test / shifted test: name and draws.
pub fn errors(first: &str, rows: &[(String, Vec<Judged>)]) -> String {
    let rows = rows.iter().filter(|(_, draws)| !draws.is_empty());
    let rows = rows.map(|(name, draws)| {
        let mut cells = vec![name.clone()];
        let columns = 2 + RULES.len();
        cells.extend((0..columns).map(|way| of_draws(draws, |judged| Some(ways(judged)[way]))));
        cells.push(of_draws(draws, |judged| {
            judged.best(|errors| errors.shifted).or_else(|| judged.best(|errors| errors.plain))
        }));
        let weights: Vec<String> =
            draws.iter().map(|judged| judged.chosen[0].penalty_weight.to_string()).collect();
        cells.push(weights.join(", "));
        format!("| {} |\n", cells.join(" | "))
    });
    head(first, &["best λ with hindsight", "λ by guarded error"]) + &rows.collect::<String>()
}

fn of_draws(draws: &[Judged], of: impl Fn(&Judged) -> Option<Errors>) -> String {
    let side = |of_side: &dyn Fn(Errors) -> Option<f64>| {
        shown(draws.iter().filter_map(|judged| of_side(of(judged)?)), |mean| format!("{mean:.1}"))
    };
    format!("{} / {}", side(&|errors| errors.plain), side(&|errors| errors.shifted))
}

/// The mean of some numbers, `-` of none.
fn shown(values: impl Iterator<Item = f64>, text: impl Fn(f64) -> String) -> String {
    let values: Vec<f64> = values.collect();
    match values.len() {
        0 => "-".into(),
        count => text(values.iter().sum::<f64>() / count as f64),
    }
}

/// One of the errors of a model.
type ErrorOf = fn(&Errors) -> Option<f64>;

/// Regret and how often worse than pooled, on either test: a block of rows for each name.
pub fn summary(first: &str, blocks: &[(&str, Vec<&Judged>)]) -> String {
    let sides: [(&str, ErrorOf); 2] =
        [("shifted test", |errors| errors.shifted), ("plain test", |errors| errors.plain)];
    let mut text = head(first, &[]);
    for (name, draws) in blocks.iter().filter(|(_, draws)| !draws.is_empty()) {
        let label = |words: String| if name.is_empty() { words } else { format!("{name}: {words}") };
        for (side, of) in sides {
            text += &row(&label(format!("regret, {side}")), draws, |judged, errors| {
                Some(of(errors)? - judged.best(of).and_then(|best| of(&best))?)
            });
        }
        for (side, of) in sides {
            text += &counts(&label(format!("worse than pooled, {side}")), draws, of);
        }
    }
    text
}

fn row(name: &str, draws: &[&Judged], of: impl Fn(&Judged, &Errors) -> Option<f64>) -> String {
    let cell = |way: usize| {
        shown(draws.iter().filter_map(|judged| of(judged, &ways(judged)[way])), |mean| format!("{mean:.1}"))
    };
    let cells: Vec<String> = (0..2 + RULES.len()).map(cell).collect();
    format!("| {name} | {} |\n", cells.join(" | "))
}

fn counts(name: &str, draws: &[&Judged], of: fn(&Errors) -> Option<f64>) -> String {
    let cell = |way: usize| {
        let costs: Vec<f64> =
            draws.iter().filter_map(|judged| Some(of(&ways(judged)[way])? - of(&judged.at(0.0))?)).collect();
        let worse = costs.iter().filter(|cost| **cost > WORSE).count();
        if costs.is_empty() { "-".into() } else { format!("{worse} of {}", costs.len()) }
    };
    let cells: Vec<String> = (0..2 + RULES.len()).map(cell).collect();
    format!("| {name} | {} |\n", cells.join(" | "))
}

/// The family whose mean over its draws is the worst for the default rule, against pooled on the plain test.
pub fn costliest<'a>(families: &[(&'a str, &[Judged])]) -> Option<(&'a str, f64)> {
    let cost = |draws: &[Judged]| {
        let costs: Vec<f64> = draws
            .iter()
            .filter_map(|judged| Some(judged.chosen[0].errors.plain? - judged.at(0.0).plain?))
            .collect();
        (!costs.is_empty()).then(|| costs.iter().sum::<f64>() / costs.len() as f64)
    };
    let costs = families.iter().filter_map(|(name, draws)| Some((*name, cost(draws)?)));
    costs.max_by(|a, b| a.1.total_cmp(&b.1))
}
