use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use super::*;
use crate::album::{Album, DigitPhoto, Part};

fn small(seed: u64) -> Album<DigitPhoto> {
    album(AlbumSizes { train: 3_000, test: 1_000 }, seed)
}

fn picture(album: &Album<DigitPhoto>, number: usize) -> Vec<u8> {
    let mut pixels = vec![7; SHAPE.len()];
    album.pictures.read(number, None, &mut pixels).unwrap();
    pixels
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let (one, again, other) = (small(1), small(1), small(2));
    assert_eq!(picture(&one, 12), picture(&again, 12));
    assert_ne!(picture(&one, 12), picture(&other, 12));
    assert_ne!(picture(&one, 12), picture(&one, 22));
}

#[test]
fn a_larger_album_begins_with_the_same_pictures() {
    let large = album(AlbumSizes::default(), 1);
    assert_eq!(large.photos.len(), 70_000);
    assert_eq!(picture(&large, 12), picture(&small(1), 12));
}

#[test]
fn both_parts_hold_every_digit_equally_often() {
    let album = small(1);
    assert!(album.name.contains("stand-in"));
    for (part, each) in [(Part::Train, 300), (Part::Test, 100), (Part::Val, 0)] {
        for digit in 0..10 {
            let count = album.photos.iter().filter(|photo| **photo == DigitPhoto { digit, part }).count();
            assert_eq!(count, each);
        }
    }
}

#[test]
fn no_picture_is_empty_or_cut_by_the_border() {
    let album = small(3);
    for number in 0..album.photos.len() {
        let pixels = picture(&album, number);
        let white = pixels.iter().filter(|pixel| **pixel > 200).count();
        assert!((12..350).contains(&white), "{white} white pixels in picture {number}");
        let border = |at: usize| [at / SIDE, at % SIDE].iter().any(|axis| [0, SIDE - 1].contains(axis));
        assert!((0..pixels.len()).all(|at| !border(at) || pixels[at] == 0), "picture {number} is cut");
    }
}

#[test]
fn one_hand_writes_every_digit_in_the_same_size_and_place() {
    let hand = Hand { size: 20.0, shift: [0.0; 2], ..Hand::draw(&mut ChaCha8Rng::seed_from_u64(5)) };
    for digit in 0..10 {
        let mut pixels = vec![0; SHAPE.len()];
        render(digit, &hand, &mut pixels);
        let lit: Vec<[usize; 2]> =
            (0..pixels.len()).filter(|at| pixels[*at] > 0).map(|at| [at % SIDE, at / SIDE]).collect();
        let side = |axis: usize| {
            let places = || lit.iter().map(|place| place[axis]);
            places().max().unwrap() - places().min().unwrap() + 1
        };
        assert!((17..=22).contains(&side(0).max(side(1))), "digit {digit}: {} x {}", side(0), side(1));
    }
}

/// Share of right answers when a picture is taken for the digit whose mean picture is nearest.
fn nearest_mean_accuracy(album: &Album<DigitPhoto>) -> f64 {
    let mut means = vec![vec![0.0; SHAPE.len()]; 10];
    let (mut right, mut tried) = (0, 0);
    for (number, photo) in album.photos.iter().enumerate() {
        let pixels = picture(album, number);
        if photo.part == Part::Train {
            let mean = &mut means[photo.digit as usize];
            mean.iter_mut().zip(&pixels).for_each(|(mean, pixel)| *mean += f64::from(*pixel) / 300.0);
            continue;
        }
        let distance = |mean: &[f64]| -> f64 {
            mean.iter().zip(&pixels).map(|(mean, pixel)| (mean - f64::from(*pixel)).powi(2)).sum()
        };
        let nearest = (0..10).min_by(|a, b| distance(&means[*a]).total_cmp(&distance(&means[*b])));
        right += usize::from(nearest == Some(photo.digit as usize));
        tried += 1;
    }
    right as f64 / f64::from(tried)
}

#[test]
fn the_nearest_mean_is_often_right_and_not_always() {
    let accuracy = nearest_mean_accuracy(&small(4));
    // 0.82 on MNIST.
    assert!((0.65..0.9).contains(&accuracy), "{accuracy}");
}
