//! A stick figure: a body of some height, and the joint angles of a moment.

use rand::{Rng, RngExt};
use rand_distr::StandardNormal;

use super::canvas::Capsule;

/// What stays with a person: sizes in pixels.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    /// From the soles to the top of the head when standing straight.
    pub height: f64,
    /// Half the thickness of the lines.
    pub line_radius: f64,
}

/// What changes from picture to picture: angles in radians, 0 where the limb continues its parent or, for
/// arms and legs, hangs straight down. Left and right in that order.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pose {
    lean: f64,
    head_tilt: f64,
    shoulders: [f64; 2],
    elbows: [f64; 2],
    hips: [f64; 2],
    knees: [f64; 2],
}

impl Pose {
    /// A pose whose joints turn in proportion to `movement`: 0 stands still, 1 dances.
    pub fn draw(rng: &mut impl Rng, movement: f64) -> Pose {
        let mut turn = |degrees: f64| movement * degrees.to_radians() * rng.sample::<f64, _>(StandardNormal);
        let lean = turn(12.0);
        let head_tilt = turn(15.0);
        let mut outwards = |still: f64, least: f64, most: f64| {
            (still + movement * rng.random_range(least..most)).to_radians()
        };
        Pose {
            lean,
            head_tilt,
            shoulders: [outwards(12.0, 0.0, 150.0), outwards(12.0, 0.0, 150.0)],
            elbows: [outwards(4.0, -80.0, 100.0), outwards(4.0, -80.0, 100.0)],
            hips: [outwards(6.0, 0.0, 45.0), outwards(6.0, 0.0, 45.0)],
            knees: [outwards(0.0, -60.0, 0.0), outwards(0.0, -60.0, 0.0)],
        }
    }
}

// Lengths as shares of the height; legs, torso, neck and head add up to 1 less what the legs lose by
// standing apart.
const THIGH: f64 = 0.24;
const SHIN: f64 = 0.24;
const TORSO: f64 = 0.30;
const NECK: f64 = 0.06;
const HEAD_RADIUS: f64 = 0.08;
const UPPER_ARM: f64 = 0.17;
const FOREARM: f64 = 0.17;
const SHOULDER: f64 = 0.07;
const HIP: f64 = 0.04;

/// The lines of the figure, its middle at `x` and its lowest foot on the ground at `y = ground`.
pub(super) fn figure(body: &Body, pose: &Pose, x: f64, ground: f64) -> Vec<Capsule> {
    let line = |from, to| Capsule { from, to, radius: body.line_radius };
    let length = |share: f64| share * body.height;
    let hip = [0.0, 0.0];
    let neck = step(hip, length(TORSO), pose.lean);
    let head = step(neck, length(NECK + HEAD_RADIUS), pose.lean + pose.head_tilt);
    let mut shapes = vec![
        line(hip, neck),
        line(neck, head),
        Capsule { from: head, to: head, radius: length(HEAD_RADIUS) },
    ];
    for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
        let shoulder = [neck[0] + sign * length(SHOULDER), neck[1]];
        // Angles are counted from straight up, so a limb that hangs down points at half a turn.
        let arm = std::f64::consts::PI - sign * pose.shoulders[side];
        let elbow = step(shoulder, length(UPPER_ARM), arm);
        let hand = step(elbow, length(FOREARM), arm - sign * pose.elbows[side]);
        let socket = [hip[0] + sign * length(HIP), hip[1]];
        let leg = std::f64::consts::PI - sign * pose.hips[side];
        let knee = step(socket, length(THIGH), leg);
        let foot = step(knee, length(SHIN), leg - sign * pose.knees[side]);
        shapes.extend([line(neck, shoulder), line(shoulder, elbow), line(elbow, hand)]);
        shapes.extend([line(hip, socket), line(socket, knee), line(knee, foot)]);
    }
    place(&mut shapes, x, ground);
    shapes
}

/// The point at a distance in the direction of an angle from straight up, turning to the right.
fn step(from: [f64; 2], length: f64, angle: f64) -> [f64; 2] {
    [from[0] + length * angle.sin(), from[1] - length * angle.cos()]
}

/// Moves the figure so that its lowest point touches the ground.
fn place(shapes: &mut [Capsule], x: f64, ground: f64) {
    let lowest = |shape: &Capsule| shape.from[1].max(shape.to[1]) + shape.radius;
    let bottom = shapes.iter().map(lowest).fold(f64::NEG_INFINITY, f64::max);
    for end in shapes.iter_mut().flat_map(|shape| [&mut shape.from, &mut shape.to]) {
        *end = [end[0] + x, end[1] + ground - bottom];
    }
}
