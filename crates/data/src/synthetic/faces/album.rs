//! Many pictures of many persons, each drawn when it is asked for.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::{Person, SHAPE, View, render};
use crate::protocols::{Album, Change, FacePhoto, Part, Pictures};
use crate::synthetic::draws::chance;
use crate::{DataError, ImageShape};

/// How large an album is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlbumSizes {
    /// Persons, of whom 8 of 10 are in the part for training and 1 each in the other two.
    pub persons: usize,
    /// Most pictures of a person; the least are 5 (or this number, if it is smaller).
    pub pictures: usize,
}

impl Default for AlbumSizes {
    fn default() -> AlbumSizes {
        AlbumSizes { persons: 8_000, pictures: 30 }
    }
}

/// The stand-in for CelebA: persons with 5 to 30 pictures each, with or without glasses by their habit.
pub fn album(sizes: AlbumSizes, seed: u64) -> Album<FacePhoto> {
    let mut photos = Vec::new();
    let mut drawn = Drawn { persons: Vec::with_capacity(sizes.persons), of_photo: Vec::new(), seed };
    for number in 0..sizes.persons {
        let person = Person::draw(&mut stream(seed, number, 0));
        let mut rng = stream(seed, number, 1);
        let pictures = rng.random_range(sizes.pictures.min(5)..=sizes.pictures);
        let part = match number % 10 {
            8 => Part::Val,
            9 => Part::Test,
            _ => Part::Train,
        };
        for picture in 0..pictures {
            let glasses = chance(&mut rng, person.habit);
            photos.push(FacePhoto { person: number as u32, sex: person.sex, glasses, part });
            drawn.of_photo.push(Photo { person: number, picture, glasses });
        }
        drawn.persons.push(person);
    }
    Album { name: "drawn faces (stand-in for CelebA)".into(), photos, pictures: Box::new(drawn) }
}

struct Drawn {
    persons: Vec<Person>,
    of_photo: Vec<Photo>,
    seed: u64,
}

struct Photo {
    person: usize,
    picture: usize,
    glasses: bool,
}

impl Pictures for Drawn {
    fn shape(&self) -> ImageShape {
        SHAPE
    }

    fn read(&self, number: usize, change: Option<&Change>, out: &mut [u8]) -> Result<(), DataError> {
        let photo = &self.of_photo[number];
        let view = View::draw(&mut stream(self.seed, photo.person, 2 + photo.picture as u64));
        render(&self.persons[photo.person], &view, photo.glasses, out);
        change.map_or(Ok(()), |change| change_enlarged(change, out))
    }
}

/// Photographs are changed in their original size and shrunk then, by about this factor.
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

/// Random numbers of their own for a person (0), the person's album (1) and each picture (2, 3, ...).
fn stream(seed: u64, person: usize, purpose: u64) -> ChaCha8Rng {
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(8).zip([seed, person as u64, purpose, 0xFACE]) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    ChaCha8Rng::from_seed(key)
}

#[cfg(test)]
mod tests {
    use super::*;

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
