//! Cards as a whole.

use std::path::Path;
use std::time::Duration;

use corevar::study::{KeepIn, Start};
use corevar::{Dataset, Study};
use corevar_data::SplitName;
use yaml_rust2::{Yaml, YamlLoader};

use super::*;

const NAMES: [&str; 2] = ["yes: \"no\"\n---\n", "<script>|[a](b)"];

/// A run whose names want to be markup.
fn run(folder: &Path, name: &str, is_regression: bool) {
    let (values, labels, ids) = corevar::study::example();
    let data = Dataset::features(["core`x`", "style|"], values.clone()).name(name).ids(ids);
    let data = match is_regression {
        true => data.numbers(values.chunks(2).map(|row| row[0]).collect::<Vec<f32>>()),
        false => {
            let labels: Vec<&str> = labels.iter().map(|label| NAMES[usize::from(*label == "b")]).collect();
            data.classes(&labels)
        }
    };
    let keep = KeepIn {
        folder: folder.into(),
        start: Start::New,
        config: "a = 1\n".into(),
        checkpoint_every: Duration::ZERO,
    };
    let data = data.split_by_id(0.25, 1).check().unwrap();
    Study::new(&data).keep_in(keep).run().unwrap().finish().unwrap();
}

fn card_of(name: &str, is_regression: bool) -> (Yaml, String) {
    let folder = tempfile::tempdir().unwrap();
    let run_folder = folder.path().join("run");
    run(&run_folder, name, is_regression);
    let path = write_card(&run_folder).unwrap().unwrap();
    assert_eq!(path, run_folder.join("MODEL_CARD.md"));
    let text = std::fs::read_to_string(path).unwrap();
    let (header, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    (YamlLoader::load_from_str(header).unwrap().remove(0), body.into())
}

#[test]
fn the_header_is_yaml_with_the_results_by_split() {
    let name = "it's \"mine\": {x} #1\n- y";
    let (header, _) = card_of(name, false);
    assert_eq!(header["license"].as_str(), Some("unknown"));
    assert_eq!(header["library_name"].as_str(), Some("corevar"));
    assert_eq!(header["pipeline_tag"].as_str(), Some("tabular-classification"));
    assert!(header["tags"].as_vec().unwrap().iter().all(|tag| tag.as_str().is_some()));
    let index = &header["model-index"][0];
    assert_eq!(index["name"].as_str().unwrap(), format!("corevar core on {name}"));
    let results = index["results"].as_vec().unwrap();
    assert_eq!(results.len(), 1);
    let result = &results[0];
    assert_eq!(result["task"]["type"].as_str(), Some("tabular-classification"));
    assert_eq!(
        (result["dataset"]["name"].as_str(), result["dataset"]["split"].as_str()),
        (Some(name), Some("test"))
    );
    let [accuracy, error] = [0, 1].map(|place| result["metrics"][place]["value"].as_f64().unwrap());
    assert!((accuracy + error - 1.0).abs() < 1e-9);
}

#[test]
fn numbers_of_a_regression_are_errors_in_its_units() {
    let (header, body) = card_of("rows", true);
    assert_eq!(header["pipeline_tag"].as_str(), Some("tabular-regression"));
    let metric = &header["model-index"][0]["results"][0]["metrics"][0];
    assert_eq!(metric["type"].as_str(), Some("rmse"));
    assert!(body.contains("root mean squared error, this model"), "{body}");
}

#[test]
fn names_of_the_user_are_no_markup() {
    let (_, body) = card_of("rows <b>", false);
    assert!(!body.contains("<script>") && !body.contains("[a](b)") && !body.contains("rows <b>"), "{body}");
    assert!(body.contains("\\<script\\>\\|\\[a\\]\\(b\\)") && body.contains("core\\`x\\`"), "{body}");
}

#[test]
fn no_section_is_blank_and_the_file_of_the_model_is_named() {
    let (_, body) = card_of("rows", false);
    let parts: Vec<&str> = body.split("\n## ").skip(1).collect();
    assert!(parts.len() >= 7, "{body}");
    for part in parts {
        let (title, text) = part.split_once('\n').unwrap();
        assert!(text.trim().len() > 20, "{title}: {text}");
    }
    assert!(body.contains("corevar::Model::load(\"models/core-0.safetensors\")"), "{body}");
    // Nothing was put under interventions.
    assert!(!body.contains("## Stress"), "{body}");
    let first = body.split("| split | rows |").nth(1).unwrap();
    assert!(first.contains(&format!("| {} |", SplitName::TRAIN)), "{body}");
}

#[test]
fn a_folder_without_models_has_no_card() {
    assert_eq!(write_card(tempfile::tempdir().unwrap().path()).unwrap(), None);
}
