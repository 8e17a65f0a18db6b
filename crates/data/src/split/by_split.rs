use std::collections::{BTreeMap, btree_map};
use std::ops::Index;

use serde::{Deserialize, Serialize};

use super::SplitName;

/// One value per split, in the order of [`SplitName`]. A map with the names as keys in JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BySplit<T>(BTreeMap<SplitName, T>);

impl<T> Default for BySplit<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> BySplit<T> {
    /// Of the split of that name.
    pub fn get(&self, split: &str) -> Option<&T> {
        self.0.get(&SplitName::from(split))
    }

    /// Of the split of that name.
    pub fn get_mut(&mut self, split: &str) -> Option<&mut T> {
        self.0.get_mut(&SplitName::from(split))
    }

    /// Whether there is a value for that split.
    pub fn contains_key(&self, split: &str) -> bool {
        self.get(split).is_some()
    }

    /// Sets the value of a split and returns the one before it.
    pub fn insert(&mut self, split: impl Into<SplitName>, value: T) -> Option<T> {
        self.0.insert(split.into(), value)
    }

    /// The names, in order.
    pub fn keys(&self) -> btree_map::Keys<'_, SplitName, T> {
        self.0.keys()
    }

    /// The values, in the order of their names.
    pub fn values(&self) -> btree_map::Values<'_, SplitName, T> {
        self.0.values()
    }

    /// The values, in the order of their names.
    pub fn values_mut(&mut self) -> btree_map::ValuesMut<'_, SplitName, T> {
        self.0.values_mut()
    }

    /// Names and values, in order.
    pub fn iter(&self) -> btree_map::Iter<'_, SplitName, T> {
        self.0.iter()
    }

    /// Names and values, in order.
    pub fn iter_mut(&mut self) -> btree_map::IterMut<'_, SplitName, T> {
        self.0.iter_mut()
    }

    /// Number of splits.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True without any split.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps the splits for which this is true.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&SplitName, &mut T) -> bool) {
        self.0.retain(|name, value| is_kept(name, value));
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl<T> Index<&str> for BySplit<T> {
    type Output = T;

    fn index(&self, split: &str) -> &T {
        self.get(split).expect("a split that is there")
    }
}

impl<N: Into<SplitName>, T> FromIterator<(N, T)> for BySplit<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(entries: I) -> Self {
        Self(entries.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

impl<N: Into<SplitName>, T> Extend<(N, T)> for BySplit<T> {
    fn extend<I: IntoIterator<Item = (N, T)>>(&mut self, entries: I) {
        self.0.extend(entries.into_iter().map(|(name, value)| (name.into(), value)));
    }
}

impl<N: Into<SplitName>, T, const K: usize> From<[(N, T); K]> for BySplit<T> {
    fn from(entries: [(N, T); K]) -> Self {
        entries.into_iter().collect()
    }
}

impl<T> IntoIterator for BySplit<T> {
    type Item = (SplitName, T);
    type IntoIter = btree_map::IntoIter<SplitName, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a BySplit<T> {
    type Item = (&'a SplitName, &'a T);
    type IntoIter = btree_map::Iter<'a, SplitName, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
