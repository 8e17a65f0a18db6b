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
                "No verdict: nothing that was measured here predicts the label better than by chance{}. More ids would tell \
                more, and a model that is not linear may see more.",
                properties.best_by_chance()
            ),
            Verdict::FewGroups => format!(
                "CoRe may help, but c = {c} grouped observations are few; from about 50 on the result is steady. {}",
                properties.what_varies()
            ),
            Verdict::NothingToRemove => format!(
                "CoRe is unlikely to help: what was found to predict the label hardly varies inside groups ({}). A style that \
                was not measured here may still do so.",
                properties.steadiest()
            ),
            Verdict::EverythingVaries => format!(
                "CoRe has nothing to hold on to, as far as simple properties and a linear probe can tell: everything that \
                predicts the label also varies inside groups. {} If that is noise of the measurement, CoRe cannot help; if \
                it is style, a model that is not linear may find something that stays the same. Compare both estimators on \
                rows where the style has changed.",
                properties.what_varies()
            ),
            Verdict::CanHelp => format!(
                "CoRe can help if what varies inside groups may change later (style). {} {} If it is only noise of the \
                measurement, CoRe brings little.",
                properties.what_varies(),
                properties.what_is_left()
            ),
        }
    }
}

impl Properties {
    fn are_copies(&self) -> bool {
        let shares = self.list.iter().filter(|property| property.kind != Kind::File).map(|property| property.inside_groups);
        let mut shares = shares.chain([self.inputs_inside_groups]);
        shares.all(|share| share.is_none_or(|share| share < CONSTANT))
    }

    fn plain(&self) -> Option<&ProbeResult> {
        self.probe.as_ref().map(|probe| &probe.plain)
    }

    fn predict(&self) -> bool {
        self.list.iter().any(|property| property.predicts) || self.plain().is_some_and(|plain| plain.predicts)
    }

    fn vary(&self) -> bool {
        self.list.iter().any(Property::is_style_or_noise) || self.plain().is_some_and(ProbeResult::varies)
    }

    fn leave_something(&self) -> bool {
        self.list.iter().any(Property::is_steady) || self.probe.as_ref().is_some_and(Probe::leaves_something)
    }

    /// `` (closest: `x3` with a score of 0.61, as in 43 % of shuffles)``
    fn best_by_chance(&self) -> String {
        let closest = self.list.iter().min_by(|a, b| a.by_chance.total_cmp(&b.by_chance));
        closest.map_or(String::new(), |property| {
            let Property { name, score, .. } = property;
            let share = 100.0 * property.by_chance;
            format!(" (closest: `{name}` with a score of {score:.2}, which shuffled labels reach in {share:.0} % of cases)")
        })
    }

    /// A sentence on the best predictor that varies inside groups, and on the probe.
    fn what_varies(&self) -> String {
        let property = self.list.iter().find(|property| property.is_style_or_noise()).map(|property| {
            format!(
                "{} predicts the label with a score of {:.2} and has {} of its variance inside groups",
                property.words(),
                property.score,
                percent(property.inside_groups)
            )
        });
        let probe = self.plain().filter(|plain| plain.varies()).map(|plain| {
            format!(
                "a linear model would predict with a score of {:.2}, and {} of the variance of its answer among rows of the same \
                label lies inside groups",
                plain.score,
                percent(plain.inside_groups)
            )
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
        match (probe.and_then(|probe| probe.steady.as_ref()), self.list.iter().find(|property| property.is_steady())) {
            (Some(steady), _) => format!(
                "Without it the label can still be predicted: a linear model that is held steady inside groups has a score of \
                {:.2}, with {} of that variance inside groups.",
                steady.score,
                percent(steady.inside_groups)
            ),
            (None, Some(property)) => format!(
                "Without it the label can still be predicted: {} has a score of {:.2} and hardly varies inside groups.",
                property.words(),
                property.score
            ),
            (None, None) => String::new(),
        }
    }

    fn steadiest(&self) -> String {
        match (self.list.iter().find(|property| property.predicts), self.plain()) {
            (Some(property), _) => format!("{}: {}", property.words(), percent(property.inside_groups)),
            (None, Some(plain)) => format!("the answer of a linear model: {}", percent(plain.inside_groups)),
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
    characters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + characters.as_str())
}
