//! The records of a run, files of settings, and the command line.

use std::path::Path;

use corevar_fuzz::{corpus, damaged, damaged_json, files, fuzz, readers};

use crate::MEMORY;

#[test]
fn results() {
    fuzz("results", Some(&MEMORY), &corpus("results"), damaged_json, readers::results());
}

#[test]
fn evidence() {
    fuzz("evidence", Some(&MEMORY), &corpus("evidence"), damaged_json, readers::evidence());
}

#[test]
fn metrics() {
    fuzz("metrics", Some(&MEMORY), &corpus("metrics"), damaged, readers::metrics());
}

#[test]
fn settings() {
    fuzz("settings", Some(&MEMORY), &corpus("settings"), damaged, readers::settings());
}

#[test]
fn run_records() {
    fuzz("run_records", Some(&MEMORY), &corpus("run_records"), damaged_json, readers::run_records());
}

#[test]
fn reproductions() {
    fuzz("reproductions", Some(&MEMORY), &corpus("reproductions"), damaged_json, readers::reproductions());
}

#[test]
fn experiments() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../paper/experiments");
    let corpus = [corpus("experiments"), files(&folder, &[".toml"])].concat();
    fuzz("experiments", Some(&MEMORY), &corpus, damaged, readers::experiments());
}

#[test]
fn configs() {
    fuzz("configs", Some(&MEMORY), &corpus("configs"), damaged, readers::configs());
}

#[test]
fn arguments() {
    fuzz("arguments", Some(&MEMORY), &corpus("arguments"), damaged, readers::arguments());
}
