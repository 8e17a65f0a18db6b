//! The last paragraph: which model to use, which λ to try, and what it costs.

use super::Compared;
use super::cautions::is_poor;
use super::change::Change;
use super::style::StyleReading;
use super::words::{error_name, neighbour};
use crate::penalty::weight;

/// What to do next.
pub(super) fn text(compared: &Compared, reading: Option<&StyleReading>) -> String {
    let weight = compared.core.penalty_weight;
    let core = format!("the CoRe model (λ = {})", weight::shown(weight));
    let smaller = neighbour(weight, true);
    if compared.changes.iter().all(|change| change.difference.is_none()) {
        return "Next: evaluate the models again, which records the intervals.".into();
    }
    if compared.changes.iter().all(is_poor) {
        return "Next: improve both models before you choose between them: train longer, with a larger model, another learning rate \
                or better features."
            .into();
    }
    if let Some(gain) = compared.gain().filter(|gain| is_poor(gain)) {
        return still_poor(gain, weight);
    }
    match (compared.gain(), compared.loss()) {
        (Some(gain), Some(loss)) => format!(
            "Next: use {core} if style may shift as on {}; the price is {} on {}. Otherwise use the pooled model. A smaller λ, \
             such as {smaller}, should cost less and gain less.",
            gain.split,
            loss.unit().change(loss.error()),
            loss.split,
        ),
        (Some(gain), None) => {
            format!("Next: use {core}.{}{}", possible_price(compared), what_is_left(compared, gain))
        }
        (None, Some(loss)) => format!(
            "Next: use the pooled model; CoRe costs {} on {} and gains nothing detectable. A smaller λ, such as {smaller}, should \
             cost less.",
            loss.unit().change(loss.error()),
            loss.split,
        ),
        (None, None) => no_difference(compared, reading),
    }
}

/// CoRe gains where style shifts, but not enough to be of use there.
fn still_poor(gain: &Change, penalty_weight: f64) -> String {
    let larger = match penalty_weight.is_finite() {
        true => format!("Try a larger λ, such as {}, or collect", neighbour(penalty_weight, false)),
        false => "Collect".into(),
    };
    format!(
        "Next: use neither model on data like {}. {larger} more groups that show how style varies.",
        gain.split
    )
}

/// More than this share of what the shift cost the pooled model is much.
const LEFT: f64 = 1.0 / 3.0;

/// Where CoRe still has a much higher error than on the best of the tests, a larger λ may help.
fn what_is_left(compared: &Compared, gain: &Change) -> String {
    let weight = compared.core.penalty_weight;
    let best = compared.changes.iter().min_by(|a, b| a.core.total_cmp(&b.core));
    let Some(best) = best.filter(|best| gain.core - best.core > LEFT * (gain.pooled - best.core)) else {
        return String::new();
    };
    if !weight.is_finite() {
        return String::new();
    }
    let unit = gain.unit();
    format!(
        " Its {} on {} is still far above the {} on {}: a larger λ, such as {}, may lower it.",
        error_name(compared.is_regression()),
        gain.split,
        unit.error(best.core),
        best.split,
        neighbour(weight, false),
    )
}

/// The largest loss that the tests do not exclude.
fn possible_price(compared: &Compared) -> String {
    let high = |change: &Change| change.range().map_or(0.0, |(_, high)| high);
    let undecided = compared.changes.iter().filter(|change| !change.is_significant && high(change) > 0.0);
    let Some(most) = undecided.max_by(|a, b| high(a).total_cmp(&high(b))) else { return String::new() };
    let price = most.unit().change(high(most));
    format!(" On {} a loss of up to {price} is not excluded.", most.split)
}

fn no_difference(compared: &Compared, reading: Option<&StyleReading>) -> String {
    let weight = compared.core.penalty_weight;
    if let Some(text) = too_small(compared) {
        return text;
    }
    if reading.is_some_and(StyleReading::has_fallen) {
        return format!(
            "Next: either model will do on data like these. CoRe (λ = {}) relies less on style, which pays only if style shifts \
             more than in these tests.",
            weight::shown(weight)
        );
    }
    let larger = match weight.is_finite() {
        true => format!(", or try a larger λ, such as {}", neighbour(weight, false)),
        false => String::new(),
    };
    format!(
        "Next: use the pooled model, the simpler one. If style will shift in use, test on rows where it does{larger}. More test \
         rows or runs would show smaller differences."
    )
}

/// Tests leave too much open when they do not exclude a difference of this share of the pooled model's error, or, in percentage
/// points, of less than the second.
const OPEN_SHARE: f64 = 0.2;
const OPEN_POINTS: f64 = 0.02;

/// Where the tests cannot tell a difference that would matter.
fn too_small(compared: &Compared) -> Option<String> {
    let reach = |change: &Change| change.range().map_or(0.0, |(low, high)| high.max(-low));
    let widest = compared.changes.iter().max_by(|a, b| reach(a).total_cmp(&reach(b)))?;
    let is_open = reach(widest) > OPEN_SHARE * widest.pooled
        && (compared.is_regression() || reach(widest) > OPEN_POINTS);
    let (low, high) = widest.range().filter(|_| is_open)?;
    let possible = |what: &str, size: f64| {
        (size > 0.0).then(|| format!("a {what} of up to {}", widest.unit().change(size)))
    };
    let possible: Vec<String> =
        [possible("gain", -low), possible("loss", high)].into_iter().flatten().collect();
    Some(format!(
        "Next: do not choose by these tests, they are too small: on {} {} is possible. Collect test rows of more ids, or train \
         more runs if the runs differ.",
        widest.split,
        possible.join(" or "),
    ))
}
