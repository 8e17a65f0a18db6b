//! Runs the program and looks at what it says.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// Runs `corevar` in a folder, with arguments as one string.
pub fn corevar(folder: &Path, arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .output()
        .expect("the program starts")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
pub fn succeeds(folder: &Path, arguments: &str) -> String {
    let output = corevar(folder, arguments);
    assert!(output.status.success(), "{arguments}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The message of a failure with this exit code. Also checks that stdout is empty and that nobody panicked.
#[track_caller]
pub fn fails(folder: &Path, arguments: &str, code: i32) -> String {
    let output = corevar(folder, arguments);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments}: {message}");
    assert!(output.stdout.is_empty(), "{arguments}: {}", text(&output.stdout));
    assert!(!message.contains("panicked"), "{message}");
    message
}

pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

pub const SIZES: &str = "--rows 400 --groups 40 --test-rows 100";
pub const SMALL: &str = "--rows 400 --groups 40 --test-rows 100 --hidden 8 --epochs 2";

/// Two features, two classes, pairs; `extra` is appended to the table.
pub fn write_table(folder: &Path, extra: &str) {
    let mut table = String::from("x1,x2,y,group_id,split\n");
    for row in 0..40 {
        let (side, split) =
            (if row / 2 % 2 == 0 { -1.0 } else { 1.0 }, if row < 30 { "train" } else { "test" });
        let id = if row < 10 { format!("p{}", row / 2) } else { String::new() };
        let x2 = side * f64::from(1 + row % 3);
        table += &format!("{side},{x2},{},{id},{split}\n", if side > 0.0 { "yes" } else { "no" });
    }
    fs::write(folder.join("metadata.csv"), table + extra).unwrap();
}
