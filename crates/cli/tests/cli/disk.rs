//! A full disk, a folder that cannot be written, and input that goes away: a clear message, earlier files whole.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use crate::support::*;

const TRAIN: &str =
    "train nonlinear --rows 400 --groups 40 --test-rows 50 --hidden 400,40 --epochs 3 --quiet";

/// Runs the program where no file may grow beyond so many blocks of 512 or 1024 bytes.
fn with_little_room(folder: &Path, blocks: u32, arguments: &str) -> Output {
    // Ignored, the signal becomes an error of the write, as on a disk that is full.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {arguments}");
    Command::new("sh")
        .current_dir(folder)
        .env("XDG_CACHE_HOME", folder.join("caches"))
        .args(["-c", &script, env!("CARGO_BIN_EXE_corevar")])
        .output()
        .unwrap()
}

#[test]
fn a_full_disk_is_said_and_leaves_what_was_there() {
    let folder = folder();
    succeeds(folder.path(), &format!("{TRAIN} --out whole"));
    let whole = fs::read(folder.path().join("whole/model.safetensors")).unwrap();
    for (every, words) in [("1000", "cannot be saved"), ("0", "the state of the run")] {
        let arguments = format!("{TRAIN} --checkpoint-every {every} --out run");
        let output = with_little_room(folder.path(), 8, &arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(words) && said.contains("tip: "), "{said}");
        assert!(!said.contains("panicked"), "{said}");
        assert!(!folder.path().join("run/model.safetensors").exists(), "no part of a model");
        succeeds(folder.path(), &format!("{arguments} --resume"));
        assert!(fs::read(folder.path().join("run/model.safetensors")).unwrap() == whole);
        fs::remove_dir_all(folder.path().join("run")).unwrap();
    }
}

/// A thousand rows, so that they are kept for the next time, of two pictures of 4096 bytes.
fn write_many_pictures(folder: &Path) {
    for (name, grey) in [("a.pgm", 10), ("b.pgm", 200)] {
        fs::write(folder.join(name), [b"P5 64 64 255\n".as_slice(), &[grey; 4096]].concat()).unwrap();
    }
    let table = format!("filename,y,split\n{}", "a.pgm,a,train\nb.pgm,b,train\n".repeat(500));
    fs::write(folder.join("t.csv"), table).unwrap();
}

#[test]
fn a_full_home_does_not_stop_a_command_that_can_do_without_it() {
    let folder = folder();
    write_many_pictures(folder.path());
    let expected = succeeds(folder.path(), "inspect t.csv --cache off");
    let output = with_little_room(folder.path(), 100, "inspect t.csv");
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(text(&output.stdout), expected);
    assert_eq!(said.matches("decoded pictures stay in memory").count(), 1, "{said}");
    assert!(said.contains("File too large"), "{said}");
    assert!(names(&folder.path().join("caches/corevar")).is_empty(), "nothing half-written is left");
    // Whoever names a folder wants it.
    let output = with_little_room(folder.path(), 100, "inspect t.csv --cache mine");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("error: mine/"), "{}", text(&output.stderr));
}

#[test]
fn a_home_that_cannot_be_written_is_said_once() {
    let folder = folder();
    write_many_pictures(folder.path());
    let expected = succeeds(folder.path(), "inspect t.csv --cache off");
    let output = Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder.path())
        // A file where a folder should be.
        .env("XDG_CACHE_HOME", folder.path().join("t.csv"))
        .args(["inspect", "t.csv"])
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(text(&output.stdout), expected);
    assert_eq!(said.matches("decoded pictures stay in memory").count(), 1, "{said}");
}

#[test]
fn a_picture_that_may_not_be_read_is_no_bad_picture() {
    let folder = folder();
    write_many_pictures(folder.path());
    fs::write(folder.path().join("c.pgm"), "P2 1 1 255 7").unwrap();
    fs::write(folder.path().join("t.csv"), "filename,y,split\na.pgm,a,train\nb.pgm,b,train\nc.pgm,a,train\n")
        .unwrap();
    fs::set_permissions(folder.path().join("c.pgm"), fs::Permissions::from_mode(0o000)).unwrap();
    let output = as_nobody(folder.path(), "inspect t.csv --image-size 4x4 --skip-unreadable --cache off");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "left out: {said}");
    assert!(said.contains("c.pgm: cannot read: Permission denied"), "{said}");
}

#[test]
fn a_report_that_does_not_fit_leaves_the_one_before() {
    let folder = folder();
    succeeds(folder.path(), &format!("{TRAIN} --out run"));
    let report = folder.path().join("run/report.html");
    let before = fs::read(&report).unwrap();
    let output = with_little_room(folder.path(), 8, "report run");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("report.html: cannot be written") && said.contains("tip: "), "{said}");
    assert!(fs::read(&report).unwrap() == before);
    let left = names(&folder.path().join("run"));
    assert!(!left.iter().any(|name| name.starts_with(".unfinished")), "{left:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_nobody_can_take_are_an_error() {
    let folder = folder();
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder.path())
        .args(["inspect", "linear", "--rows", "40", "--groups", "4", "--test-rows", "5"])
        .stdout(full)
        .output()
        .unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("No space left on device") && !said.contains("panicked"), "{said}");
}

/// Runs the program as somebody who may not write there: root may write anywhere.
fn as_nobody(folder: &Path, arguments: &str) -> Output {
    let program = folder.join("corevar");
    fs::copy(env!("CARGO_BIN_EXE_corevar"), &program).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
    let mut command = Command::new(program);
    command.current_dir(folder).args(arguments.split_whitespace());
    if fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0) {
        command.uid(65534).gid(65534);
    }
    // While the copy was written another test may have forked, and holds it open for a moment more.
    let busy = |started: &std::io::Result<Output>| {
        started.as_ref().is_err_and(|cause| cause.kind() == std::io::ErrorKind::ExecutableFileBusy)
    };
    let mut started = command.output();
    while busy(&started) {
        std::thread::sleep(std::time::Duration::from_millis(20));
        started = command.output();
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    started.unwrap()
}

#[test]
fn a_folder_that_cannot_be_written_is_said_before_anything_is_trained() {
    let folder = folder();
    for arguments in
        ["train linear --rows 40 --groups 4 --test-rows 5 --out run", "generate linear --out data"]
    {
        let output = as_nobody(folder.path(), arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("Permission denied") && said.contains("tip: "), "{said}");
        assert_eq!(names(folder.path()), ["corevar"]);
    }
}

#[test]
fn input_that_shrinks_while_it_is_read_is_said_and_training_goes_on_later() {
    let folder = folder();
    let sizes = "--rows 60 --groups 10 --test-rows 5";
    succeeds(folder.path(), &format!("generate stickmen {sizes} --out data --quiet"));
    let train = "train data --channels 2 --batch-size 20 --cache cache --checkpoint-every 0 --quiet";
    succeeds(folder.path(), &format!("{train} --epochs 400 --out whole"));
    let child = Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder.path())
        .args(format!("{train} --epochs 400 --out run").split_whitespace())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let states = folder.path().join("run/states");
    while !fs::read_dir(&states).is_ok_and(|mut states| states.next().is_some()) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let cache = fs::read_dir(folder.path().join("cache")).unwrap().next().unwrap().unwrap().path();
    fs::File::options().write(true).open(&cache).unwrap().set_len(1000).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(".pixels: cannot read") && said.contains("run 1"), "{said}");
    succeeds(folder.path(), &format!("{train} --epochs 400 --out run --resume"));
    let model = |run: &str| fs::read(folder.path().join(run).join("model.safetensors")).unwrap();
    assert!(model("run") == model("whole"));
}

#[test]
fn data_that_went_away_are_named_when_a_run_goes_on() {
    let folder = folder();
    write_table(folder.path(), "");
    let train = "train metadata.csv --model mlp --hidden 4 --epochs 1 --quiet --out run";
    succeeds(folder.path(), train);
    let before = names(&folder.path().join("run"));
    fs::remove_file(folder.path().join("metadata.csv")).unwrap();
    let message = fails(folder.path(), &format!("{train} --resume"), 2);
    assert!(message.contains("metadata.csv: no such file") && message.contains("tip: "), "{message}");
    assert_eq!(names(&folder.path().join("run")), before);
}

#[test]
fn records_that_could_not_be_read_again_are_refused_before_anything_is_trained() {
    let folder = folder();
    let row = |row: usize| match row {
        0..40 => format!("{},{},{},train\n", row % 7, ["a", "b"][row % 2], row / 4 * 2 + row % 2),
        _ => format!("{},{},{row},s{}\n", row % 7, ["a", "b"][row % 2], row / 2),
    };
    let table: String = (0..40_040).map(row).collect();
    fs::write(folder.path().join("t.csv"), format!("x1,y,group_id,split\n{table}")).unwrap();
    let message = fails(folder.path(), "compare t.csv --out run", 1);
    assert!(
        message.contains("more than the 64 that can be read again") && message.contains("splits: 20001"),
        "{message}"
    );
    assert!(message.contains("tip: ") && message.contains("--split-column"), "{message}");
    assert_eq!(names(folder.path()), ["t.csv"]);
}
