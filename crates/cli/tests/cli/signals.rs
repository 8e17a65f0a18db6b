//! Ctrl-C and SIGTERM at any time: the program ends with 130, soon, and leaves only whole files.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::*;

/// Much less than what the commands below take, and much more than what they need to stop.
const SOON: Duration = Duration::from_secs(8);

fn start(folder: &Path, arguments: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until something is there.
fn wait_for(is_there: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_there() {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing happened");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until the program listens to signals: before that the system answers them.
fn wait_until_it_listens(child: &Child) {
    const TERM: u64 = 1 << 14;
    let start = Instant::now();
    let listens = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & TERM != 0))
    };
    while !listens() && start.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(Duration::from_millis(50));
}

/// Sends a signal; how the program ended.
fn interrupted(child: Child, signal: &str) -> Output {
    Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
    let start = Instant::now();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "SIG{signal}: {said}");
    assert!(said.contains("interrupted") && !said.contains("panicked"), "{said}");
    assert!(start.elapsed() < SOON, "after {:?}: {said}", start.elapsed());
    output
}

fn unfinished(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|name| name.starts_with('.')).collect()
}

/// A table of so many rows and features without any pattern: no fit of it is quick.
fn write_noise(folder: &Path, rows: usize, features: usize) {
    let mut number = 1u64;
    let mut draw = || {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 40) as f64 / 8e6 - 1.0
    };
    let mut table: String = (0..features).map(|feature| format!("x{feature},")).collect();
    table += "y,group_id,split\n";
    for row in 0..rows {
        (0..features).for_each(|_| table += &format!("{:.3},", draw()));
        let split = if row % 10 == 0 { "test" } else { "train" };
        table += &format!("c{},p{},{split}\n", row % 7, row / 14 * 7 + row % 7);
    }
    fs::write(folder.join("noise.csv"), table).unwrap();
}

#[test]
fn in_a_linear_fit() {
    let folder = folder();
    write_noise(folder.path(), 6000, 300);
    let path = "compare noise.csv --penalty loss-sd --penalty-weight 1 --ridge 1e-9 --threads 1 --out";
    for (signal, run) in [("INT", "a"), ("TERM", "b")] {
        let child = start(folder.path(), &format!("{path} {run}"));
        // The pooled fit may be done, and what is kept of it takes a moment; that of CoRe takes its time.
        wait_for(|| folder.path().join(run).join("models").is_dir());
        std::thread::sleep(Duration::from_millis(1500));
        let output = interrupted(child, signal);
        assert!(text(&output.stderr).contains("interrupted in the linear fit"), "{}", text(&output.stderr));
        assert_eq!(unfinished(&folder.path().join(run)), [""; 0]);
        assert!(!folder.path().join(run).join("results.json").exists());
    }
}

#[test]
fn while_data_are_drawn_or_read() {
    let folder = folder();
    let draw = "train stickmen --rows 2000000 --groups 10 --test-rows 10 --threads 1 --out run";
    write_noise(folder.path(), 60_000, 60);
    for (signal, command) in
        [("INT", draw), ("TERM", "train noise.csv --out run"), ("INT", "inspect noise.csv")]
    {
        let child = start(folder.path(), command);
        wait_until_it_listens(&child);
        interrupted(child, signal);
        assert_eq!(names(folder.path()), ["noise.csv"]);
    }
}

#[test]
fn while_evidence_is_gathered() {
    let folder = folder();
    let train = "train linear --rows 400000 --groups 1000 --test-rows 200000 --threads 1 --out run";
    let child = start(folder.path(), train);
    wait_for(|| {
        fs::read_dir(folder.path().join("run/runs")).is_ok_and(|mut runs| {
            runs.any(|run| run.is_ok_and(|run| run.path().extension().is_some_and(|kind| kind == "json")))
        })
    });
    std::thread::sleep(Duration::from_millis(50));
    interrupted(child, "TERM");
    let run = folder.path().join("run");
    assert_eq!(unfinished(&run), [""; 0]);
    assert!(run.join("model.safetensors").exists() && !run.join("evidence.json").exists());
}

#[test]
fn while_a_report_is_made() {
    let folder = folder();
    succeeds(folder.path(), &format!("train nonlinear {SMALL} --out run --quiet"));
    let run = folder.path().join("run");
    let (metrics, report) = (run.join("metrics.jsonl"), run.join("report.html"));
    let before = fs::read(&report).unwrap();
    // As many epochs as a report reads.
    let line = fs::read_to_string(&metrics).unwrap().lines().next().unwrap().to_string() + "\n";
    fs::write(&metrics, line.repeat((250 << 20) / line.len())).unwrap();
    for signal in ["INT", "TERM"] {
        let child = start(folder.path(), "report run");
        wait_until_it_listens(&child);
        interrupted(child, signal);
        assert!(fs::read(&report).unwrap() == before);
        assert_eq!(unfinished(&run), [""; 0]);
    }
}
