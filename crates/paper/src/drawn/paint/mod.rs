//! Colour pictures painted from back to front, with smooth edges.

mod camera;
mod cloud;
mod colour;
mod frame;
mod shapes;

pub use camera::Camera;
pub use cloud::Cloud;
pub(super) use colour::{hsv, mix, scaled};
pub(super) use frame::Frame;
pub(super) use shapes::{Blob, Cut, Ellipse, Line, Path, Rim, RoundedBox, Shape};

/// Red, green and blue, each 0 to 1.
pub type Rgb = [f32; 3];

/// A picture being painted.
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

/// How a shape meets what is around it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Edge {
    /// Within a pixel.
    Sharp,
    /// Over this many pixels.
    Soft(f32),
}

impl Edge {
    fn width(self) -> f32 {
        match self {
            Edge::Sharp => 1.0,
            Edge::Soft(width) => width.max(1.0),
        }
    }
}

impl Canvas {
    /// A picture, every pixel of which is given by its centre (pixel centres lie at halves, y points down).
    pub fn new(height: usize, width: usize, colour_at: impl Fn([f32; 2]) -> Rgb) -> Canvas {
        let place = |index: usize| [(index % width) as f32 + 0.5, (index / width) as f32 + 0.5];
        let pixels = (0..width * height).map(|index| colour_at(place(index))).collect();
        Canvas { width, height, pixels }
    }

    /// Paints a shape in one colour.
    pub fn fill(&mut self, frame: &Frame, shape: &impl Shape, edge: Edge, colour: Rgb, opacity: f32) {
        self.fill_with(frame, shape, edge, |_| (colour, opacity));
    }

    /// Paints a shape; `ink` gives colour and opacity for a point of the frame. A pixel is covered by
    /// `1/2 - distance / edge` of its centre from the shape's border.
    pub fn fill_with(
        &mut self,
        frame: &Frame,
        shape: &impl Shape,
        edge: Edge,
        ink: impl Fn([f32; 2]) -> (Rgb, f32),
    ) {
        let steepness = frame.unit() / edge.width();
        let window = frame.window(shape.bounds(), edge.width(), self.height, self.width);
        let step = frame.step_right();
        for y in window.rows {
            let mut place = frame.local([window.columns.start as f32 + 0.5, y as f32 + 0.5]);
            let line = y * self.width;
            for pixel in &mut self.pixels[line + window.columns.start..line + window.columns.end] {
                let covered = 0.5 - shape.distance(place) * steepness;
                if covered > 0.0 {
                    let (colour, opacity) = ink(place);
                    *pixel = mix(*pixel, colour, opacity * covered.min(1.0));
                }
                place = [place[0] + step[0], place[1] + step[1]];
            }
        }
    }

    /// Multiplies the pixels around the origin of the frame by `factor`, which is told the place in the frame.
    pub fn shade(&mut self, frame: &Frame, factor: impl Fn([f32; 2]) -> Rgb) {
        let step = frame.step_right();
        for (y, line) in self.pixels.chunks_exact_mut(self.width).enumerate() {
            let mut place = frame.local([0.5, y as f32 + 0.5]);
            for pixel in line {
                let factor = factor(place);
                *pixel = [pixel[0] * factor[0], pixel[1] * factor[1], pixel[2] * factor[2]];
                place = [place[0] + step[0], place[1] + step[1]];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLACK: Rgb = [0.0; 3];
    const WHITE: Rgb = [1.0; 3];

    #[test]
    fn a_pixel_is_as_light_as_it_is_covered() {
        let mut canvas = Canvas::new(10, 10, |_| BLACK);
        let line = Line { from: [2.0, 4.5], to: [6.0, 4.5], radius: 1.0 };
        canvas.fill(&Frame::upright([0.0, 0.0], 1.0), &line, Edge::Sharp, WHITE, 1.0);
        // Down the middle: the line covers y from 3.5 to 5.5, half of pixels 3 and 5.
        let column: Vec<f32> = (0..10).map(|y| canvas.pixels[y * 10 + 4][0]).collect();
        assert_eq!(column, [0.0, 0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn bounds_leave_nothing_out() {
        let frame = Frame::upright([9.0, 8.0], 1.3).turned(0.4).at([-1.0, 2.0]).stretched(0.7, 1.1);
        let blob = Blob::new([0.5, -1.0], |[x, y]| 3.0 + x * y);
        let ring =
            Rim { shape: RoundedBox { centre: [0.0; 2], half: [4.0, 2.0], corner: 1.0 }, thickness: 0.8 };
        let shapes: [&dyn Fn(&mut Canvas); 2] =
            [&|canvas| canvas.fill(&frame, &blob, Edge::Soft(2.0), WHITE, 0.5), &|canvas| {
                canvas.fill(&frame, &ring, Edge::Sharp, WHITE, 1.0)
            }];
        let covered_without_bounds: [&dyn Fn([f32; 2]) -> f32; 2] =
            [&|place| blob.distance(place) / 2.0, &|place| ring.distance(place)];
        for (paint, distance) in shapes.iter().zip(covered_without_bounds) {
            let mut canvas = Canvas::new(20, 20, |_| BLACK);
            paint(&mut canvas);
            for (index, pixel) in canvas.pixels.iter().enumerate() {
                let place = frame.local([(index % 20) as f32 + 0.5, (index / 20) as f32 + 0.5]);
                let painted = distance(place) * frame.unit() < 0.49;
                assert!(!painted || pixel[0] > 0.0, "pixel {index} was left out");
            }
        }
    }

    #[test]
    fn opacity_mixes_with_what_is_there() {
        let mut canvas = Canvas::new(4, 4, |_| BLACK);
        let all = Ellipse { centre: [2.0, 2.0], radii: [9.0, 9.0] };
        canvas.fill(&Frame::upright([0.0, 0.0], 1.0), &all, Edge::Sharp, [1.0, 0.5, 0.0], 0.5);
        assert_eq!(canvas.pixels[5], [0.5, 0.25, 0.0]);
    }
}
