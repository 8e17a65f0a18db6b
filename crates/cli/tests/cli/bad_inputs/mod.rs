//! Hand-made bad input: each ends in a message that says what, where and what to do, and nothing is written.

mod columns;
mod flags;
mod imports;
mod matrices;
mod models;
mod pictures;
mod records;
mod settings;
mod tables;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use crate::support::*;

/// Files beside those of [`sound`], a command line, its exit code, and words of its message.
pub struct Case {
    files: &'static [(&'static str, &'static [u8])],
    arguments: &'static str,
    code: i32,
    words: &'static str,
}

const fn files(
    files: &'static [(&'static str, &'static [u8])],
    arguments: &'static str,
    code: i32,
    words: &'static str,
) -> Case {
    Case { files, arguments, code, words }
}

const fn flags(arguments: &'static str, code: i32, words: &'static str) -> Case {
    files(&[], arguments, code, words)
}

/// Name, cases, and how many there are at least.
const LISTS: [(&str, &[Case], usize); 9] = [
    ("flags", flags::CASES, 140),
    ("tables", tables::CASES, 63),
    ("columns", columns::CASES, 25),
    ("matrices", matrices::CASES, 19),
    ("pictures", pictures::CASES, 30),
    ("settings", settings::CASES, 40),
    ("models", models::CASES, 35),
    ("records", records::CASES, 25),
    ("imports", imports::CASES, 46),
];

/// A folder with a table, a run on it, and the files of somebody else.
fn sound() -> tempfile::TempDir {
    let place = folder();
    write_table(place.path(), "");
    fs::create_dir(place.path().join("other")).unwrap();
    fs::write(place.path().join("other/thesis.txt"), "mine").unwrap();
    succeeds(place.path(), "train metadata.csv --out run --quiet");
    place
}

/// Every file and folder, with the length of the files.
fn listing(folder: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for name in names(folder) {
        let path = folder.join(&name);
        if path.is_dir() {
            found.extend(
                listing(&path).into_iter().map(|(inner, length)| (format!("{name}/{inner}"), length)),
            );
            found.push((name, 0));
        } else {
            found.push((name, fs::metadata(&path).unwrap().len()));
        }
    }
    found
}

fn check(folder: &Path, case: &Case) {
    for (name, bytes) in case.files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let before = listing(folder);
    let message = fails(folder, case.arguments, case.code);
    assert!(message.contains("error: ") && message.contains(case.words), "{}: {message}", case.arguments);
    // What to do: a tip, the rule that was broken, or where to read on.
    let says_what_to_do = ["tip: ", "must be ", "--help"].iter().any(|words| message.contains(words));
    assert!(says_what_to_do, "{}: {message}", case.arguments);
    assert!(listing(folder) == before, "{} left something behind", case.arguments);
    for (name, _) in case.files {
        let top = folder.join(name.split('/').next().unwrap());
        let _ = if top.is_dir() { fs::remove_dir_all(top) } else { fs::remove_file(top) };
    }
}

#[test]
fn every_bad_input_ends_in_a_message_and_leaves_nothing_behind() {
    let place = sound();
    let broken = |case: &&Case| catch_unwind(|| check(place.path(), case)).is_err();
    let broken = LISTS.iter().flat_map(|(_, cases, _)| cases.iter()).filter(broken).count();
    assert_eq!(broken, 0, "each is told above");
}

#[test]
fn there_are_more_than_four_hundred_bad_inputs() {
    for (name, cases, least) in LISTS {
        assert!(cases.len() >= least, "{name}: {}", cases.len());
    }
    let all: usize = LISTS.iter().map(|(_, cases, _)| cases.len()).sum();
    eprintln!("{all} bad inputs");
    assert!(all >= 400, "{all}");
}
