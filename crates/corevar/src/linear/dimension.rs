//! How many directions style has, and whether the groups are enough to find them (paper, assumption A3).

use serde::{Deserialize, Serialize};

use super::contrasts::{RowReader, Weighing, for_each_contrast};
use super::decompose::Stack;
use super::groups::GroupIndex;
use super::kernels::dot;
use super::moments::Coordinates;
use super::style::MOST_CONTRASTS;
use super::{DesignMatrix, LinearError, Normalise};

/// A direction of one half of the groups is style if the other half varies along it so many times as much as along the rest.
const STANDS_OUT: f64 = 2.0;
/// If even the weaker directions of a half do so by this factor on average, more groups would find more of them.
const NOT_EXHAUSTED: f64 = 1.5;
/// What is left of the variance when nothing is missing.
const NEGLIGIBLE: f64 = 0.05;
/// Numbers from which the variance along the rest is known well enough.
const FEWEST_NUMBERS: usize = 20;

/// The dimension of style, estimated from how rows differ inside groups. Features are taken per standard deviation.
///
/// Each half of the groups gives its directions, strongest first; what the other half varies along them tells style from noise,
/// which has no direction that comes again. The paper's assumption A3 asks for at least as many grouped observations as style has
/// dimensions, `c >= q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyleDimension {
    /// Grouped observations, `c = Σ_j (|S_j| - 1)`: 50 pairs count 50.
    pub grouped: usize,
    /// Directions along which both halves of the groups vary more than along the rest. 0 where all directions are alike.
    pub directions: usize,
    /// True when style may have more directions than the groups can show.
    pub too_few: bool,
}

/// The dimension of style in these rows; None with fewer than two groups of two rows or more.
pub(crate) fn style_dimension(
    features: &dyn DesignMatrix,
    group_of_row: &[usize],
) -> Result<Option<StyleDimension>, LinearError> {
    let rows = features.rows();
    if rows != group_of_row.len() {
        return Err(LinearError::Length { what: "group_of_row", found: group_of_row.len(), rows });
    }
    let shares = vec![1.0 / rows.max(1) as f64; rows];
    let all = GroupIndex::new(group_of_row, &shares, Normalise::Grouped);
    let groups = all.thinned(MOST_CONTRASTS);
    if groups.len() < 2 {
        return Ok(None);
    }
    let coordinates = Coordinates::new(features, &shares, true)?;
    let columns = features.columns() - coordinates.constant.len();
    let mut halves = Vec::new();
    for half in groups.halves() {
        let mut contrasts = Vec::new();
        let mut reader = RowReader::new(features, &coordinates);
        for_each_contrast(&mut reader, &half, Weighing::Equal, |row| {
            contrasts.push(row.to_vec());
            Ok(())
        })?;
        halves.push(contrasts);
    }
    let found = Found::new(&halves, columns)?;
    let too_few = all.contrasts() < columns && found.is_unfinished();
    Ok(Some(StyleDimension { grouped: all.contrasts(), directions: found.directions(), too_few }))
}

/// Variances of each half along the directions of the other, the mean of both.
struct Found {
    /// Along the directions, strongest first.
    along: Vec<f64>,
    /// In all directions together.
    total: f64,
    /// Of each direction outside, on average.
    floor: f64,
}

impl Found {
    fn new(halves: &[Vec<Vec<f64>>], columns: usize) -> Result<Self, LinearError> {
        let contrasts: usize = halves.iter().map(Vec::len).sum();
        let fewest = halves.iter().map(Vec::len).min().unwrap_or(0);
        let rest = FEWEST_NUMBERS.div_ceil(contrasts.max(1));
        let count = fewest.min(columns.saturating_sub(rest)).max(1).min(columns);
        let (mut along, mut total) = (vec![0.0; count], 0.0);
        for (one, other) in [(0, 1), (1, 0)] {
            let directions = directions(&halves[one], count)?;
            for contrast in &halves[other] {
                let square = |direction: &Vec<f64>| dot(direction, contrast).powi(2);
                along.iter_mut().zip(&directions).for_each(|(sum, direction)| *sum += square(direction));
                total += dot(contrast, contrast);
            }
        }
        let outside = (total - along.iter().sum::<f64>()).max(0.0) / (columns - count).max(1) as f64;
        // Where nothing is outside, rounding is no style.
        let floor = outside.max(1e-12 * total);
        Ok(Self { along, total, floor })
    }

    fn directions(&self) -> usize {
        self.along.iter().filter(|&&variance| variance > STANDS_OUT * self.floor).count()
    }

    fn is_unfinished(&self) -> bool {
        let weaker = &self.along[self.along.len() / 2..];
        let mean = weaker.iter().sum::<f64>() / weaker.len() as f64;
        let outside = self.total - self.along.iter().sum::<f64>();
        outside > NEGLIGIBLE * self.total && mean > NOT_EXHAUSTED * self.floor
    }
}

/// The strongest directions of these contrasts.
fn directions(contrasts: &[Vec<f64>], count: usize) -> Result<Vec<Vec<f64>>, LinearError> {
    let mut stack = Stack::new(contrasts.first().map_or(0, Vec::len));
    contrasts.iter().for_each(|row| stack.push(row));
    let (_, vectors) = stack.right_singular()?;
    let count = count.min(vectors.ncols());
    Ok((0..count).map(|k| vectors.col(k).iter().copied().collect()).collect())
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::super::MemoryMatrix;
    use super::super::simulate::normal;
    use super::*;

    /// Pairs whose core fills all columns and whose style is along the first `dimension` of them, with some noise in every column.
    fn pairs(count: usize, columns: usize, dimension: usize, noise: f64) -> StyleDimension {
        let mut rng = ChaCha8Rng::seed_from_u64((1000 * count + dimension) as u64);
        let mut x: Vec<f32> = Vec::new();
        for _ in 0..count {
            let core: Vec<f64> = (0..columns).map(|_| normal(&mut rng)).collect();
            for _ in 0..2 {
                let style = |column: usize| if column < dimension { 1.0 } else { 0.0 };
                let value = |(column, core): (usize, &f64)| {
                    core + style(column) * normal(&mut rng) + noise * normal(&mut rng)
                };
                x.extend(core.iter().enumerate().map(value).map(|value| value as f32));
            }
        }
        let group: Vec<usize> = (0..2 * count).map(|row| row / 2).collect();
        style_dimension(&MemoryMatrix::new(&x, columns).unwrap(), &group).unwrap().unwrap()
    }

    fn found(grouped: usize, directions: usize, too_few: bool) -> StyleDimension {
        StyleDimension { grouped, directions, too_few }
    }

    #[test]
    fn directions_that_come_again_are_style_and_noise_is_not() {
        assert_eq!(pairs(60, 30, 3, 0.0), found(60, 3, false));
        assert_eq!(pairs(60, 30, 3, 0.3), found(60, 3, false));
        assert_eq!(pairs(200, 60, 8, 0.3), found(200, 8, false));
    }

    #[test]
    fn fewer_pairs_than_style_has_dimensions_are_too_few() {
        // A3 asks for 12; six pairs of a half show six directions, and the other half is not along them.
        for pairs in [pairs(8, 40, 12, 0.0), pairs(8, 40, 12, 0.1)] {
            assert!(pairs.too_few && pairs.directions <= 4, "{pairs:?}");
        }
        assert_eq!(pairs(24, 40, 12, 0.0), found(24, 12, false));
    }

    #[test]
    fn pairs_that_differ_alike_in_all_directions_show_none() {
        assert_eq!(pairs(100, 10, 0, 1.0), found(100, 0, false));
        assert!(!pairs(30, 100, 0, 1.0).too_few);
    }

    #[test]
    fn as_many_pairs_as_features_are_never_too_few() {
        assert_eq!(pairs(12, 2, 1, 0.0), found(12, 1, false));
        assert!(!pairs(4, 3, 3, 0.0).too_few && !pairs(4, 1, 1, 0.0).too_few);
    }

    #[test]
    fn one_group_says_nothing() {
        let features = MemoryMatrix::new(&[1.0_f32, 2.0, 3.0], 1).unwrap();
        assert_eq!(style_dimension(&features, &[0, 0, 1]).unwrap(), None);
    }
}
