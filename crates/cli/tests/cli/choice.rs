//! sweep, path and --penalty-weight auto; runs that were stopped.

use std::fs;

use crate::support::*;

#[test]
fn a_sweep_marks_one_setting_and_says_why() {
    let folder = folder();
    let table = succeeds(
        folder.path(),
        &format!(
            "sweep linear {SIZES} --penalty-weights 0.1,1,inf --ridges 0.001,0.01 --tolerance 0.15 --out run --quiet"
        ),
    );
    assert_eq!(table.matches(" *").count(), 2, "one of pooled, one of CoRe: {table}");
    assert!(table.contains("Penalty weight λ = ∞: the largest that costs at most 15 %"), "{table}");
    let results = json(&folder.path().join("run/results.json"));
    assert_eq!(results["estimators"].as_array().unwrap().len(), 2 + 3 * 2);
    assert_eq!(results["selection"]["chosen"], "inf");
    assert_eq!(results["selection"]["oracle"]["split"], "test2");
}

#[test]
fn the_guarded_error_chooses_from_a_grid_that_grows() {
    let folder = folder();
    let table = succeeds(folder.path(), &format!("sweep linear {SIZES} --out run --quiet"));
    for words in [
        "the lowest mean of the error and of the error after a swap of styles, on 400 rows with 40 groups, held out in 5 folds",
        "For the pooled model, swapping the styles of 0 and 1 is a shift of",
    ] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let results = json(&folder.path().join("run/results.json"));
    let criterion = results["selection"]["criterion"].as_array().unwrap();
    assert_eq!(criterion[0]["penalty_weight"], 0.0, "the pooled model counts");
    assert!(folder.path().join("run/selection/fold-5/models").is_dir());
    let said = succeeds(folder.path(), &format!("sweep linear {SIZES} --out run --quiet --resume"));
    assert_eq!(said, table, "nothing is trained again, and nothing changes");
    let one = succeeds(folder.path(), &format!("sweep linear {SIZES} --folds 1 --guard 2 --out one --quiet"));
    assert!(
        one.contains("after a style shift of 2 within-group SDs, on 80 held-out rows with 8 groups"),
        "{one}"
    );
    assert!(one.contains("The choice rests on 80 held-out rows with 8 groups"), "{one}");
}

#[test]
fn more_values_train_only_what_is_new() {
    let folder = folder();
    let sweep = format!("sweep nonlinear {SMALL} --out run");
    succeeds(folder.path(), &format!("{sweep} --penalty-weights 0.1,1 --quiet"));
    let output = corevar(folder.path(), &format!("{sweep} --penalty-weights 0.1,1,10 --resume"));
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("done in").count(), 1, "{said}");
    assert!(said.contains("core-logit-variance-10-ridge0.001, run 1: done"), "{said}");
    let message = fails(folder.path(), &format!("{sweep} --penalty-weights 1 --resume --batch-size 7"), 1);
    assert!(message.contains("batch-size = 120, not 7"), "{message}");
    let message = fails(folder.path(), &format!("{sweep} --penalty-weights 1 --resume --data-seed 7"), 1);
    assert!(message.contains("data-seed"), "{message}");
}

#[test]
fn auto_chooses_first_and_trains_then() {
    let folder = folder();
    let table = succeeds(
        folder.path(),
        &format!(
            "compare linear {SIZES} --penalty-weight auto --penalty-weights 0.1,1,10 --tolerance 0.15 --out run --quiet"
        ),
    );
    assert!(
        table.contains("core (logit-variance λ=10)") && table.contains("Penalty weight λ = 10:"),
        "{table}"
    );
    let results = json(&folder.path().join("run/results.json"));
    // All training rows again, after the choice.
    assert_eq!(results["data"]["splits"]["train"], 400);
    assert_eq!(results["selection"]["split"], "val");
    assert!(folder.path().join("run/selection/results.json").is_file());
    succeeds(folder.path(), "compare linear --config run/config.toml --out again --quiet");
}

#[test]
fn a_rule_without_a_choice_is_refused() {
    let folder = folder();
    for (arguments, words) in [
        ("compare linear --tolerance 0.2", "--tolerance has no effect"),
        ("compare linear --penalty-weight auto --tolerance 2", "--tolerance is 2"),
        ("compare linear --penalty-weight auto --guard -1", "--guard is -1"),
        ("compare linear --penalty-weight auto --guard 1 --one-standard-error", "different rules"),
        ("compare linear --penalty-weight auto --guard 1 --tolerance 0.1", "different rules"),
        ("compare linear --penalty-weight auto --folds 0", "--folds is 0"),
        ("compare linear --penalty-weight auto --ridges 1,2", "--ridges has no effect"),
        ("compare linear --penalty-weight sometimes", "neither a number nor auto"),
        ("sweep linear --penalty-weight 2", "--penalty-weights"),
        ("sweep linear --penalty none", "no weight to choose"),
        ("sweep linear --penalties none,logit-sd", "always trained too"),
        ("sweep linear --penalty-weights 1,2,1", "is listed twice"),
        ("sweep linear --penalty-weights 1,-2", "--penalty-weight is -2"),
        ("path nonlinear --model mlp", "path is for linear models"),
    ] {
        let message = fails(folder.path(), &format!("{arguments} --out run"), 2);
        assert!(message.contains(words), "{arguments}: {message}");
        assert!(!folder.path().join("run").exists(), "{arguments}");
    }
    let message = fails(folder.path(), &format!("sweep linear {SIZES} --resume --out nothing"), 1);
    assert!(message.contains("holds no run to resume"), "{message}");
}

/// Pairs that differ in both features: nothing is left at inf.
#[test]
fn the_usual_path_leaves_inf_out_where_no_direction_is_left() {
    let folder = folder();
    let row = |i: u32| {
        let (a, b) = ((i * i * 7) % 31, (i * i * i + 3 * i) % 29);
        format!("{a},{b},{},{}\n", if (i / 2).is_multiple_of(2) { "no" } else { "yes" }, i / 2)
    };
    let table: String = (0..160).map(row).collect();
    fs::write(folder.path().join("t.csv"), format!("x1,x2,y,group_id\n{table}")).unwrap();
    let output = corevar(folder.path(), "path t.csv --out run");
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("leaving out the penalty weight inf") && said.contains("--style-rank 95%"),
        "{said}"
    );
    let table = text(&output.stdout);
    assert!(table.contains("\n1000 ") && !table.contains('∞'), "{table}");
    // A run that was stopped goes on with the same weights.
    succeeds(folder.path(), "path t.csv --out run --resume --quiet");
    // The strongest direction alone is left out; whoever asks for all is told what to do.
    let ranked = succeeds(folder.path(), "path t.csv --style-rank 1 --out ranked --quiet");
    assert!(ranked.contains('∞'), "{ranked}");
    let message = fails(folder.path(), "train t.csv --penalty-weight inf --out x", 1);
    assert!(message.contains("no direction is left at penalty weight inf"), "{message}");
    assert!(message.contains("tip: pass --style-rank 95% (the share of the variance"), "{message}");
    let message = fails(folder.path(), "path t.csv --penalty-weights 0.1,inf --out y", 1);
    assert!(message.contains("core-logit-variance-inf-ridge0.001, run 1: no direction is left"), "{message}");
    // Penalties of the loss have no such limit.
    let losses = succeeds(folder.path(), "path t.csv --penalty loss-variance --out z --quiet");
    assert!(losses.contains("\n1000 ") && !losses.contains('∞'), "{losses}");
}

#[test]
fn a_path_shows_loss_penalty_style_and_coefficients() {
    let folder = folder();
    let table = succeeds(
        folder.path(),
        &format!("path linear {SIZES} --penalty-weights 0.1,10,inf --tolerance 0.15 --out run --quiet"),
    );
    let lines: Vec<&str> = table.lines().collect();
    for word in ["loss on val", "penalty on val", "in style", "x1", "x2"] {
        assert!(lines[0].contains(word), "{table}");
    }
    assert!(
        lines[1].starts_with("0 ") && lines[4].starts_with("∞ *") && lines[4].contains("0.0 %"),
        "{table}"
    );
    let report = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(report.contains("Style in the weights"));
}
