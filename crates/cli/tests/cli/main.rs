//! The program as a user meets it: results on stdout, messages on stderr, exit codes, nothing half-written.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod basics;
mod choice;
mod data;
mod interruption;
mod models;
mod support;
