//! An inspection as lines for the terminal.

use super::{Duplicates, GroupCounts, Inspection, Property, SizeCount};

/// Properties that are shown, at most.
const SHOWN: usize = 12;

impl Inspection {
    /// What was found, a line each; the last is the verdict.
    pub fn lines_of_text(&self) -> Vec<String> {
        let splits = self.splits.iter().map(|split| {
            let grouped =
                if split.groups > 0 { format!(" ({} groups)", split.groups) } else { String::new() };
            format!("{} {}{grouped}", split.name, split.rows)
        });
        let mut text = vec![
            format!("{} rows of {}: {}", self.rows, self.inputs, joined(splits)),
            format!(
                "classes: {}",
                joined(self.classes.iter().map(|class| format!("{} {}", class.name, class.rows)))
            ),
        ];
        text.extend(self.groups.lines_of_text());
        if self.groups.groups > 0 {
            let counts = self.classes.iter().map(|class| format!("{} {}", class.name, class.grouped_rows));
            text.push(format!("grouped rows by class: {}", joined(counts)));
        }
        if self.ids_across_splits.count > 0 {
            text.push(format!("leak: {} in train and in another split", self.ids_across_splits.text()));
        }
        text.extend(self.duplicates.lines_of_text(self.rows));
        text.extend(self.property_lines());
        text.push(self.sentence.clone());
        text
    }

    fn property_lines(&self) -> Vec<String> {
        let properties = &self.properties;
        if properties.list.is_empty() {
            return Vec::new();
        }
        let sampled = match properties.measured_rows < properties.rows {
            true => format!(" (a sample of {} of {} rows)", properties.measured_rows, properties.rows),
            false => String::new(),
        };
        let width =
            properties.list.iter().map(|property| property.name.chars().count()).max().unwrap_or(0).max(8);
        let mut text = vec![
            format!("how well a property alone predicts the label, 0.5 is chance{sampled}:"),
            format!(
                "  {:width$}  {:>7}  {:>10}  {:>13}  best told",
                "property", "overall", "within ids", "inside groups"
            ),
        ];
        text.extend(properties.list.iter().take(SHOWN).map(|property| property_line(property, width)));
        text
    }
}

fn property_line(property: &Property, width: usize) -> String {
    let within = property.within_ids.map_or("-".into(), |score| format!("{score:.2}"));
    let inside = property.inside_groups.map_or("-".into(), |share| format!("{:.0} %", 100.0 * share));
    let mark = if property.is_removable() { "  <- CoRe removes it" } else { "" };
    let Property { name, score, class, .. } = property;
    format!("  {name:width$}  {score:>7.2}  {within:>10}  {inside:>13}  {class}{mark}")
}

impl GroupCounts {
    fn lines_of_text(&self) -> Vec<String> {
        let GroupCounts { rows, rows_with_id, groups, grouped_rows, .. } = self;
        let share = 100.0 * self.grouped_share;
        let mut text = vec![format!(
            "groups: {groups} of two rows or more hold {grouped_rows} of {rows} training rows ({share:.1} %); {rows_with_id} \
            rows have an id"
        )];
        if !self.sizes.is_empty() {
            text.push(format!("sizes of groups: {}", joined(self.sizes.iter().map(SizeCount::text))));
        }
        if self.ids_with_two_labels.count > 0 {
            text.push(format!(
                "{} with two labels or more: a group a label",
                self.ids_with_two_labels.text()
            ));
        }
        text
    }
}

impl SizeCount {
    /// `2 rows: 50`, `6-9 rows: 3`, `from 100 rows: 1`
    fn text(&self) -> String {
        match self.to {
            Some(to) if to == self.from => format!("{to} rows: {}", self.groups),
            Some(to) => format!("{}-{to} rows: {}", self.from, self.groups),
            None => format!("from {} rows: {}", self.from, self.groups),
        }
    }
}

impl Duplicates {
    fn lines_of_text(&self, rows: usize) -> Vec<String> {
        let mut text = Vec::new();
        if self.inside_splits + self.across_splits > 0 {
            text.push(format!(
                "duplicate {}: {} inside a split, {} outside train that are in train too, {} with another label",
                self.what, self.inside_splits, self.across_splits, self.with_another_label
            ));
            text.extend(self.first.iter().map(|[one, other]| format!("  {one} = {other}")));
        }
        if self.compared_rows < rows {
            text.push(format!(
                "duplicate {} were sought among {} of {rows} rows",
                self.what, self.compared_rows
            ));
        }
        text
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<String>>().join(", ")
}
