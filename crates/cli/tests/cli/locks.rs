//! Two at once in one folder, on file systems with locks and without; and names that last.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::shim::Shim;
use crate::support::*;

const TRAIN: &str =
    "train nonlinear --rows 2000 --groups 100 --test-rows 50 --hidden 60 --out run --threads 1";

/// Starts a long run, and another one while it trains. What the second says.
fn second_run(shim: &Shim, flock: &str) -> String {
    let place = folder();
    let folder = place.path();
    let locks: [(&str, &dyn AsRef<std::ffi::OsStr>); 1] = [("FLOCK", &flock)];
    let mut first = shim
        .command(folder, &format!("{TRAIN} --epochs 2000 --quiet"), &locks)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.join("run/states").is_dir() {
        assert!(first.try_wait().unwrap().is_none(), "the first run ended");
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = shim.command(folder, &format!("{TRAIN} --epochs 1 --overwrite"), &locks).output().unwrap();
    first.kill().unwrap();
    first.wait().unwrap();
    text(&second.stderr)
}

#[test]
fn a_second_run_is_refused_also_where_each_machine_has_its_own_locks_of_folders() {
    let Some(shim) = Shim::new() else { return };
    let said = second_run(&shim, "local");
    assert!(said.contains("another corevar writes to this folder"), "{said}");
}

#[test]
fn where_nothing_can_be_locked_the_program_says_so_and_goes_on() {
    let Some(shim) = Shim::new() else { return };
    let said = second_run(&shim, "none");
    assert!(said.contains("the file system has no locks") && said.contains("done in"), "{said}");
}

#[test]
fn a_lock_leaves_no_file_and_a_file_of_a_killed_process_is_no_lock() {
    let place = folder();
    let run = place.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::write(run.join(".lock"), "").unwrap();
    let train = format!("{TRAIN} --epochs 1 --quiet");
    succeeds(place.path(), &train);
    assert!(!run.join(".lock").exists());
}

#[test]
fn after_every_file_its_folder_is_synced_when_it_has_its_name() {
    let (Some(shim), place) = (Shim::new(), folder()) else { return };
    let log = shim.file("syncs");
    let arguments = format!("{TRAIN} --epochs 2 --checkpoint-every 0 --quiet");
    let output = shim.command(place.path(), &arguments, &[("SYNCS", &log)]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let log = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    // States, the model, its record, settings, fingerprint, metrics, results, evidence and report.
    assert!(lines.iter().filter(|line| **line == "file").count() > 9, "{log}");
    for pair in lines.windows(2).filter(|pair| pair[0] == "file") {
        assert_eq!(pair[1], "folder", "{log}");
    }
    assert_eq!(lines.last(), Some(&"folder"));
}
