//! Where and when pictures were taken: what those of one day share.

use rand::{Rng, RngExt};

use super::backdrop::Backdrop;
use crate::drawn::draws::{between, chance, normal};
use crate::drawn::paint::{Camera, Rgb, hsv};

/// A place and a day. Nothing in it depends on the person or on glasses.
#[derive(Debug, Clone, PartialEq)]
pub struct Occasion {
    /// Where the light comes from.
    pub light: Light,
    /// Behind the person.
    pub backdrop: Backdrop,
    /// Colour of the clothes.
    pub clothes: Rgb,
    /// A cap over hair and forehead, if any: its colour.
    pub cap: Option<Rgb>,
    /// How the hair falls today: -1 flat, 1 wild.
    pub hair_day: f32,
    /// Factor on the density of the beard.
    pub beard_day: f32,
    /// How the camera is set; the sharpness is that of the single picture.
    pub camera: Camera,
}

/// Light on the head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// Towards the lamp: right, down, to the camera; of length 1.
    pub direction: [f32; 3],
    /// 0 is even light, 1 a hard lamp.
    pub hardness: f32,
}

impl Occasion {
    /// An occasion.
    pub fn draw(rng: &mut impl Rng) -> Occasion {
        Occasion {
            light: Light::draw(rng),
            backdrop: Backdrop::draw(rng),
            clothes: hsv(rng.random(), between(rng, 0.0, 0.7), between(rng, 0.08, 0.95)),
            cap: chance(rng, 0.05).then(|| hsv(rng.random(), between(rng, 0.0, 0.8), between(rng, 0.1, 0.9))),
            hair_day: normal(rng, 0.0, 0.5),
            beard_day: between(rng, 0.6, 1.2),
            camera: camera(rng),
        }
    }
}

impl Light {
    fn draw(rng: &mut impl Rng) -> Light {
        let [right, down, front] = [normal(rng, 0.0, 0.7), normal(rng, -0.45, 0.4), between(rng, 0.35, 1.0)];
        let length = (right * right + down * down + front * front).sqrt();
        Light { direction: [right / length, down / length, front / length], hardness: between(rng, 0.1, 0.8) }
    }
}

fn camera(rng: &mut impl Rng) -> Camera {
    let warmth = normal(rng, 0.0, 0.06);
    Camera {
        exposure: normal(rng, 0.0, 0.16).exp(),
        contrast: normal(rng, 1.0, 0.12),
        tint: [1.0 + warmth, 1.0 + normal(rng, 0.0, 0.02), 1.0 - warmth],
        blur: between(rng, 0.0, 0.22),
        grain: between(rng, 0.004, 0.025),
        grain_seed: rng.random(),
    }
}
