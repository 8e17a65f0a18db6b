//! Reads a table and says what is in it: `cargo run --release -p corevar-data --example read_table -- TABLE [HEIGHTxWIDTH] [CACHE]`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use corevar_data::table::Purpose;
use corevar_data::{Cache, TableOptions, read};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(path) = arguments.first() else {
        eprintln!("usage: read_table TABLE [HEIGHTxWIDTH] [CACHE]");
        std::process::exit(2);
    };
    let size = arguments.get(1).and_then(|size| size.split_once('x'));
    let options = TableOptions {
        image_size: size.and_then(|(height, width)| Some((height.parse().ok()?, width.parse().ok()?))),
        cache: arguments.get(2).map_or(Cache::Off, |folder| Cache::Dir(PathBuf::from(folder))),
        purpose: Purpose::Inspect,
        ..Default::default()
    };
    let start = Instant::now();
    match read(Path::new(path), &options) {
        Ok((data, report)) => {
            let seconds = start.elapsed().as_secs_f64();
            println!("{} rows in {seconds:.3} s, {:.0} a second", data.len(), data.len() as f64 / seconds);
            report.lines_of_text().iter().for_each(|line| println!("{line}"));
        }
        Err(error) => {
            eprintln!("error: {error}");
            error.tip().iter().for_each(|tip| eprintln!("tip: {tip}"));
            std::process::exit(1);
        }
    }
}
