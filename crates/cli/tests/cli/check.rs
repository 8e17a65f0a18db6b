//! check: limits, exit codes, JUnit, hostile rows; and the card of a model.

use std::fs;
use std::path::Path;

use crate::support::*;

/// A linear model of the built-in data in `run`.
fn run(folder: &Path) {
    succeeds(folder, "compare linear --rows 2000 --groups 200 --test-rows 400 --out run --quiet");
}

const DATA: &str = "linear --rows 2000 --groups 200 --test-rows 400";

/// `check` with these further arguments: its exit code, stdout and stderr.
fn check(folder: &Path, arguments: &str) -> (Option<i32>, String, String) {
    let output = corevar(folder, &format!("check {arguments}"));
    let (out, message) = (text(&output.stdout), text(&output.stderr));
    assert!(!message.contains("panicked"), "{message}");
    (output.status.code(), out, message)
}

#[test]
fn limits_give_0_and_3_and_the_junit_file_is_read_by_a_parser() {
    let folder = folder();
    let folder = folder.path();
    run(folder);
    let limits = "--max-error 0.2 --max-style-drift 3 --max-other-drift 3";
    let (code, table, _) = check(folder, &format!("run {DATA} --split test1 {limits} --junit a.xml"));
    assert_eq!(code, Some(0), "{table}");
    assert_eq!(table.matches("pass").count(), 3, "{table}");
    let (code, table, message) = check(folder, &format!("run {DATA} --split test2 {limits} --junit b.xml"));
    assert_eq!(code, Some(3), "{table}{message}");
    assert!(table.contains("style-drift") && table.contains("FAIL"), "{table}");
    assert!(
        message.starts_with("check failed: linear: ") && message.contains("SD, above 3.00 SD"),
        "{message}"
    );

    let xml = fs::read_to_string(folder.join("b.xml")).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let root = document.root_element();
    let suite = root.first_element_child().unwrap();
    assert_eq!((root.tag_name().name(), suite.tag_name().name()), ("testsuites", "testsuite"));
    let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
    let with =
        |tag: &str| cases.iter().filter(|case| case.children().any(|node| node.has_tag_name(tag))).count();
    for node in [root, suite] {
        let count = |name: &str| node.attribute(name).unwrap().parse::<usize>().unwrap();
        assert_eq!(
            (count("tests"), count("failures"), count("errors")),
            (cases.len(), with("failure"), with("error"))
        );
    }
    assert_eq!((cases.len(), suite.attribute("skipped")), (5, Some("2")));
    assert!(
        cases.iter().all(|case| case.attribute("name").is_some() && case.attribute("classname").is_some())
    );
    let failed: Vec<_> =
        cases.iter().filter(|case| case.children().any(|node| node.has_tag_name("failure"))).collect();
    assert!(failed.iter().any(|case| case.attribute("name") == Some("style-drift")), "{xml}");
    let good = fs::read_to_string(folder.join("a.xml")).unwrap();
    assert_eq!(roxmltree::Document::parse(&good).unwrap().root_element().attribute("failures"), Some("0"));
}

#[test]
fn without_limits_it_proposes_a_command_that_passes() {
    let folder = folder();
    let folder = folder.path();
    run(folder);
    let (code, out, _) = check(folder, &format!("run {DATA} --split test1"));
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("these 400 rows themselves"), "{out}");
    let command = out.lines().find_map(|line| line.trim().strip_prefix("corevar check run linear ")).unwrap();
    assert!(command.contains("--max-style-drift 0.5") && command.contains("--split test1"), "{command}");
    let (code, out, message) = check(folder, &format!("run linear {command}"));
    assert_eq!(code, Some(0), "{out}{message}");
}

#[test]
fn a_limit_on_what_cannot_be_measured_is_an_error() {
    let folder = folder();
    let folder = folder.path();
    run(folder);
    fs::write(folder.join("new.csv"), "x1,x2\n0.5,1.0\n-0.25,0.5\n").unwrap();
    let (code, out, message) = check(folder, "run new.csv --max-error 0.5 --junit c.xml");
    assert_eq!(code, Some(1), "{out}{message}");
    assert!(message.contains("error has a limit, but is not measured: the rows have no labels"), "{message}");
    assert!(message.contains("leave out --max-error"), "{message}");
    let xml = fs::read_to_string(folder.join("c.xml")).unwrap();
    assert_eq!(roxmltree::Document::parse(&xml).unwrap().root_element().attribute("errors"), Some("1"));
    let (code, out, _) = check(folder, "run new.csv --max-style-drift 100 --json");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["schema"]), (Some(0), &serde_json::json!("corevar.check/1")));
    assert_eq!(report["findings"][2]["measure"], "style-drift");
    assert_eq!(report["findings"][2]["verdict"], "pass");
}

#[test]
fn hostile_rows_end_in_a_message() {
    let folder = folder();
    let folder = folder.path();
    run(folder);
    fs::write(folder.join("empty.csv"), "x1,x2,y\n").unwrap();
    fs::write(folder.join("one.csv"), "x1,x2,y\n0.5,1.0,1\n").unwrap();
    fs::write(folder.join("unknown.csv"), "x1,x2,y\n0.5,1.0,seven\n").unwrap();
    fs::write(folder.join("train.csv"), "x1,x2,y,split\n0.5,1.0,1,train\n").unwrap();
    assert!(fails(folder, "check run empty.csv", 1).contains("the table has no rows"));
    assert!(fails(folder, "check run unknown.csv", 1).contains("seven"));
    assert!(fails(folder, "check run train.csv", 1).contains("--split"));
    let (code, out, message) = check(folder, "run one.csv --max-style-drift 3");
    assert_eq!(code, Some(0), "{out}{message}");
    assert!(out.contains("1 rows, 1 ids") && out.contains("no drift distinguishable"), "{out}");
    for (arguments, words, code) in [
        ("check run linear --max-flip -1", "--max-flip is -1, but must be a number from 0", 2),
        ("check run linear --max-error nan", "--max-error is NaN", 2),
        ("check run linear --radius inf", "--radius is inf", 2),
        ("check run linear --split nowhere", "there is no split `nowhere`", 2),
        ("check run linear --estimator robust", "there is no estimator robust; there are", 1),
        ("check nothing.safetensors linear", "No such file", 1),
    ] {
        let message = fails(folder, arguments, code);
        assert!(message.contains(words), "{arguments}: {message}");
    }
    assert!(
        fails(folder, "check run linear --junit nowhere/a.xml", 1)
            .contains("nowhere/a.xml: cannot be written")
    );
}

#[test]
fn without_groups_in_training_the_style_drift_says_why_it_is_missing() {
    let folder = folder();
    let folder = folder.path();
    let mut table = String::from("x1,x2,y,split\n");
    for row in 0..60 {
        let side = if row % 2 == 0 { -1.0 } else { 1.0 };
        let split = if row < 40 { "train" } else { "test" };
        table += &format!("{},{},{},{split}\n", side + 0.01 * f64::from(row), row % 7, row % 2);
    }
    fs::write(folder.join("metadata.csv"), table).unwrap();
    succeeds(folder, "train metadata.csv --penalty none --out run --quiet");
    let (code, out, _) = check(folder, "run metadata.csv");
    assert_eq!(code, Some(0));
    assert!(
        out.contains("style-drift: not measured: no two training rows shared a label and an id"),
        "{out}"
    );
    let card = fs::read_to_string(folder.join("run/MODEL_CARD.md")).unwrap();
    assert!(!card.contains("## Grouping") && card.contains("nothing is known about style"), "{card}");
    assert!(card.contains("corevar::Model::load(\"model.safetensors\")"), "{card}");
}

#[test]
fn a_card_is_written_with_the_run_and_again_with_its_report() {
    let folder = folder();
    let folder = folder.path();
    run(folder);
    let path = folder.join("run/MODEL_CARD.md");
    let card = fs::read_to_string(&path).unwrap();
    assert!(card.starts_with("---\nlicense: unknown\n") && card.contains("## Errors"), "{card}");
    fs::remove_file(&path).unwrap();
    let printed = succeeds(folder, "report run");
    assert!(printed.lines().any(|line| line.ends_with("MODEL_CARD.md")), "{printed}");
    assert_eq!(fs::read_to_string(&path).unwrap(), card);
    // An evaluation has no model of its own.
    succeeds(folder, &format!("evaluate run {DATA} --out seen --quiet"));
    assert!(!folder.join("seen/MODEL_CARD.md").exists());
}
