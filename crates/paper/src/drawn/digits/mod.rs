//! Handwritten digits drawn from a seed, the stand-in for MNIST: a digit is a skeleton of strokes in one of
//! several ways to write it, a [`Hand`] is the writer at that moment, and [`render`] makes the picture of the two.
//!
//! White on black, and brought to one size and place as the pictures of MNIST are.

mod album;
mod hand;
mod skeleton;
mod spline;
#[cfg(test)]
mod tests;

pub use album::{AlbumSizes, album};
pub use hand::{Hand, Nib, Wave};

use corevar_data::ImageShape;
use corevar_data::synthetic::canvas;

/// Raised when a seed no longer draws what it drew ([`corevar_data::synthetic::Generator::edition`]).
pub const EDITION: u32 = 1;

/// Size of every picture.
pub const SHAPE: ImageShape = ImageShape { height: SIDE, width: SIDE, channels: 1 };

const SIDE: usize = 28;

/// Draws a picture of a digit, 0 to 9, into `pixels`, [`ImageShape::len`] bytes of [`SHAPE`].
pub fn render(digit: u32, hand: &Hand, pixels: &mut [u8]) {
    canvas::draw(&hand.write(digit), SIDE, pixels);
}
