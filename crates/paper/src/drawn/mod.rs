//! Stand-ins for the photographs that cannot be shipped, drawn from a seed: faces, animals and digits.
//!
//! Two of them are generators too, beside those of [`corevar_data::synthetic`]; [`find`] knows all.

pub mod animals;
pub mod digits;
mod draws;
#[cfg(test)]
mod editions;
pub mod faces;
pub mod paint;
#[cfg(test)]
mod probe;
#[cfg(test)]
mod tests;

use corevar_data::synthetic::{self, Generator};

/// Every generator: those of [`corevar_data::synthetic`], faces and animals.
pub fn generators() -> impl Iterator<Item = &'static dyn Generator> {
    let stand_ins: [&'static dyn Generator; 2] = [&faces::Faces, &animals::Animals];
    synthetic::generators().iter().copied().chain(stand_ins)
}

/// The generator of that name.
pub fn find(name: &str) -> Option<&'static dyn Generator> {
    generators().find(|generator| generator.name() == name)
}
