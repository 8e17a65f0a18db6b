//! Decodes and resizes the images of a table and says how long it took, as one line of JSON:
//! `cargo run --release -p corevar-data --example pack_images -- TABLE HEIGHTxWIDTH [CACHE]`.
//! With a cache the second start reads no image. `bench/images.py` compares it with Pillow.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use corevar_data::Tip;
use corevar_data::table::Purpose;
use corevar_data::{Cache, TableOptions, read};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(table), Some(size)) = (arguments.first(), arguments.get(1).and_then(|size| parse(size))) else {
        eprintln!("usage: pack_images TABLE HEIGHTxWIDTH [CACHE]");
        return ExitCode::from(2);
    };
    let options = TableOptions {
        image_size: Some(size),
        cache: arguments.get(2).map_or(Cache::Off, |folder| Cache::Dir(PathBuf::from(folder))),
        purpose: Purpose::Inspect,
        ..Default::default()
    };
    let start = Instant::now();
    match read(Path::new(table), &options) {
        Ok((data, _)) => {
            let (images, seconds) = (data.len(), start.elapsed().as_secs_f64());
            println!("{{\"images\": {images}, \"seconds\": {seconds:.4}}}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            error.tip().iter().for_each(|tip| eprintln!("tip: {tip}"));
            ExitCode::FAILURE
        }
    }
}

fn parse(size: &str) -> Option<(usize, usize)> {
    let (height, width) = size.split_once('x')?;
    Some((height.parse().ok()?, width.parse().ok()?))
}
