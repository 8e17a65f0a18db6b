//! The program as a user meets it: results on stdout, messages on stderr, exit codes, nothing half-written.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bad_inputs;
mod basics;
mod check;
mod choice;
mod data;
mod disk;
mod encoders;
mod export;
mod formats;
mod instruments;
mod interruption;
#[cfg(target_os = "linux")]
mod locks;
mod memory;
mod models;
mod predict;
mod read_errors;
mod regression;
mod reproduce;
#[cfg(target_os = "linux")]
mod shim;
mod signals;
mod special_files;
mod support;
