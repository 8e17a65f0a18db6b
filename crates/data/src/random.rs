//! Random numbers that depend on what they are for, not on what was drawn before.

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// Random numbers of their own for what the words name, such as a seed, a person and a purpose: what is drawn of
/// one thing depends on no other, so all can be drawn in any order.
pub fn stream(words: [u64; 4]) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}
