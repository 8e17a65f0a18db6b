//! Against onnxruntime (`tests/golden/encoder.json`, made by `scripts/golden/encoder.py`), and files that lie.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::PathBuf;

use corevar_data::{Augmentation, Cache, Dataset, ImageShape, Layout, Mode, Pooling, Tip};
use corevar_onnx::encoder::{Encoder, EncoderError, EncoderOptions, Preset};
use prost::Message;
use serde::Deserialize;
use tract_onnx::pb::tensor_shape_proto::{Dimension, dimension};
use tract_onnx::pb::{
    AttributeProto, GraphProto, ModelProto, NodeProto, OperatorSetIdProto, StringStringEntryProto,
    TensorProto, TensorShapeProto, TypeProto, ValueInfoProto, type_proto,
};

#[derive(Deserialize)]
struct Golden {
    side: usize,
    images: Vec<Vec<u8>>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    network: String,
    layer: String,
    pooled: Option<String>,
    features: Vec<Vec<f32>>,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("golden/encoder.json")).unwrap()
}

fn network(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{name}.onnx"))
}

fn pictures() -> Dataset {
    let golden = golden();
    let shape = ImageShape { height: golden.side, width: golden.side, channels: 3 };
    Dataset::images(shape, golden.images.concat()).classes(&["a", "b", "a", "b"]).check().unwrap()
}

fn encoded(encoder: &Encoder, cache: &Cache) -> Vec<f32> {
    let dataset = encoder.encode(pictures(), cache, &|_, _| {}).unwrap().dataset;
    dataset.inputs().as_features().unwrap().values.clone()
}

#[test]
fn every_operator_gives_what_onnxruntime_gives() {
    for case in golden().cases {
        let options = EncoderOptions {
            layer: Some(case.layer.clone()),
            pool: (case.pooled.as_deref() == Some("first")).then_some(Pooling::First),
            ..Default::default()
        };
        let encoder = Encoder::load(network(&case.network), &options).unwrap();
        let found = encoded(&encoder, &Cache::Off);
        let wanted = case.features.concat();
        assert_eq!(found.len(), wanted.len(), "{} {}", case.network, case.layer);
        let largest = wanted.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        for (found, wanted) in found.iter().zip(&wanted) {
            let off = (found - wanted).abs();
            assert!(off <= 1e-5 * largest, "{} {}: {found} {wanted}", case.network, case.layer);
        }
    }
}

#[test]
fn what_is_used_is_said_and_the_default_is_the_embedding() {
    let load = |name: &str| Encoder::load(network(name), &EncoderOptions::default()).unwrap();
    let transformer = load("transformer");
    assert_eq!((transformer.encoding().layer.as_str(), transformer.width()), ("pooler_output", 12));
    assert!(
        transformer.notes()[0]
            .contains("images 16x16 rgb, nchw, crop center, pixels as the metadata of the network says")
    );
    let classifier = load("convolutional");
    let notes = classifier.notes().join("\n");
    assert!(
        notes.contains("class scores") && notes.contains("set the field `encoder_layer` to ReduceMean"),
        "{notes}"
    );
    assert!(notes.contains("taking mean and deviation of ImageNet"), "{notes}");
    assert!(load("bytes").notes()[0].ends_with("pixels bytes as they are; 6 features from `embedding`"));
}

#[test]
fn a_second_run_takes_all_from_the_cache_and_other_settings_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::Dir(folder.path().into());
    let encoder = Encoder::load(network("convolutional"), &EncoderOptions::default()).unwrap();
    let run = |encoder: &Encoder, data: Dataset| {
        let calls = std::sync::Mutex::new(Vec::new());
        let encoded =
            encoder.encode(data, &cache, &|done, all| calls.lock().unwrap().push((done, all))).unwrap();
        let values = encoded.dataset.inputs().as_features().unwrap().values.clone();
        (encoded.from_cache, values, calls.into_inner().unwrap().last().copied())
    };
    let (none, first, progress) = run(&encoder, pictures());
    assert_eq!((none, progress), (0, Some((4, 4))));
    let (all, again, progress) = run(&encoder, pictures());
    assert_eq!((all, again, progress), (4, first.clone(), None));
    let more = pictures().edit().name("memory").check().unwrap();
    let copies = Augmentation::new("brightness=50".parse().unwrap()).apply(more).unwrap();
    let (old, eight, _) = run(&encoder, copies);
    assert_eq!((old, eight.len(), &eight[..first.len()]), (4, 2 * first.len(), &first[..]));
    assert_ne!(eight[first.len()..], first[..], "copies are changed before the network");
    let options = EncoderOptions { preset: Some(Preset::Clip), ..Default::default() };
    let clip = Encoder::load(network("convolutional"), &options).unwrap();
    assert_eq!(run(&clip, pictures()).0, 0);
}

#[test]
fn a_model_finds_its_encoder_by_the_checksum_alone() {
    let options =
        EncoderOptions { preset: Some(Preset::Caffe), layer: Some("map".into()), ..Default::default() };
    let encoder = Encoder::load(network("convolutional"), &options).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let moved = folder.path().join("elsewhere.onnx");
    std::fs::copy(network("convolutional"), &moved).unwrap();
    let again = Encoder::load_for(&moved, encoder.encoding(), encoder.crop()).unwrap();
    assert_eq!(encoded(&again, &Cache::Off), encoded(&encoder, &Cache::Off));
    assert!(again.encoding().agrees(encoder.encoding()));
    let other = Encoder::load_for(network("transformer"), encoder.encoding(), encoder.crop()).unwrap_err();
    assert!(
        other.to_string().contains("this is not the encoder of the model, which is `convolutional.onnx`"),
        "{other}"
    );
}

#[test]
fn pictures_of_another_size_are_resized_and_kept_for_people() {
    let shape = ImageShape { height: 20, width: 30, channels: 1 };
    let data = Dataset::images(shape, vec![100; 2 * 600]).check().unwrap();
    let encoder = Encoder::load(network("transformer"), &EncoderOptions::default()).unwrap();
    let encoded = encoder.encode(data, &Cache::Off, &|_, _| {}).unwrap().dataset;
    assert_eq!(encoded.inputs().width(), 12);
    assert_eq!(encoded.pictures().map(|images| images.shape), Some(shape));
    assert_eq!(encoded.preparation().encoding.as_ref(), Some(encoder.encoding()));
}

#[test]
fn copies_that_change_with_every_epoch_are_refused() {
    let augmentation = Augmentation { mode: Mode::Fresh, ..Augmentation::new("grayscale".parse().unwrap()) };
    let data = augmentation.apply(pictures()).unwrap();
    let encoder = Encoder::load(network("bytes"), &EncoderOptions::default()).unwrap();
    let error = encoder.encode(data, &Cache::Off, &|_, _| {}).unwrap_err();
    assert!(matches!(error, EncoderError::FreshCopies), "{error}");
}

fn message(path: PathBuf, options: &EncoderOptions) -> String {
    let error = Encoder::load(path, options).unwrap_err();
    format!("{error}; {}", error.tip().expect("every fault has a tip"))
}

#[test]
fn settings_that_do_not_suit_are_refused_with_what_does() {
    let usual = EncoderOptions::default;
    for (name, options, words) in [
        (
            "bytes",
            EncoderOptions { preset: Some(Preset::Clip), ..usual() },
            "takes bytes and scales them itself",
        ),
        ("bytes", EncoderOptions { size: Some((32, 32)), ..usual() }, "takes images of 16x16, not 32x32"),
        ("bytes", EncoderOptions { layout: Some(Layout::Nchw), ..usual() }, "in which nchw has no channels"),
        (
            "bytes",
            EncoderOptions { layer: Some("pool".into()), ..usual() },
            "has no tensor `pool`; there are `embedding`",
        ),
        ("convolutional", EncoderOptions { pool: Some(Pooling::First), ..usual() }, "has no tokens"),
        ("convolutional", EncoderOptions { layer: Some("image".into()), ..usual() }, "has no tensor `image`"),
    ] {
        let message = message(network(name), &options);
        assert!(message.contains(words), "{message}");
    }
}

fn node(operator: &str, inputs: &[&str], outputs: &[&str]) -> NodeProto {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    NodeProto { op_type: operator.into(), input: names(inputs), output: names(outputs), ..Default::default() }
}

fn value(name: &str, kind: i32, sizes: &[i64]) -> ValueInfoProto {
    let dim = |size: &i64| Dimension { value: Some(dimension::Value::DimValue(*size)), ..Default::default() };
    let shape = TensorShapeProto { dim: sizes.iter().map(dim).collect() };
    let tensor = type_proto::Tensor { elem_type: kind, shape: Some(shape) };
    let kind = TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..Default::default() };
    ValueInfoProto { name: name.into(), r#type: Some(kind), ..Default::default() }
}

/// A network that takes pictures of 4x4 and has these nodes, the last of which makes `y`.
fn small(nodes: Vec<NodeProto>) -> ModelProto {
    let graph = GraphProto {
        node: nodes,
        input: vec![value("image", 1, &[1, 3, 4, 4])],
        output: vec![ValueInfoProto { name: "y".into(), ..Default::default() }],
        ..Default::default()
    };
    let opset = OperatorSetIdProto { version: 13, ..Default::default() };
    ModelProto { ir_version: 8, opset_import: vec![opset], graph: Some(graph), ..Default::default() }
}

fn written(folder: &tempfile::TempDir, proto: &ModelProto) -> PathBuf {
    let path = folder.path().join("net.onnx");
    std::fs::write(&path, proto.encode_to_vec()).unwrap();
    path
}

fn change(mut proto: ModelProto, change: impl FnOnce(&mut GraphProto)) -> ModelProto {
    change(proto.graph.as_mut().unwrap());
    proto
}

#[test]
fn files_that_are_no_encoders_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let flat = || small(vec![node("Flatten", &["image"], &["y"])]);
    assert!(Encoder::load(written(&folder, &flat()), &EncoderOptions::default()).is_ok());
    let claim = TensorProto {
        dims: vec![750, 1 << 20],
        data_type: 1,
        name: "w".into(),
        raw_data: vec![0; 100],
        ..Default::default()
    };
    let outside = |location: &str| TensorProto {
        dims: vec![4],
        data_type: 1,
        name: "w".into(),
        data_location: Some(1),
        external_data: vec![StringStringEntryProto { key: "location".into(), value: location.into() }],
        ..Default::default()
    };
    let adding = |weights: TensorProto| {
        change(small(vec![node("Add", &["image", "w"], &["y"])]), |graph| graph.initializer.push(weights))
    };
    let numbers = |name: &str, numbers: &[i64]| TensorProto {
        dims: vec![numbers.len() as i64],
        data_type: 7,
        name: name.into(),
        int64_data: numbers.to_vec(),
        ..Default::default()
    };
    let huge = change(
        small(vec![node("ConstantOfShape", &["s"], &["big"]), node("Add", &["image", "big"], &["y"])]),
        |graph| {
            graph.initializer.push(numbers("s", &[1 << 40]));
        },
    );
    let dynamic = change(flat(), |graph| graph.input = vec![value("image", 1, &[1, 3, -1, -1])]);
    let ints =
        AttributeProto { name: "perm".into(), r#type: 7, ints: vec![0, 2, 2, 3], ..Default::default() };
    let perm = NodeProto { attribute: vec![ints], ..node("Transpose", &["image"], &["y"]) };
    let cases = [
        (adding(claim), "the weights `w` claim 3145728000 bytes, but the file holds 100"),
        (adding(outside("../../etc/passwd")), "outside the folder of the network"),
        (adding(outside("/etc/passwd")), "outside the folder of the network"),
        (adding(outside("missing.data")), "missing.data: cannot be read"),
        (
            small(vec![node("RoiAlign", &["image"], &["a"]), node("Loop", &["a"], &["y"])]),
            "uses operators that are not supported: Loop, RoiAlign",
        ),
        (
            change(small(vec![node("Add", &["image", "mask"], &["y"])]), |graph| {
                graph.input.push(value("mask", 1, &[1]))
            }),
            "the network has 2 inputs (`image`, `mask`)",
        ),
        (dynamic, "takes images of any size"),
        (
            change(flat(), |graph| graph.input = vec![value("image", 1, &[1, 3, 4])]),
            "the input `image` is [1, 3, 4], not a batch of pictures",
        ),
        (
            change(flat(), |graph| graph.input = vec![value("image", 7, &[1, 3, 4, 4])]),
            "of INT64 numbers, not a batch",
        ),
        (
            change(flat(), |graph| graph.input = vec![value("image", 1, &[1, 7, 4, 4])]),
            "does not tell where the channels are",
        ),
        (
            small(vec![node("Shape", &["image"], &["y"])]),
            "the tensor `y` has the shape [4], which is neither",
        ),
        (small(vec![perm]), "perm of Transpose is [0, 2, 2, 3], which makes no sense"),
        (huge, "makes a tensor of 1099511627776 numbers"),
        (ModelProto::default(), "not an ONNX file: there is no network in it"),
        (
            change(small(vec![node("MatMul", &["image", "w"], &["y"])]), |graph| {
                let raw_data = vec![0; 100];
                graph.initializer.push(TensorProto {
                    dims: vec![5, 5],
                    data_type: 1,
                    name: "w".into(),
                    raw_data,
                    ..Default::default()
                });
            }),
            "the network cannot be run",
        ),
    ];
    for (proto, words) in cases {
        let message = message(written(&folder, &proto), &EncoderOptions::default());
        assert!(message.contains(words), "{message}\nnot: {words}");
    }
    for bytes in [&b""[..], b"words", b"\x89PNG\r\n\x1a\n", &[0xFF; 1000]] {
        let path = folder.path().join("bytes.onnx");
        std::fs::write(&path, bytes).unwrap();
        assert!(message(path, &EncoderOptions::default()).contains("not an ONNX file"), "{bytes:?}");
    }
    let sized = EncoderOptions { size: Some((8, 6)), ..Default::default() };
    let open = change(flat(), |graph| graph.input = vec![value("image", 1, &[1, 3, -1, -1])]);
    assert_eq!(Encoder::load(written(&folder, &open), &sized).unwrap().width(), 144);
}

#[test]
fn weights_may_lie_beside_the_network_and_count_for_the_checksum() {
    let folder = tempfile::tempdir().unwrap();
    let weights = TensorProto {
        dims: vec![4],
        data_type: 1,
        name: "w".into(),
        data_location: Some(1),
        external_data: vec![StringStringEntryProto { key: "location".into(), value: "net.onnx.data".into() }],
        ..Default::default()
    };
    let proto =
        change(small(vec![node("Add", &["image", "w"], &["y"])]), |graph| graph.initializer.push(weights));
    let path = written(&folder, &proto);
    let checksum = |values: [f32; 4]| {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(folder.path().join("net.onnx.data"), bytes).unwrap();
        Encoder::load(&path, &EncoderOptions::default()).unwrap().encoding().checksum.clone()
    };
    assert_ne!(checksum([0.0; 4]), checksum([1.0; 4]));
}

#[test]
fn damaged_files_end_in_a_message() {
    let whole = std::fs::read(network("bytes")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("net.onnx");
    let load = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        if let Err(error) = Encoder::load(&path, &EncoderOptions::default()) {
            assert!(error.tip().is_some(), "{error}");
        }
    };
    for at in (0..whole.len()).step_by(29) {
        load(&whole[..at]);
        for bits in [0x01, 0x80, 0xFF] {
            let mut bytes = whole.clone();
            bytes[at] ^= bits;
            load(&bytes);
        }
    }
}
