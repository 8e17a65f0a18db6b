//! Where things are drawn: a place, a size and a direction on the picture.

use std::ops::Range;

/// A flat coordinate system laid on the picture. Shapes are described in it, in its own units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Frame {
    origin: [f32; 2],
    /// Steps on the picture for one unit along the first and the second axis.
    along: [f32; 2],
    down: [f32; 2],
}

/// Pixels that a shape can touch.
pub(super) struct Window {
    pub rows: Range<usize>,
    pub columns: Range<usize>,
}

impl Frame {
    /// An upright frame with its origin at a pixel position and `scale` pixels a unit.
    pub fn upright(origin: [f32; 2], scale: f32) -> Frame {
        Frame { origin, along: [scale, 0.0], down: [0.0, scale] }
    }

    /// The same turned about its origin, clockwise as y points down; in radians.
    pub fn turned(self, angle: f32) -> Frame {
        let (sin, cos) = angle.sin_cos();
        Frame { along: self.step([cos, sin]), down: self.step([-sin, cos]), ..self }
    }

    /// The same with its origin at another place of it.
    pub fn at(self, place: [f32; 2]) -> Frame {
        Frame { origin: self.point(place), ..self }
    }

    /// The same with longer or shorter units; a negative factor mirrors.
    pub fn stretched(self, along: f32, down: f32) -> Frame {
        Frame {
            along: [self.along[0] * along, self.along[1] * along],
            down: [self.down[0] * down, self.down[1] * down],
            ..self
        }
    }

    /// The same with its first axis leaning: a unit along it also goes `lean` units down.
    pub fn sheared(self, lean: f32) -> Frame {
        Frame { along: self.step([1.0, lean]), ..self }
    }

    /// The pixel position of a place.
    pub fn point(&self, place: [f32; 2]) -> [f32; 2] {
        let step = self.step(place);
        [self.origin[0] + step[0], self.origin[1] + step[1]]
    }

    /// The place at a pixel position.
    pub fn local(&self, pixel: [f32; 2]) -> [f32; 2] {
        let [x, y] = [pixel[0] - self.origin[0], pixel[1] - self.origin[1]];
        let area = self.area();
        [(x * self.down[1] - y * self.down[0]) / area, (y * self.along[0] - x * self.along[1]) / area]
    }

    /// How far one goes in the frame by a step of one pixel to the right.
    pub fn step_right(&self) -> [f32; 2] {
        let area = self.area();
        [self.down[1] / area, -self.along[1] / area]
    }

    /// Pixels a unit, the mean of all directions.
    pub fn unit(&self) -> f32 {
        self.area().abs().sqrt()
    }

    /// The pixels within a rectangle of the frame (left, top, right, bottom) and `margin` pixels around it.
    pub(super) fn window(&self, bounds: [f32; 4], margin: f32, height: usize, width: usize) -> Window {
        let [left, top, right, bottom] = bounds;
        let corners =
            [[left, top], [right, top], [left, bottom], [right, bottom]].map(|place| self.point(place));
        let range = |axis: usize, size: usize| {
            let values = corners.map(|corner| corner[axis]);
            let least = values.iter().copied().fold(f32::INFINITY, f32::min);
            let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let first = (least - margin).floor().clamp(0.0, size as f32) as usize;
            let last = (most + margin).ceil().clamp(0.0, size as f32) as usize;
            first..last.max(first)
        };
        Window { rows: range(1, height), columns: range(0, width) }
    }

    fn step(&self, place: [f32; 2]) -> [f32; 2] {
        [0, 1].map(|axis| place[0] * self.along[axis] + place[1] * self.down[axis])
    }

    fn area(&self) -> f32 {
        self.along[0] * self.down[1] - self.along[1] * self.down[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_sends_right_to_down() {
        let frame = Frame::upright([10.0, 20.0], 2.0).turned(std::f32::consts::FRAC_PI_2);
        let [x, y] = frame.point([3.0, 0.0]);
        assert!((x - 10.0).abs() < 1e-5 && (y - 26.0).abs() < 1e-5);
    }

    #[test]
    fn local_undoes_point_and_steps_add_up() {
        let frame =
            Frame::upright([5.0, 7.0], 1.5).turned(0.3).at([1.0, 2.0]).stretched(-0.6, 1.2).sheared(0.2);
        let place = frame.local(frame.point([0.7, -1.1]));
        assert!((place[0] - 0.7).abs() < 1e-5 && (place[1] + 1.1).abs() < 1e-5);
        let (here, right, step) = (frame.local([3.0, 4.0]), frame.local([4.0, 4.0]), frame.step_right());
        assert!((here[0] + step[0] - right[0]).abs() < 1e-5 && (here[1] + step[1] - right[1]).abs() < 1e-5);
    }

    #[test]
    fn windows_stay_within_the_picture() {
        let frame = Frame::upright([0.0, 0.0], 1.0);
        let window = frame.window([-5.0, 3.0, 4.0, 99.0], 1.0, 10, 20);
        assert_eq!((window.columns, window.rows), (0..5, 2..10));
        let outside = frame.window([50.0, 50.0, 60.0, 60.0], 1.0, 10, 20);
        assert!(outside.columns.is_empty());
    }
}
