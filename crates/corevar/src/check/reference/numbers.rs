//! Many numbers in the header of a model: base64 of little-endian f32, a quarter of their length as decimal text.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Numbers in single precision.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Numbers(pub Vec<f32>);

impl Numbers {
    pub fn is_finite(&self) -> bool {
        self.0.iter().all(|number| number.is_finite())
    }
}

impl FromIterator<f64> for Numbers {
    fn from_iter<I: IntoIterator<Item = f64>>(numbers: I) -> Self {
        Self(numbers.into_iter().map(|number| number as f32).collect())
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes: Vec<u8> = self.0.iter().flat_map(|number| number.to_le_bytes()).collect();
        serializer.serialize_str(&STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        let (numbers, rest) = bytes.as_chunks::<4>();
        match rest {
            [] => Ok(Self(numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())),
            _ => Err(D::Error::custom("numbers that end in the middle of one")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_to_the_bit() {
        let numbers = Numbers(vec![0.1, -3.5e-20, f32::MAX, 0.0]);
        let text = serde_json::to_string(&numbers).unwrap();
        assert_eq!(serde_json::from_str::<Numbers>(&text).unwrap(), numbers);
        // Python: base64.b64encode(struct.pack("<2f", 1.0, -2.0))
        assert_eq!(serde_json::to_string(&Numbers(vec![1.0, -2.0])).unwrap(), "\"AACAPwAAAMA=\"");
        assert!(serde_json::from_str::<Numbers>("\"AACA\"").is_err());
    }
}
