//! Small files that claim to be large: the program as a whole stays below 512 MB on two threads. `cargo run --release --workspace
//! --example hostile` writes the files for a look with other means.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use corevar_fuzz::{HostileKind, write_hostile};

use crate::support::*;

const MOST_KB: u64 = 512 << 10;

/// The most memory that the program had, in kB, and how it ended.
fn peak_of_program(folder: &Path, arguments: &str) -> (u64, Option<i32>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // The system remembers the peak for as long as the process is there.
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let lines = fs::read_to_string(&status).unwrap_or_default();
        let line = lines.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok());
        peak = peak.max(kilobytes.unwrap_or(0));
        if let Some(ended) = child.try_wait().unwrap() {
            return (peak, ended.code());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn no_hostile_file_takes_the_program_above_512_megabytes() {
    let folder = folder();
    let mut greedy = Vec::new();
    for hostile in write_hostile(folder.path()).unwrap() {
        let looks = hostile.kind == HostileKind::Picture;
        // It looks at the headers of files once more.
        let inspect = looks.then(|| format!("inspect {}.csv --cache off", hostile.name));
        for arguments in inspect.into_iter().chain([hostile.arguments()]) {
            let (peak, code) = peak_of_program(folder.path(), &arguments);
            eprintln!("{arguments}: {} MB, exit code {code:?}", peak >> 10);
            assert!(code.is_some(), "{arguments}: killed");
            if peak > MOST_KB {
                greedy.push((arguments, peak >> 10));
            }
            let _ = fs::remove_dir_all(folder.path().join("out"));
        }
    }
    assert!(greedy.is_empty(), "in MB: {greedy:?}");
}
