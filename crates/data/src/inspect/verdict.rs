//! Whether CoRe can help, and what is missing.

use serde::Serialize;

use super::properties::VARIES;
use super::{GroupCounts, Kind, Probe, ProbeResult, Properties, Property};

/// With fewer grouped observations than this the penalty is mostly chance. (In the paper 20 pairs of stickmen are noisy, 50
/// are enough.)
const FEW: usize = 20;
/// With less than this share of the variance inside groups, rows of a group are copies.
const CONSTANT: f64 = 1e-4;

/// Whether CoRe can help here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Verdict {
    /// No row has an id.
    NoIds,
    /// There are ids, but no two rows share a label and an id.
    NoGroups,
    /// Rows of a group do not differ: nothing is known of what may change.
    GroupsDoNotVary,
    /// Nothing that was measured predicts the label better than by chance.
    NothingPredicts,
    /// Something predicts the label, but there are few grouped observations: their variance says little.
    FewGroups,
    /// What predicts the label hardly varies inside groups.
    NothingToRemove,
    /// Everything that predicts the label varies inside groups: nothing would be left.
    EverythingVaries,
    /// Something predicts the label and varies inside groups, and something is left without it.
    CanHelp,
}

impl Verdict {
    pub(super) fn of(groups: &GroupCounts, properties: &Properties) -> Verdict {
        if groups.rows_with_id == 0 {
            Verdict::NoIds
        } else if groups.groups == 0 {
            Verdict::NoGroups
        } else if properties.are_copies() {
            Verdict::GroupsDoNotVary
        } else if !properties.predict() {
            Verdict::NothingPredicts
        } else if groups.grouped_observations < FEW {
            Verdict::FewGroups
        } else if !properties.vary() {
            Verdict::NothingToRemove
        } else if !properties.leave_something() {
            Verdict::EverythingVaries
        } else {
            Verdict::CanHelp
        }
    }

    pub(super) fn sentence(self, groups: &GroupCounts, properties: &Properties) -> String {
        let c = groups.grouped_observations;
        match self {
            Verdict::NoIds => {
                "CoRe cannot help yet: no row has an id; give rows that show the same object the same \
                `group_id`, or make changed copies of rows by augmentation."
                    .into()
            }
            Verdict::NoGroups => {
                "CoRe cannot help yet: no two rows share a label and an id; a group needs two rows \
                of the same object, or a changed copy made by augmentation."
                    .into()
            }
            Verdict::GroupsDoNotVary => format!(
                "CoRe cannot help yet: the rows of a group do not differ in any of the {} groups; groups must \
                show the same object in different styles.",
                groups.groups
            ),
            Verdict::NothingPredicts => format!(
                "No verdict: nothing measured here predicts the label better than by chance{}. More ids would tell more, and a \
                model that is not linear may see more.",
                properties.best_by_chance()
            ),
            Verdict::FewGroups => format!(
                "CoRe may help, but c = {c} grouped observations are few; results are steady from about 50 on. {}",
                properties.what_varies()
            ),
            Verdict::NothingToRemove => format!(
                "CoRe is unlikely to help: what predicts the label hardly varies inside groups ({}). A style that was not \
                measured here may still do so.",
                properties.best_predictor()
            ),
            Verdict::EverythingVaries => format!(
                "No promise for CoRe: everything found that predicts the label also varies inside groups. {} If that is noise, \
                CoRe cannot help. If it is style, a model that is not linear may still find something that stays the same: \
                compare both estimators on rows whose style has changed.",
                properties.what_varies()
            ),
            Verdict::CanHelp => format!(
                "CoRe can help if what varies inside groups may change later (style). {} {} If the variation is only noise, \
                CoRe brings little.",
                properties.what_varies(),
                properties.what_is_left()
            ),
        }
    }
}

impl Properties {
    fn are_copies(&self) -> bool {
        let shares = self
            .list
            .iter()
            .filter(|property| property.kind != Kind::File)
            .map(|property| property.inside_groups);
        let mut shares = shares.chain([self.inputs_inside_groups]);
        shares.all(|share| share.is_none_or(|share| share < CONSTANT))
    }

    fn plain(&self) -> Option<&ProbeResult> {
        self.probe.as_ref().map(|probe| &probe.plain)
    }

    /// The probe that predicts, the plain one before the steady one.
    fn predicting_probe(&self) -> Option<&ProbeResult> {
        let probe = self.probe.as_ref()?;
        [Some(&probe.plain), probe.steady.as_ref()].into_iter().flatten().find(|result| result.predicts)
    }

    fn predict(&self) -> bool {
        self.list.iter().any(|property| property.predicts) || self.predicting_probe().is_some()
    }

    fn vary(&self) -> bool {
        self.varying().is_some() || self.plain().is_some_and(ProbeResult::varies)
    }

    /// The best predictor that hardly varies inside groups and that a model sees.
    fn steady(&self) -> Option<&Property> {
        self.list.iter().find(|property| property.is_steady() && property.kind != Kind::File)
    }

    /// The best predictor that varies inside groups; one that a model sees, if there is any.
    fn varying(&self) -> Option<&Property> {
        let mut varying: Vec<&Property> =
            self.list.iter().filter(|property| property.is_style_or_noise()).collect();
        varying.sort_by_key(|property| property.kind == Kind::File);
        varying.first().copied()
    }

    fn leave_something(&self) -> bool {
        self.steady().is_some() || self.probe.as_ref().is_some_and(Probe::leaves_something)
    }

    /// `` (closest: `x3` with a score of 0.61, which 43 % of the shuffles reach)``
    fn best_by_chance(&self) -> String {
        let closest = self.list.iter().min_by(|a, b| a.by_chance.total_cmp(&b.by_chance));
        closest.map_or(String::new(), |property| {
            let Property { name, score, by_chance, .. } = property;
            let share = 100.0 * by_chance;
            format!(
                " (closest: `{name}` with a score of {score:.2}, which {share:.0} % of the shuffles reach)"
            )
        })
    }

    /// A sentence on the best predictor that varies inside groups, and on the probe.
    fn what_varies(&self) -> String {
        let property = self.varying().map(|property| {
            let share = percent(property.inside_groups);
            format!(
                "{} scores {:.2} and has {share} of its variance inside groups",
                property.words(),
                property.score
            )
        });
        let probe = self.plain().filter(|plain| plain.varies()).map(|plain| {
            let share = percent(plain.inside_groups);
            format!("the linear probe scores {:.2} and has {share} inside groups", plain.score)
        });
        let found: Vec<String> = [property, probe].into_iter().flatten().collect();
        match found.is_empty() {
            true => "So far nothing was found that predicts the label and varies inside groups.".into(),
            false => capital(&found.join("; ")) + ".",
        }
    }

    /// A sentence on what still predicts when nothing may vary inside groups.
    fn what_is_left(&self) -> String {
        let probe = self.probe.as_ref().filter(|probe| probe.leaves_something());
        let property = self.steady();
        match (probe.and_then(|probe| probe.steady.as_ref()), property) {
            (Some(steady), _) => format!(
                "Something is left without it: held steady inside groups, the probe still scores {:.2} and has {} inside groups.",
                steady.score,
                percent(steady.inside_groups)
            ),
            (None, Some(property)) => format!(
                "Something is left without it: {} scores {:.2} and has {} inside groups.",
                property.words(),
                property.score,
                percent(property.inside_groups)
            ),
            (None, None) => String::new(),
        }
    }

    /// The best predictor and its share inside groups.
    fn best_predictor(&self) -> String {
        match (self.list.iter().find(|property| property.predicts), self.predicting_probe()) {
            (Some(property), _) => format!("{}: {}", property.words(), percent(property.inside_groups)),
            (None, Some(probe)) => format!("a linear probe: {}", percent(probe.inside_groups)),
            (None, None) => String::new(),
        }
    }
}

impl Property {
    fn words(&self) -> String {
        match self.kind {
            Kind::Direction => format!("what changes most inside groups ({})", self.name),
            Kind::Feature => format!("the feature `{}`", self.name),
            Kind::Picture | Kind::File => format!("the property `{}`", self.name),
        }
    }
}

impl ProbeResult {
    /// It predicts the label, and its answer varies inside groups.
    fn varies(&self) -> bool {
        self.predicts && self.inside_groups.is_some_and(|share| share >= VARIES)
    }
}

impl Probe {
    /// Held steady inside groups it still predicts, and its answer varies there far less than without.
    fn leaves_something(&self) -> bool {
        let share = |result: &ProbeResult| result.inside_groups.unwrap_or(1.0);
        self.steady
            .as_ref()
            .is_some_and(|steady| steady.predicts && share(steady) < VARIES.max(share(&self.plain) / 2.0))
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or("an unknown share".into(), |share| format!("{:.0} %", 100.0 * share))
}

/// With a capital at the beginning.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters
        .next()
        .map_or(String::new(), |first| first.to_uppercase().collect::<String>() + characters.as_str())
}
