//! Whether CoRe can help, and what is missing.

use serde::Serialize;

use super::{ClassCount, GroupCounts, Kind, Properties, Property};

/// With fewer groups than this the penalty is mostly chance. (In the paper 20 pairs of stickmen are noisy, 50 are enough.)
const FEW_GROUPS: usize = 20;
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
    /// Groups, but so few that their variance says little.
    FewGroups,
    /// Only one class has groups, which weakens the method.
    OneSided,
    /// Nothing was found that varies inside groups and predicts the label.
    NothingToRemove,
    /// Something predicts the label and varies inside groups: CoRe removes that.
    CanHelp,
}

impl Verdict {
    pub(super) fn of(groups: &GroupCounts, classes: &[ClassCount], properties: &Properties) -> Verdict {
        let sides = classes.iter().filter(|class| class.groups > 0).count();
        if groups.rows_with_id == 0 {
            Verdict::NoIds
        } else if groups.groups == 0 {
            Verdict::NoGroups
        } else if properties.inputs_inside_groups.is_none_or(|share| share < CONSTANT) {
            Verdict::GroupsDoNotVary
        } else if groups.groups < FEW_GROUPS {
            Verdict::FewGroups
        } else if sides == 1 && classes.iter().filter(|class| class.rows > 0).count() > 1 {
            Verdict::OneSided
        } else if properties.list.iter().any(Property::is_removable) {
            Verdict::CanHelp
        } else {
            Verdict::NothingToRemove
        }
    }

    pub(super) fn sentence(
        self,
        groups: &GroupCounts,
        classes: &[ClassCount],
        properties: &Properties,
    ) -> String {
        let count = groups.groups;
        let removable = match properties.list.iter().find(|property| property.is_removable()) {
            Some(property) => removable(property),
            None => "nothing was found so far that varies inside groups and predicts the label".into(),
        };
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
                "CoRe cannot help yet: the rows of a group do not differ in any of the {count} groups; groups must \
                show the same object in different styles."
            ),
            Verdict::FewGroups => format!(
                "CoRe may help, but {count} groups are few; from about {FEW_GROUPS} on the result is steady; \
                {removable}."
            ),
            Verdict::OneSided => format!(
                "CoRe can help a little: all {count} groups are of the class `{}`; groups of the other classes \
                would make it stronger; {removable}.",
                classes.iter().find(|class| class.groups > 0).map_or("", |class| &class.name)
            ),
            Verdict::NothingToRemove => format!(
                "CoRe is unlikely to help: there are {count} groups, but nothing measured here both varies inside \
                them and predicts the label; a style that was not measured may still do so."
            ),
            Verdict::CanHelp => format!("CoRe can help: there are {count} groups, and {removable}."),
        }
    }
}

fn removable(property: &Property) -> String {
    let name = match property.kind {
        Kind::Direction => format!("what changes most inside groups ({})", property.name),
        Kind::Feature => format!("the feature `{}`", property.name),
        Kind::Picture | Kind::File => format!("the property `{}`", property.name),
    };
    let inside = 100.0 * property.inside_groups.unwrap_or(0.0);
    format!(
        "{name} predicts the label with a score of {:.2} (chance is 0.5) though {inside:.0} % of its variance lies inside \
        groups",
        property.score
    )
}
