//! train, compare, demo, generate: tables, records, settings, wrong usage.

use std::fs;
use std::process::Output;

use serde_json::Value;

use crate::support::*;

#[test]
fn compare_prints_a_table_and_leaves_a_whole_run() {
    let folder = folder();
    let table =
        succeeds(folder.path(), &format!("compare nonlinear {SMALL} --runs 2 --seed 8 --out run --quiet"));
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("error in %"), "{table}");
    assert!(
        lines[0].contains("train") && lines[0].contains("test1") && lines[0].contains("test2"),
        "{table}"
    );
    assert!(lines[1].starts_with("pooled") && lines[1].contains('±'), "{table}");
    assert!(lines[2].starts_with("core (logit-variance λ=1)"), "{table}");
    // Two epochs are not enough to leave what these seeds begin with.
    assert!(lines[4].starts_with("Neither model has learned anything"), "{table}");

    let run = folder.path().join("run");
    let expected = [
        "MODEL_CARD.md",
        "config.toml",
        "data.txt",
        "evidence.json",
        "metrics.jsonl",
        "models",
        "report.html",
        "results.json",
        "runs",
    ];
    assert_eq!(names(&run), expected);
    let models = ["core-8", "core-9", "pooled-8", "pooled-9"].map(|name| format!("{name}.safetensors"));
    assert_eq!(names(&run.join("models")), models);
    assert_eq!(fs::read_to_string(run.join("metrics.jsonl")).unwrap().lines().count(), 2 * 2 * 2);
}

#[test]
fn results_have_the_form_of_the_contract() {
    let folder = folder();
    let stdout =
        succeeds(folder.path(), &format!("compare nonlinear {SMALL} --runs 2 --out run --json --baselines"));
    let results = json(&folder.path().join("run/results.json"));
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap(), results);
    assert_eq!(results["schema"], "corevar.results/1");
    assert_eq!(results["data"]["grouped_rows"], 80);
    assert_eq!(results["data"]["groups"], 40);
    assert_eq!(results["data"]["splits"]["train"], 400);
    let estimators = results["estimators"].as_array().unwrap();
    let of = |field: &str| estimators.iter().map(|e| e[field].clone()).collect::<Vec<_>>();
    assert_eq!(of("name"), ["pooled", "core", "label-variance", "total-variance"]);
    assert_eq!(of("penalty"), ["none", "logit-variance", "label-variance", "total-variance"]);
    let core = &estimators[1];
    let split = &core["runs"][1]["splits"]["test2"];
    for field in [
        "rows",
        "error",
        "loss",
        "penalty",
        "within_variance",
        "between_variance",
        "variance_ratio",
        "calibration_error",
        "worst_group_error",
    ] {
        assert!(split[field].is_number(), "{field}: {split}");
    }
    assert_eq!(core["runs"][1]["seed"], 1);
    assert!(split["by_class"].as_object().unwrap().values().all(|class| class["error"].is_number()));
    let errors: Vec<f64> =
        (0..2).map(|r| core["runs"][r]["splits"]["test2"]["error"].as_f64().unwrap()).collect();
    let mean = (errors[0] + errors[1]) / 2.0;
    assert!((core["mean"]["test2"]["error"].as_f64().unwrap() - mean).abs() < 1e-12);
    // Two runs, n - 1 = 1: the standard error is half their difference.
    let spread = (errors[0] - errors[1]).abs() / 2.0;
    assert!((core["standard_error"]["test2"]["error"].as_f64().unwrap() - spread).abs() < 1e-12);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = folder();
    for threads in [1, 3] {
        succeeds(
            folder.path(),
            &format!(
                "compare stickmen --rows 130 --groups 20 --test-rows 50 --epochs 1 --runs 1 --threads {threads} --out run{threads} --quiet"
            ),
        );
    }
    for model in ["pooled-0", "core-0"] {
        let bytes =
            |run: &str| fs::read(folder.path().join(format!("{run}/models/{model}.safetensors"))).unwrap();
        assert!(bytes("run1") == bytes("run3"), "{model}");
    }
}

#[test]
fn train_takes_the_settings_of_another_run() {
    let folder = folder();
    succeeds(
        folder.path(),
        &format!("train nonlinear {SMALL} --penalty logit-sd --lambda 3 --out a --quiet"),
    );
    assert_eq!(
        names(&folder.path().join("a")),
        [
            "MODEL_CARD.md",
            "config.toml",
            "data.txt",
            "evidence.json",
            "metrics.jsonl",
            "model.safetensors",
            "report.html",
            "results.json",
            "runs"
        ]
    );
    succeeds(folder.path(), "train nonlinear --config a/config.toml --out b --quiet");
    let [a, b] = ["a", "b"].map(|run| fs::read(folder.path().join(run).join("model.safetensors")).unwrap());
    assert!(a == b);
    let config = fs::read_to_string(folder.path().join("a/config.toml")).unwrap();
    for setting in
        ["penalty = \"logit-sd\"", "penalty-weight = 3.0", "ridge = 0.001", "epochs = 2", "seed = 0"]
    {
        assert!(config.contains(setting), "{config}");
    }
}

#[test]
fn config_toml_has_what_the_reader_decided_and_reads_the_same_again() {
    let folder = folder();
    write_table(folder.path(), "");
    succeeds(
        folder.path(),
        "generate stickmen --rows 60 --groups 10 --test-rows 20 --out pictures --intervene rotate=U(5,10) --quiet",
    );
    let drawn = "rows = 60 | groups = 10 | test-rows = 20 | data-seed = 1";
    let table = "task = \"classification\" | label-column = \"y\" | group-column = \"group_id\" | split-column = \"split\"";
    let pictures = "filename-column = \"filename\" | image-size = \"64x64\" | crop = \"none\" | colour = \"grey\" | \
        skip-unreadable = false | augment-rows = \"1.0\" | augment-mode = \"fixed\"";
    for (data, flags, settings) in [
        ("linear", "--rows 60 --groups 10 --test-rows 20", drawn.to_string()),
        ("metadata.csv", "", format!("{table} | features = \"x1,x2\"")),
        ("pictures", "--augment rotate=U(35,70) --epochs 1", format!("{table} | {pictures}")),
    ] {
        let name = data.replace(".csv", "");
        succeeds(folder.path(), &format!("train {data} {flags} --out {name}-run --quiet"));
        succeeds(
            folder.path(),
            &format!("train {data} --config {name}-run/config.toml --out {name}-again --quiet"),
        );
        let [config, again] = ["run", "again"]
            .map(|run| fs::read_to_string(folder.path().join(format!("{name}-{run}/config.toml"))).unwrap());
        assert_eq!(config, again);
        for setting in settings.split(" | ") {
            assert!(config.lines().any(|line| line == setting), "{setting}: {config}");
        }
    }
}

#[test]
fn linear_models_are_exact_also_at_infinity() {
    let folder = folder();
    let stdout = succeeds(
        folder.path(),
        &format!("compare linear {SIZES} --penalty-weight inf --out run --quiet --json"),
    );
    let results: Value = serde_json::from_str(&stdout).unwrap();
    let core = &results["estimators"][1];
    assert_eq!(core["penalty_weight"], "inf");
    assert_eq!(core["runs"].as_array().unwrap().len(), 1);
    assert!(core["runs"][0]["notes"][0].as_str().unwrap().contains("vary in 1 direction"), "{core}");
    let shifted = |estimator: &Value| estimator["mean"]["test2"]["error"].as_f64().unwrap();
    assert!(shifted(&results["estimators"][0]) > 0.4 && shifted(core) < 0.02, "{results}");
    // The settings of the run are settings, inf as well.
    succeeds(folder.path(), "compare linear --config run/config.toml --out again --quiet");
    let [a, b] =
        ["run", "again"].map(|run| fs::read(folder.path().join(run).join("models/core-0.safetensors")));
    assert_eq!(a.unwrap(), b.unwrap());
}

#[test]
fn generated_folders_train_like_the_built_in_name() {
    let folder = folder();
    for name in ["linear", "nonlinear", "stickmen"] {
        succeeds(
            folder.path(),
            &format!("generate {name} --rows 60 --groups 10 --test-rows 20 --out {name}-data --quiet"),
        );
        let common = "--epochs 1 --learning-rate 0.001 --penalty-weight 1 --quiet";
        let model = if name == "stickmen" { "cnn" } else { "mlp --hidden 4 --standardise=false" };
        succeeds(folder.path(), &format!("train ./{name}-data --model {model} {common} --out {name}-a"));
        succeeds(
            folder.path(),
            &format!(
                "train {name} --rows 60 --groups 10 --test-rows 20 --model {model} {common} --out {name}-b"
            ),
        );
        let [a, b] = ["a", "b"].map(|run| json(&folder.path().join(format!("{name}-{run}/results.json"))));
        assert_eq!(a["estimators"][0]["mean"], b["estimators"][0]["mean"], "{name}");
    }
}

#[test]
fn wrong_usage_says_what_to_do_and_writes_nothing() {
    let folder = folder();
    write_table(folder.path(), "");
    let before = names(folder.path());
    for (arguments, parts) in [
        ("train linear", &["--out"][..]),
        ("train linear --out run --penalty variance", &["no penalty `variance`", "logit-variance"]),
        ("train linear --out run --penalty-weight -1", &["--penalty-weight is -1", "a number from 0"]),
        ("train linear --out run --model forest", &["forest", "mlp"]),
        ("train linear --out run --hidden 5", &["--hidden has no effect", "--model mlp", "tip: leave out"]),
        ("train linear --out run --penalty none --lambda 2", &["--penalty-weight has no effect"]),
        ("train linear --out run --label-column z", &["--label-column has no effect", "built in"]),
        ("train metadata.csv --out run --rows 10", &["--rows has no effect", "not built in"]),
        ("train nonlinear --out run --runs 0", &["--runs is 0"]),
        ("train linear --out run --threads 0", &["--threads"]),
        ("train nonlinear --out run --decay 2", &["--decay"]),
        ("train linear --out run --epochs 2", &["--epochs has no effect", "solved exactly"]),
        ("train nonlinear --out run --penalty-weight inf", &["--penalty-weight is inf"]),
        ("compare linear --out run --penalty none", &["--penalty none", "tip:"]),
        ("train lineal --out run", &["no such file, folder or built-in data", "linear, nonlinear, stickmen"]),
        ("generate circles --out data", &["no synthetic data set `circles`", "stickmen"]),
        ("generate linear --rows 10 --groups 9 --out data", &["9 pairs do not fit into 10 rows", "tip:"]),
        ("frobnicate", &["frobnicate"]),
    ] {
        let code = if arguments.contains("--groups 9") { 1 } else { 2 };
        let message = fails(folder.path(), arguments, code);
        for part in parts {
            assert!(message.contains(part), "{arguments}: {message}");
        }
        assert_eq!(names(folder.path()), before, "{arguments}");
    }
}

#[test]
fn bad_data_are_told_with_place_and_remedy_and_nothing_is_written() {
    for (extra, arguments, parts) in [
        ("", "train missing/metadata.csv --out run", &["missing/metadata.csv"][..]),
        ("", "train metadata.csv --label-column class --out run", &["class", "y"]),
        ("", "train metadata.csv --features z* --out run", &["z*"]),
        ("1,2,maybe,,test\n", "train metadata.csv --out run", &["metadata.csv:42", "maybe"]),
        ("1,oops,yes,,train\n", "train metadata.csv --out run", &["metadata.csv:42", "oops"]),
        ("1,NaN,yes,,train\n", "train metadata.csv --out run", &["metadata.csv:42"]),
        ("1,2,yes\n", "train metadata.csv --out run", &["metadata.csv:42"]),
        ("1,2,,,train\n", "train metadata.csv --out run", &["metadata.csv:42"]),
        ("", "train metadata.csv --model cnn --out run", &["a CNN needs images", "tip:"]),
        ("", "train metadata.csv --out run --image-size 8x8", &["--image-size has no effect", "features"]),
    ] {
        let folder = folder();
        write_table(folder.path(), extra);
        let message = fails(folder.path(), arguments, 1);
        for part in parts {
            assert!(message.contains(part), "{arguments}: {message}");
        }
        assert_eq!(names(folder.path()), ["metadata.csv"], "{arguments}");
    }
}

#[test]
fn an_empty_train_split_and_a_single_class_are_refused() {
    for (table, part) in [
        ("x1,y,split\n1,a,test\n2,b,test\n", "train"),
        ("x1,y,split\n1,a,train\n2,a,train\n", "every row of the split `train` has the label `a`"),
        ("x1,y,split\n", "rows"),
        ("", "metadata.csv"),
    ] {
        let folder = folder();
        fs::write(folder.path().join("metadata.csv"), table).unwrap();
        let message = fails(folder.path(), "train metadata.csv --out run", 1);
        assert!(message.contains(part), "{message}");
        assert_eq!(names(folder.path()), ["metadata.csv"]);
    }
}

#[test]
fn a_folder_that_holds_a_run_is_refused_without_overwrite() {
    let folder = folder();
    let train = format!("train nonlinear {SMALL} --out run --quiet");
    succeeds(folder.path(), &train);
    let before = fs::read(folder.path().join("run/results.json")).unwrap();
    let message = fails(folder.path(), &train, 1);
    assert!(message.contains("already holds a run") && message.contains("--overwrite"), "{message}");
    assert_eq!(fs::read(folder.path().join("run/results.json")).unwrap(), before);
    succeeds(folder.path(), &format!("{train} --overwrite --seed 5"));
    assert_ne!(fs::read(folder.path().join("run/results.json")).unwrap(), before);
}

#[test]
fn a_folder_with_other_files_is_never_overwritten() {
    let folder = folder();
    fs::create_dir(folder.path().join("thesis")).unwrap();
    fs::write(folder.path().join("thesis/chapter.tex"), "").unwrap();
    let message = fails(folder.path(), &format!("train nonlinear {SMALL} --out thesis --overwrite"), 1);
    assert!(message.contains("holds other files"), "{message}");
    assert_eq!(names(&folder.path().join("thesis")), ["chapter.tex"]);
}

#[test]
fn a_penalty_without_any_group_is_named() {
    let folder = folder();
    let table: String = (0..20).map(|row| format!("{row},{},train\n", row % 2)).collect();
    fs::write(folder.path().join("metadata.csv"), format!("x1,y,split\n{table}")).unwrap();
    let message = fails(folder.path(), "train metadata.csv --out run", 1);
    assert!(message.contains("no two training rows share a label and an id"), "{message}");
    assert!(message.contains("tip:") && message.contains("--group-column"), "{message}");
    assert_eq!(names(folder.path()), ["metadata.csv"]);
    succeeds(folder.path(), "train metadata.csv --penalty none --out run --quiet");
}

#[test]
fn a_loss_that_is_not_finite_names_epoch_batch_and_remedy() {
    let folder = folder();
    let message =
        fails(folder.path(), &format!("train nonlinear {SMALL} --learning-rate 3e38 --out run --quiet"), 1);
    assert!(message.contains("not finite in epoch") && message.contains("batch"), "{message}");
    assert!(message.contains("--learning-rate"), "{message}");
    assert!(!folder.path().join("run/results.json").exists());
}

#[test]
fn a_bad_config_file_names_the_key() {
    let folder = folder();
    for (text, part) in
        [("lambda = 1", "no setting `lambda`"), ("epochs = \"many\"", "epochs"), ("epochs = ", "TOML")]
    {
        fs::write(folder.path().join("c.toml"), text).unwrap();
        let output = corevar(folder.path(), "train linear --config c.toml --out run");
        assert!(!output.status.success());
        assert!(text_of(&output).contains(part), "{}", text_of(&output));
        assert!(!folder.path().join("run").exists());
    }
}

fn text_of(output: &Output) -> String {
    text(&output.stderr)
}

#[test]
fn every_command_explains_itself() {
    let folder = folder();
    for command in [
        "",
        "demo",
        "train",
        "compare",
        "sweep",
        "path",
        "inspect",
        "evaluate",
        "stress",
        "report",
        "import",
        "generate",
        "reproduce",
    ] {
        let help = succeeds(folder.path(), &format!("{command} --help"));
        assert!(help.contains("Usage: corevar"), "{help}");
    }
    let message = fails(folder.path(), "", 2);
    assert!(message.contains("demo"), "{message}");
}

#[test]
fn names_of_strangers_are_shown_and_not_obeyed() {
    let folder = folder();
    let evil = "\u{1b}[2J\u{1b}[31mred";
    let rows: String = (0..40).map(|k| format!("{k},{}\n", if k % 2 == 0 { "a" } else { evil })).collect();
    fs::write(
        folder.path().join("t.csv"),
        format!("x1,y,\"no\nerror: forged\"\n{}", rows.replace('\n', ",1\n")),
    )
    .unwrap();
    let output = corevar(folder.path(), "inspect t.csv");
    let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    assert!(!said.contains(&0x1b), "{}", String::from_utf8_lossy(&said));
    let text = String::from_utf8(said).unwrap();
    assert!(text.contains("\\u{1b}[2J"), "{text}");
    assert!(!text.lines().any(|line| line.starts_with("error: forged")), "{text}");
    let message = fails(folder.path(), "train t.csv --label-column nothing --out run", 1);
    assert!(!message.lines().any(|line| line.starts_with("error: forged")), "{message}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_stderr_that_fails_ends_no_training() {
    let folder = folder();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_corevar"))
        .current_dir(folder.path())
        .args(["train", "linear", "--rows", "60", "--groups", "5", "--test-rows", "10", "--out", "run"])
        .stderr(full)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{status}");
    assert!(folder.path().join("run/results.json").is_file());
}
