//! Errors by level of each attribute, and the worst group of each model.

use corevar::evidence::{AttributeErrors, SplitEvidence, WorstGroup};
use maud::{Markup, html};

use super::{Section, scroll};
use crate::Records;
use crate::format::{MISSING, count, counted};
use crate::measure::error;
use crate::models::{Model, held_out, main_models};

pub const SECTION: Section = Section { id: "attributes", title: "Errors by attribute", body };

/// More rows in a table than this are left out, and so many tests at most.
const MOST_LEVELS: usize = 60;
const MOST_SPLITS: usize = 12;

/// Only for data with attributes.
fn body(records: &Records) -> Option<Markup> {
    let models = main_models(records);
    let splits = held_out(records);
    let tables: Vec<Markup> =
        splits.iter().take(MOST_SPLITS).filter_map(|split| table(records, &models, split)).collect();
    let title = error(&records.results).title;
    (!tables.is_empty()).then(|| {
        html! {
            p.note { (title) " of the first run of each estimator." }
            div.panels.wide[models.len() > 4] { @for table in &tables { (table) } }
        }
    })
}

fn table(records: &Records, models: &[Model<'_>], split: &str) -> Option<Markup> {
    let of_models: Vec<Option<&SplitEvidence>> =
        models.iter().map(|model| model.evidence.splits.get(split)).collect();
    let attributes = &of_models.iter().flatten().next()?.by_attribute;
    let levels: Vec<(&str, &str, usize)> = attributes.iter().flat_map(levels).take(MOST_LEVELS).collect();
    if levels.is_empty() {
        return None;
    }
    Some(html! {
        div {
            h3 { (split) }
            (scroll(&format!("Errors by attribute on {split}"), content(records, models, &of_models, &levels)))
            (worst(models, &of_models))
        }
    })
}

fn content(
    records: &Records,
    models: &[Model<'_>],
    of_models: &[Option<&SplitEvidence>],
    levels: &[(&str, &str, usize)],
) -> Markup {
    html! {
        table.heat {
            thead {
                tr {
                    th scope="col" { "Attribute" }
                    th.number scope="col" { "Rows" }
                    @for model in models { th.number scope="col" { (model.label) } }
                }
            }
            tbody {
                @for (attribute, level, rows) in levels {
                    tr {
                        th scope="row" { (attribute) " = " (level) }
                        td.number { (count(*rows)) }
                        @for evidence in of_models {
                            (cell(records, evidence.and_then(|e| error_of(e, attribute, level))))
                        }
                    }
                }
            }
        }
    }
}

fn levels(attribute: &AttributeErrors) -> Vec<(&str, &str, usize)> {
    attribute.levels.iter().map(|level| (attribute.name.as_str(), level.level.as_str(), level.rows)).collect()
}

fn error_of(evidence: &SplitEvidence, attribute: &str, level: &str) -> Option<f64> {
    let attribute = evidence.by_attribute.iter().find(|other| other.name == attribute)?;
    attribute.levels.iter().find(|other| other.level == level)?.error
}

/// Shades are for shares only.
fn cell(records: &Records, found: Option<f64>) -> Markup {
    let unit = error(&records.results).unit;
    let is_share = !records.results.data.classes.is_empty();
    let shade = found.filter(|_| is_share).map(|error| format!("--e:{:.2}", error.clamp(0.0, 1.0)));
    html! { td.number style=[shade] { (unit.show(found, None)) } }
}

/// `Worst group: pooled child, movement = still (81.2 % of 40 rows); CoRe ..`
fn worst(models: &[Model<'_>], of_models: &[Option<&SplitEvidence>]) -> Markup {
    let group = |(model, evidence): (&Model<'_>, &Option<&SplitEvidence>)| {
        let WorstGroup { class, level, rows, error } = evidence.as_ref()?.worst_group.as_ref()?;
        let level = level.as_ref().map_or(String::new(), |(name, level)| format!(", {name} = {level}"));
        let rows = counted(*rows, "row", "rows");
        Some(format!("{} {class}{level} ({:.1} % of {rows})", model.label, 100.0 * error))
    };
    let groups: Vec<String> = models.iter().zip(of_models).filter_map(group).collect();
    let text = if groups.is_empty() { MISSING.into() } else { groups.join("; ") };
    html! { p.note { "Worst group: " (text) "." } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn levels_stand_side_by_side_for_all_models() {
        let page = body(&samples::with_evidence()).unwrap().into_string();
        assert!(page.contains("movement = moving"), "{page}");
        assert!(
            page.contains(
                "Worst group: pooled class 1, movement = moving (80.0 % of 2\u{202f}000 rows); CoRe"
            ),
            "{page}"
        );
        assert_eq!(page.matches("<table").count(), 2);
    }

    #[test]
    fn data_without_attributes_have_no_such_section() {
        assert!(body(&samples::path()).is_none() && body(&samples::small()).is_none());
    }
}
