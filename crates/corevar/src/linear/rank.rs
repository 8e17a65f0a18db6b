//! How many directions count as style at λ = ∞.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::range::ConfigError;

/// The directions that λ = ∞ takes from a linear model: the strongest of those in which rows of a group differ.
///
/// With fewer than all, this is external parameter orthogonalisation (EPO) of chemometrics, and akin to nuisance attribute projection
/// (NAP) of speaker recognition: noise makes groups vary a little in every direction, and leaving those to the model is all that
/// keeps it from being constant. Written as `all`, `3` or `95%`.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum StyleRank {
    /// All of them, as in Theorem 1 of the paper: no logit varies inside a group.
    #[default]
    All,
    /// So many. At least 1.
    Directions(usize),
    /// As few as hold this percentage of the variance inside groups. Above 0, at most 100.
    Percent(f64),
}

const RULE: &str = "all, a number of directions from 1, or a percentage above 0% and at most 100%";

impl StyleRank {
    /// The same, if it is in range.
    pub(crate) fn check(self) -> Result<(), ConfigError> {
        let holds = match self {
            Self::All => true,
            Self::Directions(count) => count > 0,
            Self::Percent(percent) => percent > 0.0 && percent <= 100.0,
        };
        match holds {
            true => Ok(()),
            false => Err(ConfigError { field: "style_rank", value: self.to_string(), rule: RULE }),
        }
    }

    /// How many of these variances, the strongest first, belong to style.
    pub(super) fn of(self, variances: &[f64]) -> usize {
        match self {
            Self::All => variances.len(),
            Self::Directions(count) => count.min(variances.len()),
            Self::Percent(percent) => leading(variances, percent / 100.0),
        }
    }
}

/// How many of these values, the largest first, hold this share of their sum.
pub(super) fn leading(values: &[f64], share: f64) -> usize {
    let wanted = share * values.iter().sum::<f64>();
    let mut sum = 0.0;
    let before = values.iter().take_while(|&&value| {
        let is_needed = sum < wanted;
        sum += value;
        is_needed
    });
    before.count()
}

impl fmt::Display for StyleRank {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::All => f.write_str("all"),
            Self::Directions(count) => write!(f, "{count}"),
            Self::Percent(percent) => write!(f, "{percent}%"),
        }
    }
}

impl FromStr for StyleRank {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = match (text, text.strip_suffix('%')) {
            ("all", _) => Some(Self::All),
            (_, Some(percent)) => percent.trim_end().parse().ok().map(Self::Percent),
            (_, None) => text.parse().ok().map(Self::Directions),
        };
        parsed.ok_or_else(|| {
            format!("`{text}` is none of all, a number of directions such as 3, or a percentage such as 95%")
        })
    }
}

impl Serialize for StyleRank {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// From a text, or from a plain number of directions.
impl<'de> Deserialize<'de> for StyleRank {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "all, a number of directions such as 3, or a percentage such as \"95%\"")]
        enum Written {
            Number(usize),
            Text(String),
        }
        match Written::deserialize(from)? {
            Written::Number(count) => Ok(Self::Directions(count)),
            Written::Text(text) => text.parse().map_err(de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_read_as_it_is_written() {
        for (text, rank) in [
            ("all", StyleRank::All),
            ("3", StyleRank::Directions(3)),
            ("95%", StyleRank::Percent(95.0)),
            ("99.5%", StyleRank::Percent(99.5)),
        ] {
            assert_eq!((text.parse(), rank.to_string().as_str()), (Ok(rank), text));
            let json = serde_json::to_string(&rank).unwrap();
            assert_eq!(serde_json::from_str::<StyleRank>(&json).unwrap(), rank);
        }
        assert_eq!(serde_json::from_str::<StyleRank>("4").unwrap(), StyleRank::Directions(4));
        for text in ["", "some", "0.95", "-1", "%", "x%"] {
            assert!(text.parse::<StyleRank>().unwrap_err().contains("such as 95%"), "{text}");
        }
    }

    #[test]
    fn a_rank_out_of_range_is_named() {
        for rank in ["0", "0%", "101%", "NaN%", "-5%"] {
            let error = rank.parse::<StyleRank>().unwrap().check().unwrap_err();
            assert_eq!(error.field, "style_rank");
        }
        let error = StyleRank::Directions(0).check().unwrap_err().to_string();
        assert!(error.starts_with("the field `style_rank` is 0, but must be all, a number of directions"));
    }

    /// Variances 6, 3 and 1: 60, 90 and 100 %.
    #[test]
    fn a_percentage_takes_as_few_directions_as_hold_it() {
        let of = |rank: StyleRank| rank.of(&[6.0, 3.0, 1.0]);
        let percents = [1.0, 60.0, 61.0, 90.0, 91.0, 100.0];
        assert_eq!(percents.map(|percent| of(StyleRank::Percent(percent))), [1, 1, 2, 2, 3, 3]);
        assert_eq!([1, 2, 9].map(|count| of(StyleRank::Directions(count))), [1, 2, 3]);
        assert_eq!(of(StyleRank::All), 3);
    }
}
