//! What to do about an error.

use std::error::Error;

/// An error that knows what to do about it.
///
/// Messages and tips speak of "the field `name`", with the type in front where two settings share a name
/// (`Augmentation::rows`). A program can put its own flags in their place.
pub trait Tip: Error {
    /// What to do about it, to be shown as a line of its own after the message.
    fn tip(&self) -> Option<String>;
}
