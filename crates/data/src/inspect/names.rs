//! Names that look the same and are not: `Cat` and `cat`, an accent in one character or in two, a space at the end.

use std::collections::BTreeMap;

use serde::Serialize;
use unicode_normalization::UnicodeNormalization;

use crate::{Dataset, SplitName};

/// Sets of names that are shown, at most.
const SHOWN: usize = 5;

/// Names of one kind that look alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lookalikes {
    /// `labels`, `splits` or `ids`.
    pub what: &'static str,
    /// How many sets of such names there are.
    pub count: usize,
    /// The first few.
    pub first: Vec<Lookalike>,
}

/// Names that differ by little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lookalike {
    /// The names as they were written.
    pub names: Vec<String>,
    /// What differs.
    pub by: Difference,
}

/// By what names differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Difference {
    /// Spaces, or characters that are not seen.
    Space,
    /// The same characters in another Unicode form, such as an accent of its own, or letters of full width.
    UnicodeForm,
    /// Capitals.
    Case,
    /// More than one of these.
    Several,
}

/// Labels, splits and ids that look alike.
pub(super) fn find(dataset: &Dataset) -> Vec<Lookalikes> {
    let splits: Vec<&str> = dataset.splits().iter().map(|split| split.name.as_str()).collect();
    // `Train` is a test of that name, unless the user is told.
    let reserved =
        [SplitName::TRAIN, SplitName::VALIDATION].into_iter().filter(|name| !splits.contains(name));
    let all_splits: Vec<&str> = reserved.chain(splits.iter().copied()).collect();
    [of("labels", dataset.labels().class_names()), of("splits", &all_splits), of("ids", dataset.id_names())]
        .into_iter()
        .flatten()
        .collect()
}

fn of<T: AsRef<str>>(what: &'static str, names: &[T]) -> Option<Lookalikes> {
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for name in names {
        let name = name.as_ref();
        alike.entry(folded(name)).or_default().push(name);
    }
    let sets: Vec<Vec<&str>> = alike.into_values().filter(|names| names.len() > 1).collect();
    let first = sets.iter().take(SHOWN).map(|names| Lookalike {
        names: names.iter().take(SHOWN).map(|name| (*name).to_string()).collect(),
        by: difference(names),
    });
    (!sets.is_empty()).then(|| Lookalikes { what, count: sets.len(), first: first.collect() })
}

fn folded(name: &str) -> String {
    if name.is_ascii() {
        return without_spaces(name).to_lowercase();
    }
    let form: String = without_spaces(name).nfkc().collect();
    form.to_lowercase().nfkc().collect()
}

/// The first rule that makes one name of all.
fn difference(names: &[&str]) -> Difference {
    let unites = |rule: fn(&str) -> String| names.iter().all(|name| rule(name) == rule(names[0]));
    if unites(without_spaces) {
        Difference::Space
    } else if unites(|name| name.nfkc().collect()) {
        Difference::UnicodeForm
    } else if unites(str::to_lowercase) {
        Difference::Case
    } else {
        Difference::Several
    }
}

/// Without what is not seen; one space for each run of spaces, and none at the ends.
fn without_spaces(name: &str) -> String {
    let seen: String =
        name.chars().filter(|character| character.is_whitespace() || !is_invisible(*character)).collect();
    seen.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Control characters and those that a font does not draw.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

impl Lookalikes {
    /// ``labels that look alike: `Cat` and `cat` (case)``
    pub(super) fn line_of_text(&self) -> String {
        let sets = self.first.iter().map(Lookalike::text).collect::<Vec<String>>().join("; ");
        let more = self.count.saturating_sub(self.first.len());
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        format!("{} that look alike but are not the same: {sets}{more}", self.what)
    }
}

impl Lookalike {
    fn text(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| format!("`{}`", self.shown(name))).collect();
        let by = match self.by {
            Difference::Space => "spaces or invisible characters",
            Difference::UnicodeForm => "Unicode form",
            Difference::Case => "case",
            Difference::Several => "case, spaces or Unicode form",
        };
        format!("{} (differ by {by})", names.join(" and "))
    }

    /// What a reader could not see is written as its number.
    fn shown(&self, name: &str) -> String {
        let in_full = |character: char| {
            is_invisible(character)
                || character.is_whitespace() && character != ' '
                || self.by == Difference::UnicodeForm && !character.is_ascii()
        };
        name.chars()
            .map(|character| match in_full(character) {
                true => character.escape_unicode().to_string(),
                false => character.to_string(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(names: &[&str]) -> Option<String> {
        of("labels", names).map(|found| found.line_of_text())
    }

    #[test]
    fn what_differs_is_named() {
        let same = "labels that look alike but are not the same:";
        for (names, wanted) in [
            (["Cat", "cat"], "`Cat` and `cat` (differ by case)"),
            (["cat", "cat "], "`cat` and `cat ` (differ by spaces or invisible characters)"),
            (["cat", "c\u{200b}at"], "`cat` and `c\\u{200b}at` (differ by spaces or invisible characters)"),
            (["a b", "a\u{a0}b"], "`a b` and `a\\u{a0}b` (differ by spaces or invisible characters)"),
            (["caf\u{e9}", "cafe\u{301}"], "`caf\\u{e9}` and `cafe\\u{301}` (differ by Unicode form)"),
            (["\u{ff41}", "a"], "`\\u{ff41}` and `a` (differ by Unicode form)"),
            (
                ["CAF\u{c9}", "cafe\u{301} "],
                "`CAF\u{c9}` and `cafe\u{301} ` (differ by case, spaces or Unicode form)",
            ),
        ] {
            assert_eq!(text(&names).as_deref(), Some(format!("{same} {wanted}").as_str()));
        }
    }

    #[test]
    fn names_that_look_different_are_left_alone() {
        assert_eq!(text(&["cat", "dog", "cat1", "1", "01", "10"]), None);
        assert_eq!(text(&[]), None);
        // Greek and Latin.
        assert_eq!(text(&["\u{391}", "A"]), None);
    }

    #[test]
    fn many_are_counted_and_few_are_shown() {
        let names: Vec<String> = (0..8).flat_map(|k| [format!("a{k}"), format!("A{k}")]).collect();
        let found = of("ids", &names).unwrap();
        assert_eq!((found.count, found.first.len()), (8, 5));
        assert!(found.line_of_text().ends_with("`a4` and `A4` (differ by case); and 3 more"));
    }
}
