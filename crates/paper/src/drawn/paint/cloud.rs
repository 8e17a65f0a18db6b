//! Smooth random patterns: foliage, plaster, dust, clouds.

use rand::{Rng, RngExt};

const SIDE: usize = 8;

/// A smooth random function on the plane, with values in 0 to 1, that repeats after 8 units.
#[derive(Debug, Clone, PartialEq)]
pub struct Cloud {
    values: [f32; SIDE * SIDE],
}

impl Cloud {
    /// A new pattern.
    pub fn draw(rng: &mut impl Rng) -> Cloud {
        Cloud { values: std::array::from_fn(|_| rng.random::<f32>()) }
    }

    /// The value at a place: linear between the corners of a grid of unit squares.
    pub(crate) fn at(&self, place: [f32; 2]) -> f32 {
        let [left, top] = place.map(f32::floor);
        let [right_share, lower_share] = [place[0] - left, place[1] - top];
        let (column, row) = (left as i32, top as i32);
        // Eight is a power of two: the last bits wrap around, below zero too.
        let value = |x: i32, y: i32| self.values[(y as usize % SIDE) * SIDE + x as usize % SIDE];
        let upper = value(column, row) * (1.0 - right_share) + value(column + 1, row) * right_share;
        let lower = value(column, row + 1) * (1.0 - right_share) + value(column + 1, row + 1) * right_share;
        upper * (1.0 - lower_share) + lower * lower_share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_linear_between_corners_and_repeat() {
        let cloud = Cloud { values: std::array::from_fn(|index| index as f32 / 64.0) };
        assert_eq!(cloud.at([2.0, 1.0]), 10.0 / 64.0);
        assert_eq!(cloud.at([2.5, 1.0]), 10.5 / 64.0);
        assert_eq!(cloud.at([2.5, 1.5]), 14.5 / 64.0);
        assert_eq!(cloud.at([10.0, -7.0]), cloud.at([2.0, 1.0]));
    }
}
