//! Faces drawn from a seed, the stand-in for photographs of persons: a [`Person`] is who it is, a [`View`]
//! is the moment, and [`render`] makes the picture of the two, with or without glasses.
//!
//! Whether a person tends to wear glasses ([`Person::habit`]) depends on nothing else about the person,
//! and nothing in a view depends on either, so the pixels of the glasses are the only sign of glasses.
//! Pictures of an [`Occasion`] share place and light, and in an [`album`] the glasses too: in few pictures
//! some light goes with glasses by accident, as in photographs, and in many it does not.

mod album;
mod backdrop;
mod features;
mod generator;
mod glasses;
mod hair;
mod head;
mod occasion;
mod person;
#[cfg(test)]
mod tests;
mod view;

pub use album::{AlbumSizes, album};
pub use backdrop::{Backdrop, BackdropKind};
pub(super) use generator::Faces;
pub use glasses::{Glasses, RimKind};
pub use occasion::{Light, Occasion};
pub use person::{Beard, BeardStyle, Eyes, Face, Hair, HairStyle, Mouth, Person};
pub use view::{Expression, Pose, View};

use corevar_data::ImageShape;
use head::Head;

/// Raised when a seed no longer draws what it drew ([`corevar_data::synthetic::Generator::edition`]).
pub const EDITION: u32 = 2;

/// The same where persons have several pairs of glasses: raised together with the other, as it is the same drawing.
const EDITION_OF_SEVERAL_PAIRS: u32 = 3;

/// Size of every picture.
pub const SHAPE: ImageShape = ImageShape { height: 64, width: 48, channels: 3 };

/// Draws a picture into `pixels`, [`ImageShape::len`] bytes of [`SHAPE`], with the glasses that are worn, the person's
/// own or others. With and without glasses it is the same picture apart from the glasses.
pub fn render(person: &Person, view: &View, glasses: Option<Glasses>, pixels: &mut [u8]) {
    let head = Head::new(person, view);
    let occasion = &view.occasion;
    let mut canvas = occasion.backdrop.canvas(SHAPE.height, SHAPE.width);
    head.paint_body(&mut canvas, occasion.clothes);
    hair::paint_behind(&mut canvas, &head, &person.hair, person.face.width, occasion.hair_day);
    head.paint_neck(&mut canvas);
    head.paint_face(&mut canvas);
    features::paint(&mut canvas, &head, person, view);
    hair::paint_front(&mut canvas, &head, &person.hair, person.face.width, occasion.hair_day);
    if person.earrings {
        head.paint_earrings(&mut canvas);
    }
    if let Some(colour) = occasion.cap {
        head.paint_cap(&mut canvas, colour);
    }
    if let Some(glasses) = glasses {
        glasses.paint(&mut canvas, &head, view.glare);
    }
    head.shade(&mut canvas, &occasion.light);
    view.camera.develop(canvas, pixels);
}
