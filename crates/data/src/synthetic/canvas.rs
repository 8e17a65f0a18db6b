//! A grey picture on which thick lines are drawn with smooth edges.

/// A line of some thickness with round ends; both ends at one place make a disc.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    /// One end, `[x, y]` in pixels; pixel centres lie at halves, y points down.
    pub from: [f64; 2],
    /// The other end.
    pub to: [f64; 2],
    /// Half the thickness.
    pub radius: f64,
}

impl Capsule {
    /// Signed distance of a point from the edge, negative inside.
    fn distance(&self, point: [f64; 2]) -> f64 {
        let along = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        let offset = [point[0] - self.from[0], point[1] - self.from[1]];
        let length = along[0] * along[0] + along[1] * along[1];
        let share = if length > 0.0 { (offset[0] * along[0] + offset[1] * along[1]) / length } else { 0.0 };
        let share = share.clamp(0.0, 1.0);
        let [x, y] = [offset[0] - share * along[0], offset[1] - share * along[1]];
        // Not `hypot`, which is slower and saves from overflows that pictures do not have.
        (x * x + y * y).sqrt() - self.radius
    }

    /// First and one-past-last pixel along an axis that the line can touch, within `0..size`.
    fn span(&self, axis: usize, size: usize) -> std::ops::Range<usize> {
        // A pixel half a step beyond the edge is dark, and its centre lies half a step from its border.
        let first = (self.from[axis].min(self.to[axis]) - self.radius).floor().clamp(0.0, size as f64);
        let last = (self.from[axis].max(self.to[axis]) + self.radius).ceil().clamp(0.0, size as f64);
        first as usize..last as usize
    }
}

/// Draws light lines on a dark square picture. A pixel is as light as the share of it that is covered,
/// taken as `1/2 - distance` of its centre from the nearest edge.
pub fn draw(shapes: &[Capsule], size: usize, pixels: &mut [u8]) {
    pixels.fill(0);
    for shape in shapes {
        let columns = shape.span(0, size);
        for y in shape.span(1, size) {
            for x in columns.clone() {
                let pixel = &mut pixels[y * size + x];
                *pixel = (*pixel).max(lightness(shape, x, y));
            }
        }
    }
}

fn lightness(shape: &Capsule, x: usize, y: usize) -> u8 {
    let covered = 0.5 - shape.distance([x as f64 + 0.5, y as f64 + 0.5]);
    (covered.clamp(0.0, 1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Capsule = Capsule { from: [2.0, 4.5], to: [6.0, 4.5], radius: 1.0 };

    /// Every pixel against every shape, no bounds.
    fn draw_naive(shapes: &[Capsule], size: usize) -> Vec<u8> {
        let lightest = |x, y| shapes.iter().map(|shape| lightness(shape, x, y)).max().unwrap_or(0);
        (0..size * size).map(|pixel| lightest(pixel % size, pixel / size)).collect()
    }

    #[test]
    fn distance_is_negative_inside_and_grows_past_the_round_ends() {
        assert_eq!(LINE.distance([4.0, 4.5]), -1.0);
        assert_eq!(LINE.distance([4.0, 6.5]), 1.0);
        assert_eq!(LINE.distance([9.0, 8.5]), 4.0);
    }

    #[test]
    fn a_pixel_is_as_light_as_it_is_covered() {
        let mut pixels = vec![7; 100];
        draw(&[LINE], 10, &mut pixels);
        // Down the middle: the line covers y from 3.5 to 5.5, half of pixels 3 and 5.
        let column: Vec<u8> = (0..10).map(|y| pixels[y * 10 + 4]).collect();
        assert_eq!(column, [0, 0, 0, 128, 255, 128, 0, 0, 0, 0]);
    }

    #[test]
    fn bounds_leave_nothing_out() {
        let shapes = [
            LINE,
            Capsule { from: [-3.0, 15.2], to: [9.7, 8.1], radius: 2.3 },
            Capsule { from: [14.9, 0.3], to: [14.9, 0.3], radius: 3.6 },
            Capsule { from: [40.0, 40.0], to: [50.0, 40.0], radius: 1.0 },
        ];
        let mut pixels = vec![0; 256];
        draw(&shapes, 16, &mut pixels);
        assert_eq!(pixels, draw_naive(&shapes, 16));
    }
}
