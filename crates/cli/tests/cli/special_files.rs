//! Pipes, devices, sockets and folders where a file is asked for: refused at once, everywhere.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::*;

/// Longer than any of these takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the program says on stderr; None if it waits for something.
fn says(folder: &Path, arguments: &str) -> Option<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success(), "{arguments}");
    Some(text(&output.stderr))
}

/// Where a file is read: its name, and a command that reads it.
const PLACES: &[(&str, &str)] = &[
    ("t.csv", "inspect t.csv"),
    ("t.parquet", "inspect t.parquet"),
    ("x.npy", "train metadata.csv --features-file x.npy --out out"),
    ("picture.png", "train pictures.csv --out out --cache off"),
    ("tree/train/a/1.png", "train tree --out out --cache off"),
    ("settings.toml", "train metadata.csv --config settings.toml --out out"),
    ("model.safetensors", "evaluate model.safetensors metadata.csv"),
    ("copy/results.json", "report copy"),
    ("copy/config.toml", "report copy"),
    ("mine.toml", "reproduce mine.toml --out out"),
    ("reproduced/report.html", "reproduce linear --out reproduced"),
    ("birds/metadata.csv", "import waterbirds --from birds --out out"),
    ("digits/train-labels-idx1-ubyte", "import mnist --from digits --out out"),
    ("digits/train-images-idx3-ubyte", "import mnist --from digits --out out"),
    ("celeba/list_attr_celeba.txt", "import celeba --from celeba --out out"),
    ("celeba/img_align_celeba/1.jpg", "import celeba --from celeba --out out"),
];

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// A folder in which every command of the list finds all else that it needs.
fn prepare(folder: &Path) {
    write_table(folder, "");
    succeeds(folder, "train metadata.csv --out copy --quiet");
    fs::create_dir(folder.join("birds")).unwrap();
    fs::create_dir(folder.join("reproduced")).unwrap();
    write(folder, "good.pgm", b"P2 2 1 255 7 9");
    write(folder, "pictures.csv", b"filename,y,split\ngood.pgm,a,train\npicture.png,b,train\n");
    write(folder, "tree/train/b/1.png", b"P2 2 1 255 7 9");
    fs::create_dir_all(folder.join("tree/train/a")).unwrap();
    for part in ["train", "t10k"] {
        write(folder, &format!("digits/{part}-labels-idx1-ubyte"), &[0, 0, 8, 1, 0, 0, 0, 1, 7]);
        let image = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 5, 6];
        write(folder, &format!("digits/{part}-images-idx3-ubyte"), &image);
    }
    write(folder, "celeba/list_attr_celeba.txt", b"1\nEyeglasses\n1.jpg 1\n");
    write(folder, "celeba/identity_CelebA.txt", b"1.jpg 7\n");
    write(folder, "celeba/list_eval_partition.txt", b"1.jpg 0\n");
    write(folder, "celeba/img_align_celeba/1.jpg", b"x");
}

#[test]
fn what_is_no_ordinary_file_is_refused_wherever_a_file_is_read() {
    let place = folder();
    let folder = place.path();
    prepare(folder);
    type Make<'a> = &'a dyn Fn(&Path);
    let kinds: [(&str, Make<'_>); 3] = [
        ("pipe", &|path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success())),
        ("socket", &|path| drop(UnixListener::bind(path).unwrap())),
        ("device", &|path| symlink("/dev/zero", path).unwrap()),
    ];
    for (kind, make) in kinds {
        for (name, arguments) in PLACES {
            let path = folder.join(name);
            let kept = fs::read(&path).ok();
            let _ = fs::remove_file(&path);
            make(&path);
            let Some(said) = says(folder, arguments) else { panic!("{kind} {name}: {arguments} waits") };
            assert!(!said.contains("panicked"), "{kind} {name}: {said}");
            // Where it is part of a folder, that folder lacks something, or a link leads out of it.
            let words =
                ["ordinary file", "leads out", "missing", "holds other files", "outside", "cannot be read"];
            assert!(words.iter().any(|words| said.contains(words)), "{kind} {name}: {said}");
            fs::remove_file(&path).unwrap();
            kept.iter().for_each(|bytes| fs::write(&path, bytes).unwrap());
            let _ = fs::remove_dir_all(folder.join("out"));
        }
    }
}
