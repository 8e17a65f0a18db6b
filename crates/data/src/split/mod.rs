//! Splits: their names, what each of them is for, and their order.

mod by_id;
mod by_split;

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Serialize};

pub(crate) use by_id::{SHARES, by_id, train_and_test};
pub use by_split::BySplit;

use crate::natural::natural;

/// What the rows of a split are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Models learn from them.
    Train,
    /// Settings are chosen by them.
    Validation,
    /// Models are judged on them; every name but `train` and `val` is of this role.
    Test,
}

/// The name of a split. Names are ordered as tables show them: `train`, `val`, `test`, then all others as people count
/// (`test2` before `test10`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SplitName(String);

impl SplitName {
    /// The split that models learn from.
    pub const TRAIN: &'static str = "train";
    /// The split that settings are chosen by.
    pub const VALIDATION: &'static str = "val";
    /// The usual name of the split that models are judged on.
    pub const TEST: &'static str = "test";

    /// `train`.
    pub fn train() -> Self {
        Self(Self::TRAIN.into())
    }

    /// `val`.
    pub fn validation() -> Self {
        Self(Self::VALIDATION.into())
    }

    /// `test`.
    pub fn test() -> Self {
        Self(Self::TEST.into())
    }

    /// What its rows are for.
    pub fn role(&self) -> Role {
        match self.as_str() {
            Self::TRAIN => Role::Train,
            Self::VALIDATION => Role::Validation,
            _ => Role::Test,
        }
    }

    /// True for the training rows.
    pub fn is_train(&self) -> bool {
        self.role() == Role::Train
    }

    /// True for rows that models are judged on.
    pub fn is_test(&self) -> bool {
        self.role() == Role::Test
    }

    /// As the user wrote it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn rank(&self) -> (Role, bool) {
        (self.role(), self.0 != Self::TEST)
    }
}

impl PartialOrd for SplitName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SplitName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank()).then_with(|| natural(&self.0, &other.0))
    }
}

impl<T: Into<String>> From<T> for SplitName {
    fn from(name: T) -> Self {
        Self(name.into())
    }
}

impl Deref for SplitName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for SplitName {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for SplitName {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for SplitName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The rows of one split, ascending.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// `train`, `val`, `test`, or any name of the user's.
    pub name: SplitName,
    /// Row numbers.
    pub rows: Vec<usize>,
}

impl Split {
    /// A split of these rows.
    pub fn new(name: impl Into<SplitName>, rows: impl IntoIterator<Item = usize>) -> Self {
        Self { name: name.into(), rows: rows.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_come_in_the_order_of_their_use() {
        let mut names =
            ["test10", "site-B", "test2", "val", "test", "train", "2"].map(SplitName::from).to_vec();
        names.sort();
        let names: Vec<&str> = names.iter().map(SplitName::as_str).collect();
        assert_eq!(names, ["train", "val", "test", "2", "site-B", "test2", "test10"]);
    }

    #[test]
    fn any_other_name_is_a_test() {
        let roles = ["train", "val", "site-B", "Train"].map(|name| SplitName::from(name).role());
        assert_eq!(roles, [Role::Train, Role::Validation, Role::Test, Role::Test]);
    }
}
