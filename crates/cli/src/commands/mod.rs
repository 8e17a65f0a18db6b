//! One file a command. A command loads, calls the library and prints.

mod check;
mod compare;
mod demo;
mod encode;
mod evaluate;
mod export;
mod generate;
mod import;
mod inspect;
mod models;
mod path;
mod predict;
mod report;
mod reproduce;
mod run;
mod stress;
mod sweep;
mod train;

use crate::args::Command;

pub fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Demo(args) => demo::run(args),
        Command::Train(args) => train::run(args),
        Command::Compare(args) => compare::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Encode(args) => encode::run(&args),
        Command::Evaluate(args) => evaluate::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Stress(args) => stress::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Path(args) => path::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Import(args) => import::run(&args),
        Command::Generate(args) => generate::run(args),
    }
}
