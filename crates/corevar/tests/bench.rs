//! The benchmark's own side answers; `make bench` asks it in turns with PyTorch.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Beside the tests, where cargo puts examples.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples/bench_step")
}

#[test]
fn steps_are_timed_on_request() {
    let mut program = Command::new(program()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut requests = program.stdin.take().unwrap();
    let mut answers = BufReader::new(program.stdout.take().unwrap()).lines();
    assert_eq!(answers.next().unwrap().unwrap(), "ready");
    for request in ["mnist 12 2", "9x7x3/4,5/3 6 1", "jobs mnist 12 2 2", "memory mnist 24"] {
        writeln!(requests, "{request}").unwrap();
        let answer: f64 = answers.next().unwrap().unwrap().parse().unwrap();
        assert!(answer > 0.0, "{request}: {answer}");
    }
    drop(requests);
    assert!(program.wait().unwrap().success());
}
