//! Numbers as labels.

use std::fs;

use serde_json::Value;

use crate::support::*;

#[test]
fn regression_reports_root_mean_squared_errors() {
    let folder = folder();
    let row =
        |i: i32| format!("{i},{},{},{}\n", 2 * i + 1, i / 2 % 10, if i < 60 { "train" } else { "test" });
    let table: String = (0..80).map(row).collect();
    fs::write(folder.path().join("metadata.csv"), format!("x1,y,group_id,split\n{table}")).unwrap();
    let out =
        succeeds(folder.path(), "train metadata.csv --task regression --label-bins 4 --out run --quiet");
    assert!(out.starts_with("rms error"), "{out}");
    assert_eq!(json(&folder.path().join("run/results.json"))["data"]["classes"], Value::Array(Vec::new()));
}

/// Style goes with the label in training and in test1, against it in test2.
#[test]
fn the_weight_of_a_regression_is_chosen_by_the_guarded_error() {
    let folder = folder();
    let noise = |i: i32| f64::from((i * 37) % 101) / 50.0 - 1.0;
    let row = |i: i32| {
        let (split, side) = [("train", 1.0), ("test1", 1.0), ("test2", -1.0)][(i / 200) as usize];
        let y = 3.0 * noise(7 * (i / 2));
        let style = side * y + noise(31 * i + 5);
        format!("{},{style},{y},{},{split}\n", y + 2.0 * noise(13 * (i / 2) + 3), i / 2)
    };
    let table: String = (0..600).map(row).collect();
    fs::write(folder.path().join("t.csv"), format!("x1,x2,y,group_id,split\n{table}")).unwrap();
    let said =
        succeeds(folder.path(), "compare t.csv --task regression --penalty-weight auto --out run --quiet");
    for words in
        ["the lowest mean of the error and of the error after a swap of styles", "CoRe helps on test2"]
    {
        assert!(said.contains(words), "{said}");
    }
    let results = json(&folder.path().join("run/results.json"));
    let guarded = &results["estimators"][1]["runs"][0]["splits"]["test2"]["guarded_error"];
    assert_eq!(guarded.as_array().unwrap().len(), 7);
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(page.contains("Guarded rms error."));
    let said = succeeds(folder.path(), "evaluate run t.csv");
    assert!(said.contains("guarded at k = 1"), "{said}");
}

/// Edges of slices are those of the training rows and stay with the model, so that its groups are the same on any table.
#[test]
fn a_model_groups_the_rows_of_a_regression_later_as_in_training() {
    let folder = folder();
    let row = |i: i32| {
        format!("{},{},{},{}\n", (i * 37) % 11, i / 2 + i % 2, i / 2, if i < 60 { "train" } else { "test" })
    };
    let (train, test): (String, String) = ((0..60).map(row).collect(), (60..100).map(row).collect());
    let header = "x1,y,group_id,split";
    fs::write(folder.path().join("all.csv"), format!("{header}\n{train}{test}")).unwrap();
    fs::write(folder.path().join("test.csv"), format!("{header}\n{test}")).unwrap();
    let groups = |bins: &str| {
        let run = format!("--out run{bins} --quiet {}", if bins.is_empty() { "" } else { "--label-bins" });
        succeeds(folder.path(), &format!("train all.csv --task regression {run} {bins}"));
        let results = json(&folder.path().join(format!("run{bins}/results.json")));
        let later: Value =
            serde_json::from_str(&succeeds(folder.path(), &format!("evaluate run{bins} test.csv --json")))
                .unwrap();
        let number =
            |results: &Value| results["estimators"][0]["mean"]["test"]["within_variance"].as_f64().unwrap();
        assert!((number(&results) - number(&later)).abs() < 1e-9 * number(&results), "{results} {later}");
        results["data"]["groups"].as_u64().unwrap()
    };
    // 30 pairs with labels k and k + 1, of which edges at 6, 12, 18 and 24 part four.
    assert_eq!((groups(""), groups("5")), (30, 26));
    let message = fails(folder.path(), "evaluate run5 test.csv --task regression --label-bins 7", 2);
    assert!(message.contains("--label-bins: the model was trained with 5"), "{message}");
}
