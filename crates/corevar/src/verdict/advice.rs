//! The last paragraph: which model to use, which λ to try, and what it costs.

use super::Compared;
use super::cautions::is_poor;
use super::change::Change;
use super::style::StyleReading;
use super::words::neighbour;
use crate::penalty::weight;

/// What to do next.
pub(super) fn text(compared: &Compared, reading: Option<&StyleReading>) -> String {
    let weight = compared.core.penalty_weight;
    let core = format!("the CoRe model (λ = {})", weight::shown(weight));
    let smaller = neighbour(weight, true);
    if compared.changes.iter().all(|change| change.difference.is_none()) {
        return "Next: evaluate the models again, which records the intervals.".into();
    }
    let is_poor_where_it_counts = match compared.gain() {
        Some(gain) => is_poor(gain),
        None => compared.changes.iter().all(is_poor),
    };
    if is_poor_where_it_counts {
        return "Next: improve both models before you choose between them: train longer, with a larger model, another learning rate \
                or better features."
            .into();
    }
    match (compared.gain(), compared.loss()) {
        (Some(gain), Some(loss)) => format!(
            "Next: use {core} if style may shift as on {}; the price is {} on {}. Otherwise use the pooled model. A smaller λ, \
             such as {smaller}, should cost less and gain less.",
            gain.split,
            loss.unit().change(loss.error()),
            loss.split,
        ),
        (Some(_), None) => format!("Next: use {core}.{}", possible_price(compared)),
        (None, Some(loss)) => format!(
            "Next: use the pooled model; CoRe costs {} on {} and gains nothing detectable. A smaller λ, such as {smaller}, should \
             cost less.",
            loss.unit().change(loss.error()),
            loss.split,
        ),
        (None, None) => no_difference(compared, reading),
    }
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
