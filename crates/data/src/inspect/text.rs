//! An inspection as lines for the terminal.

use super::{Duplicates, GroupCounts, Inspection, Probe, ProbeResult, Properties, Property, SizeCount};

/// Properties that are shown, at most.
const SHOWN: usize = 12;

impl Inspection {
    /// What was found, a line each; the last is the verdict. Lines of tables begin with spaces.
    pub fn lines_of_text(&self) -> Vec<String> {
        let splits = self.splits.iter().map(|split| {
            let c = split.grouped_observations;
            let grouped = if c > 0 { format!(" (c = {c})") } else { String::new() };
            format!("{} {}{grouped}", split.name, split.rows)
        });
        let mut text = vec![
            format!("{} rows of {}: {}", self.rows, self.inputs, joined(splits)),
            format!(
                "classes: {}",
                joined(self.classes.iter().map(|class| format!("{} {}", class.name, class.rows)))
            ),
        ];
        text.extend(self.lookalikes.iter().map(|names| names.line_of_text()));
        text.extend(self.groups.lines_of_text());
        if self.groups.groups > 0 {
            let counts =
                self.classes.iter().map(|class| format!("{} {}", class.name, class.grouped_observations));
            text.push(format!("c by class: {}", joined(counts)));
        }
        if self.ids_across_splits.count > 0 {
            text.push(format!("leak: {} in train and in another split", self.ids_across_splits.text()));
        }
        text.extend(self.duplicates.lines_of_text(self.rows));
        text.extend(self.properties.lines_of_text());
        text.push(self.sentence.clone());
        text
    }
}

impl Properties {
    fn lines_of_text(&self) -> Vec<String> {
        if self.list.is_empty() {
            return Vec::new();
        }
        let sampled = match self.measured_rows < self.rows {
            true => format!(", on a sample of {} of {} rows", self.measured_rows, self.rows),
            false => String::new(),
        };
        let mut text = vec![format!(
            "how well each property alone predicts the label{sampled} (score: area under the ROC curve, 0.5 is chance):"
        )];
        let probe = self.probe.iter().flat_map(Probe::cells);
        text.extend(table(
            &self.list.iter().take(SHOWN).map(Property::cells).chain(probe).collect::<Vec<_>>(),
        ));
        text.extend(self.legend());
        text
    }

    /// What the columns and marks of the table mean.
    fn legend(&self) -> Vec<String> {
        let mut text = vec![format!(
            "by chance: how often any property or probe scores as high after the labels are shuffled over the {} ids ({} shuffles; \
            a row without an id counts as an id)",
            self.ids, self.shuffles
        )];
        if self.inputs_inside_groups.is_some() {
            text.push(
                "inside groups: share of the variance among rows of one label; at 0 % the rows of a group are the same, at \
                100 % they are no more alike than other rows of the label"
                    .into(),
            );
        }
        if self.list.iter().any(Property::is_style_or_noise) {
            text.push(format!(
                "{STYLE_OR_NOISE}: predicts the label and varies inside groups; style if it may change later, noise otherwise"
            ));
        }
        text.extend(self.probe.iter().flat_map(Probe::lines_of_text));
        text
    }
}

const STYLE_OR_NOISE: &str = "style or noise";
const HEADINGS: [&str; 7] =
    ["property", "score", "by chance", "within ids", "inside groups", "best told", ""];

impl Property {
    fn cells(&self) -> [String; 7] {
        let mark = if self.is_style_or_noise() { format!("<- {STYLE_OR_NOISE}") } else { String::new() };
        [
            self.name.clone(),
            format!("{:.2}", self.score),
            percent(self.by_chance),
            self.within_ids.map_or("-".into(), |score| format!("{score:.2}")),
            share(self.inside_groups),
            self.class.clone(),
            mark,
        ]
    }
}

impl ProbeResult {
    fn cells(&self, name: &str) -> [String; 7] {
        [
            name.into(),
            format!("{:.2}", self.score),
            percent(self.by_chance),
            "-".into(),
            share(self.inside_groups),
            String::new(),
            String::new(),
        ]
    }
}

impl Probe {
    fn cells(&self) -> Vec<[String; 7]> {
        let steady = self.steady.as_ref().map(|steady| steady.cells("steady probe"));
        [Some(self.plain.cells("linear probe")), steady].into_iter().flatten().collect()
    }

    fn lines_of_text(&self) -> Vec<String> {
        let columns = match self.columns < self.of_columns {
            true => format!("{} of {} columns", self.columns, self.of_columns),
            false => format!("all {} columns", self.columns),
        };
        let Probe { rows, folds, plain, .. } = self;
        let of_all =
            |result: &ProbeResult| result.inside_of_all.map(|share| format!("{:.1} %", 100.0 * share));
        let inside = of_all(plain).map_or(String::new(), |share| {
            format!("; {share} of the variance of its answer lies between rows of one group, which should get one answer")
        });
        let mut text = vec![format!(
            "linear probe: least squares on {columns}, fitted on ids in {} of {folds} parts and judged on the last, in turn; \
            {:.1} % of {rows} rows wrong{inside}",
            folds - 1,
            100.0 * plain.error,
        )];
        if let Some(left) = self.steady.as_ref().and_then(of_all) {
            text.push(format!(
                "steady probe: the same with a penalty on that variance, as in CoRe; {left} is left"
            ));
        }
        text
    }
}

/// Columns as wide as their widest cell; the first, and those after the numbers, to the left. A column without any entry is left out.
fn table(rows: &[[String; 7]]) -> Vec<String> {
    let is_used = |column: &usize| rows.iter().any(|row| !["", "-"].contains(&row[*column].as_str()));
    let used: Vec<usize> = (0..HEADINGS.len()).filter(is_used).collect();
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).max(HEADINGS[column].len())
    };
    let line = |cell: &dyn Fn(usize) -> String| {
        let cells = used.iter().map(|&column| match column {
            0 | 5 | 6 => format!("  {:<width$}", cell(column), width = width(column)),
            _ => format!("  {:>width$}", cell(column), width = width(column)),
        });
        cells.collect::<String>().trim_end().to_string()
    };
    let header = line(&|column| HEADINGS[column].to_string());
    std::iter::once(header).chain(rows.iter().map(|row| line(&|column| row[column].clone()))).collect()
}

fn share(share: Option<f64>) -> String {
    share.map_or("-".into(), |share| format!("{:.0} %", 100.0 * share))
}

/// With a digit behind the point where it matters.
fn percent(share: f64) -> String {
    if share < 0.0995 { format!("{:.1} %", 100.0 * share) } else { format!("{:.0} %", 100.0 * share) }
}

impl GroupCounts {
    fn lines_of_text(&self) -> Vec<String> {
        let GroupCounts { rows, rows_with_id, groups, grouped_rows, grouped_observations, .. } = self;
        let share = 100.0 * self.grouped_share;
        let mut text = vec![format!(
            "groups: {groups} of two rows or more hold {grouped_rows} of {rows} training rows ({share:.1} %), which makes \
            c = {grouped_observations} grouped observations (rows beyond the first of their group); {rows_with_id} rows have \
            an id"
        )];
        if !self.sizes.is_empty() {
            text.push(format!("sizes of groups: {}", joined(self.sizes.iter().map(SizeCount::text))));
        }
        if self.ids_with_two_labels.count > 0 {
            text.push(format!(
                "{} with two labels or more: each label forms its own group",
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
