//! --encoder: features of images by a network, from training to evaluation, and for other tools.

use std::fs;
use std::path::Path;

use crate::support::{corevar, fails, folder, json, names, succeeds, text};

const NETWORKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../onnx/tests/golden");
const STICKMEN: &str = "stickmen --rows 60 --groups 20 --test-rows 20";

fn network(name: &str) -> String {
    format!("{NETWORKS}/{name}.onnx")
}

/// Sixty images of stickmen in a folder.
fn images(place: &Path) {
    succeeds(place, &format!("generate {STICKMEN} --out data"));
}

#[test]
fn images_become_features_and_a_linear_model_that_needs_its_encoder() {
    let place = folder();
    let place = place.path();
    images(place);
    let encoder = network("convolutional");
    let train = format!(
        "compare data --encoder {encoder} --encoder-layer map --encoder-preset none --out run --cache cache"
    );
    let first = corevar(place, &train);
    let said = text(&first.stderr);
    assert!(first.status.success(), "{said}");
    assert!(
        said.contains("images 16x16 rgb, nchw, crop center, pixels none; 3 features from `map`"),
        "{said}"
    );
    assert!(said.contains("encoded 120 images in"), "{said}");
    let config = fs::read_to_string(place.join("run/config.toml")).unwrap();
    for line in [
        "model = \"linear\"",
        "encoder-layer = \"map\"",
        "encoder-preset = \"none\"",
        "encoder-size = \"16x16\"",
    ] {
        assert!(config.contains(line), "{config}");
    }
    assert!(!config.contains("image-size"), "{config}");
    assert!(
        json(&place.join("run/evidence.json"))["pictures"]["groups"]
            .as_array()
            .is_some_and(|groups| !groups.is_empty())
    );
    // The settings of the run repeat it, with features from the cache.
    let again = corevar(place, "compare data --config run/config.toml --out again --cache cache");
    let said = text(&again.stderr);
    assert!(
        again.status.success() && said.contains("features of all 120 images come from the cache"),
        "{said}"
    );
    let errors = |run: &str| json(&place.join(run).join("results.json"))["estimators"][0]["mean"].clone();
    assert_eq!(errors("run"), errors("again"));
    // What is known of the encoder stands in the model; the file must be there, and be the same.
    let evaluated = succeeds(place, &format!("evaluate run data --encoder {encoder} --json --cache cache"));
    let evaluated: serde_json::Value = serde_json::from_str(&evaluated).unwrap();
    assert_eq!(evaluated["estimators"][0]["mean"]["test1"]["error"], errors("run")["test1"]["error"]);
    let answers = succeeds(place, &format!("predict run data --encoder {encoder}"));
    assert!(answers.starts_with("filename,group_id,label,p_adult,p_child,style_radius"), "{answers}");
    assert_eq!(answers.lines().count(), 121);
    let bare = fails(place, "predict run data", 1);
    assert!(bare.contains("tip: pass --encoder convolutional.onnx"), "{bare}");
    let checked = succeeds(place, &format!("check run data --encoder {encoder} --max-error 1 --cache cache"));
    assert!(checked.contains("error"), "{checked}");
    let missing = fails(place, "evaluate run data", 1);
    assert!(missing.contains("tip: pass --encoder convolutional.onnx"), "{missing}");
    let other = fails(place, &format!("evaluate run data --encoder {}", network("transformer")), 1);
    assert!(other.contains("this is not the encoder of the model"), "{other}");
}

/// The program runs the file and compares it with encoder and model before it gets its name.
#[test]
fn an_exported_file_has_encoder_and_model_inside() {
    let place = folder();
    let place = place.path();
    images(place);
    for (name, more, pixels) in [
        ("convolutional", "--encoder-layer map --encoder-preset caffe", ""),
        ("transformer", "--encoder-layer last_hidden_state", "--layout nchw"),
        ("transformer", "--encoder-layer last_hidden_state --encoder-pool first", "--input f32"),
        ("bytes", "--encoder-layer map", "--input f32 --layout nchw"),
        ("bytes", "", ""),
    ] {
        let encoder = network(name);
        succeeds(place, &format!("train data --encoder {encoder} {more} --out run --overwrite --cache off"));
        let export = format!("export run --onnx joined.onnx --encoder {encoder} --overwrite {pixels}");
        let output = corevar(place, &export);
        let said = text(&output.stderr);
        assert!(
            output.status.success() && said.contains("agrees with the model on 2 drawn rows"),
            "{export}: {said}"
        );
    }
    let alone = corevar(place, "export run --onnx head.onnx");
    assert!(text(&alone.stderr).contains("--encoder bytes.onnx puts it into the ONNX file"));
    let joined =
        corevar(place, "train data --encoder joined.onnx --encoder-layer features --out again --cache off");
    assert!(joined.status.success(), "a file of ours is an encoder too: {}", text(&joined.stderr));
}

#[test]
fn encode_writes_a_matrix_and_a_table_that_train_reads() {
    let place = folder();
    let place = place.path();
    images(place);
    let encoder = network("transformer");
    succeeds(place, &format!("encode data --encoder {encoder} --out encoded/features.npy --cache off"));
    assert_eq!(names(&place.join("encoded")), ["features.npy", "metadata.csv"]);
    let table = fs::read_to_string(place.join("encoded/metadata.csv")).unwrap();
    assert!(table.starts_with("filename,y,group_id,split"), "{table}");
    let train = "train encoded/metadata.csv --features-file encoded/features.npy --out";
    succeeds(place, &format!("{train} by-matrix"));
    succeeds(place, &format!("train data --encoder {encoder} --out by-encoder --cache off"));
    let error = |run: &str| {
        json(&place.join(run).join("results.json"))["estimators"][0]["mean"]["test1"]["error"].clone()
    };
    assert_eq!(error("by-matrix"), error("by-encoder"));
    let again = fails(place, &format!("encode data --encoder {encoder} --out encoded/other.npy"), 1);
    assert!(again.contains("metadata.csv: it exists already"), "{again}");
}

#[test]
fn built_in_images_are_resized_and_augmented_in_front_of_the_encoder() {
    let place = folder();
    let encoder = network("bytes");
    let run = format!(
        "train {STICKMEN} --encoder {encoder} --augment rotate=U(10,20) --augment-rows 10 --out run --cache cache"
    );
    let output = corevar(place.path(), &run);
    let said = text(&output.stderr);
    assert!(output.status.success() && said.contains("encoded 130 images"), "{said}");
    let inspected =
        succeeds(place.path(), &format!("inspect {STICKMEN} --encoder {encoder} --json --cache cache"));
    assert!(inspected.contains("\"inputs\": \"6 features\""), "{inspected}");
}

#[test]
fn what_makes_no_sense_is_said_before_anything_is_written() {
    let place = folder();
    let place = place.path();
    images(place);
    let encoder = network("bytes");
    fs::write(place.join("words.onnx"), "words").unwrap();
    fs::write(place.join("table.csv"), "x1,y\n1,a\n2,b\n3,a\n4,b\n").unwrap();
    for (arguments, code, words) in [
        (format!("train data --encoder {encoder} --image-size 64x64"), 2, "--image-size has no effect here"),
        (
            format!("train data --encoder {encoder} --encoder-size 64x64"),
            2,
            "takes images of 16x16, not 64x64",
        ),
        (
            format!("train data --encoder {encoder} --encoder-preset clip"),
            2,
            "tip: leave out --encoder-preset",
        ),
        (format!("train data --encoder {encoder} --encoder-layer pool"), 2, "no tensor `pool`"),
        (format!("train data --encoder {encoder} --model cnn"), 1, "a CNN needs images"),
        (
            "train data --encoder-preset clip".into(),
            2,
            "--encoder-preset has no effect here: there is no --encoder",
        ),
        ("train data --encoder words.onnx".into(), 1, "words.onnx: not an ONNX file"),
        ("train data --encoder missing.onnx".into(), 1, "missing.onnx: cannot be read"),
        (
            format!("train table.csv --encoder {encoder}"),
            2,
            "--encoder has no effect here: the inputs are features",
        ),
    ] {
        let message = fails(place, &format!("{arguments} --out run"), code);
        assert!(message.contains(words), "{message}");
        assert!(!place.join("run").exists(), "{arguments}");
    }
    let bare = fails(place, "encode data --out new/f.npy", 2);
    assert!(bare.contains("--encoder is missing"), "{bare}");
    assert!(!place.join("new").exists());
}
