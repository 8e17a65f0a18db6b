use corevar::model::{CnnSpec, ModelSpec};

use super::*;

fn variant(experiment: &str, name: &str) -> (Experiment, Variant) {
    let experiment = find(experiment).unwrap();
    let variant = experiment.variants.iter().find(|variant| variant.name == name).unwrap().clone();
    (experiment, variant)
}

#[test]
fn every_file_can_be_planned_in_both_sizes() {
    for name in names() {
        let experiment = find(name).unwrap();
        experiment.check(Size::Quick).unwrap();
        for variant in &experiment.variants {
            for size in [Size::Quick, Size::Full] {
                let plan = experiment.plan(variant, size).unwrap();
                assert!(plan.runs > 0 && !plan.estimators.is_empty(), "{name} {}", variant.name);
                let mut keys: Vec<&str> = plan.estimators.iter().map(|one| one.key.as_str()).collect();
                keys.sort_unstable();
                keys.dedup();
                assert_eq!(keys.len(), plan.estimators.len(), "{name} {}: keys", variant.name);
                for key in variant.paper.keys().chain(variant.paper_penalty.keys()) {
                    assert!(keys.contains(&key.as_str()), "{name} {}: the paper has {key}", variant.name);
                }
            }
        }
    }
}

#[test]
fn findings_name_variants_and_estimators_that_are_trained() {
    for name in names() {
        let experiment = find(name).unwrap();
        for side in experiment.findings.iter().flat_map(|finding| [&finding.of, &finding.to]) {
            let variants = experiment.variants_like(std::slice::from_ref(&side.variant)).unwrap();
            for variant in variants {
                let plan = experiment.plan(variant, Size::Quick).unwrap();
                assert!(
                    plan.estimators.iter().any(|one| one.key == side.estimator),
                    "{name} {}",
                    variant.name
                );
            }
        }
    }
}

#[test]
fn full_is_as_large_as_the_paper() {
    let rows = |experiment: &str, name: &str| {
        let (experiment, variant) = variant(experiment, name);
        experiment.plan(&variant, Size::Full).unwrap()
    };
    let stickmen = rows("stickmen", "c50");
    assert_eq!((stickmen.runs, stickmen.data["rows"].as_integer()), (5, Some(20_000)));
    let brightness = rows("brightness", "beta20-c2000-grouping2");
    assert_eq!((brightness.runs, brightness.data["groups"].as_integer()), (5, Some(2_000)));
    let mnist = rows("mnist", "m10000-c200");
    let weights: Vec<f64> = mnist.estimators.iter().map(|one| one.config.penalty_weight).collect();
    assert_eq!((weights[0], mnist.data["copies"].as_integer()), (0.0, Some(200)));
}

#[test]
fn variants_aside_run_only_by_their_name() {
    let mnist = find("mnist").unwrap();
    let named = |patterns: &[String]| mnist.variants_like(patterns).unwrap().len();
    assert_eq!(named(&[]), mnist.variants.len() - 1);
    assert_eq!(named(&["choice".into()]), 1);
    assert_eq!(named(&["m1000-*".into()]), 4);
    assert_eq!(named(&["*".into()]), mnist.variants.len() - 1);
    assert!(mnist.variants_like(&["choi*".into()]).is_err());
}

#[test]
fn the_settings_of_a_run_are_complete_and_in_order() {
    let (experiment, variant) = variant("quality", "mu30-grouping1");
    let plan = experiment.plan(&variant, Size::Full).unwrap();
    let settings = |plan: &Plan| plan.config_toml(&OriginalFiles::default()).unwrap();
    let whole = settings(&plan);
    for words in ["protocol = \"quality\"", "drawing = ", "order = [\"pooled\", \"core\"]", "test-rows = "] {
        assert!(whole.contains(words), "{words}: {whole}");
    }
    let mut turned = plan.clone();
    turned.estimators.reverse();
    assert_ne!(settings(&turned), whole);
    let real = OriginalFiles { originals: Some("photos".into()), features: None };
    assert!(!plan.config_toml(&real).unwrap().contains("drawing"));
}

#[test]
fn a_grid_is_every_weight_with_every_ridge() {
    let (experiment, grid) = variant("small-n", "grid");
    let plan = experiment.plan(&grid, Size::Quick).unwrap();
    assert_eq!(plan.estimators.len(), 4 * 3);
    assert_eq!(plan.estimators[0].key, "pooled-0-ridge0.0001");
    assert_eq!(plan.estimators[0].config.penalty, corevar::penalty::Penalty::NONE);
}

#[test]
fn a_model_keeps_what_a_file_does_not_say_of_it() {
    let (mut experiment, mut variant) = variant("stickmen", "c50");
    let model = |experiment: &Experiment, variant: &Variant| {
        experiment.plan(variant, Size::Quick).unwrap().estimators[0].config.model.clone()
    };
    experiment.train.extend(toml::toml! { model = { kind = "cnn", channels = [4, 8] } });
    variant.train.extend(toml::toml! { model = { kernel = 3 } });
    let expected = CnnSpec { channels: vec![4, 8], kernel: 3, ..Default::default() };
    assert_eq!(model(&experiment, &variant), ModelSpec::Cnn(expected));
    variant.train.extend(toml::toml! { model = { kind = "linear" } });
    assert_eq!(model(&experiment, &variant), ModelSpec::Linear);
}

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
    };
    let variant = |name: &str, groups: i64| VariantRecord {
        name: name.into(),
        date: "2026-01-31".into(),
        config: "rows = 100".into(),
        data: [("groups".to_string(), toml::Value::Integer(groups))].into_iter().collect(),
        data_name: "stickmen".into(),
        train_rows: 100,
        groups: groups as usize,
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
