//! One fit, or a path, on the data of `bench/linear_data.py`; times and objectives as JSON on stdout.
//!
//!     bench_linear DIRECTORY RIDGE TOLERANCE PENALTY_WEIGHT [MORE_PENALTY_WEIGHTS..]

use std::path::Path;
use std::time::Instant;

use corevar::linear::{LinearConfig, LinearData, MemoryMatrix, PathConfig, Penalty, Targets, path};

const COLUMNS: usize = 2048;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, ridge, tolerance, weights @ ..] = arguments.as_slice() else {
        return Err("bench_linear DIRECTORY RIDGE TOLERANCE PENALTY_WEIGHT..".into());
    };
    let read = |name: &str| std::fs::read(Path::new(directory).join(name));
    let x: Vec<f32> = read("x.f32")?.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
    let numbers =
        |bytes: Vec<u8>| bytes.as_chunks().0.iter().map(|&b| u32::from_le_bytes(b)).collect::<Vec<_>>();
    let y = numbers(read("y.u32")?);
    let groups: Vec<usize> = numbers(read("group.u32")?).iter().map(|&group| group as usize).collect();
    let features = MemoryMatrix::new(&x, COLUMNS)?;
    let targets = Targets::Classes { of_row: &y, count: 2 };
    let data = LinearData { features: &features, targets, group_of_row: &groups, sample_weights: None };
    let penalty_weights: Vec<f64> = weights.iter().map(|w| w.parse()).collect::<Result<_, _>>()?;
    let penalty = if penalty_weights == [0.0] { Penalty::NONE } else { Penalty::LOGIT_VARIANCE };
    let fit =
        LinearConfig { penalty, ridge: ridge.parse()?, tolerance: tolerance.parse()?, ..Default::default() };
    let config = PathConfig { fit, penalty_weights, ridges: vec![] }.check()?;
    let start = Instant::now();
    let fits = path(&config, &data)?;
    let seconds = start.elapsed().as_secs_f64();
    let last = &fits[fits.len() - 1];
    let evaluations: usize = fits.iter().map(|fit| fit.optimality.evaluations).sum();
    println!(
        "{{\"seconds\": {seconds:.4}, \"fits\": {}, \"evaluations\": {evaluations}, \"objective\": {:.12}, \"gradient\": {:e}}}",
        fits.len(),
        last.objective.total,
        last.optimality.gradient
    );
    Ok(())
}
