//! The animal itself.

use rand::Rng;

use crate::drawn::draws::{between, chance, normal, weighted};
use crate::drawn::paint::{Rgb, hsv, mix, scaled};

/// What it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Brown, black or white.
    Horse,
    /// Nearly grey.
    Elephant,
}

/// An animal. Lengths are in units of which the trunk of the body is about 16 long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Animal {
    /// Horse or elephant.
    pub kind: Kind,
    /// Colour of the coat or hide.
    pub coat: Rgb,
    /// Colour of mane and tail.
    pub mane: Rgb,
    /// Factor on the whole animal: a foal, a grown one.
    pub size: f32,
    /// Factor on the height of the body: lean or stout.
    pub girth: f32,
    /// Factor on the length of the legs.
    pub legs: f32,
    /// Factor on ears, and on tusks where there are any.
    pub ears: f32,
    /// Tusks of an elephant; a blaze and white feet of a horse.
    pub marked: bool,
}

impl Animal {
    /// An animal of that kind.
    pub fn draw_of(kind: Kind, rng: &mut impl Rng) -> Animal {
        let coat = match kind {
            Kind::Horse => horse_coat(rng),
            Kind::Elephant => {
                hsv(between(rng, 0.02, 0.13), between(rng, 0.05, 0.24), between(rng, 0.28, 0.62))
            }
        };
        let mane = if chance(rng, 0.6) {
            scaled(coat, between(rng, 0.25, 0.8))
        } else {
            mix(coat, [0.9, 0.85, 0.75], 0.6)
        };
        Animal {
            kind,
            coat,
            mane,
            size: normal(rng, 1.0, 0.1),
            girth: normal(rng, 1.0, 0.1),
            legs: normal(rng, 1.0, 0.08),
            ears: normal(rng, 1.0, 0.15),
            marked: chance(rng, 0.5),
        }
    }
}

fn horse_coat(rng: &mut impl Rng) -> Rgb {
    let brown = hsv(between(rng, 0.03, 0.09), between(rng, 0.38, 0.5), between(rng, 0.25, 0.62));
    let black = hsv(between(rng, 0.0, 0.1), between(rng, 0.0, 0.3), between(rng, 0.05, 0.16));
    let white = hsv(between(rng, 0.05, 0.14), between(rng, 0.0, 0.12), between(rng, 0.72, 0.95));
    weighted(rng, &[(brown, 0.6), (black, 0.2), (white, 0.2)])
}
