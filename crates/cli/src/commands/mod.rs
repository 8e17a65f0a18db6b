//! One file a command. A command loads, calls the library and prints.

mod compare;
mod demo;
mod generate;
mod import;
mod inspect;
mod run;
mod sweep;
mod train;

use crate::args::Command;

pub fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Demo(args) => demo::run(args),
        Command::Train(args) => train::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Generate(args) => generate::run(args),
    }
}
