//! Where the animal is: meadow, steppe, forest, yard. The same for horses and elephants.

use rand::{Rng, RngExt};

use crate::drawn::draws::{between, chance, weighted};
use crate::drawn::paint::{Canvas, Cloud, Edge, Ellipse, Frame, Line, Rgb, hsv, mix, scaled};

/// Sky, ground and plants.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Colour above the horizon: sky, wall or forest.
    pub above: Rgb,
    /// Colour below it: grass, sand, snow, mud.
    pub below: Rgb,
    /// Colour of bushes and trees.
    pub plants: Rgb,
    /// Height of the horizon, in pixels from the top.
    pub horizon: f32,
    cloud: Cloud,
    bushes: [Bush; 4],
    /// Tall grass or a bush before the animal, if any: its centre and radii in units of the animal.
    before: Option<[f32; 4]>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Bush {
    x: f32,
    radii: [f32; 2],
    shade: f32,
}

impl Scene {
    /// A scene around an animal at that height.
    pub fn draw(rng: &mut impl Rng, animal_y: f32) -> Scene {
        let above = above(rng);
        let below = below(rng);
        Scene {
            above,
            below,
            plants: hsv(between(rng, 0.1, 0.4), between(rng, 0.15, 0.6), between(rng, 0.12, 0.45)),
            horizon: animal_y + between(rng, -7.0, 6.0),
            cloud: Cloud::draw(rng),
            bushes: std::array::from_fn(|_| Bush {
                x: between(rng, -2.0, 34.0),
                radii: [between(rng, 1.0, 6.0), between(rng, 0.5, 7.0)],
                shade: between(rng, 0.6, 1.4),
            }),
            before: chance(rng, 0.2).then(|| {
                [
                    between(rng, -12.0, 12.0),
                    between(rng, 5.0, 11.0),
                    between(rng, 2.5, 9.0),
                    between(rng, 1.0, 4.5),
                ]
            }),
        }
    }

    /// A picture of nothing else.
    pub(super) fn canvas(&self, height: usize, width: usize) -> Canvas {
        let mut canvas = Canvas::new(height, width, |[x, y]| {
            let side = (0.5 + (y - self.horizon) * 0.5).clamp(0.0, 1.0);
            let ground = mix(self.above, self.below, side);
            scaled(ground, 0.8 + 0.4 * self.cloud.at([x / 4.0, y / (5.0 - 2.5 * side)]))
        });
        let frame = Frame::upright([0.0, self.horizon], 1.0);
        for bush in &self.bushes {
            let shape = Ellipse { centre: [bush.x, -0.4 * bush.radii[1]], radii: bush.radii };
            canvas.fill(&frame, &shape, Edge::Soft(1.6), scaled(self.plants, bush.shade), 0.85);
        }
        canvas
    }

    /// The shadow that the animal throws.
    pub(super) fn paint_shadow(&self, canvas: &mut Canvas, frame: &Frame) {
        let shadow = Ellipse { centre: [0.5, 10.3], radii: [9.5, 1.3] };
        canvas.fill(frame, &shadow, Edge::Soft(2.0), scaled(self.below, 0.35), 0.5);
    }

    /// What hides a part of the animal.
    pub(super) fn paint_front(&self, canvas: &mut Canvas, frame: &Frame) {
        let Some([x, y, wide, high]) = self.before else { return };
        let bush = Ellipse { centre: [x, y], radii: [wide, high] };
        canvas.fill(frame, &bush, Edge::Soft(1.5), mix(self.plants, self.below, 0.4), 0.95);
        for blade in -2..=2 {
            let foot = [x + blade as f32 * wide * 0.4, y];
            let line = Line { from: foot, to: [foot[0] + 0.6 * blade as f32, y - high - 1.2], radius: 0.35 };
            canvas.fill(frame, &line, Edge::Sharp, self.plants, 0.8);
        }
    }
}

fn above(rng: &mut impl Rng) -> Rgb {
    let sky = hsv(between(rng, 0.52, 0.64), between(rng, 0.25, 0.65), between(rng, 0.6, 0.97));
    let dusk = hsv(between(rng, 0.02, 0.12), between(rng, 0.1, 0.5), between(rng, 0.5, 0.9));
    let forest = hsv(between(rng, 0.2, 0.4), between(rng, 0.15, 0.55), between(rng, 0.12, 0.5));
    let wall = hsv(rng.random(), between(rng, 0.0, 0.25), between(rng, 0.25, 0.8));
    weighted(rng, &[(sky, 0.45), (dusk, 0.15), (forest, 0.35), (wall, 0.05)])
}

fn below(rng: &mut impl Rng) -> Rgb {
    let grass = hsv(between(rng, 0.18, 0.36), between(rng, 0.25, 0.65), between(rng, 0.25, 0.65));
    let dry = hsv(between(rng, 0.09, 0.15), between(rng, 0.2, 0.55), between(rng, 0.45, 0.85));
    let mud = hsv(between(rng, 0.03, 0.1), between(rng, 0.1, 0.45), between(rng, 0.25, 0.55));
    let stone = hsv(rng.random(), between(rng, 0.0, 0.12), between(rng, 0.35, 0.9));
    weighted(rng, &[(grass, 0.5), (dry, 0.28), (mud, 0.18), (stone, 0.04)])
}
