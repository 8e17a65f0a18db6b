//! The data sets of the paper's experiments, built from an [`Album`](crate::album::Album) of pictures: the stand-ins
//! that this project draws, or the real files when the user has them. One file an experiment.
//!
//! Each experiment is a struct whose default values are the paper's; `check` says whether its
//! settings fit together, and `build` makes the data set, a pure function of the album and the seed. No person
//! is in two of train, val and test.

mod brightness;
mod draft;
mod elmer;
mod gender;
mod glasses;
mod grouping;
mod identity;
mod mnist;
pub mod originals;
mod quality;
mod small_n;
#[cfg(test)]
mod tests;

pub use brightness::Brightness;
pub use elmer::Elmer;
pub use gender::Gender;
pub use grouping::Grouping;
pub use identity::Identity;
pub use mnist::Mnist;
pub use quality::Quality;
pub use small_n::SmallN;

use corevar_data::DataError;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// At which size an original picture is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ChangeAt {
    /// At that of the network, after it was shrunk: the network sees all of the change.
    #[default]
    Network,
    /// At its own, before it is shrunk. What JPEG does to blocks of 8x8 is then hardly left.
    Original,
}

/// Numbers of the photos that fulfil a condition, in random order. The same seed and purpose give the
/// same order.
fn shuffled<Photo>(photos: &[Photo], seed: u64, purpose: u64, wanted: impl Fn(&Photo) -> bool) -> Vec<usize> {
    let mut pool: Vec<usize> = (0..photos.len()).filter(|number| wanted(&photos[*number])).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose);
    pool.shuffle(&mut rng);
    pool
}

/// The first `rows` of a pool.
fn first<'a>(experiment: &'static str, pool: &'a [usize], rows: usize) -> Result<&'a [usize], DataError> {
    pool.get(..rows).ok_or_else(|| too_few(experiment, "pictures", pool.len(), rows))
}

fn too_few(experiment: &'static str, what: &str, there: usize, needed: usize) -> DataError {
    DataError::Sizes {
        generator: experiment,
        problem: format!("the album holds {there} {what} where {needed} are needed"),
        tip: "ask for fewer rows or groups, or take a larger album".into(),
    }
}

/// Groups and rows that contradict each other.
fn does_not_fit(experiment: &'static str, problem: String, tip: String) -> DataError {
    DataError::Sizes { generator: experiment, problem, tip }
}
