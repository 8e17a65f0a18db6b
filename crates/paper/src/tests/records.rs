//! What a record shows: tables, figures, findings and the page.

use super::variant;
use crate::*;

/// Errors 40 and 10 % of pooled and CoRe at two values of c.
fn records() -> Vec<VariantRecord> {
    let setting = |key: &str, error: f64| SettingRecord {
        key: key.into(),
        estimator: key.into(),
        penalty: "logit-variance".into(),
        penalty_weight: 1.0,
        ridge: 0.001,
        seeds: vec![0, 1],
        seconds: 2.0,
        splits: [(
            "test2".to_string(),
            Cell { error: Some(error), paper_error: Some(0.41), ..Default::default() },
        )]
        .into(),
        classes: Default::default(),
    };
    let variant = |name: &str, groups: i64| VariantRecord {
        name: name.into(),
        date: "2026-01-31".into(),
        config: "rows = 100".into(),
        data: [("groups".to_string(), toml::Value::Integer(groups))].into_iter().collect(),
        data_name: "stickmen".into(),
        train_rows: 100,
        groups: groups as usize,
        rule: None,
        settings: vec![setting("pooled", 0.4), setting("core", 0.1)],
    };
    vec![variant("c500", 500), variant("c50", 50)]
}

#[test]
fn a_record_has_the_lines_and_findings_of_its_experiment() {
    let experiment = find("stickmen").unwrap();
    let record = Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), records());
    let lines = &record.figures[0].lines;
    assert_eq!(lines.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["pooled", "core"]);
    assert_eq!(lines[1].points.iter().map(|point| point.x).collect::<Vec<_>>(), [50.0, 500.0]);
    assert_eq!(record.findings[0].verdict(), "0.25 [0.22], at most 0.6: holds");
    assert_eq!(record.command, "corevar reproduce stickmen --full --variant c500,c50");
    assert_eq!(record.table()[1], ["c500", "pooled", "40.00 [41]"]);
}

#[test]
fn a_record_names_the_penalty_that_was_measured() {
    let experiment = find("stickmen").unwrap();
    let mut variants = records();
    let last = |variants: &[VariantRecord]| {
        let record = Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), variants.to_vec());
        record.table()[0].last().unwrap().clone()
    };
    for setting in variants.iter_mut().flat_map(|variant| &mut variant.settings) {
        setting.splits.get_mut("test2").unwrap().penalty = Some(1.0);
    }
    // Without CoRe the models are measured by the variance of the logits, whatever they were trained with.
    let baseline = |setting: &mut SettingRecord| {
        setting.estimator = "label-variance".into();
        setting.penalty = "label-variance".into();
    };
    variants[1].settings.iter_mut().for_each(baseline);
    assert_eq!(last(&variants), "logit-variance on test2");
    variants[0].settings[1].penalty = "logit-sd".into();
    assert_eq!(last(&variants), "penalty on test2");
}

#[test]
fn a_penalty_is_shown_where_the_paper_has_it() {
    let experiment = find("stickmen").unwrap();
    let columns = |train: Cell, test2: Cell| {
        let mut variants = records();
        for setting in variants.iter_mut().flat_map(|variant| &mut variant.settings) {
            setting.splits.extend([("train".to_string(), train), ("test2".to_string(), test2)]);
        }
        let record = Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), variants);
        let head = record.table().swap_remove(0);
        head.into_iter().filter_map(|name| Some(name.split_once(" on ")?.1.to_string())).collect::<Vec<_>>()
    };
    let none = Cell::default();
    let ours = Cell { penalty: Some(1.0), ..none };
    let beside_paper = Cell { paper_penalty: Some(2.0), ..ours };
    assert_eq!(columns(ours, ours), ["test2"]);
    assert_eq!(columns(ours, none), ["train"]);
    assert_eq!(columns(beside_paper, ours), ["train", "test2"]);
    assert_eq!(columns(none, none), [""; 0]);
}

#[test]
fn the_command_can_be_typed_as_it_stands() {
    let command = |typed: &str| {
        let experiment = Experiment { typed: typed.into(), ..find("linear").unwrap() };
        Reproduction::new(&experiment, Size::Quick, &OriginalFiles::default(), Vec::new()).command
    };
    assert!(command("mine.toml").starts_with("corevar reproduce mine.toml --quick"));
    assert!(command("my files/it's.toml").starts_with(r"corevar reproduce 'my files/it'\''s.toml' --quick"));
}

#[test]
fn a_finding_beside_an_error_of_0_is_judged_without_a_ratio() {
    let mut experiment = find("stickmen").unwrap();
    let verdict = |experiment: &Experiment, core: f64| {
        let mut variants = records();
        for (setting, error) in variants[1].settings.iter_mut().zip([0.0, core]) {
            setting.splits.get_mut("test2").unwrap().error = Some(error);
        }
        Reproduction::new(experiment, Size::Full, &OriginalFiles::default(), variants).findings[0].verdict()
    };
    assert_eq!(verdict(&experiment, 0.1), "no ratio to an error of 0 [0.22], at most 0.6: does not hold");
    assert_eq!(verdict(&experiment, 0.0), "no ratio to an error of 0 [0.22], at most 0.6: holds");
    (experiment.findings[0].at_most, experiment.findings[0].at_least) = (None, Some(2.0));
    assert_eq!(verdict(&experiment, 0.0), "no ratio to an error of 0 [0.22], at least 2: does not hold");
}

#[test]
fn a_record_counts_without_its_folder_while_the_settings_are_the_same() {
    let (mut experiment, variant) = variant("stickmen", "c50");
    let record = Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), records());
    assert_eq!(record.kept(&variant, "rows = 200"), None);
    let kept = record.kept(&variant, "rows = 100").unwrap();
    assert_eq!(kept.settings[1].splits["test2"].error, Some(0.1));
    assert_eq!(kept.settings[1].splits["test2"].paper_error, Some(0.09));
    // The file's number of the paper goes over that of the record.
    experiment.variants[1].paper.get_mut("core").unwrap().insert("test2".into(), 8.0);
    let kept = record.kept(&experiment.variants[1], "rows = 100").unwrap();
    assert_eq!(kept.settings[1].splits["test2"].paper_error, Some(0.08));
}

/// Bins of a number were written when they had no effect; weights of an MLP begin otherwise now.
#[test]
fn records_of_before_count_unless_their_models_would_be_others() {
    let config = |experiment: &str, name: &str| {
        let (experiment, variant) = variant(experiment, name);
        let plan = experiment.plan(&variant, Size::Full).unwrap();
        (experiment, variant, plan.config_toml(&OriginalFiles::default()).unwrap())
    };
    let of_before =
        |now: &str| now.replace("start = 2\n", "").replace("seed = 0\n", "label-bins = 10\nseed = 0\n");
    for (name, of_variant, counts) in [("stickmen", "c50", true), ("nonlinear", "c500", false)] {
        let (experiment, variant, now) = config(name, of_variant);
        let before = of_before(&now);
        assert!(before.contains("label-bins = 10") && !now.contains("label-bins"), "{now}");
        let record = VariantRecord { name: variant.name.clone(), config: before, ..records()[0].clone() };
        let record = Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), vec![record]);
        assert_eq!(record.kept(&variant, &now).is_some(), counts, "{name}");
    }
}

#[test]
fn a_setting_without_effect_does_not_void_a_record() {
    let (experiment, variant) = variant("stickmen", "c50");
    let with = |bins: &str| format!("[estimators.core]\nepochs = 4\n{bins}");
    let mut variants = records();
    variants[1].config = with("label-bins = 10");
    let record = Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), variants);
    assert!(record.kept(&variant, &with("")).is_some());
    assert!(record.kept(&variant, &with("seed = 1")).is_none());
}

/// Hours of training: a change that voids them must be meant.
#[test]
fn the_records_of_this_project_count() {
    let results = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/results");
    if !results.is_dir() {
        return; // Not part of the package.
    }
    let records = Reproduction::read_all(&results).unwrap();
    // Drawn anew or started anew, and not run since.
    let open = ["nonlinear", "stickmen"];
    for name in names().filter(|name| !open.contains(name)) {
        let full = records.iter().find(|record| record.experiment == name && record.size == Size::Full);
        let variants: Vec<&str> = full
            .into_iter()
            .flat_map(|record| &record.variants)
            .map(|variant| variant.name.as_str())
            .collect();
        let experiment = find(name).unwrap();
        let missing: Vec<&str> = experiment
            .variants_in(Size::Full)
            .map(|variant| variant.name.as_str())
            .filter(|name| !variants.contains(name))
            .collect();
        let known: &[&str] = if name == "mnist" { &["authors", "choice"] } else { &["choice"] };
        assert!(missing.iter().all(|name| known.contains(name)), "{name}: {missing:?}");
    }
}

#[test]
fn markdown_does_not_repeat_in_quick_what_ran_in_full() {
    let experiment = find("stickmen").unwrap();
    let full = Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), records()[..1].to_vec());
    let quick = Reproduction::new(&experiment, Size::Quick, &OriginalFiles::default(), records());
    let page = markdown(&[full, quick]);
    assert_eq!(page.matches("| c500 | core").count(), 1, "{page}");
    assert_eq!(page.matches("| c50 | core").count(), 1, "{page}");
    assert_eq!(page.matches("\n## stickmen").count(), 1, "{page}");
    assert!(
        page.contains("Seeds of the runs 0 to 1.") && page.contains("100 rows, 500 groups, seed 0 (c500)"),
        "{page}"
    );
}

#[test]
fn markdown_names_variants_of_one_size_together() {
    let alike = |name: &str| VariantRecord { name: name.into(), ..records()[0].clone() };
    let (stickmen, c50) = variant("stickmen", "c50");
    let config = stickmen.plan(&c50, Size::Full).unwrap().config_toml(&OriginalFiles::default()).unwrap();
    let (linear, c500) = variant("linear", "c500");
    let exact = linear.plan(&c500, Size::Full).unwrap().config_toml(&OriginalFiles::default()).unwrap();
    let b = VariantRecord { config: exact, ..alike("b") };
    let variants = vec![alike("a"), VariantRecord { config, ..records()[1].clone() }, b];
    let experiment = find("stickmen").unwrap();
    let page = markdown(&[Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), variants)]);
    let told = "Training: 100 rows, 500 groups, seed 0 (a, b); 100 rows, 50 groups, seed 0, 4 epochs (c50).";
    assert!(page.contains(told), "{page}");
}

/// The records with five runs whose errors have this standard error.
fn with_spread(spread: f64) -> Vec<VariantRecord> {
    let mut variants = records();
    for setting in variants.iter_mut().flat_map(|variant| &mut variant.settings) {
        setting.seeds = (0..5).collect();
        setting.splits.get_mut("test2").unwrap().error_spread = Some(spread);
    }
    variants
}

#[test]
fn a_finding_carries_an_interval_over_the_runs() {
    let experiment = find("stickmen").unwrap();
    let verdict = |variants| {
        Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), variants).findings[0].verdict()
    };
    // 10 % by 40 %; t of 4 degrees is 2.776, so the numerator alone moves the ratio by 0.01 · 2.776 / 0.4 = 0.07.
    assert_eq!(verdict(with_spread(0.01)), "0.25 (0.18 to 0.32) [0.22], at most 0.6: holds");
    let unsure = verdict(with_spread(0.06));
    assert!(unsure.ends_with("at most 0.6: holds, but the interval contains the bound"), "{unsure}");
}

#[test]
fn a_finding_can_be_about_the_spread_of_the_runs() {
    let mut experiment = find("stickmen").unwrap();
    let finding = &mut experiment.findings[0];
    finding.measured = Measured::ErrorSpread;
    finding.to.variant = "c500".into();
    let mut variants = with_spread(0.01);
    variants[1].settings[1].splits.get_mut("test2").unwrap().error_spread = Some(0.03);
    let record = Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), variants);
    // The paper's number here would be one of errors.
    assert_eq!(record.findings[0].verdict(), "3.00, at most 0.6: does not hold");
}

#[test]
fn variances_of_earlier_records_are_shown_where_they_are_known_exactly() {
    let mut variant = records().remove(0);
    let cell = variant.settings[0].splits.get_mut("test2").unwrap();
    (cell.penalty, cell.variance_ratio) = (Some(3.0), Some(0.5));
    let of = |variant: &VariantRecord, measured: Measured| {
        measured.of(variant, &variant.settings[0], "test2", None).map(|value| value.mean)
    };
    assert_eq!(of(&variant, Measured::WithinVariance), Some(3.0));
    assert_eq!(of(&variant, Measured::BetweenVariance), None, "a mean of ratios is not the ratio of means");
    variant.settings[0].seeds = vec![0];
    assert_eq!(of(&variant, Measured::BetweenVariance), Some(6.0));
    let cell = variant.settings[0].splits.get_mut("test2").unwrap();
    (cell.within_variance, cell.between_variance) = (Some(4.0), Some(9.0));
    assert_eq!(of(&variant, Measured::WithinVariance), Some(4.0));
    assert_eq!(of(&variant, Measured::BetweenVariance), Some(9.0));
    // CoRe with another penalty is measured by that one.
    variant.settings[0].splits.get_mut("test2").unwrap().within_variance = None;
    variant.settings[1].penalty = "logit-sd".into();
    assert_eq!(of(&variant, Measured::WithinVariance), None);
}

#[test]
fn a_figure_of_one_class_shows_that_class() {
    let (mut experiment, _) = variant("stickmen", "c50");
    let curve = &mut experiment.curves[0];
    (curve.measured, curve.class) = (Measured::VarianceRatio, Some("child".into()));
    let mut variants = records();
    for (variant, ratio) in variants.iter_mut().zip([0.2, 0.4]) {
        let child = ClassCell { variance_ratio: Some(ratio), ..Default::default() };
        let classes = [("child".to_string(), child)].into();
        variant.settings[1].classes = [("test2".to_string(), classes)].into();
    }
    let record = Reproduction::new(&experiment, Size::Quick, &OriginalFiles::default(), variants);
    let lines = &record.figures[0].lines;
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].points.iter().map(|point| point.y).collect::<Vec<_>>(), [0.4, 0.2]);
    experiment.curves[0].measured = Measured::Error;
    assert!(experiment.check(Size::Quick).unwrap_err().to_string().contains("of one class"));
}

#[test]
fn markdown_opens_with_one_table_of_all_experiments() {
    let experiment = find("stickmen").unwrap();
    let full = Reproduction::new(&experiment, Size::Full, &OriginalFiles::default(), with_spread(0.01));
    let mut chosen =
        VariantRecord { name: "by-rule".into(), rule: Some("lowest".into()), ..records()[1].clone() };
    chosen.settings[1].penalty_weight = 3.0;
    let mut variants = records();
    variants.push(chosen);
    let quick = Reproduction::new(&experiment, Size::Quick, &OriginalFiles::default(), variants);
    assert_eq!(
        quick.figures[0].lines[0].points.len(),
        2,
        "the choice by the rule is no point of the paper's figure"
    );
    let page = markdown(&[full, quick]);
    let table = page.find("| stickmen c50 | drawn | test2 | 41 → 41 | 40.0 ± 1.0 → 10.0 ± 1.0 | 40.0 → 10.0 | 40.0 → 10.0 (λ = 3) |");
    assert!(table.is_some_and(|place| place < page.find("## stickmen").unwrap()), "{page}");
    assert!(page.contains("3 of 3 findings hold"), "{page}");
    assert!(page.contains("| by-rule | core (logit-variance λ=3, by the rule) |"), "{page}");
    assert!(!markdown(&[]).contains("| experiment |"));
}
