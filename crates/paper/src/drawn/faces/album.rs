//! Many pictures of many persons, each drawn when it is asked for.

use std::iter;

use corevar_data::images::Change;
use corevar_data::{DataError, ImageShape, random};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt};

use super::{EDITION, EDITION_OF_SEVERAL_PAIRS, Glasses, Occasion, Person, SHAPE, View, render};
use crate::album::{Album, FacePhoto, Part, Pictures};
use crate::drawn::draws::chance;

/// How much is in an album.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlbumSizes {
    /// Persons, of whom 8 of 10 are in the part for training and 1 each in the other two.
    pub persons: usize,
    /// Most pictures of a person; the least are 5 (or this number, if it is smaller).
    pub pictures: usize,
    /// Pairs of glasses that a person owns, one of which is worn on an occasion: 1 or more.
    pub pairs_of_glasses: usize,
}

impl Default for AlbumSizes {
    fn default() -> AlbumSizes {
        AlbumSizes { persons: 8_000, pictures: 30, pairs_of_glasses: 1 }
    }
}

impl AlbumSizes {
    /// For small-n: from ten persons with one pair each no model learns what glasses are.
    pub fn several_pairs() -> AlbumSizes {
        AlbumSizes { pairs_of_glasses: 3, ..Default::default() }
    }

    /// Edition of the drawing.
    pub fn edition(&self) -> u32 {
        if self.pairs_of_glasses > 1 { EDITION_OF_SEVERAL_PAIRS } else { EDITION }
    }
}

/// The stand-in for CelebA: persons with 5 to 30 pictures each, taken on a few occasions, on each of them
/// with or without glasses by the person's habit, in any of the pairs that the person owns.
pub fn album(sizes: AlbumSizes, seed: u64) -> Album<FacePhoto> {
    let (photos, drawn) = draw(sizes, seed);
    Album { name: "drawn faces (stand-in for CelebA)".into(), photos, pictures: Box::new(drawn) }
}

fn draw(sizes: AlbumSizes, seed: u64) -> (Vec<FacePhoto>, Drawn) {
    let mut photos = Vec::new();
    let mut drawn = Drawn {
        persons: Vec::with_capacity(sizes.persons),
        of_photo: Vec::new(),
        pairs_of_glasses: sizes.pairs_of_glasses.max(1),
        seed,
    };
    for number in 0..sizes.persons {
        let person = Person::draw(&mut stream(seed, number, Purpose::Person));
        let mut rng = stream(seed, number, Purpose::Album);
        let pictures = rng.random_range(sizes.pictures.min(5)..=sizes.pictures);
        let part = match number % 10 {
            8 => Part::Val,
            9 => Part::Test,
            _ => Part::Train,
        };
        for (picture, taken) in taken(pictures, person.habit, &mut rng).into_iter().enumerate() {
            let glasses = taken.glasses;
            photos.push(FacePhoto { person: number as u32, sex: person.sex, glasses, part });
            drawn.of_photo.push(Photo { person: number, picture, taken });
        }
        drawn.persons.push(person);
    }
    (photos, drawn)
}

struct Drawn {
    persons: Vec<Person>,
    of_photo: Vec<Photo>,
    pairs_of_glasses: usize,
    seed: u64,
}

struct Photo {
    person: usize,
    picture: usize,
    taken: Taken,
}

/// When a picture of a person was taken.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Taken {
    /// Counted from 0.
    occasion: usize,
    /// Of the occasion: glasses stay on or off.
    glasses: bool,
}

/// Pictures of a person on one occasion, in the mean.
const PICTURES_AN_OCCASION: f32 = 4.0;

/// Occasions of the pictures of a person, in their order.
fn taken(pictures: usize, habit: f32, rng: &mut impl Rng) -> Vec<Taken> {
    let first = Taken { occasion: 0, glasses: chance(rng, habit) };
    let next = |latest: &Taken| {
        let another = chance(rng, 1.0 / PICTURES_AN_OCCASION);
        Some(if another {
            Taken { occasion: latest.occasion + 1, glasses: chance(rng, habit) }
        } else {
            *latest
        })
    };
    iter::successors(Some(first), next).take(pictures).collect()
}

impl Drawn {
    /// What is worn on the occasion of the photo: the person's first pair of glasses, or another that is owned.
    fn worn(&self, photo: &Photo) -> Option<Glasses> {
        let rng = |purpose| stream(self.seed, photo.person, purpose);
        let put_on = || rng(Purpose::PutOn(photo.taken.occasion)).random_range(0..self.pairs_of_glasses);
        photo.taken.glasses.then(put_on).map(|pair| match pair {
            0 => self.persons[photo.person].glasses,
            other => Glasses::draw(&mut rng(Purpose::Pair(other))),
        })
    }
}

impl Pictures for Drawn {
    fn shape(&self) -> ImageShape {
        SHAPE
    }

    fn read(&self, number: usize, change: Option<&Change>, out: &mut [u8]) -> Result<(), DataError> {
        let photo = &self.of_photo[number];
        let rng = |purpose| stream(self.seed, photo.person, purpose);
        let occasion = Occasion::draw(&mut rng(Purpose::Occasion(photo.taken.occasion)));
        let view = View::draw_on(occasion, &mut rng(Purpose::Picture(photo.picture)));
        render(&self.persons[photo.person], &view, self.worn(photo), out);
        change.map_or(Ok(()), |change| change_enlarged(change, out))
    }
}

/// Photographs are changed in their original size and shrunk then; those of CelebA are about 3.5 times as large as
/// what is trained on. Drawn faces are smoother than skin and hair, and the more they are shrunk, the less is left of
/// what JPEG does to them.
const ENLARGED: usize = 2;

/// Applies a change to the picture as if its original were larger. A change of single pixels is the same in
/// any size; what JPEG does to blocks of 8x8 is not.
fn change_enlarged(change: &Change, pixels: &mut [u8]) -> Result<(), DataError> {
    let large = ImageShape { height: SHAPE.height * ENLARGED, width: SHAPE.width * ENLARGED, ..SHAPE };
    let line = large.width * large.channels;
    let mut original = vec![0; large.len()];
    for (small, lines) in pixels.chunks_exact(SHAPE.width * 3).zip(original.chunks_exact_mut(line * ENLARGED))
    {
        for (pixel, copies) in small.chunks_exact(3).zip(lines[..line].chunks_exact_mut(3 * ENLARGED)) {
            copies.chunks_exact_mut(3).for_each(|copy| copy.copy_from_slice(pixel));
        }
        (1..ENLARGED).for_each(|again| lines.copy_within(..line, again * line));
    }
    change(large, &mut original)?;
    for (place, byte) in pixels.iter_mut().enumerate() {
        let (pixel, channel) = (place / 3, place % 3);
        let corner = pixel / SHAPE.width * ENLARGED * line + pixel % SHAPE.width * ENLARGED * 3 + channel;
        let copies =
            (0..ENLARGED * ENLARGED).map(|copy| corner + copy / ENLARGED * line + copy % ENLARGED * 3);
        let sum: usize = copies.map(|at| usize::from(original[at])).sum();
        *byte = ((sum + ENLARGED * ENLARGED / 2) / (ENLARGED * ENLARGED)) as u8;
    }
    Ok(())
}

/// What random numbers of a person are for.
enum Purpose {
    Person,
    Album,
    Picture(usize),
    Occasion(usize),
    /// Which pair, on that occasion.
    PutOn(usize),
    Pair(usize),
}

/// Random numbers of their own for a person and a purpose.
fn stream(seed: u64, person: usize, purpose: Purpose) -> ChaCha8Rng {
    let (kind, number) = match purpose {
        Purpose::Person => (0, 0),
        Purpose::Album => (1, 0),
        Purpose::Picture(number) => (2, number),
        Purpose::Occasion(number) => (3, number),
        Purpose::PutOn(number) => (4, number),
        Purpose::Pair(number) => (5, number),
    };
    random::stream([seed, person as u64, number as u64, 0xFACE + kind])
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::drawn::probe;

    #[test]
    fn glasses_stay_on_or_off_through_an_occasion() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let all: Vec<Vec<Taken>> = (0..2_000).map(|_| taken(20, 0.3, &mut rng)).collect();
        let neighbours = || all.iter().flat_map(|person| person.windows(2));
        assert!(neighbours().all(|pair| pair[0].occasion != pair[1].occasion || pair[0] == pair[1]));
        let new = neighbours().filter(|pair| pair[0].occasion + 1 == pair[1].occasion).count();
        assert!((0.24..0.26).contains(&(new as f64 / (2_000.0 * 19.0))), "{new} new occasions");
        let with = all.iter().flatten().filter(|taken| taken.glasses).count();
        assert!((0.28..0.32).contains(&(with as f64 / 40_000.0)), "{with} with glasses");
    }

    #[test]
    fn a_person_wears_one_pair_an_occasion_and_each_as_often_as_the_others() {
        for owned in [1, 3] {
            let sizes = AlbumSizes { persons: 300, pictures: 60, pairs_of_glasses: owned };
            let (_, drawn) = draw(sizes, 1);
            let worn: Vec<_> =
                drawn.of_photo.iter().filter_map(|photo| Some((photo, drawn.worn(photo)?))).collect();
            for ((one, of_one), (next, of_next)) in worn.iter().zip(&worn[1..]) {
                let is_same = one.person == next.person && one.taken == next.taken;
                assert!(!is_same || of_one == of_next);
            }
            let is_first =
                |(photo, glasses): &&(&Photo, Glasses)| *glasses == drawn.persons[photo.person].glasses;
            let share = worn.iter().filter(is_first).count() as f64 / worn.len() as f64;
            // Worn on some 900 occasions: the standard error is below 0.02.
            assert!((share - 1.0 / owned as f64).abs() < 0.06, "{share} of {owned}");
        }
    }

    /// Every picture of an album with its label, its glasses drawn or left out, as many of each class.
    fn labelled(seed: u64, glasses: bool) -> Vec<(Vec<u8>, bool)> {
        let (photos, mut drawn) =
            draw(AlbumSizes { persons: 700, pictures: 10, ..AlbumSizes::several_pairs() }, seed);
        drawn.of_photo.iter_mut().for_each(|photo| photo.taken.glasses &= glasses);
        let mut rest = [photos.iter().filter(|photo| photo.glasses).count(); 2];
        let mut set = Vec::new();
        for (number, photo) in photos.iter().enumerate() {
            let rest = &mut rest[usize::from(photo.glasses)];
            if *rest > 0 {
                *rest -= 1;
                let mut pixels = vec![0; SHAPE.len()];
                drawn.read(number, None, &mut pixels).unwrap();
                set.push((pixels, photo.glasses));
            }
        }
        set
    }

    #[test]
    fn an_album_without_its_glasses_shows_no_sign_of_them() {
        let accuracy = |glasses| probe::accuracy(SHAPE, &labelled(1, glasses), &labelled(2, glasses));
        let (with, without) = (accuracy(true), accuracy(false));
        // About 3500 pictures of each album, on 1500 occasions: the standard error of chance is below 2 %.
        assert!((0.45..0.55).contains(&without), "{without}");
        assert!(with > without + 0.1, "{with}");
    }

    fn numbers() -> Vec<u8> {
        (0..SHAPE.len()).map(|place| (place * 31 % 256) as u8).collect()
    }

    #[test]
    fn no_change_of_the_original_leaves_the_picture_as_it_is() {
        let mut pixels = numbers();
        change_enlarged(&|_, _| Ok(()), &mut pixels).unwrap();
        assert_eq!(pixels, numbers());
    }

    #[test]
    fn a_changed_pixel_of_the_original_counts_a_quarter() {
        let mut pixels = vec![0; SHAPE.len()];
        let change = |shape: ImageShape, pixels: &mut [u8]| {
            assert_eq!((shape.height, shape.width), (128, 96));
            // Line 3, column 4: within pixel (1, 2) of the small picture.
            pixels[(3 * 96 + 4) * 3] = 80;
            Ok(())
        };
        change_enlarged(&change, &mut pixels).unwrap();
        let lit: Vec<(usize, u8)> =
            (0..SHAPE.len()).filter(|at| pixels[*at] > 0).map(|at| (at, pixels[at])).collect();
        assert_eq!(lit, [((48 + 2) * 3, 20)]);
    }
}
