//! Many pictures of digits, each drawn when it is asked for.

use corevar_data::images::Change;
use corevar_data::{DataError, ImageShape, random};
use rand::rngs::ChaCha8Rng;

use super::{Hand, SHAPE, render};
use crate::album::{Album, DigitPhoto, Part, Pictures};

/// How large an album is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AlbumSizes {
    /// Pictures for training; they come first.
    pub train: usize,
    /// Pictures for the test.
    pub test: usize,
}

impl Default for AlbumSizes {
    fn default() -> AlbumSizes {
        AlbumSizes { train: 60_000, test: 10_000 }
    }
}

/// The stand-in for MNIST: the digits take turns, and each picture is of another hand.
pub fn album(sizes: AlbumSizes, seed: u64) -> Album<DigitPhoto> {
    let photo = |number: usize| {
        let part = if number < sizes.train { Part::Train } else { Part::Test };
        DigitPhoto { digit: digit(number), part }
    };
    let photos = (0..sizes.train + sizes.test).map(photo).collect();
    Album { name: "drawn digits (stand-in for MNIST)".into(), photos, pictures: Box::new(Drawn { seed }) }
}

struct Drawn {
    seed: u64,
}

impl Pictures for Drawn {
    fn shape(&self) -> ImageShape {
        SHAPE
    }

    fn read(&self, number: usize, change: Option<&Change>, out: &mut [u8]) -> Result<(), DataError> {
        render(digit(number), &Hand::draw(&mut stream(self.seed, number)), out);
        change.map_or(Ok(()), |change| change(SHAPE, out))
    }
}

/// What picture `number` shows.
fn digit(number: usize) -> u32 {
    (number % 10) as u32
}

/// Random numbers of its own for each picture.
fn stream(seed: u64, number: usize) -> ChaCha8Rng {
    random::stream([seed, number as u64, 0, 0xD161])
}
