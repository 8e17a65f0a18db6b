//! Interventions in a row, with strengths that depend on nothing but the seed and the picture's row.

use std::fmt;

use rand::rngs::ChaCha8Rng;

use super::{Intervention, Strength};
use crate::random::stream;
use crate::{DataError, ImageShape};

/// Interventions to be applied one after the other; made from text by [`str::parse`].
///
/// ```
/// use corevar_data::ImageShape;
/// use corevar_data::interventions::Recipe;
///
/// let recipe: Recipe = "rotate=U(35,70), brightness=100+Exp(20)".parse()?;
/// let shape = ImageShape { height: 28, width: 28, channels: 1 };
/// let mut picture = vec![0; shape.len()];
/// recipe.apply(shape, &mut picture, 0, 17)?;
/// # Ok::<(), corevar_data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// In the order in which they are applied.
    pub steps: Vec<Step>,
}

/// One intervention and how strong it is.
#[derive(Clone)]
pub struct Step {
    /// What is done.
    pub intervention: &'static dyn Intervention,
    /// One for each of its parameters; `None` where the recipe says nothing, which is neutral.
    pub strengths: Vec<Option<Strength>>,
}

impl Recipe {
    /// Changes a picture of [`ImageShape::len`] bytes. The same seed and row give the same pixels.
    pub fn apply(&self, shape: ImageShape, pixels: &mut [u8], seed: u64, row: u64) -> Result<(), DataError> {
        self.apply_at(shape, pixels, seed, row, 0)
    }

    /// As [`Recipe::apply`], with draws of its own in each epoch of training; without one it is epoch 0.
    pub fn apply_at(
        &self,
        shape: ImageShape,
        pixels: &mut [u8],
        seed: u64,
        row: u64,
        epoch: u64,
    ) -> Result<(), DataError> {
        for (place, step) in self.steps.iter().enumerate() {
            // A stream a step: what a step draws does not depend on the steps around it.
            step.apply(shape, pixels, &mut stream([seed, row, place as u64, epoch]))?;
        }
        Ok(())
    }
}

impl Step {
    fn apply(&self, shape: ImageShape, pixels: &mut [u8], rng: &mut ChaCha8Rng) -> Result<(), DataError> {
        let parameters = self.intervention.parameters();
        let draw = |(parameter, strength): (&super::Parameter, &Option<Strength>)| match strength {
            Some(strength) => strength.draw(rng).clamp(*parameter.range.start(), *parameter.range.end()),
            None => parameter.neutral,
        };
        let strengths: Vec<f64> = parameters.iter().zip(&self.strengths).map(draw).collect();
        self.intervention.apply(&strengths, shape, pixels, rng)
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.steps.iter().enumerate() {
            write!(f, "{}{step}", if place == 0 { "" } else { ";" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (parameter, strength) in self.intervention.parameters().iter().zip(&self.strengths) {
            if let Some(strength) = strength {
                write!(f, "{separator}{}={strength}", parameter.name)?;
                separator = ",";
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Step({self})")
    }
}

impl PartialEq for Step {
    fn eq(&self, other: &Step) -> bool {
        // The names of the parameters tell the interventions apart.
        self.intervention.parameters() == other.intervention.parameters() && self.strengths == other.strengths
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::samples;
    use super::*;

    fn applied(recipe: &str, seed: u64, row: u64) -> Vec<u8> {
        let (shape, mut pixels) = samples().swap_remove(1);
        recipe.parse::<Recipe>().unwrap().apply(shape, &mut pixels, seed, row).unwrap();
        pixels
    }

    #[test]
    fn seed_and_row_decide_every_pixel() {
        let recipe = "rotate=U(-90,90);noise=Exp(20)";
        assert_eq!(applied(recipe, 1, 2), applied(recipe, 1, 2));
        assert_ne!(applied(recipe, 1, 2), applied(recipe, 2, 1));
        assert_ne!(applied(recipe, 1, 2), applied(recipe, 1, 3));
    }

    #[test]
    fn steps_follow_one_another() {
        // Dark first, then the contrast about the middle grey, is not the same the other way round.
        assert_ne!(applied("brightness=50;contrast=50", 0, 0), applied("contrast=50;brightness=50", 0, 0));
    }

    #[test]
    fn draws_beyond_the_range_are_clamped() {
        assert_eq!(applied("quality=N(-500,1)", 0, 0), applied("quality=1", 0, 0));
        assert_eq!(applied("quality=N(500,1)", 0, 0), applied("quality=100", 0, 0));
    }

    #[test]
    fn a_recipe_is_written_as_it_is_read() {
        for text in ["quality=N(30,10)", "rotate=-12.5", "brightness=100+Exp(20),hue=100-N(20,1);crop=80"] {
            let recipe: Recipe = text.parse().unwrap();
            assert_eq!(recipe.to_string(), text);
            assert_eq!(recipe.to_string().parse::<Recipe>().unwrap(), recipe);
        }
    }
}
