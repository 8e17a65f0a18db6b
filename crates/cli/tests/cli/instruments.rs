//! Tables with gaps and transformed features, from training to predictions.

use std::fs;

use crate::support::*;

/// Three features with gaps; class `b` has a rising row.
fn write_gaps(at: &std::path::Path) {
    let mut table = String::from("f1,f2,f3,y,group_id,split\n");
    for row in 0..40 {
        let (class, slope) = if row / 2 % 2 == 0 { ("a", -1.0) } else { ("b", 1.0) };
        let offset = f64::from(row % 7) * 10.0;
        let noise = f64::from(row % 5) * 0.05;
        let [f1, f2, f3] = [-1.0, noise, 1.0].map(|x| (offset + slope * x).to_string());
        let f2 = if row % 8 == 3 && row < 30 { "NA".into() } else { f2 };
        let split = if row < 30 { "train" } else { "test" };
        table += &format!("{f1},{f2},{f3},{class},p{},{split}\n", row / 2);
    }
    fs::write(at.join("t.csv"), table).unwrap();
}

#[test]
fn missing_numbers_are_counted_and_refused_until_the_user_decides() {
    let folder = folder();
    let at = folder.path();
    write_gaps(at);
    let message = fails(at, "train t.csv --features f* --out run", 1);
    assert!(message.contains("t.csv:5: a number is missing in 4 of 40 rows: `f2` (4)"), "{message}");
    assert!(message.contains("tip: pass --missing drop ("), "{message}");
    assert!(!at.join("run").exists());
    let output = corevar(at, "train t.csv --features f* --missing drop --out dropped");
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("left out 4 of 40 rows with a missing number: `f2` (4)"));
    // The model leaves such rows out, too.
    let output = corevar(at, "evaluate dropped t.csv");
    assert!(text(&output.stderr).contains("left out 4 of 40 rows"), "{}", text(&output.stderr));
    let config = fs::read_to_string(at.join("dropped/config.toml")).unwrap();
    assert!(config.contains("missing = \"drop\""), "{config}");
}

#[test]
fn medians_and_transforms_are_in_the_model_and_new_rows_need_no_flag() {
    let folder = folder();
    let at = folder.path();
    write_gaps(at);
    let flags = "--features f* --missing median --transform snv --out run";
    succeeds(at, &format!("compare t.csv {flags} --quiet"));
    let results = json(&at.join("run/results.json"));
    let error = |name: &str| {
        let found = results["estimators"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
        found["mean"]["test"]["error"].as_f64().unwrap()
    };
    // The offset of a row says nothing of its class, and is gone.
    assert_eq!(error("core"), 0.0);
    let table = succeeds(at, "evaluate run t.csv --json --quiet");
    let evaluated: serde_json::Value = serde_json::from_str(&table).unwrap();
    assert!(
        evaluated["estimators"].as_array().unwrap().iter().any(|one| one["mean"]["test"]["error"] == 0.0)
    );
    // Columns in another order, and a gap: the same answers as for the whole row.
    fs::write(at.join("new.csv"), "f3,f1,f2\n32,28,\n32,28,nan\n28,32,30\n").unwrap();
    let answers = succeeds(at, "predict run new.csv --quiet");
    let lines: Vec<&str> = answers.lines().collect();
    assert!(lines[1].starts_with("1,b,") && lines[3].starts_with("3,a,"), "{answers}");
    assert_eq!(lines[1].split_once(',').unwrap().1, lines[2].split_once(',').unwrap().1);
    let config = fs::read_to_string(at.join("run/config.toml")).unwrap();
    assert!(config.contains("transform = \"snv\"") && config.contains("missing = \"median\""), "{config}");
    // The same run again from its own settings.
    succeeds(at, "compare t.csv --config run/config.toml --out again --quiet");
    let again = json(&at.join("again/results.json"));
    assert_eq!(again["estimators"][0]["mean"], results["estimators"][0]["mean"]);
}

#[test]
fn a_matrix_with_nan_is_filled_too() {
    let folder = folder();
    let at = folder.path();
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    let header = format!("{:<117}\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 1), }");
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([-1.0, f32::NAN, 1.0, 2.0].iter().flat_map(|value: &f32| value.to_le_bytes()));
    fs::write(at.join("m.npy"), bytes).unwrap();
    fs::write(at.join("t.csv"), "y,split\na,train\na,train\nb,train\nb,train\n").unwrap();
    let command = "train t.csv --features-file m.npy --penalty none --out";
    assert!(fails(at, &format!("{command} x"), 1).contains("m.npy:2: `NaN` in column `x1`"));
    succeeds(at, &format!("{command} run --missing median --quiet"));
    let answers = succeeds(at, "predict run m.npy --quiet");
    assert_eq!(answers.lines().count(), 5);
    assert!(answers.lines().skip(1).all(|line| !line.contains(",,")), "{answers}");
}

#[test]
fn what_a_file_cannot_hold_is_not_exported() {
    let folder = folder();
    let at = folder.path();
    write_gaps(at);
    succeeds(at, "train t.csv --features f* --missing median --out filled --quiet");
    succeeds(at, "train t.csv --features f* --missing drop --transform derivative=3 --out sloped --quiet");
    for target in ["--onnx m.onnx", "--safetensors m"] {
        let message = fails(at, &format!("export filled {target}"), 1);
        assert!(message.contains("it fills missing numbers with medians"), "{message}");
        let message = fails(at, &format!("export sloped {target}"), 1);
        assert!(message.contains("its features are transformed with derivative=3"), "{message}");
    }
    assert!(!at.join("m.onnx").exists() && !at.join("m").exists());
}

#[test]
fn built_in_spectra_are_transformed_and_their_models_judge_them_alike() {
    let folder = folder();
    let at = folder.path();
    let sizes = "--rows 120 --groups 30 --test-rows 40";
    succeeds(at, &format!("compare instruments {sizes} --transform snv,derivative=7 --out run --quiet"));
    let trained = json(&at.join("run/results.json"));
    let output = succeeds(at, &format!("evaluate run instruments {sizes} --json --quiet"));
    let evaluated: serde_json::Value = serde_json::from_str(&output).unwrap();
    let error = |results: &serde_json::Value| {
        let all = results["estimators"].as_array().unwrap();
        let core = all.iter().find(|one| one["name"].as_str().unwrap().contains("core")).unwrap();
        core["mean"]["new-instrument"]["loss"].as_f64().unwrap()
    };
    assert!((error(&trained) - error(&evaluated)).abs() < 1e-9);
    // Generated as a folder they are the same.
    succeeds(at, &format!("generate instruments {sizes} --out drawn --quiet"));
    let output = succeeds(at, "evaluate run drawn --json --quiet");
    let evaluated: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert!((error(&trained) - error(&evaluated)).abs() < 1e-6);
}
