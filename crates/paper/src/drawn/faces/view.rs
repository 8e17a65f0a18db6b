//! How the picture was taken: everything that changes from one picture of a person to the next.

use rand::{Rng, RngExt};

use super::occasion::Occasion;
use crate::drawn::draws::{between, chance, normal};
use crate::drawn::paint::Camera;

/// A moment before the camera. Nothing in it depends on the person or on glasses.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// What it shares with other pictures.
    pub occasion: Occasion,
    /// Where the head is and where it looks.
    pub pose: Pose,
    /// What the face does.
    pub expression: Expression,
    /// Reflection in the lenses of glasses, 0 to 1.
    pub glare: f32,
    /// Light and grain near those of the occasion, a sharpness of its own.
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

impl View {
    /// A view on an occasion of its own.
    pub fn draw(rng: &mut impl Rng) -> View {
        View::draw_on(Occasion::draw(rng), rng)
    }

    /// One of the views on that occasion.
    pub fn draw_on(occasion: Occasion, rng: &mut impl Rng) -> View {
        let camera = Camera {
            exposure: occasion.camera.exposure * normal(rng, 0.0, 0.05).exp(),
            blur: between(rng, 0.0, 0.22),
            grain_seed: rng.random(),
            ..occasion.camera
        };
        View {
            occasion,
            pose: Pose::draw(rng),
            expression: Expression::draw(rng),
            glare: if chance(rng, 0.4) { rng.random() } else { 0.0 },
            camera,
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
