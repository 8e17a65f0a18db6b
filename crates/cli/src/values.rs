//! Values of flags: strings become types here and nowhere else.

use std::fmt;
use std::str::FromStr;

use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};

use corevar::train::Decay;

/// Reads an enum by the name that serde gives its variants; the error lists them.
pub fn by_name<T: for<'de> Deserialize<'de>>(name: &str) -> Result<T, String> {
    T::deserialize(StrDeserializer::<Error>::new(name)).map_err(|error| error.to_string())
}

/// A value as it would be typed.
pub fn shown(value: &impl Serialize) -> String {
    fn typed(value: toml::Value) -> String {
        match value {
            toml::Value::String(text) => text,
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Array(list) => list.into_iter().map(typed).collect::<Vec<_>>().join(","),
            other => other.to_string(),
        }
    }
    toml::Value::try_from(value).map(typed).unwrap_or_default()
}

/// Names to choose from, in words: `a, b or c`.
pub fn any_of(names: &[&str]) -> String {
    match names {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// `--penalty-weight`: a number, or `auto`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Weight {
    Is(f64),
    Auto(Auto),
}

impl Weight {
    /// `auto`.
    pub const AUTO: Self = Self::Auto(Auto::Auto);
}

/// The word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Auto {
    Auto,
}

impl FromStr for Weight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::AUTO),
            _ => text.parse().map(Self::Is).map_err(|_| format!("`{text}` is neither a number nor auto")),
        }
    }
}

/// `--missing`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MissingFlag {
    Drop,
    Median,
}

/// `--colour`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Colour {
    Grey,
    Rgb,
}

/// `--decay`: `cosine`, `constant` or a factor.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DecayFlag(pub Decay);

impl FromStr for DecayFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "cosine" => Ok(Self(Decay::Cosine)),
            "constant" => Ok(Self(Decay::Constant)),
            _ => text.parse().map(|factor| Self(Decay::Exponential(factor))).map_err(|_| {
                format!("`{text}` is none of cosine, constant, or a factor per epoch such as 0.95")
            }),
        }
    }
}

impl fmt::Display for DecayFlag {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// `--image-size`: `64x48` is 64 rows of 48 pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ImageSize {
    pub height: usize,
    pub width: usize,
}

impl FromStr for ImageSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let size = text.split_once('x').and_then(|(height, width)| {
            Some(Self { height: height.parse().ok()?, width: width.parse().ok()? })
        });
        size.filter(|size| size.height > 0 && size.width > 0)
            .ok_or_else(|| format!("`{text}` is not HEIGHTxWIDTH in pixels, such as 64x48"))
    }
}

impl fmt::Display for ImageSize {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}x{}", self.height, self.width)
    }
}

macro_rules! as_text {
    ($($type:ty),*) => {$(
        impl TryFrom<String> for $type {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                text.parse()
            }
        }

        impl From<$type> for String {
            fn from(value: $type) -> String {
                value.to_string()
            }
        }
    )*};
}

as_text!(DecayFlag, ImageSize);

#[cfg(test)]
mod tests {
    use corevar::model::ModelKind;

    use super::*;

    #[test]
    fn values_print_as_they_are_typed() {
        for text in ["cosine", "constant", "0.95"] {
            assert_eq!(text.parse::<DecayFlag>().unwrap().to_string(), text);
        }
        assert_eq!("64x48".parse::<ImageSize>().unwrap(), ImageSize { height: 64, width: 48 });
    }

    #[test]
    fn a_bad_value_says_what_is_wanted() {
        assert!("fast".parse::<DecayFlag>().unwrap_err().contains("cosine, constant"));
        for text in ["64", "x48", "64x", "0x5", "64x48x3", "-1x5"] {
            assert!(text.parse::<ImageSize>().unwrap_err().contains("such as 64x48"), "{text}");
        }
        assert!(by_name::<ModelKind>("forest").unwrap_err().contains("`linear`, `mlp`, `cnn`"));
    }
}
