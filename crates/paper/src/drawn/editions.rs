//! A drawing that changes is a new edition, so that results of the old one do not pass for its own.

use corevar_data::{Inputs, synthetic};

use super::{animals, digits, faces};
use crate::album::Pictures;

/// Mean over the bytes of the first pictures. Not the bytes themselves: their last bits differ from machine to machine, as those of
/// sines and roots do.
fn mean(pictures: &dyn Pictures) -> f64 {
    const COUNT: usize = 40;
    let mut pixels = vec![0; pictures.shape().len()];
    let mut sum = 0.0;
    for number in 0..COUNT {
        pictures.read(number, None, &mut pixels).unwrap();
        sum += pixels.iter().map(|byte| f64::from(*byte)).sum::<f64>();
    }
    sum / (COUNT * pixels.len()) as f64
}

/// The first pictures are both views of twenty pairs.
fn stickmen() -> (u32, f64) {
    let stickmen = synthetic::find("stickmen").unwrap();
    let sizes = synthetic::Sizes { rows: 100, groups: 20, test_rows: 2 };
    let drawn = stickmen.generate(&sizes, 1).unwrap();
    let Inputs::Images(images) = drawn.into_inputs() else { panic!("pictures") };
    (stickmen.edition(), mean(&images))
}

#[test]
fn a_drawing_that_changes_is_a_new_edition() {
    let small = |sizes| faces::AlbumSizes { persons: 20, pictures: 8, ..sizes };
    let [one_pair, several] = [faces::AlbumSizes::default(), faces::AlbumSizes::several_pairs()].map(small);
    let drawn = [
        (one_pair.edition(), mean(&*faces::album(one_pair, 1).pictures)),
        (several.edition(), mean(&*faces::album(several, 1).pictures)),
        (animals::EDITION, mean(&*animals::album(100, 1).pictures)),
        (digits::EDITION, mean(&*digits::album(digits::AlbumSizes::default(), 1).pictures)),
        stickmen(),
    ];
    let known = [(2, 117.477), (3, 117.933), (2, 103.438), (1, 31.242), (2, 11.202)];
    let is_known =
        drawn.iter().zip(known).all(|(drawn, known)| drawn.0 == known.0 && (drawn.1 - known.1).abs() < 0.01);
    assert!(is_known, "raise the EDITION of what changed, and write edition and mean down here: {drawn:?}");
}
