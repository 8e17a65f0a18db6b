//! A disk on which one read of ten fails, or any one call: the same model or a clear error, never another model.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;

use crate::shim::Shim;
use crate::support::*;

/// Percent of the reads that fail.
const RATE: &str = "10";

fn model(folder: &Path, run: &str) -> Vec<u8> {
    fs::read(folder.join(run).join("model.safetensors")).unwrap()
}

/// Four pictures in two classes, named twice, so that there are groups.
fn write_pictures(folder: &Path) {
    let mut table = String::from("filename,y,group_id,split\n");
    for (number, grey) in [10, 60, 190, 240].into_iter().enumerate() {
        let pixels: String = (0..64).map(|pixel| format!("{} ", grey + pixel % 8)).collect();
        fs::write(folder.join(format!("{number}.pgm")), format!("P2\n8 8\n255\n{pixels}\n")).unwrap();
        let class = if grey < 100 { "dark" } else { "light" };
        table += &format!("{number}.pgm,{class},p{class},train\n");
    }
    fs::write(folder.join("pictures.csv"), table).unwrap();
}

/// Trains with every seed; how many ended with the model, and how many with an error.
fn train_on_a_bad_disk(train: &str, seeds: std::ops::Range<u64>) -> Option<[usize; 2]> {
    let (shim, place) = (Shim::new()?, folder());
    let folder = place.path();
    write_table(folder, "");
    write_pictures(folder);
    succeeds(folder, &format!("{train} --out whole"));
    let (whole, mut ends) = (model(folder, "whole"), [0, 0]);
    for seed in seeds {
        let bad: [(&str, &dyn AsRef<std::ffi::OsStr>); 2] = [("RATE", &RATE), ("SEED", &seed.to_string())];
        let output = shim.command(folder, &format!("{train} --out run"), &bad).output().unwrap();
        let said = text(&output.stderr);
        ends[usize::from(!output.status.success())] += 1;
        if !output.status.success() {
            assert!(output.status.code() == Some(1) && said.contains("error: "), "seed {seed}: {said}");
            assert!(said.contains("Input/output error") && !said.contains("panicked"), "seed {seed}: {said}");
            // On a sound disk it goes on, and ends as it should.
            let resume = if folder.join("run/config.toml").exists() { "--resume" } else { "" };
            succeeds(folder, &format!("{train} --out run {resume}"));
        }
        assert!(model(folder, "run") == whole, "seed {seed} ended with another model");
        fs::remove_dir_all(folder.join("run")).unwrap();
    }
    eprintln!("{train}: {} ended with the same model, {} with an error", ends[0], ends[1]);
    Some(ends)
}

#[test]
fn features_on_a_bad_disk_give_the_same_model_or_an_error() {
    let train = "train metadata.csv --model mlp --hidden 4 --epochs 3 --checkpoint-every 0 --quiet";
    let Some([same, error]) = train_on_a_bad_disk(train, 0..20) else { return };
    assert!(same > 0 && error > 0, "{same} and {error}");
}

#[test]
fn pictures_on_a_bad_disk_give_the_same_model_or_an_error() {
    for cache in ["off", "cache"] {
        let train =
            format!("train pictures.csv --channels 2 --epochs 2 --skip-unreadable --cache {cache} --quiet");
        let Some([_, error]) = train_on_a_bad_disk(&train, 0..10) else { return };
        // A row that could not be read for the moment is not left out, also with --skip-unreadable.
        assert!(error > 0);
    }
}

/// Loads and trains once for every call that reads, writes or syncs a file, and lets that one fail: how many did no harm, and how
/// many were an error. None without a C compiler.
fn every_call_fails_once(folder: &Path, train: &str) -> Option<[usize; 2]> {
    let shim = Shim::new()?;
    succeeds(folder, &format!("{train} --out whole"));
    let (whole, mut ends, counted) = (model(folder, "whole"), [0, 0], shim.file("count"));
    let once = format!("{train} --out run --overwrite");
    let never = shim.command(folder, &once, &[("NTH", &"-1"), ("COUNT", &counted)]).output().unwrap();
    assert!(never.status.success(), "{}", text(&never.stderr));
    let calls: usize = fs::read_to_string(counted).unwrap().lines().last().unwrap().parse().unwrap();
    for nth in 0..calls {
        let _ = fs::remove_dir_all(folder.join("run"));
        let output = shim.command(folder, &once, &[("NTH", &nth.to_string())]).output().unwrap();
        let said = text(&output.stderr);
        ends[usize::from(!output.status.success())] += 1;
        if output.status.success() {
            assert!(model(folder, "run") == whole, "{train}: call {nth} gave another model");
        } else {
            assert!(
                said.contains("Input/output error") && !said.contains("panicked"),
                "{train}, {nth}: {said}"
            );
        }
    }
    fs::remove_dir_all(folder.join("whole")).unwrap();
    eprintln!("{train}: {} calls did no harm, {} were an error", ends[0], ends[1]);
    Some(ends)
}

#[test]
fn every_call_that_fails_once_while_loading_is_an_error_or_does_no_harm() {
    let place = folder();
    let folder = place.path();
    write_table(folder, "");
    write_pictures(folder);
    write_matrix(&folder.join("x.npy"));
    let parquet = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/tests/golden/tables/zstd.parquet");
    fs::copy(parquet, folder.join("t.parquet")).unwrap();
    let pictures = "train pictures.csv --channels 2 --epochs 1 --skip-unreadable --threads 1 --quiet --cache";
    for train in [
        "train metadata.csv --quiet --threads 1",
        "train metadata.csv --features-file x.npy --quiet --threads 1",
        "train t.parquet --penalty none --quiet --threads 1",
        &format!("{pictures} off"),
        &format!("{pictures} cache"),
    ] {
        let Some([_, errors]) = every_call_fails_once(folder, train) else { return };
        assert!(errors > 0, "{train}");
    }
}

/// Forty rows of two numbers.
fn write_matrix(path: &Path) {
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (40, 2), }");
    let numbers = (0..80).flat_map(|number| (number as f32 % 7.0).to_le_bytes());
    let bytes = [b"\x93NUMPY\x01\0".as_slice(), &118u16.to_le_bytes(), header.as_bytes()].concat();
    fs::write(path, bytes.into_iter().chain(numbers).collect::<Vec<u8>>()).unwrap();
}

/// Calls, of those that read, write or sync files, of which each fails once; `make test` tries every third.
#[test]
fn any_one_call_that_fails_leaves_the_same_model_or_an_error() {
    let (Some(shim), place) = (Shim::new(), folder()) else { return };
    let folder = place.path();
    write_table(folder, "");
    let train =
        "compare metadata.csv --model mlp --hidden 2 --epochs 2 --checkpoint-every 0 --threads 1 --quiet";
    succeeds(folder, &format!("{train} --out whole"));
    let models = |run: &str| {
        let files = names(&folder.join(run).join("models"));
        files
            .iter()
            .map(|file| fs::read(folder.join(run).join("models").join(file)).unwrap())
            .collect::<Vec<_>>()
    };
    let (whole, counted) = (models("whole"), shim.file("count"));
    let never =
        shim.command(folder, &format!("{train} --out run"), &[("NTH", &"-1"), ("COUNT", &counted)]).output();
    assert!(never.unwrap().status.success());
    let calls: usize = fs::read_to_string(counted).unwrap().lines().last().unwrap().parse().unwrap();
    fs::remove_dir_all(folder.join("run")).unwrap();
    let mut errors = 0;
    for call in (0..calls).step_by(3) {
        let output = shim
            .command(folder, &format!("{train} --out run"), &[("NTH", &call.to_string())])
            .output()
            .unwrap();
        let said = text(&output.stderr);
        if !output.status.success() {
            errors += 1;
            assert!(output.status.code() == Some(1) && said.contains("error: "), "call {call}: {said}");
            assert!(said.contains("Input/output error") && !said.contains("panicked"), "call {call}: {said}");
            let resume = if folder.join("run/config.toml").exists() { "--resume" } else { "" };
            succeeds(folder, &format!("{train} --out run {resume}"));
        }
        assert!(models("run") == whole, "call {call} ended with other models");
        let left = names(&folder.join("run"));
        assert!(!left.iter().any(|name| name.starts_with('.')), "call {call}: {left:?}");
        fs::remove_dir_all(folder.join("run")).unwrap();
    }
    eprintln!("{calls} calls, of which {errors} of those tried end in an error");
    assert!(errors > 0);
}

/// One command on a disk where each call, one after the other, fails once: at most `most` of them, evenly spread. It ends as on a
/// sound disk, or in an error that leaves nothing half done.
fn tried(shim: &Shim, folder: &Path, command: &str, most: usize) -> [usize; 2] {
    let clean = || drop(fs::remove_dir_all(folder.join("out")));
    let left =
        |name: &str| fs::read_dir(folder.join(name)).map(|_| names(&folder.join(name))).unwrap_or_default();
    let counted = shim.file("count");
    clean();
    let never = shim.command(folder, command, &[("NTH", &"-1"), ("COUNT", &counted)]).output().unwrap();
    assert!(never.status.success(), "{command}: {}", text(&never.stderr));
    let calls: usize = fs::read_to_string(&counted).unwrap().lines().last().unwrap().parse().unwrap();
    let (sound, report) =
        ([left("out"), left("run"), names(folder)], fs::read(folder.join("run/report.html")).unwrap());
    let mut ends = [0, 0];
    for nth in (0..calls).step_by(calls.div_ceil(most)) {
        clean();
        let output = shim.command(folder, command, &[("NTH", &nth.to_string())]).output().unwrap();
        let said = text(&output.stderr);
        ends[usize::from(!output.status.success())] += 1;
        assert!(!said.contains("panicked"), "{command}, {nth}: {said}");
        if output.status.success() {
            assert_eq!(text(&output.stdout), text(&never.stdout), "{command}, {nth}");
            assert_eq!([left("out"), left("run"), names(folder)], sound, "{command}, {nth}");
        } else {
            let is_said = said.contains("error: ") && said.contains("Input/output error");
            assert!(output.status.code() == Some(1) && is_said, "{command}, {nth}: {said}");
            for hidden in [left("out"), left("run"), names(folder)].concat() {
                assert!(
                    !hidden.starts_with('.') && !hidden.contains("partial"),
                    "{command}, {nth}: {hidden}"
                );
            }
        }
        assert!(
            !command.starts_with("report")
                || fs::read(folder.join("run/report.html")).unwrap().len() == report.len()
        );
    }
    clean();
    eprintln!("{command}: {calls} calls; of those tried {} did no harm, {} were an error", ends[0], ends[1]);
    ends
}

#[test]
fn any_one_call_that_fails_in_other_commands_gives_the_same_answer_or_an_error() {
    let (Some(shim), place) = (Shim::new(), folder()) else { return };
    let folder = place.path();
    write_table(folder, "");
    write_pictures(folder);
    fs::create_dir(folder.join("birds")).unwrap();
    fs::copy(folder.join("0.pgm"), folder.join("birds/a.pgm")).unwrap();
    fs::write(folder.join("birds/metadata.csv"), "img_filename,y,split\na.pgm,0,0\na.pgm,1,2\n").unwrap();
    let train = "--model mlp --hidden 2 --epochs 1 --threads 1 --quiet --out";
    succeeds(folder, &format!("compare metadata.csv --runs 1 {train} run"));
    for command in [
        "inspect pictures.csv --cache off".to_string(),
        "evaluate run metadata.csv --out out --threads 1 --quiet".into(),
        "report run".into(),
        format!("sweep metadata.csv --penalty-weights 1 --folds 1 {train} out"),
        format!("compare metadata.csv --runs 1 {train} run --resume"),
        "generate stickmen --rows 8 --groups 2 --test-rows 2 --out out --quiet".into(),
        "import waterbirds --from birds --out out --quiet".into(),
    ] {
        let [_, errors] = tried(&shim, folder, &command, 25);
        assert!(errors > 0, "{command}");
    }
}
