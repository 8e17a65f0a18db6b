//! What can be painted: regions given by the signed distance from their border.

/// A region of the plane.
pub(crate) trait Shape {
    /// Distance from the border, negative inside; near the border it is right, elsewhere about right.
    fn distance(&self, place: [f32; 2]) -> f32;

    /// Left, top, right and bottom of a rectangle that holds it.
    fn bounds(&self) -> [f32; 4];
}

/// An ellipse with its axes along those of the frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ellipse {
    pub centre: [f32; 2],
    pub radii: [f32; 2],
}

impl Shape for Ellipse {
    fn distance(&self, place: [f32; 2]) -> f32 {
        let [x, y] =
            [(place[0] - self.centre[0]) / self.radii[0], (place[1] - self.centre[1]) / self.radii[1]];
        let level = (x * x + y * y).sqrt();
        let [x, y] = [x / self.radii[0], y / self.radii[1]];
        let slope = (x * x + y * y).sqrt();
        // The slope vanishes at the centre only, which lies as deep as the shorter radius.
        if slope > 1e-6 { level * (level - 1.0) / slope } else { -self.radii[0].min(self.radii[1]) }
    }

    fn bounds(&self) -> [f32; 4] {
        around(self.centre, self.radii)
    }
}

/// A line of some thickness with round ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub from: [f32; 2],
    pub to: [f32; 2],
    pub radius: f32,
}

impl Line {
    /// Square of the distance from the middle of the line.
    fn squared(&self, place: [f32; 2]) -> f32 {
        let along = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        let offset = [place[0] - self.from[0], place[1] - self.from[1]];
        let length = along[0] * along[0] + along[1] * along[1];
        let share = (offset[0] * along[0] + offset[1] * along[1]) / length.max(1e-9);
        let share = share.clamp(0.0, 1.0);
        let [x, y] = [offset[0] - share * along[0], offset[1] - share * along[1]];
        x * x + y * y
    }
}

impl Shape for Line {
    fn distance(&self, place: [f32; 2]) -> f32 {
        self.squared(place).sqrt() - self.radius
    }

    fn bounds(&self) -> [f32; 4] {
        let [left, right] = [self.from[0].min(self.to[0]), self.from[0].max(self.to[0])];
        let [top, bottom] = [self.from[1].min(self.to[1]), self.from[1].max(self.to[1])];
        [left - self.radius, top - self.radius, right + self.radius, bottom + self.radius]
    }
}

/// A bent line: through the first and the last point, drawn towards the middle one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path {
    pieces: [Line; 4],
}

impl Path {
    pub fn new(from: [f32; 2], towards: [f32; 2], to: [f32; 2], radius: f32) -> Path {
        let point = |share: f32| {
            [0, 1].map(|axis| {
                let rest = 1.0 - share;
                rest * rest * from[axis] + 2.0 * rest * share * towards[axis] + share * share * to[axis]
            })
        };
        let piece = |start: f32| Line { from: point(start), to: point(start + 0.25), radius };
        Path { pieces: [0.0, 0.25, 0.5, 0.75].map(piece) }
    }
}

impl Shape for Path {
    fn distance(&self, place: [f32; 2]) -> f32 {
        let squared = self.pieces.iter().map(|piece| piece.squared(place)).fold(f32::INFINITY, f32::min);
        squared.sqrt() - self.pieces[0].radius
    }

    fn bounds(&self) -> [f32; 4] {
        let [first, rest @ ..] = self.pieces.map(|piece| piece.bounds());
        rest.iter().fold(first, |all, one| {
            [all[0].min(one[0]), all[1].min(one[1]), all[2].max(one[2]), all[3].max(one[3])]
        })
    }
}

/// A rectangle with round corners.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RoundedBox {
    pub centre: [f32; 2],
    pub half: [f32; 2],
    /// At most the smaller of `half`.
    pub corner: f32,
}

impl Shape for RoundedBox {
    fn distance(&self, place: [f32; 2]) -> f32 {
        let past = |axis: usize| (place[axis] - self.centre[axis]).abs() - self.half[axis] + self.corner;
        let [x, y] = [past(0), past(1)];
        let [outer_x, outer_y] = [x.max(0.0), y.max(0.0)];
        (outer_x * outer_x + outer_y * outer_y).sqrt() + x.max(y).min(0.0) - self.corner
    }

    fn bounds(&self) -> [f32; 4] {
        around(self.centre, self.half)
    }
}

/// A round region whose radius depends on the direction.
#[derive(Debug, Clone)]
pub(crate) struct Blob {
    centre: [f32; 2],
    /// Radius, and the cosine between the border's normal and the radius, by direction.
    table: [(f32, f32); DIRECTIONS + 1],
    widest: f32,
}

const DIRECTIONS: usize = 64;

impl Blob {
    /// `radius` is told the direction as a vector of length 1.
    pub fn new(centre: [f32; 2], radius: impl Fn([f32; 2]) -> f32) -> Blob {
        let directions: [[f32; 2]; DIRECTIONS] = std::array::from_fn(direction);
        let radii = directions.map(radius);
        let cosine = |index: usize| {
            let (before, after) = ((index + DIRECTIONS - 1) % DIRECTIONS, (index + 1) % DIRECTIONS);
            let [from, to] = [before, after].map(|at| directions[at].map(|axis| axis * radii[at]));
            let chord = [to[0] - from[0], to[1] - from[1]];
            // How far the chord is from being at a right angle to the radius.
            let slip = (chord[0] * directions[index][0] + chord[1] * directions[index][1])
                / (chord[0] * chord[0] + chord[1] * chord[1]).sqrt().max(1e-6);
            (1.0 - slip * slip).max(0.04).sqrt()
        };
        let table = std::array::from_fn(|index| (radii[index % DIRECTIONS], cosine(index % DIRECTIONS)));
        Blob { centre, table, widest: radii.iter().copied().fold(0.0, f32::max) }
    }

    /// The same, wider by a margin all around.
    pub fn grown(&self, margin: f32) -> Blob {
        let table = self.table.map(|(radius, cosine)| (radius + margin, cosine));
        Blob { table, widest: self.widest + margin, ..*self }
    }
}

impl Shape for Blob {
    fn distance(&self, place: [f32; 2]) -> f32 {
        let [x, y] = [place[0] - self.centre[0], place[1] - self.centre[1]];
        let at = pseudo_angle(x, y) * (DIRECTIONS / 4) as f32;
        let index = (at as usize).min(DIRECTIONS - 1);
        let share = at - index as f32;
        let ((radius, cosine), (next_radius, next_cosine)) = (self.table[index], self.table[index + 1]);
        let radius = radius + (next_radius - radius) * share;
        ((x * x + y * y).sqrt() - radius) * (cosine + (next_cosine - cosine) * share)
    }

    fn bounds(&self) -> [f32; 4] {
        around(self.centre, [self.widest; 2])
    }
}

/// Grows with the angle from 0 at the right over 1 (down), 2 (left), 3 (up) to 4. A division instead of an
/// arc tangent, which would be the slowest part of a picture.
fn pseudo_angle(x: f32, y: f32) -> f32 {
    let sum = x.abs() + y.abs();
    if sum < 1e-9 {
        return 0.0;
    }
    let share = x / sum;
    if y >= 0.0 { 1.0 - share } else { 3.0 + share }
}

/// The direction with the pseudo-angle `index / 16`.
fn direction(index: usize) -> [f32; 2] {
    let angle = index as f32 * 4.0 / DIRECTIONS as f32;
    let (x, y) = if angle < 2.0 {
        (1.0 - angle, 1.0 - (1.0 - angle).abs())
    } else {
        (angle - 3.0, (angle - 3.0).abs() - 1.0)
    };
    let length = (x * x + y * y).sqrt();
    [x / length, y / length]
}

/// The part of a shape where `keep` is negative.
pub(crate) struct Cut<S, F> {
    pub shape: S,
    /// About the distance from the cut.
    pub keep: F,
}

impl<S: Shape, F: Fn([f32; 2]) -> f32> Shape for Cut<S, F> {
    fn distance(&self, place: [f32; 2]) -> f32 {
        self.shape.distance(place).max((self.keep)(place))
    }

    fn bounds(&self) -> [f32; 4] {
        self.shape.bounds()
    }
}

/// A line of some thickness along the border of a shape.
pub(crate) struct Rim<S> {
    pub shape: S,
    pub thickness: f32,
}

impl<S: Shape> Shape for Rim<S> {
    fn distance(&self, place: [f32; 2]) -> f32 {
        self.shape.distance(place).abs() - self.thickness / 2.0
    }

    fn bounds(&self) -> [f32; 4] {
        let [left, top, right, bottom] = self.shape.bounds();
        let margin = self.thickness / 2.0;
        [left - margin, top - margin, right + margin, bottom + margin]
    }
}

fn around(centre: [f32; 2], half: [f32; 2]) -> [f32; 4] {
    [centre[0] - half[0], centre[1] - half[1], centre[0] + half[0], centre[1] + half[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_near(value: f32, expected: f32) {
        assert!((value - expected).abs() < 0.02, "{value} is not {expected}");
    }

    #[test]
    fn distances_are_exact_along_the_axes() {
        let ellipse = Ellipse { centre: [1.0, 0.0], radii: [4.0, 2.0] };
        assert_near(ellipse.distance([5.0, 0.0]), 0.0);
        assert_near(ellipse.distance([1.0, 2.5]), 0.5);
        assert_near(ellipse.distance([1.0, 0.0]), -2.0);
        let line = Line { from: [2.0, 4.5], to: [6.0, 4.5], radius: 1.0 };
        assert_near(line.distance([9.0, 8.5]), 4.0);
        let square = RoundedBox { centre: [0.0; 2], half: [3.0, 2.0], corner: 1.0 };
        assert_near(square.distance([5.0, 0.0]), 2.0);
        assert_near(square.distance([0.0, 0.0]), -2.0);
        assert_near(square.distance([5.0, 4.0]), 18.0f32.sqrt() - 1.0);
    }

    #[test]
    fn a_blob_of_one_radius_is_a_disc() {
        let disc = Blob::new([1.0, 1.0], |_| 5.0);
        for angle in 0..50 {
            let (sin, cos) = (angle as f32 * 0.127).sin_cos();
            assert_near(disc.distance([1.0 + 6.0 * cos, 1.0 + 6.0 * sin]), 1.0);
        }
        assert_near(disc.grown(2.0).distance([1.0, 9.0]), 1.0);
    }

    #[test]
    fn directions_have_their_own_pseudo_angle() {
        for index in 0..DIRECTIONS {
            let [x, y] = direction(index);
            assert_near(pseudo_angle(x, y), index as f32 / 16.0);
        }
    }

    #[test]
    fn a_rim_lies_on_both_sides_of_the_border() {
        let rim = Rim { shape: Ellipse { centre: [0.0; 2], radii: [3.0, 3.0] }, thickness: 1.0 };
        assert_near(rim.distance([3.0, 0.0]), -0.5);
        assert_near(rim.distance([0.0, 3.5]), 0.0);
        assert_near(rim.distance([2.5, 0.0]), 0.0);
        assert_eq!(rim.bounds(), [-3.5, -3.5, 3.5, 3.5]);
    }

    #[test]
    fn a_path_meets_its_ends_and_bends_between() {
        let path = Path::new([0.0, 0.0], [2.0, 2.0], [4.0, 0.0], 0.5);
        assert_near(path.distance([0.0, 0.0]), -0.5);
        assert_near(path.distance([4.0, 0.0]), -0.5);
        assert_near(path.distance([2.0, 1.0]), -0.5);
    }
}
