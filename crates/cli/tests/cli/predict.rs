//! predict: answers for new rows, as a pipeline would ask for them.

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::support::*;

const HEADER: &str = "row,label,p_no,p_yes,style_radius\n";

/// A folder with a linear model in `run`.
fn trained() -> tempfile::TempDir {
    let folder = folder();
    write_table(folder.path(), "");
    succeeds(folder.path(), "train metadata.csv --out run --quiet");
    folder
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    fs::write(folder.join(name), text).unwrap();
}

fn start(folder: &Path, arguments: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn with_stdin(folder: &Path, arguments: &str, input: &str) -> Output {
    let mut child = start(folder, arguments);
    // A program that refuses the table does not read it all.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn rows_are_answered_in_their_order_with_their_keys() {
    let folder = trained();
    write(folder.path(), "new.csv", "site,x2,group_id,x1\nA,3,p1,1\nB,-3,,-1\nC,1,p2,1\n");
    let output = corevar(folder.path(), "predict run new.csv");
    assert!(output.status.success());
    let said = text(&output.stderr);
    assert!(said.starts_with("ignored 1 column that the model does not take: `site`\n"), "{said}");
    assert!(said.contains("style_radius stays empty") && said.lines().count() == 2, "{said}");
    let table = text(&output.stdout);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "row,group_id,label,p_no,p_yes,style_radius");
    assert!(lines[1].starts_with("1,p1,yes,") && lines[2].starts_with("2,,no,"), "{table}");
    assert!(lines[3].starts_with("3,p2,yes,") && lines.len() == 4, "{table}");
    for (place, line) in lines[1..].iter().enumerate() {
        let numbers: Vec<f64> = line.split(',').skip(3).filter_map(|cell| cell.parse().ok()).collect();
        assert!((numbers[0] + numbers[1] - 1.0).abs() < 1e-12, "{place}: {line}");
    }
    // Labels are not looked at, whatever they are.
    let labelled = succeeds(folder.path(), "predict run/model.safetensors metadata.csv --quiet");
    assert_eq!(labelled.lines().count(), 41);
    let strange = fs::read_to_string(folder.path().join("metadata.csv")).unwrap().replace(",yes,", ",17,");
    write(folder.path(), "numbers.csv", strange);
    assert_eq!(succeeds(folder.path(), "predict run numbers.csv --quiet"), labelled);
}

#[test]
fn the_name_of_the_file_or_a_flag_decides_on_the_form() {
    let folder = trained();
    let at = folder.path();
    let csv = succeeds(at, "predict run metadata.csv --quiet");
    for name in ["a.csv", "a.jsonl", "a.parquet", "b.txt --format csv"] {
        assert_eq!(succeeds(at, &format!("predict run metadata.csv --quiet --out {name}")), "");
    }
    for name in ["a.csv", "b.txt"] {
        assert_eq!(fs::read_to_string(at.join(name)).unwrap(), csv);
    }
    let lines = fs::read_to_string(at.join("a.jsonl")).unwrap();
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let probability = csv.lines().nth(1).unwrap().split(',').nth(3).unwrap();
    assert_eq!((&first["row"], first["p_no"].as_f64()), (&1.into(), probability.parse().ok()));
    assert!(fs::read(at.join("a.parquet")).unwrap().starts_with(b"PAR1"));
    assert_eq!(succeeds(at, "predict run metadata.csv --quiet --format jsonl"), lines);
    // Answers are a table, too: columns of the model are missing in it.
    let message = fails(at, "predict run a.parquet", 1);
    assert!(message.contains("the model takes features that are not there: `x1`, `x2`"), "{message}");
    let message = fails(at, "predict run metadata.csv --out a.txt", 2);
    assert!(message.contains("the name does not say which form"), "{message}");
    let message = fails(at, "predict run metadata.csv --out metadata.csv", 2);
    assert!(message.contains("would replace what they are made from"), "{message}");
    let message = fails(at, "predict run metadata.csv --out none/a.csv", 1);
    assert!(message.contains("--out none/a.csv: "), "{message}");
    #[cfg(unix)]
    assert!(
        fails(at, "predict run metadata.csv --out /dev/null --format csv", 1)
            .contains("not an ordinary file")
    );
    assert!(!names(at).iter().any(|name| name.starts_with('.')));
}

#[test]
fn rows_that_cannot_be_read_get_an_empty_answer_and_an_exit_code() {
    let folder = trained();
    let at = folder.path();
    write(at, "new.csv", "x1,x2,group_id\n1,3,a\n,3,b\n1,two,c\n1,4\n-1,-3,e\n");
    let output = corevar(at, "predict run new.csv --out answers.csv --quiet");
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    for words in [
        "no answer: new.csv:3: the number is empty in column `x1`\n",
        "no answer: new.csv:4: `two` in column `x2` is not a number\n",
        "no answer: new.csv:5: the row has 2 fields, the header has 3\n",
        "error: 3 of 5 rows have no answer\n",
    ] {
        assert!(message.contains(words), "{message}");
    }
    let answers = fs::read_to_string(at.join("answers.csv")).unwrap();
    let lines: Vec<&str> = answers.lines().collect();
    assert!(lines[1].starts_with("1,a,yes,") && lines[5].starts_with("5,e,no,"), "{answers}");
    assert_eq!(lines[2..5], ["2,b,,,,", "3,c,,,,", "4,,,,,"]);
    // The first one ends it with --strict, and the file of before stays.
    let message = fails(at, "predict run new.csv --out answers.csv --strict --quiet", 1);
    assert!(message.contains("new.csv:3: the number is empty") && message.contains("stopped at the first"));
    assert!(!message.contains("new.csv:4"), "{message}");
    assert_eq!(fs::read_to_string(at.join("answers.csv")).unwrap(), answers);
    assert!(!names(at).iter().any(|name| name.starts_with('.')));
}

#[test]
fn a_pipe_is_read_and_written() {
    let folder = trained();
    let at = folder.path();
    let table = fs::read_to_string(at.join("metadata.csv")).unwrap();
    let output = with_stdin(at, "predict run - --quiet", &table);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), succeeds(at, "predict run metadata.csv --quiet"));
    let output = with_stdin(at, "predict run -", "x1,x2\n");
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), HEADER));
    assert!(text(&output.stderr).contains("there are no rows"));
    let one = with_stdin(at, "predict run - --quiet", "x1,x2\n1,3");
    assert!(text(&one.stdout).starts_with(&format!("{HEADER}1,yes,")), "{}", text(&one.stdout));
    for (input, words) in [
        ("", "the file is empty"),
        ("PAR1", "Parquet must be in a file"),
        ("x1,x2,x1\n1,2,3\n", "two columns named `x1`"),
        ("x1,\"x2\n1,2\n", "never closed"),
    ] {
        let output = with_stdin(at, "predict run -", input);
        assert_eq!(output.status.code(), Some(1), "{input}");
        assert!(text(&output.stderr).contains(words), "{input}: {}", text(&output.stderr));
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_quietly() {
    let folder = trained();
    let mut child = start(folder.path(), "predict run - --quiet");
    let mut stdin = child.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || {
        let block = "1,3\n".repeat(10_000);
        let _ = stdin.write_all(b"x1,x2\n");
        while stdin.write_all(block.as_bytes()).is_ok() {}
    });
    let mut first = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert!(output.status.success());
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn a_run_stands_for_its_core_model_and_others_can_be_picked() {
    let folder = folder();
    let at = folder.path();
    write_table(at, "");
    succeeds(at, "compare metadata.csv --model mlp --hidden 3 --epochs 2 --runs 2 --out run --quiet");
    let of = |flags: &str| succeeds(at, &format!("predict run metadata.csv --quiet {flags}"));
    let file = |name: &str| succeeds(at, &format!("predict run/models/{name} metadata.csv --quiet"));
    assert_eq!(of(""), file("core-0.safetensors"));
    assert_eq!(of("--run 2"), file("core-1.safetensors"));
    assert_eq!(of("--estimator pooled --run 2"), file("pooled-1.safetensors"));
    let probability = |table: &str| -> Vec<f64> {
        table.lines().skip(1).map(|line| line.split(',').nth(3).unwrap().parse().unwrap()).collect()
    };
    let (mean, one, two) = (of("--ensemble"), of(""), of("--run 2"));
    for ((mean, one), two) in probability(&mean).iter().zip(probability(&one)).zip(probability(&two)) {
        assert!((mean - (one + two) / 2.0).abs() < 1e-12);
    }
    let message = fails(at, "predict run metadata.csv --estimator robust", 1);
    assert!(message.contains("there is no estimator robust"), "{message}");
    assert!(fails(at, "predict run metadata.csv --run 3", 1).contains("there is no run 3"));
    fails(at, "predict run metadata.csv --run 1 --ensemble", 2);
    let message = fails(at, "predict run/models/core-0.safetensors metadata.csv --ensemble", 2);
    assert!(message.contains("--ensemble has no effect"), "{message}");
}

/// Grey pictures of 8x8 pixels in two classes, and a model of them in `run`.
fn trained_on_pictures() -> tempfile::TempDir {
    let folder = folder();
    let mut table = String::from("filename,y,group_id,split\n");
    fs::create_dir(folder.path().join("img")).unwrap();
    for number in 0..12 {
        let grey = if number % 2 == 0 { 30 + number } else { 200 + number };
        let pixels: String = (0..64).map(|pixel| format!("{} ", grey + pixel % 8)).collect();
        write(folder.path(), &format!("img/{number}.pgm"), format!("P2\n8 8\n255\n{pixels}\n"));
        let class = ["dark", "light"][number % 2];
        table += &format!("img/{number}.pgm,{class},p{},train\n", number / 4 * 2 + number % 2);
    }
    write(folder.path(), "metadata.csv", table);
    succeeds(folder.path(), "train metadata.csv --channels 2 --epochs 2 --out run --cache off --quiet");
    folder
}

#[test]
fn pictures_are_answered_by_table_folder_name_and_pipe() {
    let place = trained_on_pictures();
    let at = place.path();
    let answers = |data: &str| {
        let table = succeeds(at, &format!("predict run {data} --quiet"));
        table.lines().skip(1).map(String::from).collect::<Vec<_>>()
    };
    let by_table = answers("metadata.csv");
    assert!(by_table[0].starts_with("img/0.pgm,p0,") && by_table.len() == 12, "{by_table:?}");
    // File, label and probabilities to six digits: how many pictures a network sees at once moves the eighth.
    let parts = |line: &String, skip: usize| {
        let mut cells: Vec<String> = line.split(',').map(String::from).collect();
        cells.drain(1..1 + skip);
        cells[2..4].iter_mut().for_each(|cell| *cell = format!("{:.6}", cell.parse::<f64>().unwrap()));
        cells
    };
    // In natural order: 9 before 10.
    for (folder, table) in answers("img").iter().zip(&by_table) {
        assert_eq!(parts(&format!("img/{folder}"), 0), parts(table, 1));
    }
    assert_eq!(parts(&answers("img/3.pgm")[0], 0), parts(&by_table[3], 1));
    let two = answers("img/5.pgm img/3.pgm");
    assert_eq!([5, 3].map(|place| parts(&by_table[place], 1)), [parts(&two[0], 0), parts(&two[1], 0)]);
    // From a pipe, paths are relative to the present folder.
    let output = with_stdin(at, "predict run - --quiet", "filename\nimg/3.pgm\nimg/none.pgm\n");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("no answer: stdin:3: image `img/none.pgm` cannot be decoded: no such file"),
        "{said}"
    );
    assert!(text(&output.stdout).ends_with("img/none.pgm,,,,\n"));
    let inner = at.join("img");
    let outside = "filename\n../metadata.csv\n";
    let message = text(&with_stdin(&inner, "predict ../run - --quiet", outside).stderr);
    assert!(message.contains("lies outside the folder") && message.contains("--allow-outside"), "{message}");
    write(&inner, "t.csv", "filename\n../img/3.pgm\n");
    assert_eq!(corevar(&inner, "predict ../run t.csv --quiet").status.code(), Some(1));
    assert_eq!(answers("img/t.csv --allow-outside").len(), 1);
    for (arguments, code, words) in [
        ("predict run img/3.pgm metadata.csv", 2, "several inputs must all be images"),
        ("predict run img/3.pgm img/none.pgm", 1, "img/none.pgm: no such file"),
        ("predict run none", 1, "none: no such file or folder"),
        ("predict run img --group-column a", 1, "--group-column has no effect"),
        ("predict run run", 1, "no images"),
        ("predict run metadata.csv --features-file x.npy", 1, "--features-file has no effect"),
    ] {
        let message = fails(at, arguments, code);
        assert!(message.contains(words), "{arguments}: {message}");
    }
}

#[test]
fn a_matrix_is_answered_like_the_columns_that_it_holds() {
    let folder = trained();
    let at = folder.path();
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }");
    let numbers = [1f32, 3.0, -1.0, -3.0].into_iter().flat_map(f32::to_le_bytes);
    let bytes = [b"\x93NUMPY\x01\0".as_slice(), &118u16.to_le_bytes(), header.as_bytes()].concat();
    write(at, "x.npy", bytes.into_iter().chain(numbers).collect::<Vec<u8>>());
    write(at, "x.csv", "x1,x2\n1,3\n-1,-3\n");
    write(at, "keys.csv", "group_id\nanna\nbert\n");
    let by_table = succeeds(at, "predict run x.csv --quiet");
    assert_eq!(succeeds(at, "predict run x.npy --quiet"), by_table);
    let with_keys = succeeds(at, "predict run keys.csv --features-file x.npy --quiet");
    assert_eq!(with_keys.replace(",group_id", "").replace(",anna", "").replace(",bert", ""), by_table);
    write(at, "keys.csv", "group_id\nanna\n");
    let output = corevar(at, "predict run keys.csv --features-file x.npy --quiet --out a.csv");
    assert!(text(&output.stderr).contains("the matrix has 2 rows, the table has 1"));
    assert!(!at.join("a.csv").exists());
}

#[test]
fn a_regression_has_a_prediction_and_no_classes() {
    let folder = folder();
    let rows: String = (0..30).map(|row| format!("{row},{},p{}\n", 2 * row + row % 2, row / 2)).collect();
    write(folder.path(), "metadata.csv", format!("x1,y,group_id\n{rows}"));
    succeeds(folder.path(), "train metadata.csv --task regression --out run --quiet");
    let table = succeeds(folder.path(), "predict run metadata.csv --quiet");
    assert!(table.starts_with("row,group_id,prediction\n1,p0,"), "{table}");
}

#[test]
fn hostile_tables_end_in_a_message_and_not_in_a_crash() {
    let folder = trained();
    let at = folder.path();
    let mut wide: String = (0..1_000_000).map(|column| format!("c{column},")).collect();
    wide += "x1,x2\n";
    wide += &"0,".repeat(1_000_000);
    wide += "1,3\n";
    write(at, "wide.csv", wide);
    let output = corevar(at, "predict run wide.csv");
    assert!(output.status.success() && text(&output.stdout).starts_with(&format!("{HEADER}1,yes,")));
    let said = text(&output.stderr);
    assert!(said.starts_with("ignored 1000000 columns") && said.len() < 1000, "{}", said.len());
    write(at, "huge.csv", format!("x1,x2\n1,{}\n1,3\n", "9".repeat(5_000_000)));
    let output = corevar(at, "predict run huge.csv");
    let said = text(&output.stderr);
    assert!(output.status.code() == Some(1) && said.len() < 2000, "{said}");
    assert!(said.contains("huge.csv:2: `99999") && said.contains("is not a finite number"), "{said}");
    write(at, "long.csv", format!("x1,x2\n1,{}\n", "9".repeat(40 << 20)));
    let message = text(&corevar(at, "predict run long.csv").stderr);
    assert!(message.contains("long.csv:2: cannot be read as a table: a row is longer"), "{message}");
    let model = fs::read(at.join("run/model.safetensors")).unwrap();
    write(at, "cut.safetensors", &model[..model.len() - 4]);
    write(at, "other.safetensors", "not a model");
    for name in ["cut", "other"] {
        let message = fails(at, &format!("predict {name}.safetensors metadata.csv"), 1);
        assert!(message.contains("not a corevar model"), "{message}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_in_place_of_files_are_refused_at_once() {
    let folder = trained();
    let at = folder.path();
    assert!(Command::new("mkfifo").arg(at.join("pipe.csv")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", at.join("zero.csv")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", at.join("zero.npy")).unwrap();
    for name in ["pipe.csv", "zero.csv", "zero.npy", "/dev/null"] {
        let message = fails(at, &format!("predict run {name}"), 1);
        assert!(message.contains("not an ordinary file"), "{name}: {message}");
    }
}

/// 450 MB of rows through a pipe: neither they nor their answers are ever in memory together.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_bounded_however_many_rows_there_are() {
    const ROWS: usize = 400_000;
    let folder = folder();
    let names: Vec<String> = (1..=50).map(|column| format!("x{column}")).collect();
    let mut table = format!("{},y,group_id\n", names.join(","));
    let cells = |row: usize| -> String {
        (0..50).map(|column| format!("{:.6},", ((row * 31 + column * 17) % 97) as f32 / 48.0 - 1.0)).collect()
    };
    for row in 0..60 {
        table += &format!("{}{},p{}\n", cells(row), ["a", "b"][row / 2 % 2], row / 2);
    }
    write(folder.path(), "metadata.csv", table);
    succeeds(folder.path(), "train metadata.csv --out run --quiet");
    let mut child = Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder.path())
        .args(["predict", "run", "-", "--quiet", "--out", "answers.csv"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let block: String = (0..1000).map(|row| cells(row).trim_end_matches(',').to_string() + "\n").collect();
    stdin.write_all(format!("{}\n", names.join(",")).as_bytes()).unwrap();
    (0..ROWS / 1000).for_each(|_| stdin.write_all(block.as_bytes()).unwrap());
    // All is read but the last of it, and the program is still there.
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().strip_suffix("kB").unwrap().trim().parse().unwrap();
    eprintln!("peak: {} MB", kilobytes >> 10);
    assert!(kilobytes < 150 << 10, "{peak}");
    let answers = fs::read_to_string(folder.path().join("answers.csv")).unwrap();
    assert_eq!(answers.lines().count(), ROWS + 1);
    assert!(answers.trim_end().lines().last().unwrap().starts_with(&format!("{ROWS},")));
}
