//! The program `corevar`, as a library, so that its readers of arguments and settings can be tested from outside. Not meant to be
//! used otherwise: the library is `corevar`.

// What is printed goes through `output`: names of strangers are shown, and a closed stderr ends nothing.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod data;
mod encoding;
mod failure;
mod interrupt;
mod output;
mod progress;
#[doc(hidden)]
pub mod readers;
mod settings;
mod table;
mod values;

use std::process::ExitCode;

use clap::Parser;

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    let command = args::Program::parse().command;
    if let Err(cause) = interrupt::watch() {
        output::note(&format!("signals cannot be watched, so Ctrl-C keeps nothing: {cause}"));
    }
    match commands::run(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_closed(&error) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
