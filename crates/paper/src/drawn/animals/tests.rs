use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::*;
use crate::drawn::probe;

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn picture(kind: Kind, seed: u64) -> Vec<u8> {
    let mut pixels = vec![0; SHAPE.len()];
    let mut rng = rng(seed);
    let view = View::draw(&mut rng);
    render(&Animal::draw_of(kind, &mut rng), &view, &mut pixels);
    pixels
}

/// (largest - least) / largest channel.
fn saturation(colour: [f32; 3]) -> f32 {
    let largest = colour.iter().copied().fold(0.0, f32::max);
    let least = colour.iter().copied().fold(1.0, f32::min);
    (largest - least) / largest.max(1e-6)
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    assert_eq!(picture(Kind::Horse, 1), picture(Kind::Horse, 1));
    assert_ne!(picture(Kind::Horse, 1), picture(Kind::Horse, 2));
    assert_ne!(picture(Kind::Horse, 1), picture(Kind::Elephant, 1));
}

#[test]
fn elephants_are_nearly_grey_and_horses_brown_black_or_white() {
    let mut rng = rng(3);
    let mut counts = [0; 3];
    for _ in 0..500 {
        let elephant = Animal::draw_of(Kind::Elephant, &mut rng).coat;
        assert!(saturation(elephant) <= 0.25 && (0.2..0.7).contains(&elephant[0]), "{elephant:?}");
        let horse = Animal::draw_of(Kind::Horse, &mut rng).coat;
        let colour =
            if horse[0] < 0.2 { 1 } else { 2 * usize::from(horse[0] > 0.7 && saturation(horse) < 0.2) };
        counts[colour] += 1;
        assert!(colour != 0 || saturation(horse) > 0.35, "{horse:?}");
    }
    assert!(counts.iter().all(|count| *count > 60), "{counts:?}");
}

#[test]
fn the_place_says_nothing_of_the_animal() {
    for seed in 0..50 {
        let (horse, elephant) = (picture(Kind::Horse, seed), picture(Kind::Elephant, seed));
        // The first line of the picture, above almost every back.
        let same = horse
            .iter()
            .zip(&elephant)
            .take(SHAPE.width * 3)
            .filter(|(one, other)| one.abs_diff(**other) < 3);
        assert!(same.count() > SHAPE.width * 3 / 2, "seed {seed}");
    }
}

#[test]
fn the_shape_alone_tells_some_of_them_apart() {
    let set = |from: u64, to: u64| -> Vec<(Vec<u8>, bool)> {
        let one = |seed: u64| {
            let kind = if seed.is_multiple_of(2) { Kind::Horse } else { Kind::Elephant };
            (picture(kind, seed), kind == Kind::Elephant)
        };
        (from..to).map(one).collect()
    };
    // Grey and small: hardly more than the shape and the darkness are left.
    let accuracy = probe::accuracy(SHAPE, &set(0, 2_000), &set(2_000, 4_000));
    assert!((0.52..0.9).contains(&accuracy), "{accuracy}");
}
