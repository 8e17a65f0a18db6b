//! Many pictures of animals, each drawn when it is asked for.

use corevar_data::images::Change;
use corevar_data::{DataError, ImageShape, random};
use rand::rngs::ChaCha8Rng;

use super::{Animal, Kind, SHAPE, View, render};
use crate::album::{Album, AnimalPhoto, Pictures};

/// The stand-in for AwA2: as many pictures of horses as of elephants, each of another animal.
pub fn album(pictures: usize, seed: u64) -> Album<AnimalPhoto> {
    let photos = (0..pictures).map(|number| AnimalPhoto { elephant: number % 2 == 1 }).collect();
    Album { name: "drawn animals (stand-in for AwA2)".into(), photos, pictures: Box::new(Drawn { seed }) }
}

struct Drawn {
    seed: u64,
}

impl Pictures for Drawn {
    fn shape(&self) -> ImageShape {
        SHAPE
    }

    fn read(&self, number: usize, change: Option<&Change>, out: &mut [u8]) -> Result<(), DataError> {
        let kind = if number % 2 == 1 { Kind::Elephant } else { Kind::Horse };
        let animal = Animal::draw_of(kind, &mut stream(self.seed, number, 0));
        render(&animal, &View::draw(&mut stream(self.seed, number, 1)), out);
        change.map_or(Ok(()), |change| change(SHAPE, out))
    }
}

/// Random numbers of their own for the animal (0) and its picture (1).
fn stream(seed: u64, number: usize, purpose: u64) -> ChaCha8Rng {
    random::stream([seed, number as u64, purpose, 0xA717])
}
