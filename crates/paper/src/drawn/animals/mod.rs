//! Horses and elephants drawn from a seed, the stand-in for photographs of animals: an [`Animal`] is who it
//! is, a [`View`] is the moment, and [`render`] makes the picture of the two.
//!
//! Horses are brown, black or white, elephants nearly grey; pose, place and light are the same for both.

mod album;
mod animal;
mod elephant;
mod generator;
mod horse;
mod scene;
#[cfg(test)]
mod tests;
mod view;

pub use album::album;
pub use animal::{Animal, Kind};
pub(super) use generator::Animals;
pub use scene::Scene;
pub use view::{Pose, View};

use corevar_data::ImageShape;

use super::paint::{Canvas, Frame};

/// Raised when a seed no longer draws what it drew ([`corevar_data::synthetic::Generator::edition`]).
pub const EDITION: u32 = 2;

/// Size of every picture.
pub const SHAPE: ImageShape = ImageShape { height: 32, width: 32, channels: 3 };

/// Draws a picture into `pixels`, [`ImageShape::len`] bytes of [`SHAPE`].
pub fn render(animal: &Animal, view: &View, pixels: &mut [u8]) {
    let mut canvas = view.scene.canvas(SHAPE.height, SHAPE.width);
    let pose = &view.pose;
    let frame = Frame::upright(pose.place, pose.scale * animal.size).stretched(pose.facing, 1.0);
    view.scene.paint_shadow(&mut canvas, &frame);
    paint_animal(&mut canvas, animal, pose, &frame);
    view.scene.paint_front(&mut canvas, &frame);
    shade(&mut canvas, view, &frame);
    view.camera.develop(canvas, pixels);
}

fn paint_animal(canvas: &mut Canvas, animal: &Animal, pose: &Pose, frame: &Frame) {
    match animal.kind {
        Kind::Horse => horse::paint(canvas, animal, pose, frame),
        Kind::Elephant => elephant::paint(canvas, animal, pose, frame),
    }
}

/// Lit from above, so the belly is darker than the back; as much as the light is hard.
fn shade(canvas: &mut Canvas, view: &View, frame: &Frame) {
    canvas.shade(frame, |[_, down]| [1.0 - view.hardness * 0.04 * (down + 2.0).clamp(-6.0, 8.0); 3]);
}
