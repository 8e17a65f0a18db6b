//! Data for corevar: where rows, labels, ids and splits come from. Knows nothing of models.
//!
//! Everything ends in one [`Dataset`]: a table or a folder of the user's ([`table`]), or a synthetic set
//! drawn from a seed ([`synthetic`]). Rows that a trained model is to answer may be more than memory holds: they come chunk by chunk
//! ([`stream`]), and tables of answers are written the same way ([`writers`]).

mod augment;
pub mod bounded;
mod cache;
mod dataset;
mod error;
pub mod groups;
pub mod guard;
pub mod images;
pub mod import;
pub mod inspect;
pub mod interventions;
pub mod memory;
mod missing;
mod names;
mod natural;
mod partial;
pub mod random;
mod save;
mod shape;
mod source_folder;
mod split;
pub mod stream;
pub mod synthetic;
pub mod table;
mod tip;
mod transform;
mod views;
pub mod writers;

pub use augment::{Amount, Augmentation};
pub use cache::{Cache, FeatureCache, KeptFeatures};
pub use dataset::{
    Attribute, Changed, Dataset, DatasetBuilder, Encoding, Features, Images, Inputs, Labels, Layout, Mode,
    PixelScale, Pixels, Pooling, Preparation,
};
pub use error::{DataError, Place};
pub use groups::Groups;
pub use missing::{Medians, Missing, MissingRule};
pub use natural::natural;
pub use save::{check_place, encode_png, save, save_features};
pub use shape::ImageShape;
pub use split::{BySplit, Role, Split, SplitName};
pub use stream::{RowStream, StreamOptions, StreamSource, WantedInputs};
pub use table::{ReadReport, TableOptions, Task, read, read_with};
pub use tip::Tip;
pub use transform::Transform;
pub use views::Views;
