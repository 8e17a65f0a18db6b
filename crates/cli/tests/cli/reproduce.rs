//! The paper's experiments: a small version of each, what is kept, what is refused.

use std::fs;
use std::path::Path;

use crate::support::*;

/// Every protocol with few rows and one epoch: name, settings of the data, split that shifts.
const SMALL_ONES: [(&str, &str, &str); 10] = [
    ("linear", "rows = 400, groups = 40, test-rows = 100", "test2"),
    ("nonlinear", "rows = 400, groups = 40, test-rows = 100", "test2"),
    ("stickmen", "rows = 200, groups = 20, test-rows = 50", "test2"),
    ("small-n", "set = 1, persons = 4, val-rows = 20, test-rows = 20", "test"),
    ("gender", "rows = 200, groups = 20, test1-rows = 40, test2-rows = 40", "test2"),
    ("gender-features", "rows = 200, groups = 20, test1-rows = 40, test2-rows = 40", "test2"),
    ("quality", "rows = 200, groups = 20, grouping = 2, test-rows = 40", "test2"),
    ("brightness", "rows = 200, groups = 20, grouping = 3, test-rows = 40", "test2"),
    ("mnist", "originals = 200, copies = 20, test-rows = 50", "test1"),
    ("elmer", "rows = 200, groups = 20, test-rows = 40", "test2"),
];

/// An experiment with one variant `a`, as a user would write it.
fn write_experiment(folder: &Path, protocol: &str, data: &str, shifted: &str) {
    let model = match protocol {
        "linear" | "gender-features" => r#"model = { kind = "linear" }"#,
        "nonlinear" => r#"model = { kind = "mlp", hidden = [8] }, epochs = 1"#,
        _ => "epochs = 1",
    };
    let text = format!(
        r#"title = "Small"
protocol = "{protocol}"
shifted = "{shifted}"
data = {{ seed = 3, {data} }}
train = {{ {model} }}
quick = {{ runs = 1 }}
full = {{ runs = 2 }}

[[variants]]
name = "a"
paper.pooled.{shifted} = 51

[[findings]]
text = "errors can be compared"
of = {{ variant = "a", estimator = "core", split = "{shifted}" }}
to = {{ variant = "a", estimator = "pooled", split = "{shifted}" }}
at-least = 0
"#
    );
    fs::write(folder.join(format!("small-{protocol}.toml")), text).unwrap();
}

#[test]
fn a_small_version_of_every_experiment_runs() {
    let folder = folder();
    for (protocol, data, shifted) in SMALL_ONES {
        write_experiment(folder.path(), protocol, data, shifted);
        let table = succeeds(folder.path(), &format!("reproduce small-{protocol}.toml --out out --quiet"));
        assert!(table.contains("[51]"), "{protocol}: {table}");
        let is_drawn = ["linear", "nonlinear", "stickmen"].contains(&protocol);
        assert_eq!(table.contains("stand-in"), !is_drawn, "{protocol}: {table}");
        let record = json(&folder.path().join(format!("out/small-{protocol}/quick/reproduction.json")));
        assert_eq!(record["schema"], "corevar.reproduction/1");
        assert_eq!(record["variants"][0]["settings"].as_array().unwrap().len(), 2, "{protocol}");
        if protocol == "stickmen" {
            let core = &record["variants"][0]["settings"][1];
            assert!(core["splits"]["test2"]["between_variance"].is_f64(), "{core}");
            assert!(core["classes"]["test2"]["child"]["variance_ratio"].is_f64(), "{core}");
        }
        let report = format!("small-{protocol}/quick/a/report.html");
        let page = fs::read_to_string(folder.path().join("out").join(&report)).unwrap();
        assert!(page.contains(&format!("<h1>small-{protocol} a, quick: ")), "{protocol}");
        assert!(fs::read_to_string(folder.path().join("out/report.html")).unwrap().contains(&report));
    }
}

#[test]
fn what_is_finished_is_not_trained_again() {
    let folder = folder();
    let command = "reproduce linear --out out --markdown R.md";
    let first = corevar(folder.path(), command);
    assert!(first.status.success(), "{}", text(&first.stderr));
    let again = corevar(folder.path(), command);
    assert_eq!(text(&first.stdout), text(&again.stdout));
    let said = text(&again.stderr);
    assert!(said.contains("linear c500: finished before") && !said.contains("done in"), "{said}");
    assert!(said.contains("page: R.md"), "{said}");
    let page = fs::read_to_string(folder.path().join("R.md")).unwrap();
    for words in ["## linear", "50.00 [51]", "`corevar reproduce linear --quick`", "holds"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(
        page.contains("Findings of the paper") && page.contains("0.00 [0.00], at most 0.05: holds"),
        "{page}"
    );
    assert!(folder.path().join("out/report.html").is_file());
}

#[test]
fn a_variant_by_the_rule_chooses_its_weight_in_quick_size_alone() {
    let folder = folder();
    write_experiment(folder.path(), "linear", "rows = 400, groups = 40, test-rows = 100", "test2");
    let path = folder.path().join("small-linear.toml");
    let by_rule = "[[variants]]\nname = \"by-rule\"\nby-rule = true\nonly = \"quick\"\n\n[[findings]]";
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("[[findings]]", by_rule)).unwrap();
    let command = "reproduce small-linear.toml --out out";
    let table = succeeds(folder.path(), &format!("{command} --quiet"));
    assert!(table.contains(", by the rule)"), "{table}");
    assert!(folder.path().join("out/small-linear/quick/by-rule/selection/results.json").is_file());
    let again = corevar(folder.path(), command);
    assert!(text(&again.stderr).contains("small-linear by-rule: finished before"), "{}", text(&again.stderr));
    assert_eq!(text(&again.stdout), table);
    let message = fails(folder.path(), &format!("{command} --full --variant by-rule"), 2);
    assert!(message.contains("no variant `by-rule` in full size"), "{message}");
    assert!(!succeeds(folder.path(), &format!("{command} --full --quiet")).contains("by-rule"));
}

/// `reproduce linear` in quick, and then without the folder of its variant; what it printed.
fn only_a_record_is_left(folder: &Path) -> String {
    let table = succeeds(folder, "reproduce linear --out out --markdown R.md --quiet");
    fs::remove_dir_all(folder.join("out/linear/quick/c500")).unwrap();
    table
}

/// Writes the record as if its variant had run with other settings.
fn with_other_settings(folder: &Path) {
    let record = folder.join("out/linear/quick/reproduction.json");
    let other = fs::read_to_string(&record).unwrap().replace("\\nrows = 5000", "\\nrows = 4000");
    assert!(other.contains("rows = 4000"));
    fs::write(&record, other).unwrap();
}

#[test]
fn a_record_counts_where_its_folder_is_gone() {
    let folder = folder();
    let first = only_a_record_is_left(folder.path());
    let page = || fs::read_to_string(folder.path().join("R.md")).unwrap();
    let before = page();
    let again = corevar(folder.path(), "reproduce linear --out out --markdown R.md");
    let said = text(&again.stderr);
    assert!(said.contains("linear c500: finished before; only its record is here"), "{said}");
    assert_eq!((text(&again.stdout), page()), (first, before));
    assert!(!folder.path().join("out/linear/quick/c500").exists());
    let report = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(!report.contains("c500/report.html"), "leads to a report that is gone");
}

#[test]
fn a_record_counts_beside_a_folder_of_other_settings() {
    let folder = folder();
    let first = only_a_record_is_left(folder.path());
    let stale = folder.path().join("out/linear/quick/c500");
    fs::create_dir(&stale).unwrap();
    fs::write(stale.join("config.toml"), "# A run of corevar.\nruns = 7\n").unwrap();
    fs::write(stale.join("report.html"), "old").unwrap();
    assert_eq!(succeeds(folder.path(), "reproduce linear --out out --quiet"), first);
    let report = fs::read_to_string(folder.path().join("out/report.html")).unwrap();
    assert!(!report.contains("c500/report.html"), "leads to a report of other settings");
}

#[test]
fn a_record_of_other_settings_is_refused_or_replaced() {
    let folder = folder();
    only_a_record_is_left(folder.path());
    with_other_settings(folder.path());
    let record = || fs::read_to_string(folder.path().join("out/linear/quick/reproduction.json")).unwrap();
    let before = record();
    let message = fails(folder.path(), "reproduce linear --out out", 1);
    assert!(message.contains("linear c500") && message.contains("--overwrite"), "{message}");
    assert_eq!(record(), before);
    succeeds(folder.path(), "reproduce linear --out out --quiet --overwrite");
    assert!(record().contains("\\nrows = 5000") && !record().contains("\\nrows = 4000"));
}

#[test]
fn a_record_of_other_settings_is_kept_until_it_is_replaced() {
    let folder = folder();
    write_experiment(folder.path(), "linear", "rows = 400, groups = 40, test-rows = 100", "test2");
    let path = folder.path().join("small-linear.toml");
    let with_b = |data: &str| {
        let one = fs::read_to_string(&path).unwrap();
        let two = format!("[[variants]]\nname = \"b\"\ndata = {{ {data} }}\n\n[[findings]]");
        fs::write(folder.path().join("two.toml"), one.replace("[[findings]]", &two)).unwrap();
    };
    with_b("rows = 500");
    let both = succeeds(folder.path(), "reproduce two.toml --out out --quiet");
    fs::remove_dir_all(folder.path().join("out/two/quick/b")).unwrap();
    with_b("rows = 600");
    let only_a = corevar(folder.path(), "reproduce two.toml --out out --variant a");
    assert!(text(&only_a.stderr).contains("two b: left out"), "{}", text(&only_a.stderr));
    assert_ne!(text(&only_a.stdout), both);
    with_b("rows = 500");
    let again = corevar(folder.path(), "reproduce two.toml --out out");
    assert!(text(&again.stderr).contains("two b: finished before"), "{}", text(&again.stderr));
    assert_eq!(text(&again.stdout), both);
}

#[test]
fn records_of_other_settings_are_not_on_the_page() {
    let folder = folder();
    write_experiment(folder.path(), "linear", "rows = 400, groups = 40, test-rows = 100", "test2");
    let other = "reproduce small-linear.toml --out out --markdown R.md --quiet";
    only_a_record_is_left(folder.path());
    let page = || fs::read_to_string(folder.path().join("R.md")).unwrap();
    succeeds(folder.path(), other);
    assert!(page().contains("## linear") && page().contains("## small-linear"), "{}", page());
    with_other_settings(folder.path());
    succeeds(folder.path(), other);
    assert!(!page().contains("## linear") && page().contains("## small-linear"), "{}", page());
    assert!(page().contains("What its file expects") && !page().contains("of the paper"), "{}", page());
}

#[test]
fn a_record_that_cannot_be_read_is_named() {
    let folder = folder();
    only_a_record_is_left(folder.path());
    let path = folder.path().join("out/linear/quick/reproduction.json");
    let whole = fs::read_to_string(&path).unwrap();
    for (damaged, words) in [
        (format!("<<<<<<< HEAD\n{whole}"), "expected value"),
        (whole.replace("corevar.reproduction/1", "corevar.reproduction/9"), "corevar.reproduction/9"),
    ] {
        fs::write(&path, damaged).unwrap();
        let message = fails(folder.path(), "reproduce linear --out out", 1);
        assert!(message.contains("reproduction.json") && message.contains(words), "{message}");
        assert!(message.contains("tip: bring the file back"), "{message}");
    }
}

#[test]
fn a_change_of_the_experiment_is_refused_or_replaces_it() {
    let folder = folder();
    write_experiment(folder.path(), "linear", "rows = 400, groups = 40, test-rows = 100", "test2");
    let command = "reproduce small-linear.toml --out out --quiet";
    succeeds(folder.path(), command);
    write_experiment(folder.path(), "linear", "rows = 600, groups = 40, test-rows = 100", "test2");
    let message = fails(folder.path(), command, 1);
    assert!(message.contains("small-linear a") && message.contains("--overwrite"), "{message}");
    succeeds(folder.path(), &format!("{command} --overwrite"));
    let record = json(&folder.path().join("out/small-linear/quick/reproduction.json"));
    assert_eq!(record["variants"][0]["train_rows"], 600);
}

#[test]
fn names_and_files_that_do_not_fit_are_wrong_usage() {
    let folder = folder();
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::create_dir(folder.path().join("full")).unwrap();
    fs::write(folder.path().join("full/report.html"), "mine").unwrap();
    fs::write(folder.path().join("mine"), "").unwrap();
    for (arguments, words) in [
        ("reproduce", "linear, nonlinear, small-n"),
        ("reproduce nothing", "there are linear, nonlinear"),
        ("reproduce mine", "give it a name such as mine.toml"),
        ("reproduce mnist --variant c7", "its variants are m1000-c100"),
        ("reproduce all --variant c50", "name the experiment"),
        ("reproduce linear --data empty", "leave out --data"),
        ("reproduce mnist --data nowhere", "nowhere is not a folder"),
        ("reproduce all --data empty", "empty holds none of the original files"),
        ("reproduce mnist --features-file f.npy", "leave out --features-file"),
        ("reproduce mnist --quick --full", "cannot be used with"),
        ("reproduce mnist --threads 0", "at least 1"),
        ("reproduce mnist --markdown nowhere/R.md", "there is not a folder nowhere"),
        ("reproduce mnist --out full", "of an earlier reproduce"),
        ("reproduce mnist --out full/report.html", "is not a folder"),
        ("reproduce mnist --markdown full", "full is a folder"),
        ("reproduce mnist --checkpoint-every=-1", "seconds from 0"),
    ] {
        let message = fails(folder.path(), arguments, 2);
        assert!(message.contains(words), "{arguments}: {message}");
    }
    let message = fails(folder.path(), "reproduce mnist --data empty", 1);
    assert!(message.contains("the folder must hold") && !message.contains("1 of"), "{message}");
    assert_eq!(names(folder.path()), ["empty", "full", "mine"]);
    assert_eq!(fs::read_to_string(folder.path().join("full/report.html")).unwrap(), "mine");
}

#[test]
fn half_of_the_original_files_is_refused_before_anything_is_trained() {
    let folder = folder();
    fs::create_dir(folder.path().join("half")).unwrap();
    fs::write(folder.path().join("half/train-images-idx3-ubyte"), [0; 16]).unwrap();
    let message = fails(folder.path(), "reproduce all --data half --out out", 1);
    assert!(message.contains("half") && !message.contains("linear c500"), "{message}");
    assert!(!folder.path().join("out").exists());
}

#[test]
fn settings_that_do_not_fit_are_refused_before_anything_is_trained() {
    let folder = folder();
    for (protocol, data, words) in [
        ("small-n", "set = 9", "small-n: set 9 of 10 persons"),
        ("gender", "share-of-men = 1.5", "a share of 1.5 of men"),
        ("gender-features", "share-of-men = -1.0", "a share of -1 of men"),
        ("small-n", "test-rows = 0", "0 in test"),
        ("quality", "groups = 6000", "6000 pairs of one class"),
        ("quality", "mean = 500.0", "a JPEG quality of 500"),
        ("brightness", "mean = -3.0", "by -3 % in the mean"),
        ("mnist", "copies = 20000", "20000 copies of 10000 digits"),
        ("elmer", "groups = 1800", "1800 grey copies"),
    ] {
        write_experiment(folder.path(), protocol, data, "test2");
        let message = fails(folder.path(), &format!("reproduce small-{protocol}.toml --out out"), 1);
        let of_file = format!("small-{protocol}.toml: a: ");
        assert!(message.contains(&of_file) && message.contains(words), "{protocol}: {message}");
        assert!(message.contains("tip: "), "{protocol}: {message}");
    }
    assert!(!folder.path().join("out").exists());
}

#[test]
fn experiments_that_fail_do_not_hold_up_the_others() {
    let folder = folder();
    // Only linear takes no time; each of the others is refused for one folder of other settings.
    let others: Vec<&str> = corevar_paper::names().filter(|name| *name != "linear").collect();
    let first_variant = |name: &str| corevar_paper::find(name).unwrap().variants[0].name.clone();
    for name in &others {
        let variant = first_variant(name);
        let stale = folder.path().join(format!("out/{name}/quick/{variant}"));
        fs::create_dir_all(&stale).unwrap();
        fs::write(stale.join("config.toml"), "# A run of corevar.\nruns = 7\n").unwrap();
    }
    let outcome = corevar(folder.path(), "reproduce all --out out");
    assert_eq!(outcome.status.code(), Some(1));
    let (table, said) = (text(&outcome.stdout), text(&outcome.stderr));
    assert!(table.contains("50.00 [51]"), "linear is finished: {table}");
    let is_named = |name: &&str| said.contains(&format!("{name} {}", first_variant(name)));
    assert!(others.iter().all(is_named), "{said}");
    assert!(said.contains(&format!("not finished: {}", others.join(", "))), "{said}");
    assert!(folder.path().join("out/report.html").is_file());
}

#[test]
fn a_file_that_says_too_much_or_too_little_is_named() {
    let folder = folder();
    write_experiment(folder.path(), "linear", "rows = 400, groups = 40, test-rows = 100", "test2");
    let path = folder.path().join("small-linear.toml");
    let whole = fs::read_to_string(&path).unwrap();
    let curve = |over: &str, split: &str| {
        let lines = "lines = [\"estimator\"]\nmeasured = \"error\"";
        format!("[[curves]]\ntitle = \"c\"\nover = \"{over}\"\nsplit = \"{split}\"\n{lines}\n\n[[findings]]")
    };
    let grid = |length: usize| {
        let list = (1..=length).map(|value| value.to_string()).collect::<Vec<_>>().join(",");
        format!(
            "[[variants]]\nname = \"b\"\ngrid = {{ penalty-weights = [{list}], ridges = [{list}] }}\n\n[[findings]]"
        )
    };
    for (from, to, words) in [
        ("title = \"Small\"", "", "missing field `title`"),
        ("seed = 3", "seed = -3", "seed = -3 is no whole number"),
        ("rows = 400", "rows = -400", "expected a whole number from 0 in `rows`"),
        ("rows = 400", "lines = 400", "unknown field `lines`, expected one of `seed`, `rows`"),
        ("kind = \"linear\" }", "kind = \"linear\" }, epochs = \"3\"", "in `epochs`"),
        (
            "kind = \"linear\" }",
            "kind = \"linear\" }, epoch = 3",
            "no setting `epoch` of training; there are batch",
        ),
        ("kind = \"linear\" }", "kind = \"linear\", hidden = [3] }", "no setting `hidden` of the model"),
        ("runs = 2", "runs = 2, data = { rows = -3 }", "expected a whole number from 0 in `rows`"),
        ("kind = \"linear\" }", "kind = \"linear\" }, ridge = -1.0", "ridge"),
        ("rows = 400", "rows = 40", "a: linear: 40 pairs do not fit into 40 rows"),
        ("runs = 1", "runs = 0", "runs = 0"),
        ("runs = 1", "runs = 9223372036854775807", "must be from 1 to 10000"),
        ("[[findings]]", &grid(200), "b: penalty-weights = 40000, but must be at most 10000"),
        ("runs = 1", "runs = -1", "expected a whole number from 0"),
        ("protocol = \"linear\"", "protocol = \"magic\"", "magic"),
        ("variant = \"a\"", "variant = \"b\"", "no variant is called so"),
        ("paper.pooled", "paper.poled", "`poled` has no estimator"),
        ("[[findings]]", "[[variants]]\nname = \"a\"\n\n[[findings]]", "twice"),
        ("estimator = \"core\"", "estimator = \"kore\"", "the estimator `kore`"),
        ("shifted = \"test2\"", "shifted = \"tset2\"", "no split `tset2`; there are train"),
        ("[[findings]]", &curve("gruops", "test2"), "`gruops`, which is no setting"),
        ("[[findings]]", &curve("groups", "tset3"), "no split `tset3`"),
        ("paper.pooled.test2", "paper.pooled.tset2", "no split `tset2`"),
        ("at-least = 0", "", "needs at-most or at-least"),
        (
            "[[findings]]",
            "[[variants]]\nname = \"b\"\ngrid = { penalty-weights = [0], ridges = [1] }\nestimators = [{ penalty = \"none\" }]\n\n[[findings]]",
            "b: a variant has either a grid or estimators",
        ),
    ] {
        fs::write(&path, whole.replace(from, to)).unwrap();
        let message = fails(folder.path(), "reproduce small-linear.toml --out out", 1);
        assert!(message.contains("small-linear") && message.contains(words), "{words}: {message}");
    }
    assert!(
        fails(folder.path(), "reproduce lost.toml", 1).contains("docs/experiments.md has one to begin with")
    );
    assert!(!folder.path().join("out").exists());
}
