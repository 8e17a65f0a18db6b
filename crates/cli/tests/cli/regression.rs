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
