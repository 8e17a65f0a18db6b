//! What is behind the person.

use rand::{Rng, RngExt};

use crate::drawn::draws::{between, weighted};
use crate::drawn::paint::{Canvas, Cloud, Edge, Ellipse, Frame, Rgb, RoundedBox, hsv, mix};

/// A wall, a street, leaves, lights.
#[derive(Debug, Clone, PartialEq)]
pub struct Backdrop {
    /// What it shows.
    pub kind: BackdropKind,
    /// Its colours.
    pub colours: [Rgb; 3],
    /// Direction in which the first colour turns into the second, in radians.
    pub angle: f32,
    cloud: Cloud,
    things: [Thing; 6],
}

/// What a backdrop shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackdropKind {
    /// One colour turning into another.
    Plain,
    /// A smooth random pattern.
    Cloudy,
    /// Lights out of focus.
    Lights,
    /// Shelves, doors, windows.
    Boxes,
}

/// Something in the backdrop: place and size as shares of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Thing {
    place: [f32; 2],
    size: [f32; 2],
    shade: f32,
}

impl Backdrop {
    /// A backdrop.
    pub fn draw(rng: &mut impl Rng) -> Backdrop {
        use BackdropKind::{Boxes, Cloudy, Lights, Plain};
        Backdrop {
            kind: weighted(rng, &[(Plain, 0.3), (Cloudy, 0.3), (Lights, 0.2), (Boxes, 0.2)]),
            colours: [colour(rng), colour(rng), colour(rng)],
            angle: between(rng, 0.0, std::f32::consts::TAU),
            cloud: Cloud::draw(rng),
            things: std::array::from_fn(|_| Thing {
                place: [rng.random(), rng.random()],
                size: [between(rng, 0.05, 0.25), between(rng, 0.05, 0.3)],
                shade: rng.random(),
            }),
        }
    }

    /// A picture of nothing else.
    pub(super) fn canvas(&self, height: usize, width: usize) -> Canvas {
        let (sin, cos) = self.angle.sin_cos();
        let [first, second, third] = self.colours;
        let ramp = |[x, y]: [f32; 2]| {
            let [right, down] = [x / width as f32 - 0.5, y / height as f32 - 0.5];
            mix(first, second, (0.5 + right * cos + down * sin).clamp(0.0, 1.0))
        };
        if self.kind == BackdropKind::Cloudy {
            return Canvas::new(height, width, |[x, y]| {
                mix(ramp([x, y]), third, self.cloud.at([x / 6.0, y / 8.0]))
            });
        }
        let mut canvas = Canvas::new(height, width, ramp);
        for thing in &self.things {
            self.paint_thing(&mut canvas, thing, [width as f32, height as f32]);
        }
        canvas
    }

    fn paint_thing(&self, canvas: &mut Canvas, thing: &Thing, size: [f32; 2]) {
        let frame = Frame::upright([0.0; 2], 1.0);
        let centre = [thing.place[0] * size[0], thing.place[1] * size[1]];
        let colour = mix(self.colours[2], self.colours[1], thing.shade);
        match self.kind {
            BackdropKind::Lights => {
                let disc = Ellipse { centre, radii: [thing.size[0] * size[0] * 0.6; 2] };
                canvas.fill(&frame, &disc, Edge::Soft(2.5), colour, 0.7);
            }
            BackdropKind::Boxes => {
                let half = [thing.size[0] * size[0], thing.size[1] * size[1]];
                let block = RoundedBox { centre, half, corner: 0.5 };
                canvas.fill(&frame, &block, Edge::Soft(1.5), colour, 0.9);
            }
            BackdropKind::Plain | BackdropKind::Cloudy => {}
        }
    }
}

fn colour(rng: &mut impl Rng) -> Rgb {
    let saturation: f32 = rng.random();
    hsv(rng.random(), 0.75 * saturation * saturation, between(rng, 0.08, 0.98))
}
