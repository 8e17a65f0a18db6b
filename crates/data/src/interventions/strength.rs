//! How strong an intervention is: a number, or a law to draw it from.

use std::fmt;

use rand::{Rng, RngExt};
use rand_distr::{Exp1, StandardNormal};

/// A strength as it is written: `45`, `N(30,10)`, `100+Exp(20)`, `100-N(20,1)`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Strength {
    /// The same for every picture.
    Fixed(f64),
    /// `base ± draw`, drawn anew for every picture.
    Drawn {
        /// The number before the sign, 0 when there is none.
        base: f64,
        /// Whether the draw is added or taken away.
        sign: Sign,
        /// What the draw follows.
        law: Law,
    },
}

/// Whether a draw is added to its base or taken away from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `base + draw`
    Plus,
    /// `base - draw`
    Minus,
}

/// A law of random strengths.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Law {
    /// `N(mean,sd)`
    Normal {
        /// Centre.
        mean: f64,
        /// Standard deviation, at least 0.
        sd: f64,
    },
    /// `Exp(mean)`
    Exponential {
        /// Mean, above 0; not the rate.
        mean: f64,
    },
    /// `U(low,high)`
    Uniform {
        /// Least value.
        low: f64,
        /// Bound above, not below `low`.
        high: f64,
    },
}

impl Strength {
    /// The strength for one picture. A fixed one takes nothing from `rng`.
    pub fn draw(&self, rng: &mut impl Rng) -> f64 {
        match *self {
            Strength::Fixed(value) => value,
            Strength::Drawn { base, sign: Sign::Plus, law } => base + law.draw(rng),
            Strength::Drawn { base, sign: Sign::Minus, law } => base - law.draw(rng),
        }
    }
}

impl Law {
    fn draw(self, rng: &mut impl Rng) -> f64 {
        match self {
            Law::Normal { mean, sd } => mean + sd * rng.sample::<f64, _>(StandardNormal),
            Law::Exponential { mean } => mean * rng.sample::<f64, _>(Exp1),
            Law::Uniform { low, high } => low + (high - low) * rng.random::<f64>(),
        }
    }
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strength::Fixed(value) => write!(f, "{value}"),
            Strength::Drawn { base: 0.0, sign: Sign::Plus, law } => write!(f, "{law}"),
            Strength::Drawn { base, sign: Sign::Plus, law } => write!(f, "{base}+{law}"),
            Strength::Drawn { base, sign: Sign::Minus, law } => write!(f, "{base}-{law}"),
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Law::Normal { mean, sd } => write!(f, "N({mean},{sd})"),
            Law::Exponential { mean } => write!(f, "Exp({mean})"),
            Law::Uniform { low, high } => write!(f, "U({low},{high})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    fn moments(strength: Strength) -> (f64, f64) {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let draws: Vec<f64> = (0..20_000).map(|_| strength.draw(&mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / 20_000.0;
        (mean, (draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 20_000.0).sqrt())
    }

    #[track_caller]
    fn assert_moments(law: Law, mean: f64, sd: f64) {
        for (sign, factor) in [(Sign::Plus, 1.0), (Sign::Minus, -1.0)] {
            let drawn = moments(Strength::Drawn { base: 100.0, sign, law });
            assert!((drawn.0 - (100.0 + factor * mean)).abs() < 0.05 * sd, "{drawn:?}");
            assert!((drawn.1 - sd).abs() < 0.05 * sd, "{drawn:?}");
        }
    }

    #[test]
    fn draws_have_the_mean_and_deviation_of_their_law() {
        assert_moments(Law::Normal { mean: 30.0, sd: 10.0 }, 30.0, 10.0);
        assert_moments(Law::Exponential { mean: 20.0 }, 20.0, 20.0);
        // The deviation of a uniform law is its width / sqrt(12).
        assert_moments(Law::Uniform { low: 35.0, high: 70.0 }, 52.5, 35.0 / 12f64.sqrt());
    }

    #[test]
    fn a_law_without_spread_gives_its_centre() {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        assert_eq!(Law::Normal { mean: 30.0, sd: 0.0 }.draw(&mut rng), 30.0);
        assert_eq!(Law::Uniform { low: 5.0, high: 5.0 }.draw(&mut rng), 5.0);
    }
}
