//! The records of a run, files of settings, and the command line.

use std::ffi::OsString;
use std::fs;

use corevar::study::find_models;
use corevar_paper::{Experiment, Reproduction, Size};
use corevar_report::{Records, html, write_reproductions};
use tempfile::tempdir;

use super::{Reader, write};
use crate::corpus;

/// Gives the report a folder with one damaged record among sound ones.
fn report_of(file: &'static str) -> Reader {
    let folder = tempdir().unwrap();
    let records = [
        ("results.json", "results"),
        ("evidence.json", "evidence"),
        ("metrics.jsonl", "metrics"),
        ("config.toml", "settings"),
    ];
    for (file, name) in records {
        fs::write(folder.path().join(file), corpus(name).swap_remove(0)).unwrap();
    }
    Box::new(move |bytes| {
        fs::write(folder.path().join(file), bytes).unwrap();
        if let Ok(records) = Records::read(folder.path()) {
            // The page has a script of its own; no name of a record becomes one.
            assert!(!html(&records).contains("<script>alert"), "a name was not escaped");
        }
    })
}

/// `results.json`, as the report reads it.
pub fn results() -> Reader {
    report_of("results.json")
}

/// `evidence.json`, as the report reads it.
pub fn evidence() -> Reader {
    report_of("evidence.json")
}

/// `metrics.jsonl`, as the report reads it.
pub fn metrics() -> Reader {
    report_of("metrics.jsonl")
}

/// `config.toml`, as the report reads it.
pub fn settings() -> Reader {
    report_of("config.toml")
}

/// The record of one training run, beside its model.
pub fn run_records() -> Reader {
    let folder = tempdir().unwrap();
    write(&folder.path().join("models/core-0.safetensors"), corpus("models").swap_remove(0));
    write(&folder.path().join("runs/core-0.json"), "");
    write(&folder.path().join("results.json"), corpus("results").swap_remove(0));
    Box::new(move |bytes| {
        fs::write(folder.path().join("runs/core-0.json"), bytes).unwrap();
        let _ = find_models(folder.path());
    })
}

/// The record of an experiment of the paper.
pub fn reproductions() -> Reader {
    let folder = tempdir().unwrap();
    Box::new(move |bytes| {
        fs::write(folder.path().join("reproduction.json"), bytes).unwrap();
        if let Ok(Some(record)) = Reproduction::read(folder.path()) {
            let _ = corevar_paper::markdown(std::slice::from_ref(&record));
            let page = write_reproductions(folder.path(), &[record]).unwrap();
            assert!(!fs::read_to_string(page).unwrap().contains("<script>alert"), "a name was not escaped");
        }
    })
}

/// The file of an experiment.
pub fn experiments() -> Reader {
    Box::new(|bytes| {
        let Ok(experiment) = Experiment::parse("x", &String::from_utf8_lossy(bytes)) else { return };
        for variant in &experiment.variants {
            let _ = experiment.plan(variant, Size::Quick);
        }
    })
}

/// A file for --config.
pub fn configs() -> Reader {
    let folder = tempdir().unwrap();
    Box::new(move |bytes| {
        let path = folder.path().join("config.toml");
        fs::write(&path, bytes).unwrap();
        corevar_cli::readers::config(&path);
    })
}

/// Arguments, one per line.
pub fn arguments() -> Reader {
    Box::new(|bytes| {
        let arguments = bytes.split(|&byte| byte == b'\n').map(argument);
        corevar_cli::readers::arguments(arguments.collect());
    })
}

#[cfg(unix)]
fn argument(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn argument(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Every reader of JSON in turn.
pub fn json() -> Reader {
    all([results(), evidence(), metrics(), run_records(), reproductions()])
}

/// Every reader of TOML in turn.
pub fn toml() -> Reader {
    all([settings(), experiments(), configs()])
}

fn all<const N: usize>(mut readers: [Reader; N]) -> Reader {
    Box::new(move |bytes| readers.iter_mut().for_each(|read| read(bytes)))
}
