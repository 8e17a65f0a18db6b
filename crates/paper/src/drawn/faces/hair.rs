//! Hair behind the head and over the forehead.

use super::head::Head;
use super::person::{Hair, HairStyle};
use crate::drawn::paint::{Blob, Canvas, Cut, Edge, Ellipse, Rgb, RoundedBox, Shape, scaled};

/// Paints what is behind the head.
pub(super) fn paint_behind(canvas: &mut Canvas, head: &Head, hair: &Hair, width: f32, day: f32) {
    let volume = volume(hair, day);
    match hair.style {
        HairStyle::Bald | HairStyle::Cropped | HairStyle::Short => {}
        HairStyle::Bob => fall(canvas, head, hair, width + volume, 10.0 + day),
        HairStyle::Long => fall(canvas, head, hair, width + volume + 0.5, 27.0 + 3.0 * day),
        HairStyle::Curly => {
            let wave = 0.7 + 0.3 * hair.parting.abs();
            let curls = Blob::new([0.0, -2.5], |[x, y]| {
                width + volume + 1.5 - 1.0 * y + wave * (9.0 * x + 4.0 * hair.parting).sin() * (7.0 * y).cos()
            });
            strands(canvas, head, &curls, Edge::Sharp, hair.colour);
        }
        HairStyle::Updo => {
            let bun = Ellipse { centre: [2.5 * hair.parting, -19.5 - volume], radii: [4.6, 3.9] };
            strands(canvas, head, &bun, Edge::Sharp, hair.colour);
        }
    }
}

/// Paints what is over the forehead and beside the cheeks.
pub(super) fn paint_front(canvas: &mut Canvas, head: &Head, hair: &Hair, width: f32, day: f32) {
    if hair.style == HairStyle::Bald {
        return;
    }
    let side_level = match hair.style {
        HairStyle::Bob => 7.0,
        HairStyle::Long => 12.0,
        _ => -2.5,
    };
    let middle = 0.75 * head.sideways();
    let [line, parting] = [hair.hairline, hair.parting];
    let lock = 0.8 * day;
    let edge = move |place: [f32; 2]| {
        let away = (place[0] - middle) / width;
        let steep = away * away;
        let down = -line
            + (line + side_level) * (steep * steep * 1.25).min(1.15)
            + 1.3 * parting * away
            + lock * (place[0] * 0.9 + 3.0 * parting).sin();
        (place[1] - down) * 0.7
    };
    let opacity = if hair.style == HairStyle::Cropped { 0.75 } else { 1.0 };
    let cap = Cut { shape: head.outline.grown(volume(hair, day)), keep: edge };
    let colour = hair.colour;
    canvas.fill_with(&head.frame, &cap, Edge::Soft(1.4), |place| (strand(colour, place), opacity));
}

/// Hair that hangs down behind the face.
fn fall(canvas: &mut Canvas, head: &Head, hair: &Hair, half_width: f32, bottom: f32) {
    let top = -13.0;
    let shape = RoundedBox {
        centre: [0.3 * head.sideways(), (top + bottom) / 2.0],
        half: [half_width, (bottom - top) / 2.0],
        corner: 5.0f32.min((bottom - top) / 2.0),
    };
    strands(canvas, head, &shape, Edge::Sharp, scaled(hair.colour, 0.85));
}

fn strands(canvas: &mut Canvas, head: &Head, shape: &impl Shape, edge: Edge, colour: Rgb) {
    canvas.fill_with(&head.frame, shape, edge, |place| (strand(colour, place), 1.0));
}

/// Lighter and darker strands that run down from the crown.
fn strand(colour: Rgb, [x, y]: [f32; 2]) -> Rgb {
    // A triangle wave: cheaper than a sine, and hair is no wave either.
    let turns = x * 0.29 + y * 0.05 * x.signum() + 0.15 * (0.3 * y).sin();
    let phase = turns - turns.floor();
    scaled(colour, 0.9 + 0.2 * (2.0 * phase - 1.0).abs())
}

fn volume(hair: &Hair, day: f32) -> f32 {
    (hair.volume * (1.0 + 0.3 * day)).max(0.2)
}
