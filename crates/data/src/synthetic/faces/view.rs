//! How the picture was taken: everything that changes from one picture of a person to the next.

use rand::{Rng, RngExt};

use super::backdrop::Backdrop;
use crate::synthetic::draws::{between, chance, normal};
use crate::synthetic::paint::{Camera, Rgb, hsv};

/// A moment before the camera. Nothing in it depends on the person or on glasses.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Where the head is and where it looks.
    pub pose: Pose,
    /// What the face does.
    pub expression: Expression,
    /// Where the light comes from.
    pub light: Light,
    /// Behind the person.
    pub backdrop: Backdrop,
    /// Colour of the clothes.
    pub clothes: Rgb,
    /// A cap over hair and forehead, if any: its colour.
    pub cap: Option<Rgb>,
    /// Reflection in the lenses of glasses, 0 to 1.
    pub glare: f32,
    /// How the hair falls today: -1 flat, 1 wild.
    pub hair_day: f32,
    /// Factor on the density of the beard.
    pub beard_day: f32,
    /// Exposure, sharpness and grain.
    pub camera: Camera,
}

/// Angles in radians.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// To the side; above 0 to the right of the picture.
    pub yaw: f32,
    /// Above 0 is upwards.
    pub pitch: f32,
    /// Of the head towards a shoulder.
    pub roll: f32,
    /// Size of the head, 1 is ordinary.
    pub scale: f32,
    /// Of the eyes from their usual place, in pixels.
    pub shift: [f32; 2],
}

/// What the face does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expression {
    /// -1 is sullen, 1 laughs.
    pub smile: f32,
    /// 0 is closed, 1 is wide open.
    pub open_mouth: f32,
    /// 0 is closed, 1 is open.
    pub open_eyes: f32,
    /// Where the eyes look, in pixels.
    pub gaze: [f32; 2],
    /// How far the brows are raised, in pixels.
    pub brows: f32,
}

/// Light on the head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Light {
    /// Towards the lamp: right, down, to the camera; of length 1.
    pub direction: [f32; 3],
    /// 0 is even light, 1 a hard lamp.
    pub hardness: f32,
}

impl View {
    /// A view.
    pub fn draw(rng: &mut impl Rng) -> View {
        View {
            pose: Pose::draw(rng),
            expression: Expression::draw(rng),
            light: Light::draw(rng),
            backdrop: Backdrop::draw(rng),
            clothes: hsv(rng.random(), between(rng, 0.0, 0.7), between(rng, 0.08, 0.95)),
            cap: chance(rng, 0.05).then(|| hsv(rng.random(), between(rng, 0.0, 0.8), between(rng, 0.1, 0.9))),
            glare: if chance(rng, 0.4) { rng.random() } else { 0.0 },
            hair_day: normal(rng, 0.0, 0.5),
            beard_day: between(rng, 0.6, 1.2),
            camera: camera(rng),
        }
    }
}

impl Pose {
    fn draw(rng: &mut impl Rng) -> Pose {
        Pose {
            yaw: normal(rng, 0.0, 0.18),
            pitch: normal(rng, 0.0, 0.1),
            roll: normal(rng, 0.0, 0.05),
            scale: normal(rng, 1.1, 0.04),
            // Small: CelebA's pictures are aligned by the eyes.
            shift: [normal(rng, 0.0, 0.25), normal(rng, 0.0, 0.25)],
        }
    }
}

impl Expression {
    fn draw(rng: &mut impl Rng) -> Expression {
        let blink = chance(rng, 0.06);
        Expression {
            smile: normal(rng, 0.3, 0.4).clamp(-0.6, 1.0),
            open_mouth: if chance(rng, 0.4) { between(rng, 0.1, 1.0) } else { 0.0 },
            open_eyes: if blink { 0.1 } else { between(rng, 0.55, 1.0) },
            gaze: [normal(rng, 0.0, 0.4), normal(rng, 0.0, 0.15)],
            brows: normal(rng, 0.0, 0.4),
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
