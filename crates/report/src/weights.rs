//! Penalty weights λ along an axis: by their logarithm, with 0 at the left and ∞ at the right end.

use crate::format::exact;
use crate::plot::Axis;

/// Where weights stand.
pub struct Weights {
    /// Finite ones above 0, ascending.
    positive: Vec<f64>,
    has_zero: bool,
    has_infinity: bool,
}

/// More names than this would run into each other: only decades then.
const MOST_NAMES: usize = 7;

impl Weights {
    pub fn new(weights: impl Iterator<Item = f64> + Clone) -> Self {
        let mut positive: Vec<f64> =
            weights.clone().filter(|weight| *weight > 0.0 && weight.is_finite()).collect();
        positive.sort_by(f64::total_cmp);
        positive.dedup();
        Self {
            positive,
            has_zero: weights.clone().any(|weight| weight == 0.0),
            has_infinity: weights.clone().any(|weight| weight == f64::INFINITY),
        }
    }

    /// Logarithms of the smallest and the largest one.
    fn ends(&self) -> (f64, f64) {
        match (self.positive.first(), self.positive.last()) {
            (Some(first), Some(last)) => (first.log10(), last.log10()),
            _ => (0.0, 0.0),
        }
    }

    /// How far 0 and ∞ stand from their neighbours.
    fn gap(&self) -> f64 {
        let (first, last) = self.ends();
        (0.15 * (last - first)).max(0.5)
    }

    /// Place of a weight.
    pub fn place(&self, weight: f64) -> f64 {
        let (first, last) = self.ends();
        match weight {
            weight if weight <= 0.0 => first - self.gap(),
            f64::INFINITY => last + self.gap(),
            weight => weight.log10(),
        }
    }

    pub fn axis(&self) -> Axis {
        let (first, last) = self.ends();
        let mut marks: Vec<(f64, String)> = match self.positive.len() <= MOST_NAMES {
            true => self.positive.iter().map(|weight| (weight.log10(), exact(*weight))).collect(),
            false => decades(first, last),
        };
        if self.has_zero {
            marks.insert(0, (self.place(0.0), "0".into()));
        }
        if self.has_infinity {
            marks.push((self.place(f64::INFINITY), "∞".into()));
        }
        let low = if self.has_zero { self.place(0.0) } else { first };
        let high = if self.has_infinity { self.place(f64::INFINITY) } else { last };
        let room = 0.04 * (high - low).max(0.5);
        Axis::named(low - room, high + room, marks)
    }
}

fn decades(first: f64, last: f64) -> Vec<(f64, String)> {
    let (from, to) = (first.ceil() as i32, last.floor() as i32);
    let step = ((to - from) / MOST_NAMES as i32 + 1).max(1);
    (from..=to).step_by(step as usize).map(|power| (f64::from(power), exact(10f64.powi(power)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(weights: &[f64]) -> Vec<String> {
        let axis = Weights::new(weights.iter().copied()).axis();
        axis.marks().into_iter().map(|mark| axis.label(mark)).collect()
    }

    #[test]
    fn few_weights_stand_there_by_name() {
        assert_eq!(labels(&[1.0, 0.0, 0.05, 0.1, 1.0]), ["0", "0.05", "0.1", "1"]);
        assert_eq!(labels(&[0.1, f64::INFINITY]), ["0.1", "∞"]);
        assert_eq!(labels(&[0.0]), ["0"]);
    }

    #[test]
    fn of_many_weights_the_decades_are_named() {
        let many: Vec<f64> = (-9..=9).map(|k| 10f64.powf(f64::from(k) / 3.0)).collect();
        assert_eq!(labels(&many), ["0.001", "0.01", "0.1", "1", "10", "100", "1000"]);
    }

    #[test]
    fn places_grow_with_the_weight() {
        let all = [0.0, 0.05, 0.1, 1.0, f64::INFINITY];
        let weights = Weights::new(all.iter().copied());
        let places = all.map(|weight| weights.place(weight));
        assert!(places.is_sorted_by(|a, b| a < b), "{places:?}");
        assert_eq!((places[3] - places[2]), 1.0);
    }
}
