//! evaluate, stress and report: models that are trained already.

use std::fs;

use serde_json::Value;

use crate::support::*;

#[test]
fn evaluate_repeats_the_numbers_of_the_run() {
    let folder = folder();
    succeeds(folder.path(), &format!("compare nonlinear {SMALL} --runs 2 --out run --quiet"));
    let stdout = succeeds(folder.path(), &format!("evaluate run nonlinear {SIZES} --json"));
    let again: Value = serde_json::from_str(&stdout).unwrap();
    let before = json(&folder.path().join("run/results.json"));
    let of = |results: &Value, name: &str| {
        let estimators = results["estimators"].as_array().unwrap();
        estimators.iter().find(|estimator| estimator["name"] == name).unwrap()["mean"].clone()
    };
    for name in ["pooled", "core"] {
        assert_eq!(of(&again, name), of(&before, name));
    }
    assert_eq!(before["differences"].as_array().unwrap().len(), 2);
    assert_eq!(again["differences"], before["differences"]);
    let table = succeeds(folder.path(), &format!("evaluate run nonlinear {SIZES} --out seen"));
    for words in ["95 % interval", "calibration error", "worst group", "guarded at k = 1", "Next: "] {
        assert!(table.contains(words), "{words}: {table}");
    }
    assert_eq!(
        names(&folder.path().join("seen")),
        ["config.toml", "evidence.json", "report.html", "results.json"]
    );
    fs::remove_file(folder.path().join("seen/report.html")).unwrap();
    succeeds(folder.path(), "report seen");
    assert!(folder.path().join("seen/report.html").is_file());
}

#[test]
fn evaluate_has_the_verdict_of_the_run() {
    let folder = folder();
    let of_run = succeeds(folder.path(), &format!("compare linear {SIZES} --out run --quiet"));
    let (_, verdict) = of_run.split_once("\n\n").unwrap();
    assert!(verdict.starts_with("CoRe helps on test2: the error falls from "), "{verdict}");
    assert!(
        verdict.contains("\n\nStyle is the likely reason: ")
            && verdict.contains("\n\nNext: use the CoRe model"),
        "{verdict}"
    );
    let again = succeeds(folder.path(), &format!("evaluate run linear {SIZES} --quiet"));
    assert!(again.ends_with(verdict), "{again}");
    // A model alone is not compared with anything.
    let alone = succeeds(
        folder.path(),
        &format!("evaluate run/models/core-0.safetensors linear {SIZES} --json --quiet"),
    );
    assert!(!alone.contains("differences"), "{alone}");
}

#[test]
fn features_are_taken_by_name_and_not_by_place() {
    let folder = folder();
    write_table(folder.path(), "");
    succeeds(folder.path(), "train metadata.csv --out run --quiet");
    let table = fs::read_to_string(folder.path().join("metadata.csv")).unwrap();
    // Columns x1, x2 change places, and lines end as on Windows.
    let swap = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        [&[fields[1], fields[0]], &fields[2..]].concat().join(",") + "\r\n"
    };
    fs::write(folder.path().join("swapped.csv"), table.lines().map(swap).collect::<String>()).unwrap();
    let evaluate = |data: &str| succeeds(folder.path(), &format!("evaluate run {data} --quiet"));
    assert_eq!(evaluate("metadata.csv"), evaluate("swapped.csv"));
    let renamed = table.replacen("x1", "age", 1);
    fs::write(folder.path().join("renamed.csv"), renamed).unwrap();
    let message = fails(folder.path(), "evaluate run renamed.csv --features age,x2", 1);
    assert!(
        message.contains("the model takes features that are not there: x1; there are age, x2"),
        "{message}"
    );
    fs::write(folder.path().join("bad.csv"), "x1,x2,y\r\n1,2,yes\r\n1,abc,no\r\n").unwrap();
    let message = fails(folder.path(), "evaluate run bad.csv", 1);
    assert!(message.contains("bad.csv:3"), "{message}");
}

#[test]
fn stress_shows_a_line_an_intervention() {
    let folder = folder();
    let sizes = "--rows 60 --groups 10 --test-rows 20";
    succeeds(folder.path(), &format!("compare stickmen {sizes} --epochs 1 --runs 1 --out run --quiet"));
    let table = succeeds(
        folder.path(),
        &format!("stress run stickmen {sizes} --interventions blur=0.5|2,rotate --split test2 --out seen"),
    );
    for word in ["blur=0.5", "blur=2", "rotate=", "no intervention", "worst of the strongest", "test2"] {
        assert!(table.contains(word), "{word}: {table}");
    }
    let report = fs::read_to_string(folder.path().join("seen/report.html")).unwrap();
    assert!(report.contains("blur on test2"));
    let stdout = succeeds(
        folder.path(),
        &format!("stress run/models/core-0.safetensors stickmen {sizes} --interventions noise --json"),
    );
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&document["schema"], document["curves"].as_array().unwrap().len()),
        (&"corevar.stress/1".into(), 1)
    );
}

#[test]
fn what_does_not_fit_is_said() {
    let folder = folder();
    succeeds(folder.path(), &format!("train linear {SIZES} --out run --quiet"));
    fs::write(folder.path().join("text.safetensors"), "not a model").unwrap();
    fs::write(folder.path().join("other.csv"), "x1,x2,y\n1,2,horse\n3,4,elephant\n").unwrap();
    for (arguments, code, words) in [
        ("evaluate run", 2, "MODEL"),
        ("evaluate none linear", 1, "none"),
        ("evaluate text.safetensors linear", 1, "not a corevar model"),
        (
            "evaluate run stickmen --rows 10 --groups 2 --test-rows 5",
            1,
            "but the model knows the classes 0, 1",
        ),
        ("evaluate run other.csv", 1, "was never seen in training"),
        ("evaluate run linear --out run --overwrite", 2, "is the folder of a model"),
        ("stress run linear --interventions blur=1|2,blur", 2, "is listed twice"),
        ("evaluate run linear --image-size 4x4", 2, "--image-size has no effect"),
        ("stress run linear", 1, "images"),
        ("stress run linear --interventions sneeze", 2, "there is no `sneeze`"),
        ("stress run linear --interventions blur=a", 2, "--interventions: blur"),
        ("report none", 1, "none"),
    ] {
        let message = fails(folder.path(), arguments, code);
        assert!(message.contains(words), "{arguments}: {message}");
    }
}

#[test]
fn a_class_that_the_model_does_not_know_is_counted_and_left_out() {
    let folder = folder();
    write_table(folder.path(), "");
    succeeds(folder.path(), "train metadata.csv --out run --quiet");
    let known = succeeds(folder.path(), "evaluate run metadata.csv --json --quiet");
    let mut strange = fs::read_to_string(folder.path().join("metadata.csv")).unwrap();
    let rows: Vec<&str> = strange.lines().skip(1).collect();
    let matrix = |rows: &[&str]| {
        let header = format!(
            "{:<117}\n",
            format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, 2), }}", rows.len())
        );
        let cells = rows.iter().flat_map(|row| row.split(',').take(2));
        let numbers = cells.flat_map(|cell| cell.parse::<f32>().unwrap().to_le_bytes());
        let head = [b"\x93NUMPY\x01\0".as_slice(), &118u16.to_le_bytes(), header.as_bytes()].concat();
        head.into_iter().chain(numbers).collect::<Vec<u8>>()
    };
    let more = ["1,2,maybe,,test", "1,3,maybe,,test", "1,2,7,,other"];
    let bytes = matrix(&[&rows[..], &more[..]].concat());
    fs::write(folder.path().join("x.npy"), bytes).unwrap();
    strange += &(more.join("\n") + "\n");
    fs::write(folder.path().join("strange.csv"), &strange).unwrap();
    for flags in ["", "--features-file x.npy"] {
        let output = corevar(folder.path(), &format!("evaluate run strange.csv {flags} --json"));
        let said = text(&output.stderr);
        assert!(output.status.success(), "{said}");
        let line = "3 rows have a label that the model does not know, and no error: `maybe (2)`, `7 (1)`";
        assert!(said.contains(line), "{said}");
        let [mut known, mut strange]: [Value; 2] =
            [known.as_bytes(), &output.stdout].map(|json| serde_json::from_slice(json).unwrap());
        let counted = strange["data"].as_object_mut().unwrap().remove("unknown_labels").unwrap();
        assert_eq!(counted, serde_json::json!({"rows": 3, "labels": {"maybe": 2, "7": 1}}));
        for results in [&mut known, &mut strange] {
            results["data"].as_object_mut().unwrap().remove("name");
        }
        assert_eq!(strange, known);
    }
    let message = fails(folder.path(), "evaluate run strange.csv --strict", 1);
    assert!(message.contains("strange.csv:42: label `maybe` of split `test` was never seen"), "{message}");
    fs::write(folder.path().join("none.csv"), "x1,x2,y\n1,2,maybe\n").unwrap();
    let message = fails(folder.path(), "evaluate run none.csv", 1);
    assert!(message.contains("label `maybe`"), "{message}");
}

#[test]
fn models_that_are_evaluated_together_are_evaluated_as_each_alone() {
    let folder = folder();
    write_table(folder.path(), "");
    succeeds(folder.path(), "train metadata.csv --features x1 --out a --quiet");
    succeeds(folder.path(), "train metadata.csv --features x2 --out b --quiet");
    succeeds(folder.path(), "train metadata.csv --features x2,x1 --penalty none --out c --quiet");
    let evaluate = |models: &str| -> Vec<Value> {
        let text = succeeds(folder.path(), &format!("evaluate {models} metadata.csv --json --quiet"));
        let results: Value = serde_json::from_str(&text).unwrap();
        results["estimators"].as_array().unwrap().clone()
    };
    let alone: Vec<Value> = ["a", "b", "c"].iter().flat_map(|model| evaluate(model)).collect();
    let together = evaluate("a b c");
    let runs = |all: &[Value]| all.iter().map(|one| one["runs"].clone()).collect::<Vec<_>>();
    assert_eq!(runs(&together), runs(&alone));
    assert_ne!(together[0]["mean"], together[1]["mean"]);
    let names: Vec<&str> = together.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["core", "core [b]", "pooled"]);
    // The records are told apart too: each interval is that of its own model.
    succeeds(folder.path(), "evaluate a b c metadata.csv --out seen --quiet");
    let evidence = json(&folder.path().join("seen/evidence.json"));
    for (estimator, model) in together.iter().zip(evidence["models"].as_array().unwrap()) {
        assert_eq!(estimator["name"], model["name"]);
        assert_eq!(estimator["mean"]["test"]["error"], model["splits"]["test"]["error"]["value"]);
    }
    let message = fails(folder.path(), "evaluate a a metadata.csv", 2);
    assert!(message.contains("a: is listed twice"), "{message}");
}
