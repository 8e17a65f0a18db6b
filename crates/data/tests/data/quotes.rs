//! Rows in = rows out, judged by a second reader of tables that shares no code with the first. It is small enough to be read at a
//! glance, and is itself held against Python's csv module: on recorded tables, and on all random ones where there is a Python.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::common::Folder;
use corevar_data::{Dataset, TableOptions};

/// Random tables.
const SEEDS: u64 = 400;

/// The rows of a table: a quote opens a field only at its beginning, and in it two quotes are one.
fn second_reader(text: &str, delimiter: char) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut is_start, mut is_quoted) = (true, false);
    let mut letters = text.chars().chain(['\n']).peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' if is_quoted => is_quoted = false,
            letter if is_quoted => field.push(letter),
            '"' if is_start => is_quoted = true,
            '\r' if letters.peek() == Some(&'\n') => continue,
            letter if letter == delimiter || letter == '\n' => {
                // An empty line is no row.
                if letter == delimiter || !row.is_empty() || !field.is_empty() || !is_start {
                    row.push(std::mem::take(&mut field));
                }
                if letter == '\n' && !row.is_empty() {
                    rows.push(std::mem::take(&mut row));
                }
                is_start = true;
                continue;
            }
            letter => field.push(letter),
        }
        is_start = false;
    }
    rows
}

#[test]
fn the_second_reader_reads_as_python_does() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/quotes.json");
    let tables: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    for table in tables.as_array().unwrap() {
        let text = table["text"].as_str().unwrap();
        let delimiter = if text.starts_with("x1;") { ';' } else { ',' };
        let rows: Vec<Vec<String>> = serde_json::from_value(table["rows"].clone()).unwrap();
        assert_eq!(second_reader(text, delimiter), rows, "{text:?}");
    }
}

/// A field as a careful or a careless writer writes it.
fn note(rng: &mut ChaCha8Rng) -> String {
    let words = [
        "ok",
        "5\" pipe",
        "a \"word\" in it",
        "",
        "\"\"",
        "\"a, b\"",
        "\"5\"\" pipe\"",
        "\"\"\"\"",
        "\"5\" pipe",
    ];
    match rng.random_range(0..6) {
        0 => format!(
            "\"{}\"",
            vec!["line"; rng.random_range(1..9)].join(if rng.random() { "\n" } else { "\r\n" })
        ),
        _ => words.choose(rng).unwrap().to_string(),
    }
}

/// A table with quotes and line ends of all kinds, and how many rows it has.
fn random_table(seed: u64) -> (String, usize) {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let end = *["\n", "\r\n"].choose(rng).unwrap();
    let rows = rng.random_range(4..80);
    let row = |rng: &mut ChaCha8Rng, row: usize| {
        format!("{row},{},{},{},train{end}", note(rng), ["a", "b"][row % 2], row / 2)
    };
    let body: String = (0..rows).map(|number| row(rng, number)).collect();
    let table = format!("x1,note,y,group_id,split{end}{body}");
    (if rng.random() { table.trim_end().to_string() } else { table }, rows)
}

/// All tables by Python's csv module; None without a Python.
fn by_python(tables: &[String]) -> Option<Vec<Vec<Vec<String>>>> {
    const SCRIPT: &str = "import csv, io, json, sys
read = lambda text: [row for row in csv.reader(io.StringIO(text, newline='')) if row]
json.dump([read(text) for text in json.load(sys.stdin)], sys.stdout)";
    let mut python = Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .inspect_err(|_| eprintln!("no Python: its csv module is not asked"))
        .ok()?;
    // Python reads all before it writes.
    python.stdin.take().unwrap().write_all(&serde_json::to_vec(tables).unwrap()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
fn the_second_reader_reads_random_tables_as_python_does() {
    let tables: Vec<String> = (0..SEEDS).map(|seed| random_table(seed).0).collect();
    let Some(judged) = by_python(&tables) else { return };
    for (table, rows) in tables.iter().zip(judged) {
        assert_eq!(second_reader(table, ','), rows, "{table:?}");
    }
}

fn notes_of(data: &Dataset) -> Vec<String> {
    let note = data.attributes().iter().find(|attribute| attribute.name == "note").unwrap();
    note.of_row.iter().map(|&level| note.levels[level as usize].clone()).collect()
}

#[test]
fn every_row_that_goes_in_comes_out() {
    let (folder, options) = (Folder::new(), TableOptions::default());
    for seed in 0..SEEDS {
        let (table, rows) = random_table(seed);
        let judged = second_reader(&table, ',');
        assert_eq!(judged.len(), rows + 1, "the second reader, seed {seed}");
        let (data, _) = folder.table(&table, &options).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let inputs = data.inputs().as_features().unwrap();
        let ours: Vec<(f32, String)> = inputs.values.iter().copied().zip(notes_of(&data)).collect();
        let theirs: Vec<(f32, String)> =
            judged[1..].iter().map(|row| (row[0].parse().unwrap(), row[1].trim().to_string())).collect();
        assert_eq!(ours, theirs, "seed {seed}");
    }
}

/// A quote at the beginning of a field makes one field of all rows up to the next such quote. The second reader loses them too: a table
/// that could have been meant otherwise is an error that names its line.
#[test]
fn rows_between_two_stray_quotes_are_not_lost_in_silence() {
    let folder = Folder::new();
    for (first, last) in [(3, 53), (0, 99), (10, 13)] {
        let note = |row: usize| match row {
            row if row == first => "\"5 inch pipe",
            row if row == last => "3 inch pipe\"",
            _ => "ok",
        };
        let row = |row: usize| format!("{row},{},{},{},train\n", note(row), ["a", "b"][row % 2], row / 2);
        let table = format!("x1,note,y,group_id,split\n{}", (0..100).map(row).collect::<String>());
        assert_eq!(second_reader(&table, ',').len(), 101 - (last - first));
        let error = folder.table(&table, &TableOptions::default()).unwrap_err().to_string();
        assert!(error.contains(&format!("metadata.csv:{}: ", first + 2)), "{error}");
        // Inside a field a quote is a letter: nothing is lost, and nothing refused.
        let sound = table.replace("\"5 inch", "5\" inch").replace("pipe\"", "pipe\" long");
        let (data, _) = folder.table(&sound, &TableOptions::default()).unwrap();
        assert_eq!(data.len(), 100);
    }
}
