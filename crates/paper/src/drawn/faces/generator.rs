//! Built-in data: woman or man, where glasses are style.

use corevar_data::synthetic::plan::{Plan, Row};
use corevar_data::synthetic::{Generator, Sizes};
use corevar_data::{Attribute, DataError, Dataset, Images, Inputs, Pixels};
use rayon::prelude::*;

use super::{Person, SHAPE, View, render};
use crate::album::Sex;

const CLASSES: [&str; 2] = ["woman", "man"];

/// Core: the face. Style: glasses, which men wear in train and test1 and women in test2. Of a pair, one
/// picture is with glasses and one without.
pub(in crate::drawn) struct Faces;

impl Generator for Faces {
    fn name(&self) -> &'static str {
        "faces"
    }

    fn summary(&self) -> &'static str {
        "drawn faces of women and men; men wear glasses in train and test1, women in test2"
    }

    fn default_sizes(&self) -> Sizes {
        Sizes { rows: 16_982, groups: 500, test_rows: 2_000 }
    }

    fn splits(&self) -> &'static [&'static str] {
        &["train", "test1", "test2"]
    }

    fn generate(&self, sizes: &Sizes, seed: u64) -> Result<Dataset, DataError> {
        let plan = Plan::new(self.name(), sizes, self.splits())?;
        let mut pixels = vec![0; plan.rows.len() * SHAPE.len()];
        let pictures = pixels.par_chunks_exact_mut(SHAPE.len()).zip(&plan.rows);
        pictures.for_each(|(picture, row)| draw(row, seed, picture));
        let levels = vec!["no".into(), "yes".into()];
        let of_row = plan.rows.iter().map(|row| u32::from(wears_glasses(row))).collect();
        let glasses = Attribute { name: "glasses".into(), levels, of_row };
        let images = Images::new(SHAPE, Pixels::Memory(pixels));
        plan.into_dataset(self.name(), CLASSES, Inputs::Images(images), vec![glasses])
    }
}

fn wears_glasses(row: &Row) -> bool {
    let (man, reversed, second_picture) = (row.class == 1, row.split == 2, row.view == 1);
    man ^ reversed ^ second_picture
}

fn draw(row: &Row, seed: u64, picture: &mut [u8]) {
    let sex = if row.class == 1 { Sex::Man } else { Sex::Woman };
    let person = Person::draw_of(sex, &mut row.person_rng(seed));
    let glasses = wears_glasses(row).then_some(person.glasses);
    render(&person, &View::draw(&mut row.view_rng(seed)), glasses, picture);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glasses_go_with_men_except_in_test2_and_within_pairs() {
        let wears = |split, view, class| wears_glasses(&Row { split, person: 0, view, class });
        assert_eq!([wears(0, 0, 0), wears(0, 0, 1)], [false, true]);
        assert_eq!([wears(1, 0, 0), wears(1, 0, 1)], [false, true]);
        assert_eq!([wears(2, 0, 0), wears(2, 0, 1)], [true, false]);
        assert_eq!([wears(0, 1, 0), wears(0, 1, 1)], [true, false]);
    }
}
