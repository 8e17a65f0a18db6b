//! The records of a run, and files of settings.

use std::fs;
use std::path::Path;

use corevar::study::find_models;
use corevar_fuzz::{Damage, corpus, damaged, damaged_json, fuzz};
use corevar_paper::{Experiment, Reproduction, Size};
use corevar_report::{Records, html, write_reproductions};

use crate::MEMORY;

/// Gives the report a folder with one damaged record among sound ones.
fn report_of(name: &str, file: &str, damage: Damage) {
    let folder = tempfile::tempdir().unwrap();
    let sound = |name: &str| corpus(name).swap_remove(0);
    fs::write(folder.path().join("results.json"), sound("results")).unwrap();
    fs::write(folder.path().join("evidence.json"), sound("evidence")).unwrap();
    fs::write(folder.path().join("metrics.jsonl"), sound("metrics")).unwrap();
    fs::write(folder.path().join("config.toml"), sound("settings")).unwrap();
    fuzz(name, Some(&MEMORY), &corpus(name), damage, |bytes| {
        fs::write(folder.path().join(file), bytes).unwrap();
        if let Ok(records) = Records::read(folder.path()) {
            let page = html(&records);
            // The page has a script of its own; no name of a record becomes one.
            assert!(!page.contains("<script>alert"), "a name was not escaped");
        }
    });
}

#[test]
fn results() {
    report_of("results", "results.json", damaged_json);
}

#[test]
fn evidence() {
    report_of("evidence", "evidence.json", damaged_json);
}

#[test]
fn metrics() {
    report_of("metrics", "metrics.jsonl", damaged);
}

#[test]
fn settings() {
    report_of("settings", "config.toml", damaged);
}

#[test]
fn run_records() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["models", "runs"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("models/core-0.safetensors"), corpus("models").swap_remove(0)).unwrap();
    fs::write(folder.path().join("results.json"), corpus("results").swap_remove(0)).unwrap();
    fuzz("run_records", Some(&MEMORY), &corpus("run_records"), damaged_json, |bytes| {
        fs::write(folder.path().join("runs/core-0.json"), bytes).unwrap();
        let _ = find_models(folder.path());
    });
}

#[test]
fn reproductions() {
    let folder = tempfile::tempdir().unwrap();
    fuzz("reproductions", Some(&MEMORY), &corpus("reproductions"), damaged_json, |bytes| {
        fs::write(folder.path().join("reproduction.json"), bytes).unwrap();
        if let Ok(Some(record)) = Reproduction::read(folder.path()) {
            let _ = corevar_paper::markdown(std::slice::from_ref(&record));
            let page = write_reproductions(folder.path(), &[record]).unwrap();
            assert!(!fs::read_to_string(page).unwrap().contains("<script>alert"), "a name was not escaped");
        }
    });
}

#[test]
fn experiments() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../paper/experiments");
    let corpus = corevar_fuzz::files(&folder, &[".toml"]);
    fuzz("experiments", Some(&MEMORY), &corpus, damaged, |bytes| {
        let Ok(experiment) = Experiment::parse("x", &String::from_utf8_lossy(bytes)) else { return };
        for variant in &experiment.variants {
            let _ = experiment.plan(variant, Size::Quick);
        }
    });
}
