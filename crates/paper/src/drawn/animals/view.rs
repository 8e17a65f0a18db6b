//! The moment: pose, place, light and camera. None of it depends on the animal.

use rand::{Rng, RngExt};

use super::scene::Scene;
use crate::drawn::draws::{between, chance, normal};
use crate::drawn::paint::Camera;

/// A moment before the camera.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// What the animal does.
    pub pose: Pose,
    /// Where it is.
    pub scene: Scene,
    /// 0 is even light, 1 a hard sun.
    pub hardness: f32,
    /// Exposure, sharpness and grain.
    pub camera: Camera,
}

/// What the animal does, and from where it is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Middle of the body, in pixels.
    pub place: [f32; 2],
    /// Pixels a unit.
    pub scale: f32,
    /// 1 looks to the right, -1 to the left; nearer to 0 it is seen from the front.
    pub facing: f32,
    /// Swing of the four legs, forwards above 0.
    pub legs: [f32; 4],
    /// 0 is upright, 1 has its head at the ground.
    pub head: f32,
    /// How far trunk or tail swing, -1 to 1.
    pub swing: f32,
}

impl View {
    /// A view.
    pub fn draw(rng: &mut impl Rng) -> View {
        let pose = Pose::draw(rng);
        View {
            scene: Scene::draw(rng, pose.place[1]),
            pose,
            hardness: between(rng, 0.2, 1.0),
            camera: camera(rng),
        }
    }
}

impl Pose {
    fn draw(rng: &mut impl Rng) -> Pose {
        let side = if chance(rng, 0.5) { 1.0 } else { -1.0 };
        let stride = between(rng, 0.0, 1.0);
        Pose {
            place: [normal(rng, 15.5, 1.3), normal(rng, 15.0, 1.0)],
            scale: normal(rng, 1.15, 0.12),
            facing: side * between(rng, 0.73, 1.0),
            legs: std::array::from_fn(|_| stride * normal(rng, 0.0, 1.6)),
            head: between(rng, 0.0, 1.0).powi(2),
            swing: between(rng, -1.0, 1.0),
        }
    }
}

fn camera(rng: &mut impl Rng) -> Camera {
    // From the evening sun to open shade.
    let warmth = normal(rng, 0.0, 0.32).clamp(-0.5, 0.5);
    Camera {
        exposure: normal(rng, 0.0, 0.15).exp(),
        contrast: normal(rng, 1.0, 0.12),
        tint: [1.0 + warmth, 1.0 + normal(rng, 0.0, 0.08), 1.0 - warmth],
        blur: between(rng, 0.0, 0.25),
        grain: between(rng, 0.005, 0.025),
        grain_seed: rng.random(),
    }
}
