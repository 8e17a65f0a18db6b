//! The program `corevar`.

// What is printed goes through `output`: names of strangers are shown, and a closed stderr ends nothing.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod commands;
mod data;
mod failure;
mod interrupt;
mod output;
mod progress;
mod settings;
mod table;
mod values;

use std::process::ExitCode;

use clap::Parser;

// Training takes and gives back the same large blocks at every step; the system's allocator returns them
// to the kernel each time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match commands::run(args::Program::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_closed(&error) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
