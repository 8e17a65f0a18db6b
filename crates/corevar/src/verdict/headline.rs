//! The first paragraph: the largest significant gain and the largest significant loss.

use super::Compared;
use super::change::Change;
use super::words::list;

/// What the errors say.
pub(super) fn text(compared: &Compared) -> String {
    if compared.changes.iter().all(|change| change.difference.is_none()) {
        return without_intervals(&compared.changes);
    }
    let sentences = match (compared.gain(), compared.loss()) {
        (None, None) => return no_difference(&compared.changes),
        (Some(gain), None) => vec![format!("CoRe helps on {}: {}.", gain.split, gain.sentence())],
        (None, Some(loss)) => vec![format!("CoRe does harm on {}: {}.", loss.split, loss.sentence())],
        (Some(gain), Some(loss)) => vec![
            format!("CoRe helps on {}: {}.", gain.split, gain.sentence()),
            format!("It costs on {}: {}.", loss.split, loss.sentence()),
        ],
    };
    sentences.into_iter().chain(others(compared)).collect::<Vec<_>>().join(" ")
}

/// The tests that are not in the headline.
fn others(compared: &Compared) -> Vec<String> {
    let named = [compared.gain(), compared.loss()].map(|change| change.map(|change| change.split));
    let rest = || compared.changes.iter().filter(|change| !named.contains(&Some(change.split)));
    let names = |is_meant: &dyn Fn(&Change) -> bool| -> Vec<String> {
        rest().filter(|change| is_meant(change)).map(|change| change.split.to_string()).collect()
    };
    let falls = names(&|change| change.is_significant && change.error() < 0.0);
    let rises = names(&|change| change.is_significant && change.error() > 0.0);
    let undecided: Vec<&Change> = rest().filter(|change| !change.is_significant).collect();
    let also = |names: Vec<String>, moves: &str| {
        (!names.is_empty()).then(|| format!("The error also {moves} on {}.", list(&names)))
    };
    let none = match undecided.as_slice() {
        [] => None,
        [one] => {
            Some(format!("No difference is detectable on {}: {}.", one.name_with_rows(), one.undecided()))
        }
        several => {
            let names: Vec<String> = several.iter().map(|change| change.name_with_rows()).collect();
            Some(format!("No difference is detectable on {}.", list(&names)))
        }
    };
    [also(falls, "falls"), also(rises, "rises"), none].into_iter().flatten().collect()
}

fn no_difference(changes: &[Change]) -> String {
    let largest = changes.iter().max_by(|a, b| a.error().abs().total_cmp(&b.error().abs()));
    let Some(largest) = largest else { return String::new() };
    let neither = "No difference between CoRe and the pooled model is detectable";
    let tests = match changes.len() {
        1 => return format!("{neither} on {}: {}.", largest.name_with_rows(), largest.undecided()),
        2 => "either of the two tests".into(),
        tests => format!("any of the {tests} tests"),
    };
    format!(
        "{neither} on {tests}, corrected for their number. It is largest on {}: {}.",
        largest.name_with_rows(),
        largest.undecided(),
    )
}

/// Records of earlier versions: what was measured, and no more.
fn without_intervals(changes: &[Change]) -> String {
    let ordered = |a: &&Change, b: &&Change| a.error().total_cmp(&b.error());
    let mut named: Vec<&Change> = changes.iter().min_by(ordered).into_iter().collect();
    named.extend(
        changes.iter().max_by(ordered).filter(|most| most.error() > 0.0 && most.split != named[0].split),
    );
    let sentences: Vec<String> =
        named.iter().map(|change| format!("On {} {}.", change.split, change.sentence())).collect();
    format!(
        "{} These records hold no intervals, so nobody can tell whether this is more than noise.",
        sentences.join(" ")
    )
}
