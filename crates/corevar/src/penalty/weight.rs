//! λ as text: `∞` for people, the word `inf` in JSON, which has no such number.

use serde::{Deserialize, Deserializer, Serializer, de};

const INFINITY: &str = "inf";

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Number(f64),
    Word(String),
}

/// As people read it.
pub fn shown(weight: f64) -> String {
    if weight == f64::INFINITY { "∞".into() } else { weight.to_string() }
}

/// For `#[serde(with)]`.
pub fn serialize<S: Serializer>(weight: &f64, to: S) -> Result<S::Ok, S::Error> {
    if *weight == f64::INFINITY { to.serialize_str(INFINITY) } else { to.serialize_f64(*weight) }
}

/// For `#[serde(with)]`.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    match Written::deserialize(from)? {
        Written::Number(weight) => Ok(weight),
        Written::Word(word) if word == INFINITY => Ok(f64::INFINITY),
        Written::Word(word) => {
            Err(de::Error::invalid_value(de::Unexpected::Str(&word), &"a number or `inf`"))
        }
    }
}
