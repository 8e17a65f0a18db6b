//! Where an experiment takes its pictures from: a list of what they show, and the pixels on demand.

use corevar_data::images::Change;
use corevar_data::{DataError, ImageShape, Images};

/// Pictures and what is known of each: drawn by this project, or files of the user's.
pub struct Album<Photo> {
    /// As tables name it: it says so when the pictures are a stand-in.
    pub name: String,
    /// What is known of picture 0, 1, 2, ...
    pub photos: Vec<Photo>,
    /// The pictures themselves.
    pub pictures: Box<dyn Pictures>,
}

/// Pictures of one size, by number.
pub trait Pictures: Send + Sync {
    /// The size in which they are given.
    fn shape(&self) -> ImageShape;

    /// Writes a picture, [`ImageShape::len`] bytes, after `change` was applied to it, if there is any. A source whose
    /// originals are larger decides whether it is applied before or after they are shrunk.
    fn read(&self, number: usize, change: Option<&Change>, out: &mut [u8]) -> Result<(), DataError>;
}

/// What is known of a picture of a face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FacePhoto {
    /// Number of the person.
    pub person: u32,
    /// Of the person.
    pub sex: Sex,
    /// Worn in this picture.
    pub glasses: bool,
    /// Which part of the album; a person is in one part only.
    pub part: Part,
}

/// Woman or man.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sex {
    /// A woman.
    Woman,
    /// A man.
    Man,
}

/// The part of an album that a picture belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// For training.
    Train,
    /// For choosing settings.
    Val,
    /// For the test.
    Test,
}

/// What is known of a picture of an animal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnimalPhoto {
    /// Elephant or horse.
    pub elephant: bool,
}

/// What is known of a picture of a digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DigitPhoto {
    /// 0 to 9.
    pub digit: u32,
    /// Train or test.
    pub part: Part,
}

impl Pictures for Images {
    fn shape(&self) -> ImageShape {
        self.shape
    }

    fn read(&self, number: usize, change: Option<&Change>, out: &mut [u8]) -> Result<(), DataError> {
        self.read_bytes(number, out)?;
        change.map_or(Ok(()), |change| change(self.shape, out))
    }
}
