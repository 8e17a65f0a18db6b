//! Reads a table and says what is in it and how long that took:
//! `cargo run --release -p corevar-data --example read_table -- TABLE [FEATURES.npy]`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use corevar_data::Tip;
use corevar_data::table::Purpose;
use corevar_data::{TableOptions, read};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(table) = arguments.first() else {
        eprintln!("usage: read_table TABLE [FEATURES.npy]");
        return ExitCode::from(2);
    };
    let features_file = arguments.get(1).map(PathBuf::from);
    let options = TableOptions { features_file, purpose: Purpose::Inspect, ..Default::default() };
    let start = Instant::now();
    match read(Path::new(table), &options) {
        Ok((data, report)) => {
            println!("{} rows in {:.2} s", data.len(), start.elapsed().as_secs_f64());
            report.lines_of_text().iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            error.tip().iter().for_each(|tip| eprintln!("tip: {tip}"));
            ExitCode::FAILURE
        }
    }
}
