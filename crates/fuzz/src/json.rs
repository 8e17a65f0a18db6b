//! Damages that leave JSON what it is: other values in sound places.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use serde_json::{Value, json};

use crate::damaged;

/// One of the documents with one to four other values in it; every fourth is damaged as bytes instead.
pub fn damaged_json(rng: &mut ChaCha8Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let bytes = &corpus[rng.random_range(0..corpus.len())];
    match serde_json::from_slice::<Value>(bytes) {
        Ok(mut document) if rng.random_range(0..4) > 0 => {
            for _ in 0..rng.random_range(1..=4) {
                let places = count(&document);
                let mut place = rng.random_range(0..places);
                change(&mut document, &mut place, rng);
            }
            document.to_string().into_bytes()
        }
        _ => damaged(rng, corpus),
    }
}

/// Values in a value, itself included.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum::<usize>(),
        _ => 0,
    }
}

/// Changes the value at a place, counted as [`count`] does.
fn change(value: &mut Value, place: &mut usize, rng: &mut ChaCha8Rng) -> bool {
    if *place == 0 {
        *value = other(value, rng);
        return true;
    }
    *place -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| change(item, place, rng)),
        Value::Object(fields) => fields.values_mut().any(|field| change(field, place, rng)),
        _ => false,
    }
}

fn other(value: &Value, rng: &mut ChaCha8Rng) -> Value {
    if let (Value::Array(items), true) = (value, rng.random_range(0..4) > 0) {
        return match rng.random_range(0..3) {
            0 => items.iter().skip(1).cloned().collect(),
            1 => items.iter().chain(items).cloned().collect(),
            _ => items.iter().rev().cloned().collect(),
        };
    }
    if let (Value::Number(_), true) = (value, rng.random_range(0..8) > 0) {
        let numbers = [
            json!(0),
            json!(-1),
            json!(1),
            json!(0.5),
            json!(1e308),
            json!(-1e308),
            json!(1e-308),
            json!(u64::MAX),
            json!(1u64 << 40),
            json!(i64::MIN),
        ];
        return numbers[rng.random_range(0..numbers.len())].clone();
    }
    let others = [
        Value::Null,
        json!(true),
        json!(""),
        json!("<script>alert('\"&')</script>"),
        json!("inf"),
        json!("x".repeat(3000)),
        json!([]),
        json!({}),
        json!({ "": [1, "a", null] }),
    ];
    others[rng.random_range(0..others.len())].clone()
}
