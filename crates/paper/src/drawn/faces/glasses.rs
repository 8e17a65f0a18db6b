//! Glasses of many kinds, from black horn rims to lenses with hardly a frame.

use rand::Rng;

use super::head::Head;
use crate::drawn::draws::{between, chance, normal, weighted};
use crate::drawn::paint::{Canvas, Cut, Edge, Frame, Line, Path, Rgb, Rim, RoundedBox, hsv};

/// A pair of glasses. Lengths are in pixels, as those of [`super::Person`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glasses {
    /// Which part of a lens has a rim.
    pub rim: RimKind,
    /// Half the width and half the height of a lens.
    pub lens: [f32; 2],
    /// 0 has sharp corners, 1 is as round as the lens allows.
    pub roundness: f32,
    /// How far the outer ends rise: above 0 for cat's eyes, below for aviators.
    pub rise: f32,
    /// Thickness of the rim.
    pub thickness: f32,
    /// Colour of rim, bridge and temples.
    pub colour: Rgb,
    /// Colour of the lenses.
    pub tint: Rgb,
    /// 0 is clear, 1 hides the eyes.
    pub darkness: f32,
}

/// How much of a lens is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RimKind {
    /// All around.
    Full,
    /// The upper half.
    Half,
    /// None: two lenses held by a bridge.
    Rimless,
}

impl Glasses {
    /// A pair out of the shop.
    pub fn draw(rng: &mut impl Rng) -> Glasses {
        let rim = weighted(rng, &[(RimKind::Full, 0.88), (RimKind::Half, 0.08), (RimKind::Rimless, 0.04)]);
        let metal = rim == RimKind::Rimless || chance(rng, 0.2);
        let sunglasses = chance(rng, 0.2);
        let width = normal(rng, 3.7, 0.35);
        Glasses {
            rim,
            lens: [width, normal(rng, 2.6, 0.5).clamp(1.6, width)],
            roundness: between(rng, 0.2, 1.0),
            rise: normal(rng, 0.03, 0.07),
            thickness: if metal { between(rng, 0.65, 0.95) } else { between(rng, 0.8, 1.5) },
            colour: if metal { metal_colour(rng) } else { horn_colour(rng) },
            tint: hsv(between(rng, 0.0, 0.7), between(rng, 0.0, 0.4), between(rng, 0.04, 0.25)),
            darkness: if sunglasses { between(rng, 0.5, 0.95) } else { between(rng, 0.0, 0.12) },
        }
    }

    /// Draws them on the face. `glare` is the strength of the reflection in the lenses, 0 to 1.
    pub(super) fn paint(&self, canvas: &mut Canvas, head: &Head, glare: f32) {
        let bridge = head.before_the_eyes();
        self.paint_temples(canvas, head);
        for side in [-1.0, 1.0] {
            self.paint_lens(canvas, &bridge.at([side * head.eye_spacing(), 0.0]), side, glare);
        }
        let inner = head.eye_spacing() - self.lens[0];
        let level = -0.25 * self.lens[1];
        let path = Path::new([-inner, level], [0.0, level - 0.9], [inner, level], self.line() / 2.0);
        canvas.fill(&bridge, &path, Edge::Sharp, self.colour, 1.0);
    }

    fn paint_lens(&self, canvas: &mut Canvas, frame: &Frame, side: f32, glare: f32) {
        let frame = frame.sheared(-side * self.rise);
        let lens = RoundedBox {
            centre: [0.0; 2],
            half: self.lens,
            corner: self.lens[0].min(self.lens[1]) * self.roundness.clamp(0.1, 1.0),
        };
        canvas.fill(&frame, &lens, Edge::Sharp, self.tint, self.darkness);
        // A slanting band of light, the same side of both lenses.
        let band = |place: [f32; 2]| (place[0] + place[1] * 0.8 + 0.6).abs() - 0.7;
        canvas.fill(&frame, &Cut { shape: lens, keep: band }, Edge::Soft(1.6), [1.0; 3], 0.55 * glare);
        match self.rim {
            RimKind::Full => {
                canvas.fill(
                    &frame,
                    &Rim { shape: lens, thickness: self.thickness },
                    Edge::Sharp,
                    self.colour,
                    1.0,
                );
            }
            RimKind::Half => {
                let rim = Rim { shape: lens, thickness: self.thickness };
                let upper = Cut { shape: rim, keep: |place: [f32; 2]| place[1] + 0.2 };
                canvas.fill(&frame, &upper, Edge::Sharp, self.colour, 1.0);
                self.paint_edge(canvas, &frame, lens);
            }
            RimKind::Rimless => self.paint_edge(canvas, &frame, lens),
        }
    }

    /// The bare edge of the glass: a faint light line.
    fn paint_edge(&self, canvas: &mut Canvas, frame: &Frame, lens: RoundedBox) {
        canvas.fill(frame, &Rim { shape: lens, thickness: 0.4 }, Edge::Sharp, [0.92, 0.95, 0.97], 0.35);
    }

    /// From the outer ends of the lenses back to the ears.
    fn paint_temples(&self, canvas: &mut Canvas, head: &Head) {
        let front = head.before_the_eyes();
        for side in [-1.0, 1.0] {
            let hinge = front.point([side * (head.eye_spacing() + self.lens[0]), -0.3 * self.lens[1]]);
            let line = Line { from: hinge, to: head.above_ear(side), radius: self.line() / 2.0 };
            // In pixels: the two ends lie in different depths, so no frame holds both.
            canvas.fill(&Frame::upright([0.0; 2], 1.0), &line, Edge::Sharp, self.colour, 0.9);
        }
    }

    /// Thickness of bridge and temples.
    fn line(&self) -> f32 {
        self.thickness.clamp(0.4, 0.9)
    }
}

fn metal_colour(rng: &mut impl Rng) -> Rgb {
    const METALS: [(Rgb, f32); 4] = [
        ([0.62, 0.62, 0.64], 0.35),
        ([0.7, 0.57, 0.3], 0.3),
        ([0.25, 0.25, 0.27], 0.25),
        ([0.6, 0.42, 0.35], 0.1),
    ];
    weighted(rng, &METALS)
}

fn horn_colour(rng: &mut impl Rng) -> Rgb {
    let colourful = hsv(between(rng, 0.0, 1.0), between(rng, 0.3, 0.8), between(rng, 0.2, 0.7));
    weighted(
        rng,
        &[([0.05, 0.05, 0.06], 0.45), ([0.3, 0.18, 0.1], 0.25), (colourful, 0.2), ([0.8, 0.76, 0.7], 0.04)],
    )
}
