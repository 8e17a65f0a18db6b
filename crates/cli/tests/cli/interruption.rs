//! Runs that are killed, interrupted, or meet another one in their folder.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::*;

/// Kills of a run and of a sweep; `make kill` asks for more.
fn kills(usual: u64) -> u64 {
    std::env::var("COREVAR_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn start(folder: &Path, arguments: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// A few milliseconds up to `most`, another for every kill.
fn moment(kill: u64, most: u64) -> Duration {
    let mixed = (kill + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
    Duration::from_millis(mixed % most)
}

const TRAIN: &str =
    "train nonlinear --rows 2000 --groups 100 --test-rows 50 --hidden 60 --checkpoint-every 0 --quiet";

#[test]
fn a_run_that_is_killed_at_any_moment_ends_as_one_that_was_not() {
    let folder = folder();
    let started = std::time::Instant::now();
    succeeds(folder.path(), &format!("{TRAIN} --epochs 8 --out whole"));
    let most = (started.elapsed().as_millis() as u64).max(50);
    let model = |run: &str| fs::read(folder.path().join(run).join("model.safetensors")).unwrap();
    let whole = model("whole");
    let mut in_training = 0;
    let kills = kills(6);
    for kill in 0..kills {
        let run = format!("run{kill}");
        let mut child = start(folder.path(), &format!("{TRAIN} --epochs 8 --out {run}"));
        std::thread::sleep(moment(kill, most));
        child.kill().unwrap();
        child.wait().unwrap();
        let states = fs::read_dir(folder.path().join(&run).join("states"));
        in_training += usize::from(states.is_ok_and(|mut states| states.next().is_some()));
        // Killed before the folder was there: nothing to resume.
        let resume = if folder.path().join(&run).join("config.toml").exists() { "--resume" } else { "" };
        succeeds(folder.path(), &format!("{TRAIN} --epochs 8 --out {run} {resume}"));
        assert!(model(&run) == whole, "kill {kill} after {:?}", moment(kill, most));
        fs::remove_dir_all(folder.path().join(&run)).unwrap();
    }
    eprintln!(
        "{in_training} of {kills} kills of a run met a state on disk; {kills} of {kills} ended with the same model"
    );
}

/// A document without the times in it.
fn timeless(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.remove("seconds");
            fields.values_mut().for_each(|field| *field = timeless(field.take()));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = timeless(item.take())),
        _ => {}
    }
    value
}

#[test]
fn a_sweep_that_is_killed_at_any_moment_ends_as_one_that_was_not() {
    let folder = folder();
    let sweep = "sweep nonlinear --rows 600 --groups 60 --test-rows 100 --hidden 30 --epochs 6 --runs 2 \
                 --penalty-weights 0.01,0.1,1,3,10 --folds 2 --checkpoint-every 0.01 --quiet --out";
    let started = std::time::Instant::now();
    succeeds(folder.path(), &format!("{sweep} whole"));
    let most = (started.elapsed().as_millis() as u64).max(50);
    let results = |run: &str| timeless(json(&folder.path().join(run).join("results.json")));
    let whole = results("whole");
    // Those of the grid, and CoRe with weight 0 where that was chosen.
    assert!((6..=7).contains(&whole["estimators"].as_array().unwrap().len()));
    let kills = kills(3);
    for kill in 0..kills {
        let run = format!("run{kill}");
        let mut child = start(folder.path(), &format!("{sweep} {run}"));
        std::thread::sleep(moment(kill, most));
        child.kill().unwrap();
        child.wait().unwrap();
        let resume = if folder.path().join(&run).join("config.toml").exists() { "--resume" } else { "" };
        succeeds(folder.path(), &format!("{sweep} {run} {resume}"));
        assert_eq!(results(&run), whole, "kill {kill} after {:?}", moment(kill, most));
        fs::remove_dir_all(folder.path().join(&run)).unwrap();
    }
    eprintln!("{kills} of {kills} kills of a sweep ended with the same results");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_saves_says_how_to_go_on_and_exits_with_130() {
    let folder = folder();
    let train = TRAIN.replace("--checkpoint-every 0", "--checkpoint-every 1000");
    succeeds(folder.path(), &format!("{train} --epochs 8 --out whole"));
    for (signal, run) in [("INT", "a"), ("TERM", "b")] {
        let child = start(folder.path(), &format!("{train} --epochs 2000 --out {run}"));
        let states = folder.path().join(run).join("states");
        while !states.is_dir() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(200));
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{said}");
        assert!(said.contains("interrupted in epoch") && said.contains("--resume"), "{said}");
        assert_eq!(fs::read_dir(&states).unwrap().count(), 1, "one state, no half of one");
        let message = fails(folder.path(), &format!("{train} --epochs 8 --out {run} --resume"), 1);
        assert!(message.contains("epochs = 2000, not 8"), "{message}");
        assert!(!folder.path().join(run).join("results.json").exists());
    }
}

#[test]
fn other_data_are_refused_with_their_fingerprints() {
    let folder = folder();
    write_table(folder.path(), "");
    let train = "train metadata.csv --model mlp --hidden 4 --epochs 1 --quiet --out run";
    succeeds(folder.path(), train);
    write_table(folder.path(), "9,9,yes,,train\n");
    let message = fails(folder.path(), &format!("{train} --resume"), 1);
    assert!(message.contains("other data") && message.contains("tip:"), "{message}");
}

#[test]
fn a_second_run_in_the_same_folder_is_refused() {
    let folder = folder();
    let arguments = format!("{TRAIN} --epochs 2000 --out run");
    let mut child = start(folder.path(), &arguments);
    while !folder.path().join("run/states").is_dir() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let message = fails(folder.path(), &format!("{arguments} --resume"), 1);
    assert!(message.contains("another corevar writes to this folder"), "{message}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_run_that_diverges_says_why_and_keeps_its_last_good_state() {
    let folder = folder();
    let train = format!("train nonlinear {SMALL} --learning-rate 1e20 --decay constant --checkpoint-every 0");
    let message = fails(folder.path(), &format!("{train} --out run --quiet"), 1);
    assert!(message.contains("not finite in epoch 1, batch 2"), "{message}");
    assert!(message.contains("likely cause: the learning rate 1e20"), "{message}");
    assert_eq!(names(&folder.path().join("run/states")).len(), 1);
    assert!(!folder.path().join("run/model.safetensors").exists());
}

#[test]
fn a_run_that_another_version_or_machine_began_says_so_when_it_goes_on() {
    let folder = folder();
    write_table(folder.path(), "");
    let train = "train metadata.csv --model mlp --hidden 4 --epochs 1 --out run";
    succeeds(folder.path(), train);
    let began = folder.path().join("run/data.txt");
    let lines = fs::read_to_string(&began).unwrap();
    let (data, here) = lines.trim().split_once('\n').unwrap();
    let resumed = corevar(folder.path(), &format!("{train} --resume"));
    assert!(
        resumed.status.success() && !text(&resumed.stderr).contains("was begun by"),
        "{}",
        text(&resumed.stderr)
    );
    fs::write(&began, format!("{data}\ncorevar 0.0.9 on a machine of long ago\n")).unwrap();
    let resumed = corevar(folder.path(), &format!("{train} --resume"));
    let said = text(&resumed.stderr);
    let expected = format!(
        "the run was begun by corevar 0.0.9 on a machine of long ago; this is {here}: numbers may differ in their last digits"
    );
    assert!(resumed.status.success() && said.contains(&expected), "{said}");
}

#[test]
fn a_model_that_was_exchanged_is_named_when_its_run_goes_on_or_is_evaluated() {
    let folder = folder();
    write_table(folder.path(), "");
    let train = "compare metadata.csv --model mlp --hidden 4 --epochs 1 --runs 2 --quiet --out run";
    succeeds(folder.path(), train);
    let models = folder.path().join("run/models");
    let whole = fs::read(models.join("core-0.safetensors")).unwrap();
    fs::copy(models.join("core-1.safetensors"), models.join("core-0.safetensors")).unwrap();
    for command in [
        &format!("{train} --resume"),
        "evaluate run metadata.csv",
        "evaluate run/models/core-0.safetensors metadata.csv",
    ] {
        let message = fails(folder.path(), command, 1);
        let named = message.contains("run/models/core-0.safetensors: this is not the model that");
        assert!(named && message.contains("tip: put the file back"), "{command}: {message}");
    }
    fs::write(models.join("core-0.safetensors"), whole).unwrap();
    succeeds(folder.path(), &format!("{train} --resume"));
    succeeds(folder.path(), "evaluate run metadata.csv");
    // By itself a file is taken for what it is.
    fs::copy(models.join("core-1.safetensors"), folder.path().join("other.safetensors")).unwrap();
    succeeds(folder.path(), "evaluate other.safetensors metadata.csv");
}
