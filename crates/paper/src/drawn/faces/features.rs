//! Eyes, brows, nose, mouth and beard.

use super::head::Head;
use super::occasion::Light;
use super::person::{BeardStyle, Person};
use super::view::{Expression, View};
use crate::drawn::paint::{Canvas, Cut, Edge, Ellipse, Line, Path, mix, scaled};

/// Paints the face of a person as it is in a view.
pub(super) fn paint(canvas: &mut Canvas, head: &Head, person: &Person, view: &View) {
    beard(canvas, head, person, view.occasion.beard_day);
    wrinkles(canvas, head, person);
    nose(canvas, head, person, &view.occasion.light);
    mouth(canvas, head, person, &view.expression);
    for side in [-1.0, 1.0] {
        eye(canvas, head, person, &view.expression, side);
        brow(canvas, head, person, &view.expression, side);
    }
}

fn eye(canvas: &mut Canvas, head: &Head, person: &Person, expression: &Expression, side: f32) {
    let eyes = &person.eyes;
    let frame = head.spot([side * eyes.spacing, -eyes.level]);
    let [width, height] = [eyes.size[0], eyes.size[1] * expression.open_eyes.max(0.12)];
    let socket = Ellipse { centre: [0.0, -0.3], radii: [width + 0.9, eyes.size[1] + 1.2] };
    canvas.fill(&frame, &socket, Edge::Soft(3.0), scaled(person.skin, 0.5), 0.55 * eyes.sockets);
    let shadow = Ellipse { centre: [side * 0.3, -0.9], radii: [width + 0.5, 1.1] };
    canvas.fill(&frame, &shadow, Edge::Soft(1.8), [0.2, 0.14, 0.2], 0.6 * eyes.makeup);

    let ball = Ellipse { centre: [0.0; 2], radii: [width, height] };
    canvas.fill(&frame, &ball, Edge::Sharp, [0.88, 0.86, 0.84], 0.95);
    let [x, y] = expression.gaze;
    let within = |place: [f32; 2]| (place[1].abs() - height).max(place[0].abs() - width);
    let iris = Cut { shape: Ellipse { centre: [x, y], radii: [1.1, 1.1] }, keep: within };
    canvas.fill(&frame, &iris, Edge::Sharp, eyes.iris, 1.0);
    let pupil = Cut { shape: Ellipse { centre: [x, y], radii: [0.5, 0.5] }, keep: within };
    canvas.fill(&frame, &pupil, Edge::Sharp, [0.02; 3], 1.0);

    let thickness = 0.22 + 0.25 * eyes.makeup;
    let lid = Path::new([-width, 0.1], [0.0, -2.0 * height], [width, 0.1], thickness);
    let lash = mix(scaled(person.skin, 0.35), [0.03; 3], eyes.makeup);
    canvas.fill(&frame, &lid, Edge::Sharp, lash, 0.6 + 0.4 * eyes.makeup);
}

fn brow(canvas: &mut Canvas, head: &Head, person: &Person, expression: &Expression, side: f32) {
    let eyes = &person.eyes;
    let frame = head.spot([side * eyes.spacing, -eyes.level - eyes.brow_height - expression.brows.max(-0.8)]);
    let frown = 0.35 * (-expression.smile).max(0.0);
    let inner = [-side * 2.4, 0.3 + frown];
    let outer = [side * 2.9, 0.5];
    let path = Path::new(inner, [side * 0.6, -2.0 * eyes.brow_arch.max(0.0)], outer, eyes.brows * 0.75);
    // Brows are a little darker than the hair, and not quite as thick as they are wide.
    let colour = mix(scaled(person.hair.colour, 0.7), scaled(person.skin, 0.4), 0.25);
    canvas.fill(&frame, &path, Edge::Soft(1.3), colour, 0.85);
}

fn nose(canvas: &mut Canvas, head: &Head, person: &Person, light: &Light) {
    let [width, tip] = person.nose;
    let dark = scaled(person.skin, 0.62);
    let shaded_side = if light.direction[0] > 0.0 { -1.0 } else { 1.0 };
    let frame = head.spot([0.0, tip]);
    let ridge = Line { from: [shaded_side * 0.9, -5.0], to: [shaded_side * width * 0.7, -0.6], radius: 0.5 };
    canvas.fill(&frame, &ridge, Edge::Soft(1.8), dark, 0.2 + 0.35 * light.hardness);
    let gleam = Line { from: [0.0, -4.0], to: [0.0, -0.8], radius: 0.4 };
    canvas.fill(&frame, &gleam, Edge::Soft(1.6), mix(person.skin, [1.0; 3], 0.35), 0.45);
    let below = Path::new([-width, 0.1], [0.0, 1.1], [width, 0.1], 0.35);
    canvas.fill(&frame, &below, Edge::Soft(1.3), dark, 0.7);
    for side in [-1.0, 1.0] {
        let nostril = Ellipse { centre: [side * width * 0.5, 0.45], radii: [0.55, 0.35] };
        canvas.fill(&frame, &nostril, Edge::Sharp, scaled(person.skin, 0.3), 0.8);
    }
}

fn mouth(canvas: &mut Canvas, head: &Head, person: &Person, expression: &Expression) {
    let mouth = &person.mouth;
    let frame = head.spot([0.0, mouth.level]);
    let width = mouth.width * (1.0 + 0.18 * expression.smile);
    let corner = -1.1 * expression.smile;
    let gap = 1.7 * expression.open_mouth;
    let [left, right] = [[-width, corner], [width, corner]];
    if gap > 0.2 {
        let hole = Ellipse { centre: [0.0, 0.3 * gap], radii: [width * 0.85, 0.3 + gap] };
        canvas.fill(&frame, &hole, Edge::Sharp, [0.2, 0.07, 0.07], 1.0);
        let teeth = Cut { shape: hole, keep: |place: [f32; 2]| place[1] - 0.25 * gap };
        canvas.fill(&frame, &teeth, Edge::Sharp, [0.93, 0.91, 0.87], 0.9);
    }
    let fullness = mouth.fullness * 0.62;
    let upper = Path::new(left, [0.0, 1.2 * expression.smile - 0.6 - gap], right, fullness);
    let lower = Path::new(left, [0.0, 1.6 * expression.smile + 0.9 + 2.2 * gap], right, fullness * 1.2);
    canvas.fill(&frame, &lower, Edge::Sharp, mouth.colour, 0.9);
    canvas.fill(&frame, &upper, Edge::Sharp, scaled(mouth.colour, 0.88), 0.9);
    if gap <= 0.2 {
        let seam = Path::new(left, [0.0, 1.4 * expression.smile + 0.2], right, 0.2);
        canvas.fill(&frame, &seam, Edge::Sharp, scaled(mouth.colour, 0.45), 0.8);
    }
}

fn beard(canvas: &mut Canvas, head: &Head, person: &Person, day: f32) {
    let opacity = (person.beard.density * day).min(0.95);
    let colour = scaled(person.hair.colour, 0.85);
    let sideways = head.sideways();
    let level = person.mouth.level;
    match person.beard.style {
        BeardStyle::None => {}
        BeardStyle::Full => {
            let half = person.face.width;
            let edge = move |place: [f32; 2]| {
                let away = (place[0] - 0.7 * sideways) / half;
                // Up along the cheeks to the ears, down around the mouth.
                (level - 2.6 - 7.0 * away * away * away.abs().min(1.0) - place[1]) * 0.8
            };
            canvas.fill(
                &head.frame,
                &Cut { shape: head.outline.grown(-0.2), keep: edge },
                Edge::Soft(2.2),
                colour,
                opacity,
            );
        }
        BeardStyle::Goatee => {
            let chin = Ellipse { centre: [0.0; 2], radii: [3.4, 3.0] };
            canvas.fill(&head.spot([0.0, level + 4.0]), &chin, Edge::Soft(1.8), colour, opacity);
            moustache(canvas, head, person, opacity);
        }
        BeardStyle::Moustache => moustache(canvas, head, person, opacity),
    }
}

fn moustache(canvas: &mut Canvas, head: &Head, person: &Person, opacity: f32) {
    let frame = head.spot([0.0, person.mouth.level - 1.8]);
    let width = person.mouth.width * 0.9;
    let path = Path::new([-width, 1.0], [0.0, -0.9], [width, 1.0], 0.8);
    canvas.fill(&frame, &path, Edge::Soft(1.3), scaled(person.hair.colour, 0.85), opacity);
}

/// Lines from the nose to the mouth and bags under the eyes, deeper with age.
fn wrinkles(canvas: &mut Canvas, head: &Head, person: &Person) {
    let dark = scaled(person.skin, 0.6);
    for side in [-1.0, 1.0] {
        let fold = Path::new([side * 2.4, 3.6], [side * 4.6, 5.4], [side * 4.9, 7.6], 0.25);
        canvas.fill(&head.spot([0.0, 0.0]), &fold, Edge::Soft(1.4), dark, 0.5 * person.age);
        let bag = Path::new([-1.7, 1.6], [0.0, 2.9], [1.7, 1.6], 0.25);
        let frame = head.spot([side * person.eyes.spacing, -person.eyes.level]);
        canvas.fill(&frame, &bag, Edge::Soft(1.4), dark, 0.45 * person.age);
    }
}
