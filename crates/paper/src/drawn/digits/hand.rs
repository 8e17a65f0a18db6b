//! The writer at one moment: all that makes two pictures of a digit differ. None of it depends on the digit.

use std::f32::consts::TAU;

use corevar_data::synthetic::canvas::Capsule;
use rand::{Rng, RngExt};

use super::SIDE;
use super::skeleton::style;
use super::spline::{Knot, norm, trace};
use crate::drawn::draws::{between, normal};

/// Strokes of a digit, at most.
const STROKES: usize = 2;

/// Knots of a stroke, at most.
const KNOTS: usize = 12;

/// Pixels at the border of the picture that stay black.
const MARGIN: f32 = 1.0;

/// A writer at one moment. Lengths are in heights of the digit, unless they are in pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Hand {
    /// Which of the ways to write the digit, from 0 to 1.
    pub style: f32,
    /// How far each knot is beside its place, for every stroke.
    pub wobble: [[[f32; 2]; KNOTS]; STROKES],
    /// How far each stroke is beside its place.
    pub slip: [[f32; 2]; STROKES],
    /// 0 writes sharp corners, 1 round ones.
    pub rounding: f32,
    /// Bends of the paper, so to say.
    pub waves: [Wave; 3],
    /// Width of the digit; it is as high as 1.
    pub width: f32,
    /// How far the top leans to the right.
    pub slant: f32,
    /// Turn of the whole, in radians.
    pub turn: f32,
    /// Higher or wider side of the digit with its ink, in pixels.
    pub size: f32,
    /// Place of the middle of the ink, from the middle of the picture, in pixels.
    pub shift: [f32; 2],
    /// What it is written with.
    pub nib: Nib,
}

/// A shift of all places that changes along a direction: `shift * sin(frequency · place + phase)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wave {
    /// Largest shift.
    pub shift: [f32; 2],
    /// Radians for each height of the digit.
    pub frequency: [f32; 2],
    /// Radians.
    pub phase: f32,
}

/// The end of a pen, which writes lines in one direction broader than across it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nib {
    /// Half the thickness of a line, in pixels.
    pub radius: f32,
    /// Share by which it is more or less with the direction.
    pub flatness: f32,
    /// Direction of the broadest lines, in radians.
    pub angle: f32,
    /// Share by which a stroke gets thinner (above 0) or thicker to its end.
    pub lift: f32,
}

impl Hand {
    /// A hand.
    pub fn draw(rng: &mut impl Rng) -> Hand {
        // Some write neatly, some do not.
        let haste = between(rng, 0.4, 1.6);
        let mut pair = |sd: f32| [normal(rng, 0.0, sd), normal(rng, 0.0, sd)];
        let wobble = std::array::from_fn(|_| std::array::from_fn(|_| pair(0.035 * haste)));
        let slip = std::array::from_fn(|_| pair(0.03 * haste));
        let shift = pair(0.5);
        Hand {
            style: rng.random(),
            wobble,
            slip,
            rounding: between(rng, 0.0, 0.4 * haste),
            waves: std::array::from_fn(|_| Wave::draw(rng, haste)),
            width: 0.72 * normal(rng, 0.0, 0.2).exp(),
            slant: normal(rng, 0.14, 0.2),
            turn: normal(rng, 0.0, 0.09),
            size: between(rng, 18.0, 21.0),
            shift,
            nib: Nib::draw(rng),
        }
    }

    /// The lines of a digit, in pixels.
    pub(super) fn write(&self, digit: u32) -> Vec<Capsule> {
        let mut lines: Vec<Vec<[f32; 2]>> = Vec::with_capacity(STROKES);
        for (number, stroke) in style(digit, self.style).strokes.iter().enumerate() {
            let knots: Vec<Knot> =
                stroke.iter().enumerate().map(|(at, knot)| self.miss(knot, number, at)).collect();
            lines.push(trace(&knots, self.rounding).into_iter().map(|place| self.bend(place)).collect());
        }
        self.fit(&mut lines);
        lines.iter().flat_map(|line| self.nib.along(line)).collect()
    }

    /// Where the pen goes instead of to the knot.
    fn miss(&self, knot: &Knot, stroke: usize, at: usize) -> Knot {
        let (slip, wobble) = (self.slip[stroke % STROKES], self.wobble[stroke % STROKES][at % KNOTS]);
        Knot { place: [0, 1].map(|axis| knot.place[axis] + slip[axis] + wobble[axis]), ..*knot }
    }

    /// The waves, then width, slant and turn.
    fn bend(&self, place: [f32; 2]) -> [f32; 2] {
        let [mut x, mut y] = place;
        for wave in &self.waves {
            let sine = (wave.frequency[0] * place[0] + wave.frequency[1] * place[1] + wave.phase).sin();
            x += wave.shift[0] * sine;
            y += wave.shift[1] * sine;
        }
        let [x, y] = [self.width * (x - 0.5) - self.slant * (y - 0.5), y - 0.5];
        let (sin, cos) = self.turn.sin_cos();
        [cos * x - sin * y, sin * x + cos * y]
    }

    /// Brings the lines to their size in pixels, and the middle of the ink to its place.
    fn fit(&self, lines: &mut [Vec<[f32; 2]>]) {
        let ink = self.nib.widest();
        let extent = Extent::of(lines);
        let longest = (extent.high[0] - extent.low[0]).max(extent.high[1] - extent.low[1]);
        let scale = (self.size - 2.0 * ink) / longest.max(1e-3);
        let middle = SIDE as f32 / 2.0;
        let move_by = [0, 1].map(|axis| {
            let wanted = middle + self.shift[axis] - scale * extent.mean[axis];
            // Not so far that the ink meets the border.
            let least = MARGIN + ink + 0.5 - scale * extent.low[axis];
            let most = SIDE as f32 - MARGIN - ink - 0.5 - scale * extent.high[axis];
            wanted.max(least).min(most)
        });
        for point in lines.iter_mut().flatten() {
            *point = [0, 1].map(|axis| scale * point[axis] + move_by[axis]);
        }
    }
}

impl Wave {
    fn draw(rng: &mut impl Rng, haste: f32) -> Wave {
        let (sin, cos) = between(rng, 0.0, TAU).sin_cos();
        let frequency = between(rng, 2.0, 6.0);
        Wave {
            shift: [normal(rng, 0.0, 0.04 * haste), normal(rng, 0.0, 0.04 * haste)],
            frequency: [frequency * cos, frequency * sin],
            phase: between(rng, 0.0, TAU),
        }
    }
}

impl Nib {
    fn draw(rng: &mut impl Rng) -> Nib {
        Nib {
            // No pen is so fine that a line is nowhere white.
            radius: (1.25 * normal(rng, 0.0, 0.25).exp()).max(0.95),
            flatness: between(rng, 0.0, 0.2),
            angle: between(rng, 0.0, TAU),
            lift: normal(rng, 0.0, 0.08),
        }
    }

    /// Half the thickness of the thickest line.
    fn widest(&self) -> f32 {
        self.radius * (1.0 + self.flatness + self.lift.abs())
    }

    /// The ink along a line.
    fn along(&self, line: &[[f32; 2]]) -> Vec<Capsule> {
        let pieces = line.len().saturating_sub(1).max(1) as f32;
        let (sin, cos) = (2.0 * self.angle).sin_cos();
        let ink = |(at, pair): (usize, &[[f32; 2]])| {
            let [x, y] = [pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]];
            // The cosine of twice the angle between the line and the nib.
            let broad = ((x * x - y * y) * cos + 2.0 * x * y * sin) / (x * x + y * y).max(1e-6);
            let lifted = self.lift * (2.0 * at as f32 / pieces - 1.0);
            let radius = self.radius * (1.0 + self.flatness * broad - lifted);
            Capsule { from: pair[0].map(f64::from), to: pair[1].map(f64::from), radius: f64::from(radius) }
        };
        line.windows(2).enumerate().map(ink).collect()
    }
}

/// Where lines are.
struct Extent {
    low: [f32; 2],
    high: [f32; 2],
    /// The middle, every piece of the lines counting by its length.
    mean: [f32; 2],
}

impl Extent {
    fn of(lines: &[Vec<[f32; 2]>]) -> Extent {
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for point in lines.iter().flatten() {
            low = [low[0].min(point[0]), low[1].min(point[1])];
            high = [high[0].max(point[0]), high[1].max(point[1])];
        }
        let (mut sum, mut total) = ([0.0; 2], 1e-6);
        for pair in lines.iter().flat_map(|line| line.windows(2)) {
            let length = norm([pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]]);
            total += length;
            sum = [0, 1].map(|axis| sum[axis] + length * (pair[0][axis] + pair[1][axis]) / 2.0);
        }
        Extent { low, high, mean: sum.map(|sum| sum / total) }
    }
}
