//! The few ways in which people, animals and pictures draw their numbers.

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

/// A normal draw, cut at three standard deviations so that no figure falls apart.
pub(super) fn normal(rng: &mut impl Rng, mean: f32, sd: f32) -> f32 {
    mean + sd * rng.sample::<f32, _>(StandardNormal).clamp(-3.0, 3.0)
}

/// A uniform draw.
pub(super) fn between(rng: &mut impl Rng, low: f32, high: f32) -> f32 {
    low + (high - low) * rng.random::<f32>()
}

/// True with this probability.
pub(super) fn chance(rng: &mut impl Rng, probability: f32) -> bool {
    rng.random::<f32>() < probability
}

/// One of the items, drawn by its weight.
pub(super) fn weighted<T: Copy>(rng: &mut impl Rng, items: &[(T, f32)]) -> T {
    let total: f32 = items.iter().map(|(_, weight)| weight).sum();
    let mut left = rng.random::<f32>() * total;
    for (item, weight) in items {
        left -= weight;
        if left < 0.0 {
            return *item;
        }
    }
    items[items.len() - 1].0
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    #[test]
    fn items_come_as_often_as_they_weigh() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let items = [('a', 1.0), ('b', 0.0), ('c', 3.0)];
        let drawn: Vec<char> = (0..4000).map(|_| weighted(&mut rng, &items)).collect();
        let count = |item| drawn.iter().filter(|other| **other == item).count();
        assert!((900..1100).contains(&count('a')), "{}", count('a'));
        assert_eq!(count('b'), 0);
    }

    #[test]
    fn normal_draws_have_no_far_tails() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        assert!((0..20_000).all(|_| (4.0..=16.0).contains(&normal(&mut rng, 10.0, 2.0))));
    }
}
