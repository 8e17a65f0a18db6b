//! inspect, import, augmentation and interventions.

use std::path::PathBuf;

use serde_json::Value;

use crate::support::*;

#[test]
fn inspect_ends_with_whether_core_can_help() {
    let folder = folder();
    let text = succeeds(folder.path(), "inspect stickmen --rows 600 --groups 60 --test-rows 40");
    assert!(text.lines().last().unwrap().starts_with("CoRe can help"), "{text}");
    let stdout = succeeds(folder.path(), "inspect linear --rows 200 --groups 0 --test-rows 40 --json");
    let found: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&found["rows"], &found["groups"]["groups"]), (&280.into(), &0.into()));
    assert_eq!(found["verdict"], "no-ids");
    write_table(folder.path(), "");
    let text = succeeds(folder.path(), "inspect metadata.csv");
    assert!(text.contains("40 rows of 2 features"), "{text}");
    // A zero-width space, which no reader of the table sees.
    write_table(folder.path(), "1,2,yes\u{200b},,train\n");
    let text = succeeds(folder.path(), "inspect metadata.csv");
    assert!(text.contains("labels that look alike but are not the same: `yes` and `yes\\u{200b}`"), "{text}");
}

#[test]
fn augmented_copies_are_grouped_with_their_originals() {
    let folder = folder();
    let train = "train stickmen --rows 60 --groups 0 --test-rows 20 --epochs 1 --quiet";
    let message = fails(folder.path(), &format!("{train} --out plain"), 1);
    assert!(message.contains("no two training rows share"), "{message}");
    for (mode, run) in [("fixed", "a"), ("fresh", "b")] {
        succeeds(
            folder.path(),
            &format!("{train} --augment rotate=U(35,70) --augment-rows 20 --augment-mode {mode} --out {run}"),
        );
        let results = json(&folder.path().join(run).join("results.json"));
        assert_eq!((&results["data"]["groups"], &results["data"]["grouped_rows"]), (&20.into(), &40.into()));
    }
    for (flags, words) in [
        ("--augment-rows 5", "--augment-rows has no effect"),
        ("--augment spin=3", "spin"),
        ("--augment rotate=U(35,70) --augment-rows 5000", "5000 rows are to be copied"),
        ("--augment rotate=U(35,70) --augment-label horse", "there is no class `horse`"),
    ] {
        let output = corevar(folder.path(), &format!("{train} {flags} --out no"));
        assert!(!output.status.success() && text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}

#[test]
fn generate_changes_the_splits_that_are_named() {
    let folder = folder();
    let generate = "generate stickmen --rows 20 --groups 2 --test-rows 10 --quiet";
    succeeds(folder.path(), &format!("{generate} --out plain"));
    succeeds(folder.path(), &format!("{generate} --intervene blur=2 --intervene-splits test2 --out changed"));
    let pictures = |set: &str, split: &str| -> Vec<Vec<u8>> {
        let table = std::fs::read_to_string(folder.path().join(set).join("metadata.csv")).unwrap();
        let rows = table.lines().filter(|line| line.split(',').any(|field| field == split));
        let file = |row: &str| row.split(',').find(|field| field.ends_with(".png")).unwrap().to_string();
        rows.map(|row| std::fs::read(folder.path().join(set).join(file(row))).unwrap()).collect()
    };
    assert_eq!(pictures("plain", "train"), pictures("changed", "train"));
    assert_ne!(pictures("plain", "test2"), pictures("changed", "test2"));
    let message =
        fails(folder.path(), &format!("{generate} --intervene blur=2 --intervene-splits x --out no"), 2);
    assert!(message.contains("there is no split `x`") && message.contains("test2"), "{message}");
    let message = fails(folder.path(), "generate linear --intervene blur=2 --out no", 1);
    assert!(message.contains("images"), "{message}");
}

/// Real MNIST and its writers, where COREVAR_TEST_DATA says.
fn real_data() -> Option<PathBuf> {
    std::env::var_os("COREVAR_TEST_DATA").map(PathBuf::from).filter(|folder| folder.is_dir())
}

#[test]
fn real_digits_pass_through_import_inspect_and_train() {
    let Some(data) = real_data() else {
        eprintln!("skipped: no MNIST files; name their folder in COREVAR_TEST_DATA");
        return;
    };
    let folder = folder();
    let from = data.display();
    succeeds(folder.path(), &format!("import qmnist --from {from} --out digits --quiet"));
    let text = succeeds(folder.path(), "inspect digits --cache cache");
    assert!(text.contains("70000 rows of images 28x28x1"), "{text}");
    // A linear model on all digits would take minutes; a small network for one epoch does not.
    let table = succeeds(
        folder.path(),
        "train digits --channels 2 --epochs 1 --batch-size 500 --cache cache --out run --quiet",
    );
    assert!(table.starts_with("error in %"), "{table}");
    let message = fails(folder.path(), "import digits --from digits --out x", 2);
    assert!(message.contains("there are mnist, qmnist"), "{message}");
    let message = fails(folder.path(), "import mnist --from run --out x", 1);
    assert!(message.contains("train-images-idx3-ubyte") || message.contains("{train,t10k}"), "{message}");
}
