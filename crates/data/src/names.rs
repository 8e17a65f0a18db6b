//! Names: their spelling, and columns of few different ones.

use std::collections::HashMap;

use crate::natural::natural;

/// The name that a slip of the pen may have turned into `wanted`.
pub(crate) fn nearest<'a>(wanted: &str, names: &'a [String]) -> Option<&'a str> {
    let wanted = wanted.to_lowercase();
    let allowed = 1 + wanted.chars().count() / 4;
    names
        .iter()
        .map(|name| {
            let other = name.to_lowercase();
            let contained =
                wanted.len() > 2 && (other.contains(&wanted) || wanted.contains(&other) && other.len() > 2);
            (if contained { 1 } else { strsim::levenshtein(&wanted, &other) }, name)
        })
        .filter(|(distance, name)| *distance <= allowed && *distance < name.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name.as_str())
}

/// Up to so many names are looked through one by one: a table may have a million columns of a few names each.
const FEW: usize = 8;

/// A column of text as numbers of its different values.
#[derive(Debug, Default, Clone)]
pub(crate) struct Levels {
    names: Vec<String>,
    /// Empty while there are few names.
    index: HashMap<String, u32>,
    of_row: Vec<u32>,
}

impl Levels {
    pub(crate) fn push(&mut self, name: &str) {
        let level = self.level(name);
        self.of_row.push(level);
    }

    /// The number of a name, new or known.
    pub(crate) fn level(&mut self, name: &str) -> u32 {
        let known = match self.names.len() {
            ..=FEW => self.names.iter().position(|known| known == name).map(|level| level as u32),
            _ => self.index.get(name).copied(),
        };
        if let Some(level) = known {
            return level;
        }
        self.names.push(name.into());
        if self.names.len() > FEW {
            let new = self.index.len()..self.names.len();
            self.index.extend(new.map(|level| (self.names[level].clone(), level as u32)));
        }
        self.names.len() as u32 - 1
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn name(&self, level: u32) -> &str {
        &self.names[level as usize]
    }

    pub(crate) fn name_of(&self, row: usize) -> &str {
        self.name(self.of_row[row])
    }

    pub(crate) fn keep(&mut self, kept: &[bool]) {
        keep(&mut self.of_row, kept);
    }

    /// Names that some row has, in natural order, and the rows as indices into them.
    pub(crate) fn sorted(&self) -> (Vec<String>, Vec<u32>) {
        let mut used = vec![false; self.names.len()];
        self.of_row.iter().for_each(|level| used[*level as usize] = true);
        let mut order: Vec<usize> = (0..used.len()).filter(|level| used[*level]).collect();
        order.sort_by(|a, b| natural(&self.names[*a], &self.names[*b]));
        let mut rank = vec![0; used.len()];
        order.iter().enumerate().for_each(|(new, old)| rank[*old] = new as u32);
        let names = order.iter().map(|level| self.names[*level].clone()).collect();
        (names, self.of_row.iter().map(|level| rank[*level as usize]).collect())
    }
}

/// Drops the entries that are not kept.
pub(crate) fn keep<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut flags = kept.iter();
    values.retain(|_| *flags.next().unwrap_or(&true));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_recognised() {
        let names = ["label_name".to_string(), "group".into(), "y".into()];
        assert_eq!(nearest("label_nme", &names), Some("label_name"));
        assert_eq!(nearest("Group_id", &names), Some("group"));
        assert_eq!(nearest("colour", &names), None);
        // Six letters allow two changes, not three.
        assert_eq!(nearest("kitten", &["sittin".into()]), Some("sittin"));
        assert_eq!(nearest("kitten", &["sitting".into()]), None);
    }

    #[test]
    fn levels_are_the_same_for_few_names_and_for_many() {
        let mut levels = Levels::default();
        for turn in 0..3 {
            for name in 0..40 {
                assert_eq!(levels.level(&format!("name {name}")), name, "turn {turn}");
            }
        }
        assert_eq!((levels.count(), levels.name(39)), (40, "name 39"));
    }

    #[test]
    fn levels_are_sorted_and_unused_ones_go() {
        let mut levels = Levels::default();
        ["b", "10", "a", "9"].iter().for_each(|name| levels.push(name));
        levels.keep(&[true, true, false, true]);
        assert_eq!(levels.sorted(), (vec!["9".into(), "10".into(), "b".into()], vec![2, 1, 0]));
    }
}
