//! Built-in data: horse or elephant, where colour is style.

use corevar_data::interventions::Recipe;
use corevar_data::synthetic::plan::{Plan, Row};
use corevar_data::synthetic::{Generator, Sizes};
use corevar_data::{DataError, Dataset, Images, Inputs, Pixels};
use rayon::prelude::*;

use super::{Animal, Kind, SHAPE, View, render};

const CLASSES: [&str; 2] = ["horse", "elephant"];

/// Core: the shape. Style: the colour. The second picture of a pair is the first in grey for an elephant,
/// another picture of the same animal for a horse. In test2 horses are grey and the hue of elephants is
/// turned.
pub(in crate::drawn) struct Animals;

impl Generator for Animals {
    fn name(&self) -> &'static str {
        "animals"
    }

    fn summary(&self) -> &'static str {
        "drawn horses and elephants; the shape is core, the colour is style, and horses are grey in test2"
    }

    fn default_sizes(&self) -> Sizes {
        Sizes { rows: 2_100, groups: 500, test_rows: 1_000 }
    }

    fn splits(&self) -> &'static [&'static str] {
        &["train", "test1", "test2"]
    }

    fn generate(&self, sizes: &Sizes, seed: u64) -> Result<Dataset, DataError> {
        let plan = Plan::new(self.name(), sizes, self.splits())?;
        let changes = Changes { grey: "saturation=0".parse()?, turned: "hue=100-N(20,1)".parse()?, seed };
        let mut pixels = vec![0; plan.rows.len() * SHAPE.len()];
        let pictures = pixels.par_chunks_exact_mut(SHAPE.len()).zip(plan.rows.par_iter().enumerate());
        pictures.try_for_each(|(picture, (number, row))| changes.draw(row, number as u64, picture))?;
        let images = Images::new(SHAPE, Pixels::Memory(pixels));
        plan.into_dataset(self.name(), CLASSES, Inputs::Images(images), vec![])
    }
}

struct Changes {
    grey: Recipe,
    turned: Recipe,
    seed: u64,
}

impl Changes {
    fn draw(&self, row: &Row, number: u64, picture: &mut [u8]) -> Result<(), DataError> {
        let elephant = row.class == 1;
        let kind = if elephant { Kind::Elephant } else { Kind::Horse };
        let animal = Animal::draw_of(kind, &mut row.person_rng(self.seed));
        // The same moment again for the grey copy of an elephant.
        let moment = Row { view: if elephant { 0 } else { row.view }, ..row.clone() };
        render(&animal, &View::draw(&mut moment.view_rng(self.seed)), picture);
        match self.of(row) {
            Some(recipe) => recipe.apply(SHAPE, picture, self.seed, number),
            None => Ok(()),
        }
    }

    fn of(&self, row: &Row) -> Option<&Recipe> {
        let elephant = row.class == 1;
        match row.split {
            2 if elephant => Some(&self.turned),
            2 => Some(&self.grey),
            _ => (elephant && row.view == 1).then_some(&self.grey),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elephants_are_paired_with_their_grey_copies() {
        let data = Animals.generate(&Sizes { rows: 20, groups: 4, test_rows: 4 }, 1).unwrap();
        let Inputs::Images(images) = data.inputs() else { panic!("pictures") };
        let picture = |row: usize| {
            let mut bytes = vec![0; SHAPE.len()];
            images.read_bytes(row, &mut bytes).unwrap();
            bytes
        };
        // Rows 0 and 1 are a horse, rows 2 and 3 an elephant.
        let grey =
            |bytes: &[u8]| bytes.chunks_exact(3).all(|pixel| pixel[0] == pixel[1] && pixel[1] == pixel[2]);
        assert_eq!([0, 1, 2, 3].map(|row| grey(&picture(row))), [false, false, false, true]);
        let mut copy = picture(2);
        "saturation=0".parse::<Recipe>().unwrap().apply(SHAPE, &mut copy, 0, 0).unwrap();
        assert_eq!(copy, picture(3));
    }
}
