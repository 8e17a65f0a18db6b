use corevar::model::{CnnSpec, ModelSpec};
use corevar::train::Decay;

use super::*;

mod records;

fn variant(experiment: &str, name: &str) -> (Experiment, Variant) {
    let experiment = find(experiment).unwrap();
    let variant = experiment.variants.iter().find(|variant| variant.name == name).unwrap().clone();
    (experiment, variant)
}

#[test]
fn every_file_can_be_planned_in_both_sizes() {
    for name in names() {
        let experiment = find(name).unwrap();
        for size in [Size::Quick, Size::Full] {
            experiment.check(size).unwrap();
            for variant in experiment.variants_in(size) {
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
            let variants =
                experiment.variants_like(std::slice::from_ref(&side.variant), Size::Quick).unwrap();
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
    let named = |patterns: &[String]| mnist.variants_like(patterns, Size::Quick).unwrap().len();
    assert_eq!(named(&[]), mnist.variants.len() - 1);
    assert_eq!(named(&["choice".into()]), 1);
    assert_eq!(named(&["m1000-*".into()]), 4);
    assert_eq!(named(&["*".into()]), mnist.variants.len() - 1);
    assert!(mnist.variants_like(&["choi*".into()], Size::Quick).is_err());
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

#[test]
fn remarks_are_at_most_five_sentences() {
    for name in names() {
        let remark = find(name).unwrap().remark;
        let ends = remark.matches(". ").count() + usize::from(remark.ends_with('.'));
        assert!((1..=5).contains(&ends), "{name}: {ends} sentences");
        assert!(!remark.contains(" errs "), "{name}: a model has an error");
    }
}

#[test]
fn every_experiment_has_a_line_in_the_table_of_all_with_a_choice_by_the_rule() {
    for name in names() {
        let experiment = find(name).unwrap();
        let headline = &experiment.headlines[0];
        let by_rule = headline.by_rule.as_ref().unwrap();
        let variant = experiment.variants.iter().find(|variant| variant.name == *by_rule).unwrap();
        let fixed = experiment.variants.iter().find(|variant| variant.name == headline.variant).unwrap();
        let [chosen, given] = [variant, fixed].map(|one| experiment.plan(one, Size::Quick).unwrap());
        assert_eq!((chosen.rule, given.rule), (Some(corevar::Rule::default()), None), "{name}");
        assert_eq!(chosen.data, given.data, "{name}: the same data");
        assert!(headline.splits.contains(&experiment.shifted), "{name}");
        assert_eq!(experiment.variants_in(Size::Full).filter(|variant| variant.by_rule).count(), 0, "{name}");
    }
}

#[test]
fn a_variant_by_the_rule_is_pooled_and_core_with_the_rule_among_its_settings() {
    let (experiment, variant) = variant("nonlinear", "by-rule");
    let plan = experiment.plan(&variant, Size::Quick).unwrap();
    let keys: Vec<&str> = plan.estimators.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(keys, ["pooled", "core"]);
    let settings: toml::Table = plan.config_toml(&OriginalFiles::default()).unwrap().parse().unwrap();
    assert!(settings["choice"].get("rule").is_some() && settings["choice"].get("penalty-weights").is_some());
    let twice =
        Variant { grid: find("gender").unwrap().variants.iter().find_map(|one| one.grid.clone()), ..variant };
    assert!(experiment.plan(&twice, Size::Quick).unwrap_err().to_string().contains("no grid"));
}

#[test]
fn the_authors_settings_of_mnist_are_those_of_their_program() {
    let (experiment, variant) = variant("mnist", "authors");
    for size in [Size::Quick, Size::Full] {
        let config = experiment.plan(&variant, size).unwrap().estimators[1].config.clone();
        assert_eq!((config.penalty_weight, config.ridge, config.learning_rate), (0.2, 0.001, 0.01));
        assert_eq!((config.epochs, config.batch_size), (25, 120));
        assert_eq!(config.penalty, corevar::penalty::Penalty::LOGIT_VARIANCE);
        assert_eq!(config.normalise, corevar::penalty::Normalise::Batch);
        // 0.9999 to the power of 0 + 1 + .. + 24.
        let Decay::Exponential(factor) = config.decay else { panic!("decaying") };
        assert!((factor.powi(24) - 0.9999f64.powi(300)).abs() < 1e-3);
    }
}

#[test]
fn where_original_pictures_are_changed_is_a_setting_of_original_pictures_alone() {
    let (mut experiment, variant) = variant("quality", "mu30-grouping1");
    let settings = |experiment: &Experiment, originals: Option<&str>| {
        let material = OriginalFiles { originals: originals.map(Into::into), features: None };
        experiment.plan(&variant, Size::Full).unwrap().config_toml(&material).unwrap()
    };
    let (drawn, real) = (settings(&experiment, None), settings(&experiment, Some("photos")));
    assert!(!drawn.contains("change-at") && real.contains("change-at = \"network\""));
    experiment.data.extend(toml::toml! { change-at = "original" });
    assert_eq!(settings(&experiment, None), drawn);
    assert!(settings(&experiment, Some("photos")).contains("change-at = \"original\""));
}
