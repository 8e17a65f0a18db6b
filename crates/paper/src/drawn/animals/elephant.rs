//! An elephant from the side, in units of which the trunk of the body is about 16 long.

use super::animal::Animal;
use super::view::Pose;
use crate::drawn::paint::{Canvas, Edge, Ellipse, Frame, Line, Path, scaled};

/// Height of the feet below the middle of the body.
const GROUND: f32 = 10.0;

pub(super) fn paint(canvas: &mut Canvas, animal: &Animal, pose: &Pose, frame: &Frame) {
    legs(canvas, animal, pose, frame, [0, 1], scaled(animal.coat, 0.72));
    let tail = Path::new([-8.0, -2.0], [-9.6, 0.0], [-9.2 + 0.6 * pose.swing, 4.5], 0.4);
    canvas.fill(frame, &tail, Edge::Sharp, scaled(animal.coat, 0.7), 1.0);

    let body = Ellipse { centre: [-0.4, -0.6], radii: [8.4, 5.6 * animal.girth] };
    canvas.fill(frame, &body, Edge::Sharp, animal.coat, 1.0);
    legs(canvas, animal, pose, frame, [2, 3], animal.coat);
    head(canvas, animal, pose, frame);
}

fn head(canvas: &mut Canvas, animal: &Animal, pose: &Pose, frame: &Frame) {
    let middle = [8.0 + 0.6 * pose.head, -3.6 + 3.0 * pose.head];
    let at = |x: f32, y: f32| [middle[0] + x, middle[1] + y];
    canvas.fill(frame, &Ellipse { centre: middle, radii: [3.5, 3.5] }, Edge::Sharp, animal.coat, 1.0);
    // A trunk that hangs, or curls forward or back.
    let tip = at(3.4 + 2.6 * pose.swing, 11.0 - 3.5 * pose.swing.abs());
    let trunk = Path::new(at(2.4, 0.4), at(4.6, 5.0), tip, 1.15);
    canvas.fill(frame, &trunk, Edge::Sharp, scaled(animal.coat, 0.93), 1.0);
    if animal.marked {
        let tusk = Path::new(at(2.2, 2.2), at(3.4, 4.2), at(5.2, 4.2), 0.45 * animal.ears);
        canvas.fill(frame, &tusk, Edge::Sharp, [0.92, 0.89, 0.8], 1.0);
    }
    let ear = Ellipse { centre: at(-1.8, 0.6), radii: [2.5 * animal.ears, 3.4 * animal.ears] };
    canvas.fill(frame, &ear, Edge::Sharp, scaled(animal.coat, 0.8), 1.0);
    let eye = Ellipse { centre: at(1.3, -0.6), radii: [0.4, 0.4] };
    canvas.fill(frame, &eye, Edge::Sharp, [0.05; 3], 0.9);
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
    for (leg, hip) in which.into_iter().zip([-5.6, 4.4]) {
        let offset = if which[0] == 0 { 1.5 } else { 0.0 };
        let length = GROUND * animal.legs;
        let foot = [hip + offset + 0.8 * pose.legs[leg], length - 1.3];
        let line = Line { from: [hip + offset, 1.0], to: foot, radius: 1.85 };
        canvas.fill(frame, &line, Edge::Sharp, colour, 1.0);
    }
}
