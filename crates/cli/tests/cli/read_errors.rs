//! A disk on which one read of ten fails, or just one: the same model or a clear error, never another model.
//!
//! The failures come from a small library that is loaded before the C library; the test compiles it with `cc`, and skips
//! itself where there is none.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::*;

/// Percent of the reads that fail.
const RATE: &str = "10";

/// None without a C compiler.
fn shim(folder: &Path) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/shim/read_errors.c");
    let library = folder.join("read_errors.so");
    let made = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(source)
        .arg("-ldl")
        .status();
    made.is_ok_and(|status| status.success()).then_some(library)
}

fn on_a_bad_disk(shim: &Path, folder: &Path, arguments: &str, seed: u64) -> Output {
    Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env("LD_PRELOAD", shim)
        .env("COREVAR_SHIM_UNDER", folder.canonicalize().unwrap())
        .env("COREVAR_SHIM_RATE", RATE)
        .env("COREVAR_SHIM_SEED", seed.to_string())
        .output()
        .unwrap()
}

/// Runs the program on a disk of which the `nth` read fails; None if there are not so many.
fn with_one_bad_read(shim: &Path, folder: &Path, arguments: &str, nth: usize) -> Option<Output> {
    let hit = shim.with_file_name("hit");
    let _ = fs::remove_file(&hit);
    let output = Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env("LD_PRELOAD", shim)
        .env("COREVAR_SHIM_UNDER", folder.canonicalize().unwrap())
        .env("COREVAR_SHIM_NTH", nth.to_string())
        .env("COREVAR_SHIM_HIT", &hit)
        .output()
        .unwrap();
    hit.exists().then_some(output)
}

fn model(folder: &Path, run: &str) -> Vec<u8> {
    fs::read(folder.join(run).join("model.safetensors")).unwrap()
}

/// Four pictures in two classes, named twice, so that there are groups.
fn write_pictures(folder: &Path) {
    let mut table = String::from("filename,y,group_id,split\n");
    for (number, grey) in [10, 60, 190, 240].into_iter().enumerate() {
        let pixels: String = (0..64).map(|pixel| format!("{} ", grey + pixel % 8)).collect();
        fs::write(folder.join(format!("{number}.pgm")), format!("P2\n8 8\n255\n{pixels}\n")).unwrap();
        let class = if grey < 100 { "dark" } else { "light" };
        table += &format!("{number}.pgm,{class},p{class},train\n");
    }
    fs::write(folder.join("pictures.csv"), table).unwrap();
}

/// Trains with every seed; how many ended with the model, and how many with an error.
fn train_on_a_bad_disk(train: &str, seeds: std::ops::Range<u64>) -> Option<[usize; 2]> {
    let (tools, place) = (folder(), folder());
    let (shim, folder) = (shim(tools.path())?, place.path());
    write_table(folder, "");
    write_pictures(folder);
    succeeds(folder, &format!("{train} --out whole"));
    let (whole, mut ends) = (model(folder, "whole"), [0, 0]);
    for seed in seeds {
        let output = on_a_bad_disk(&shim, folder, &format!("{train} --out run"), seed);
        let said = text(&output.stderr);
        ends[usize::from(!output.status.success())] += 1;
        if !output.status.success() {
            assert!(output.status.code() == Some(1) && said.contains("error: "), "seed {seed}: {said}");
            assert!(said.contains("Input/output error") && !said.contains("panicked"), "seed {seed}: {said}");
            // On a sound disk it goes on, and ends as it should.
            let resume = if folder.join("run/config.toml").exists() { "--resume" } else { "" };
            succeeds(folder, &format!("{train} --out run {resume}"));
        }
        assert!(model(folder, "run") == whole, "seed {seed} ended with another model");
        fs::remove_dir_all(folder.join("run")).unwrap();
    }
    eprintln!("{train}: {} ended with the same model, {} with an error", ends[0], ends[1]);
    Some(ends)
}

#[test]
fn features_on_a_bad_disk_give_the_same_model_or_an_error() {
    let train = "train metadata.csv --model mlp --hidden 4 --epochs 3 --checkpoint-every 0 --quiet";
    let Some([same, error]) = train_on_a_bad_disk(train, 0..20) else { return };
    assert!(same > 0 && error > 0, "{same} and {error}");
}

#[test]
fn pictures_on_a_bad_disk_give_the_same_model_or_an_error() {
    for cache in ["off", "cache"] {
        let train =
            format!("train pictures.csv --channels 2 --epochs 2 --skip-unreadable --cache {cache} --quiet");
        let Some([_, error]) = train_on_a_bad_disk(&train, 0..10) else { return };
        // A row that could not be read for the moment is not left out, also with --skip-unreadable.
        assert!(error > 0);
    }
}

/// Loads and trains once for every read that there is, and lets that one fail.
fn every_read_fails_once(folder: &Path, train: &str) -> Option<[usize; 2]> {
    let tools = crate::support::folder();
    let shim = shim(tools.path())?;
    succeeds(folder, &format!("{train} --out whole"));
    let (whole, mut ends) = (model(folder, "whole"), [0, 0]);
    for nth in 0.. {
        let output = with_one_bad_read(&shim, folder, &format!("{train} --out run --overwrite"), nth);
        let Some(output) = output else { break };
        let said = text(&output.stderr);
        ends[usize::from(!output.status.success())] += 1;
        if output.status.success() {
            assert!(model(folder, "run") == whole, "{train}: read {nth} gave another model");
        } else {
            assert!(
                said.contains("Input/output error") && !said.contains("panicked"),
                "{train}, {nth}: {said}"
            );
        }
        let _ = fs::remove_dir_all(folder.join("run"));
    }
    fs::remove_dir_all(folder.join("whole")).unwrap();
    eprintln!("{train}: {} reads did no harm, {} were an error", ends[0], ends[1]);
    Some(ends)
}

#[test]
fn every_read_that_fails_once_while_loading_is_an_error() {
    let place = folder();
    let folder = place.path();
    write_table(folder, "");
    write_pictures(folder);
    write_matrix(&folder.join("x.npy"));
    let parquet = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/tests/golden/tables/zstd.parquet");
    fs::copy(parquet, folder.join("t.parquet")).unwrap();
    let pictures = "train pictures.csv --channels 2 --epochs 1 --skip-unreadable --threads 1 --quiet --cache";
    for train in [
        "train metadata.csv --quiet --threads 1",
        "train metadata.csv --features-file x.npy --quiet --threads 1",
        "train t.parquet --penalty none --quiet --threads 1",
        &format!("{pictures} off"),
        &format!("{pictures} cache"),
    ] {
        let Some([_, errors]) = every_read_fails_once(folder, train) else { return };
        assert!(errors > 0, "{train}");
    }
}

/// Forty rows of two numbers.
fn write_matrix(path: &Path) {
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 2), }");
    let numbers = (0..80).flat_map(|number| (number as f32 % 7.0).to_le_bytes());
    let bytes = [b"\x93NUMPY\x01\0".as_slice(), &118u16.to_le_bytes(), header.as_bytes()].concat();
    fs::write(path, bytes.into_iter().chain(numbers).collect::<Vec<u8>>()).unwrap();
}
