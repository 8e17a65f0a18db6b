//! The head in the picture: its outline, and where on it things are when it turns.

use super::occasion::Light;
use super::person::Person;
use super::view::{Pose, View};
use crate::drawn::paint::{Blob, Canvas, Cut, Edge, Ellipse, Frame, Rgb, RoundedBox, Shape, scaled};

/// From the middle of the head to the tip of the nose, about: how far features move when the head turns.
const DEPTH: f32 = 10.0;
/// Where the middle between the eyes usually is, in pixels: pictures are cut out by the eyes.
const BETWEEN_EYES: [f32; 2] = [24.0, 32.0];

/// A person's head in a pose.
pub(super) struct Head<'a> {
    person: &'a Person,
    pose: Pose,
    /// Upright in the face, its origin in the middle.
    pub frame: Frame,
    /// Outline of face and forehead, in that frame.
    pub outline: Blob,
}

impl<'a> Head<'a> {
    pub fn new(person: &'a Person, view: &View) -> Head<'a> {
        let pose = view.pose;
        let wanted = [BETWEEN_EYES[0] + pose.shift[0], BETWEEN_EYES[1] + pose.shift[1]];
        let frame = Frame::upright(wanted, pose.scale).turned(pose.roll);
        let mut head = Head { person, pose, frame, outline: outline(person, pose.yaw) };
        let [right, down] = head.turn([0.0, -person.eyes.level], DEPTH);
        head.frame = frame.at([-right, -down]);
        head
    }

    /// A frame on the skin, `place` being where it is when the head looks straight ahead.
    pub fn spot(&self, place: [f32; 2]) -> Frame {
        let [width, height] = [self.person.face.width, self.person.face.height];
        let [right, down] = [place[0] / width, place[1] / height];
        let depth = DEPTH * (1.0 - right * right - down * down).max(0.05).sqrt();
        let (sin, cos) = self.pose.yaw.sin_cos();
        // How fast the surface moves along the picture there: things near the far side get narrow.
        let slope = cos - DEPTH * DEPTH * place[0] / (width * width * depth) * sin;
        self.frame.at(self.turn(place, depth)).stretched(slope.clamp(0.35, 1.15), 1.0)
    }

    /// A frame on the bridge of the nose, in which glasses are flat.
    pub fn before_the_eyes(&self) -> Frame {
        let bridge = self.turn([0.0, 0.25 - self.person.eyes.level], DEPTH + 0.8);
        self.frame.at(bridge).stretched(self.pose.yaw.cos(), 1.0)
    }

    /// Where the temple of glasses meets the ear, in pixels.
    pub fn above_ear(&self, side: f32) -> [f32; 2] {
        self.frame.point(self.turn([side * self.person.face.width, -self.person.eyes.level - 0.3], 0.0))
    }

    pub fn eye_spacing(&self) -> f32 {
        self.person.eyes.spacing
    }

    /// How far the middle of the face has moved to the side.
    pub fn sideways(&self) -> f32 {
        self.pose.yaw.sin() * DEPTH
    }

    fn turn(&self, place: [f32; 2], depth: f32) -> [f32; 2] {
        let (sin, cos) = self.pose.yaw.sin_cos();
        let right = place[0] * cos + depth * sin;
        let forward = depth * cos - place[0] * sin;
        let (sin, cos) = self.pose.pitch.sin_cos();
        [right, place[1] * cos - forward * sin]
    }

    /// Shoulders in their clothes.
    pub fn paint_body(&self, canvas: &mut Canvas, clothes: Rgb) {
        let upright = Frame::upright(self.frame.point([0.0, 0.0]), self.pose.scale);
        let shoulders = Ellipse { centre: [0.0, 34.0], radii: [24.0, 13.5] };
        canvas.fill(&upright, &shoulders, Edge::Sharp, clothes, 1.0);
    }

    /// Over hair that hangs down behind.
    pub fn paint_neck(&self, canvas: &mut Canvas) {
        let upright = Frame::upright(self.frame.point([0.0, 0.0]), self.pose.scale);
        let neck =
            RoundedBox { centre: [0.0, 15.0], half: [self.person.face.width * 0.56, 10.0], corner: 3.0 };
        canvas.fill(&upright, &neck, Edge::Sharp, scaled(self.person.skin, 0.78), 1.0);
    }

    /// Ears and the bare face.
    pub fn paint_face(&self, canvas: &mut Canvas) {
        let skin = self.person.skin;
        for side in [-1.0, 1.0] {
            // The ear on the side that the head turns to disappears behind the cheek.
            let out = self.person.ears - side * self.sideways() * 0.35;
            let ear =
                Ellipse { centre: [side * (self.person.face.width + out - 1.6), -1.5], radii: [1.9, 3.2] };
            canvas.fill(&self.frame, &ear, Edge::Sharp, scaled(skin, 0.86), 1.0);
        }
        canvas.fill(&self.frame, &self.outline, Edge::Sharp, skin, 1.0);
        let blush = [skin[0] * 1.02, skin[1] * 0.86, skin[2] * 0.84];
        for side in [-1.0, 1.0] {
            let cheek = Ellipse { centre: [0.0; 2], radii: [2.6, 2.0] };
            canvas.fill(&self.spot([side * 6.5, 4.0]), &cheek, Edge::Soft(4.0), blush, 0.5);
        }
    }

    pub fn paint_earrings(&self, canvas: &mut Canvas) {
        for side in [-1.0, 1.0] {
            let out = self.person.ears - side * self.sideways() * 0.35;
            let ring =
                Ellipse { centre: [side * (self.person.face.width + out - 1.4), 2.6], radii: [0.8, 0.9] };
            canvas.fill(
                &self.frame,
                &ring,
                Edge::Sharp,
                [0.9, 0.82, 0.55],
                if out > 0.8 { 1.0 } else { 0.0 },
            );
        }
    }

    /// A cap over the upper part of the head, with a brim that shades the eyes.
    pub fn paint_cap(&self, canvas: &mut Canvas, colour: Rgb) {
        let level = -9.0;
        let shade = Ellipse { centre: [self.sideways() * 0.8, level + 4.0], radii: [9.5, 3.0] };
        canvas.fill(&self.frame, &shade, Edge::Soft(3.0), [0.0; 3], 0.35);
        let cap = Cut { shape: self.outline.grown(2.0), keep: move |place: [f32; 2]| place[1] - level };
        canvas.fill(&self.frame, &cap, Edge::Sharp, colour, 1.0);
        let brim = Ellipse { centre: [self.sideways() * 0.9, level + 0.2], radii: [10.5, 1.6] };
        canvas.fill(&self.frame, &brim, Edge::Sharp, scaled(colour, 0.7), 1.0);
    }

    /// Light and shadow on head and hair; the backdrop is lit by other lamps.
    pub fn shade(&self, canvas: &mut Canvas, light: &Light) {
        let [width, height] = [self.person.face.width * 1.2, self.person.face.height * 1.25];
        canvas.shade(&self.frame, |[right, down]| {
            let [x, y] = [right / width, down / height];
            let z = (1.0 - x * x - y * y).max(0.0).sqrt();
            let towards = x * light.direction[0] + y * light.direction[1] + z * light.direction[2];
            // A face that looks at an even lamp keeps its colours.
            let lit = 1.0 + light.hardness * (0.85 * towards.max(-0.3) - 0.55);
            let presence = (1.0 - self.outline.distance([right, down]) * 0.4).clamp(0.0, 1.0);
            [1.0 + (lit - 1.0) * presence; 3]
        });
    }
}

/// An oval above, a jaw of the person's own below.
fn outline(person: &Person, yaw: f32) -> Blob {
    let face = person.face;
    let lean = yaw.sin() * 1.8;
    Blob::new([0.0, 0.0], |[x, y]| {
        let below = y.max(0.0);
        let power = 2.0 + 0.9 * face.jaw * below;
        let narrow = 1.0 - 0.22 * face.chin * below * (1.0 - y.abs()) * 4.0 * x.abs();
        let [right, down] = [x.abs() / face.width, y.abs() / face.height];
        let radius = (right.powf(power) + down.powf(power)).powf(-1.0 / power) * narrow;
        // Turned to the side, the chin goes along.
        radius * (1.0 + lean * x * below / face.width)
    })
}
