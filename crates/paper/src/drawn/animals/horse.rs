//! A horse from the side, in units of which the trunk is about 16 long.

use super::animal::Animal;
use super::view::Pose;
use crate::drawn::paint::{Canvas, Edge, Ellipse, Frame, Line, Path, mix, scaled};

/// Height of the hooves below the middle of the body.
const GROUND: f32 = 10.0;

pub(super) fn paint(canvas: &mut Canvas, animal: &Animal, pose: &Pose, frame: &Frame) {
    let far = scaled(animal.coat, 0.72);
    legs(canvas, animal, pose, frame, [0, 1], far);
    let tail = Path::new([-7.6, -2.2], [-10.5, -1.5], [-9.6 + pose.swing, 5.0], 0.85);
    canvas.fill(frame, &tail, Edge::Sharp, animal.mane, 1.0);

    let body = Ellipse { centre: [0.0, 0.0], radii: [8.2, 3.9 * animal.girth] };
    canvas.fill(frame, &body, Edge::Sharp, animal.coat, 1.0);
    let rump = Ellipse { centre: [-5.2, -0.5], radii: [3.4, 3.7 * animal.girth] };
    canvas.fill(frame, &rump, Edge::Sharp, animal.coat, 1.0);
    legs(canvas, animal, pose, frame, [2, 3], animal.coat);
    neck_and_head(canvas, animal, pose, frame);
}

fn neck_and_head(canvas: &mut Canvas, animal: &Animal, pose: &Pose, frame: &Frame) {
    // From upright to grazing the poll goes forward and down.
    let poll = [9.6 + 2.2 * pose.head, -8.6 + 11.5 * pose.head];
    let nose = [poll[0] + 3.6 - 2.0 * pose.head, poll[1] + 2.4 + 2.2 * pose.head];
    for (start, radius) in [([5.2, -0.8], 2.5), ([6.4, -1.8], 1.9)] {
        canvas.fill(frame, &Line { from: start, to: poll, radius }, Edge::Sharp, animal.coat, 1.0);
    }
    let mane = Line { from: [4.6, -3.4], to: [poll[0] - 0.9, poll[1] - 1.0], radius: 0.9 };
    canvas.fill(frame, &mane, Edge::Soft(1.3), animal.mane, 0.9);
    canvas.fill(frame, &Line { from: poll, to: nose, radius: 1.45 }, Edge::Sharp, animal.coat, 1.0);
    let muzzle = Ellipse { centre: nose, radii: [1.3, 1.2] };
    canvas.fill(frame, &muzzle, Edge::Soft(1.4), scaled(animal.coat, 0.6), 0.7);
    let ear = Line { from: poll, to: [poll[0] - 0.2, poll[1] - 2.3 * animal.ears], radius: 0.45 };
    canvas.fill(frame, &ear, Edge::Sharp, scaled(animal.coat, 0.85), 1.0);
    if animal.marked {
        let blaze = Line { from: [poll[0] + 0.9, poll[1]], to: nose, radius: 0.3 };
        canvas.fill(frame, &blaze, Edge::Sharp, [0.9, 0.88, 0.84], 0.7);
    }
}

/// Two of the four legs: hind and fore, of the far side or the near one.
fn legs(
    canvas: &mut Canvas,
    animal: &Animal,
    pose: &Pose,
    frame: &Frame,
    which: [usize; 2],
    colour: [f32; 3],
) {
    for (leg, hip) in which.into_iter().zip([-5.8, 5.2]) {
        let swing = pose.legs[leg];
        let length = GROUND * animal.legs;
        let offset = if which[0] == 0 { 1.1 } else { 0.0 };
        let knee = [hip + offset + 0.5 * swing, 0.58 * length];
        let hoof = [hip + offset + 1.1 * swing, length - 0.12 * swing.abs()];
        canvas.fill(
            frame,
            &Line { from: [hip + offset, 1.5], to: knee, radius: 1.2 },
            Edge::Sharp,
            colour,
            1.0,
        );
        let shin =
            if animal.marked && leg % 2 == 0 { mix(colour, [0.88; 3], 0.5) } else { scaled(colour, 0.85) };
        canvas.fill(frame, &Line { from: knee, to: hoof, radius: 0.75 }, Edge::Sharp, shin, 1.0);
    }
}
