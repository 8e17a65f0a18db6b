//! Damages that know nothing of the format.

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// One of the files with one to eight small damages.
pub fn damaged(rng: &mut ChaCha8Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = corpus[rng.random_range(0..corpus.len())].clone();
    for _ in 0..rng.random_range(1..=8) {
        damage(rng, &mut bytes, corpus);
    }
    bytes
}

fn damage(rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>, corpus: &[Vec<u8>]) {
    if bytes.is_empty() {
        bytes.push(rng.random());
    }
    let at = rng.random_range(0..bytes.len());
    let end = (at + rng.random_range(1..=16)).min(bytes.len());
    match rng.random_range(0..9) {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF, b'"', b',', b'\n'][rng.random_range(0..8)],
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => bytes.extend_from_within(at..end),
        5 => {
            let number = (u64::MAX >> rng.random_range(0..64)).to_le_bytes();
            bytes[at..end].iter_mut().zip(number).for_each(|(byte, new)| *byte = new);
        }
        6 => bytes[at..end].reverse(),
        7 => {
            if let Some(digit) = bytes[at..].iter_mut().find(|byte| byte.is_ascii_digit()) {
                *digit = b'0' + rng.random_range(0..10);
            }
        }
        _ => {
            let other = &corpus[rng.random_range(0..corpus.len())];
            let start = rng.random_range(0..=other.len());
            let part = &other[start..(start + 64).min(other.len())];
            bytes.splice(at..at, part.iter().copied());
        }
    }
}
