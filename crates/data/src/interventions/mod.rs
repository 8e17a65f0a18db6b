//! Changes of style made on purpose: JPEG quality, light, colour, rotation and the like.
//!
//! Each intervention is a file behind [`Intervention`]; adding one touches that file and the list here.
//! A [`Recipe`] such as `quality=N(30,10)` or `rotate=U(35,70); brightness=100+Exp(20)` says which to apply
//! and how strongly.

mod blur;
#[cfg(test)]
mod check;
mod contrast;
mod crop;
mod grayscale;
mod modulate;
mod noise;
mod parse;
mod quality;
mod recipe;
mod rotate;
mod strength;
mod translate;
mod warp;

use std::ops::RangeInclusive;

use rand::rngs::ChaCha8Rng;

use crate::{DataError, ImageShape};

pub use recipe::{Recipe, Step};
pub use strength::{Law, Sign, Strength};

/// What an intervention can be told, and what stands before the `=` in a recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What the number means, for help and messages.
    pub meaning: &'static str,
    /// The strength that changes nothing, or as little as possible.
    pub neutral: f64,
    /// Strengths beyond are refused when written and clamped when drawn.
    pub range: RangeInclusive<f64>,
    /// The strength meant by the name alone, without `=`, where there is an obvious one.
    pub implied: Option<f64>,
    /// Growing strengths, the weakest first, for a stress test that names none.
    pub ladder: &'static [f64],
}

/// A change of a picture's style that leaves its size as it is.
///
/// Pictures have one or three channels of 8 bits, the channels of a pixel side by side (HWC), any size.
pub trait Intervention: Sync {
    /// What it can be told: one parameter, or several that are applied at once.
    fn parameters(&self) -> &'static [Parameter];

    /// Changes `pixels` ([`ImageShape::len`] bytes). `strengths` has one number for each parameter, within
    /// its range; `rng` is for what is random beside them.
    fn apply(
        &self,
        strengths: &[f64],
        shape: ImageShape,
        pixels: &mut [u8],
        rng: &mut ChaCha8Rng,
    ) -> Result<(), DataError>;
}

/// Every intervention there is.
pub fn interventions() -> &'static [&'static dyn Intervention] {
    &[
        &quality::Quality,
        &modulate::Modulate,
        &grayscale::Grayscale,
        &rotate::Rotate,
        &blur::Blur,
        &noise::Noise,
        &contrast::Contrast,
        &translate::Translate,
        &crop::Crop,
    ]
}

/// The intervention that has a parameter of that name, and which of its parameters it is.
pub fn find(parameter: &str) -> Option<(&'static dyn Intervention, usize)> {
    interventions().iter().find_map(|intervention| {
        let place = intervention.parameters().iter().position(|known| known.name == parameter)?;
        Some((*intervention, place))
    })
}

/// The byte nearest to a number, clamped to 0..=255.
fn to_byte(value: f32) -> u8 {
    // The cast saturates, so only rounding is left to do.
    value.round() as u8
}

#[cfg(test)]
mod tests {
    use super::check::{on, samples};
    use super::*;

    #[test]
    fn the_neutral_strength_changes_nothing() {
        for parameter in interventions().iter().flat_map(|intervention| intervention.parameters()) {
            // Quality 100 still rounds: a few levels at most.
            let tolerance = if parameter.name == "quality" { 6 } else { 0 };
            for (shape, pixels) in samples() {
                let after = on(&format!("{}={}", parameter.name, parameter.neutral), shape, &pixels);
                let worst = pixels.iter().zip(&after).map(|(old, new)| old.abs_diff(*new)).max();
                assert!(worst <= Some(tolerance), "{} {shape:?}: {worst:?}", parameter.name);
            }
        }
    }

    #[test]
    fn ladders_lead_away_from_neutral_within_the_range() {
        for parameter in interventions().iter().flat_map(|intervention| intervention.parameters()) {
            let distances: Vec<f64> =
                parameter.ladder.iter().map(|rung| (rung - parameter.neutral).abs()).collect();
            assert!(distances[0] > 0.0 && distances.is_sorted(), "{}", parameter.name);
            assert!(parameter.ladder.iter().all(|rung| parameter.range.contains(rung)), "{}", parameter.name);
            assert!(parameter.range.contains(&parameter.neutral), "{}", parameter.name);
        }
    }

    #[test]
    fn every_strength_in_range_works_on_every_size() {
        for parameter in interventions().iter().flat_map(|intervention| intervention.parameters()) {
            for strength in [parameter.range.start(), parameter.range.end()] {
                for (shape, pixels) in samples() {
                    on(&format!("{}={strength}", parameter.name), shape, &pixels);
                }
            }
        }
    }

    #[test]
    fn parameters_have_names_of_their_own() {
        let mut names: Vec<&str> =
            interventions().iter().flat_map(|one| one.parameters()).map(|parameter| parameter.name).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }
}
