//! The program as a user meets it: results on stdout, messages on stderr, exit codes, nothing half-written.

mod basics;
mod choice;
mod data;
mod models;
mod support;
