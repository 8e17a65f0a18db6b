//! How work that takes long is told to stop.

/// Asked again and again while work goes on, from any thread; true ends the work.
pub(crate) type Stop<'a> = &'a (dyn Fn() -> bool + Sync);
