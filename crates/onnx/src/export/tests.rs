use corevar::model::{CnnSpec, ModelSpec};
use corevar::{Core, Dataset, ImageShape};
use prost::Message;
use tract_onnx::pb::NodeProto;

use super::*;

const ROWS: usize = 30;

/// Numbers without order in 0..1.
fn noise(place: usize) -> f32 {
    (place as f32 * 12.9898).sin().mul_add(43758.547, 0.5).rem_euclid(1.0)
}

fn labels(classes: usize) -> Vec<String> {
    (0..ROWS).map(|row| format!("c{}", row % classes)).collect()
}

/// Three features of this mean and SD 1, the first of which says the class.
fn features(mean: f32, classes: usize) -> Dataset {
    let value = |place: usize| {
        mean + noise(place) * 3.0 + (if place.is_multiple_of(3) { place / 3 % classes } else { 0 }) as f32
    };
    Dataset::features(["a", "b", "c"], (0..3 * ROWS).map(value).collect())
        .classes(&labels(classes))
        .check()
        .unwrap()
}

fn pictures(height: usize, width: usize, channels: usize) -> Dataset {
    let shape = ImageShape { height, width, channels };
    let pixels = (0..ROWS * shape.len()).map(|place| (noise(place) * 255.0) as u8).collect();
    Dataset::images(shape, pixels).classes(&labels(3)).check().unwrap()
}

fn trained(spec: ModelSpec, data: &Dataset) -> Model {
    Core::pooled().model(spec).epochs(1).fit(data).unwrap()
}

fn cnn(channels: Vec<usize>, kernel: usize, stride: usize, negative_slope: f32) -> ModelSpec {
    ModelSpec::Cnn(CnnSpec { channels, kernel, stride, negative_slope })
}

fn ways() -> impl Iterator<Item = Images> {
    let layouts = [Layout::Nhwc, Layout::Nchw];
    layouts.into_iter().flat_map(|layout| [Pixels::U8, Pixels::F32].map(|pixels| Images { layout, pixels }))
}

fn message(model: &Model) -> ModelProto {
    Export::new(model).message(None).unwrap()
}

#[test]
fn networks_of_every_shape_agree_with_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("model.onnx");
    // Kernels larger and smaller than the step, maps larger and smaller than the kernel, no convolution, no hidden layer.
    let networks = [
        (cnn(vec![3, 4, 2], 5, 2, 0.2), pictures(7, 6, 3)),
        (cnn(vec![3, 2], 3, 1, 0.0), pictures(5, 4, 1)),
        (cnn(vec![2], 2, 3, 1.0), pictures(8, 7, 3)),
        (cnn(vec![], 5, 2, 0.2), pictures(3, 2, 3)),
        (ModelSpec::Mlp { hidden: vec![4, 3] }, pictures(3, 2, 3)),
        (ModelSpec::Linear, pictures(3, 2, 3)),
    ];
    for (spec, data) in networks {
        let model = trained(spec.clone(), &data);
        for images in ways() {
            let checked = Export::new(&model).images(images).overwrite(true).onnx(path).unwrap();
            assert!(checked.rows == 64 && checked.difference < 1e-6, "{spec:?}, {images:?}: {checked:?}");
        }
    }
}

#[test]
fn few_rows_are_drawn_where_one_becomes_many_numbers() {
    // 2 MB of maps per row: 2²⁴ numbers are 32 rows. The second layer keeps the sums of the last one short enough for single precision.
    let model = trained(cnn(vec![32, 1], 1, 1, 0.2), &pictures(128, 128, 1));
    assert_eq!(verify::check(&message(&model), &model, None).unwrap().rows, 32);
}

#[test]
fn features_far_from_zero_keep_their_digits() {
    for spec in [ModelSpec::Linear, ModelSpec::Mlp { hidden: vec![5] }, ModelSpec::Mlp { hidden: vec![] }] {
        for classes in [2, 3] {
            let model = trained(spec.clone(), &features(1e4, classes));
            let checked = verify::check(&message(&model), &model, None).unwrap();
            assert!(checked.difference < 1e-6, "{spec:?}, {classes}: {checked:?}");
        }
    }
}

#[test]
fn softplus_does_not_overflow() {
    let data = features(300.0, 2);
    let core = Core::pooled().model(ModelSpec::Mlp { hidden: vec![4] }).epochs(1);
    let model = core.with(|config| config.standardise = false).fit(&data).unwrap();
    let mut exported = message(&model);
    let graph = exported.graph.as_mut().unwrap();
    // Drawn rows are near 0 where a model has no means: the first weights are made larger in both.
    let weights = graph.tensors_of("layers.0.bias");
    weights.raw_data = [200.0_f32, -200.0, 90.0, 1e6].iter().flat_map(|value| value.to_le_bytes()).collect();
    let differs = verify::check(&exported, &model, None).unwrap_err().to_string();
    // Another answer, but a number.
    assert!(differs.contains("differs from the model") && !differs.contains("NaN"), "{differs}");
    assert!(!differs.contains("inf"), "{differs}");
}

#[test]
fn a_regression_has_one_number_per_row() {
    let values = (0..2 * ROWS).map(noise).collect();
    let numbers: Vec<f32> = (0..ROWS).map(|row| 100.0 + 5.0 * noise(2 * row)).collect();
    let data = Dataset::features(["a", "b"], values).numbers(numbers).check().unwrap();
    for spec in [ModelSpec::Linear, ModelSpec::Mlp { hidden: vec![4] }] {
        let model = trained(spec, &data);
        let exported = message(&model);
        let outputs = &exported.graph.as_ref().unwrap().output;
        assert_eq!(outputs.iter().map(|output| output.name.as_str()).collect::<Vec<_>>(), ["prediction"]);
        let checked = verify::check(&exported, &model, None).unwrap();
        assert!(checked.difference < 1e-3, "{checked:?}");
    }
}

#[test]
fn another_model_is_found_out() {
    let model = trained(ModelSpec::Linear, &features(0.0, 3));
    let mut exported = message(&model);
    let bias = exported.graph.as_mut().unwrap().tensors_of("layers.0.bias");
    let first = f64::from_le_bytes(*bias.raw_data.first_chunk().unwrap());
    bias.raw_data[..8].copy_from_slice(&(first + 1e-3).to_le_bytes());
    let error = verify::check(&exported, &model, None).unwrap_err();
    assert!(matches!(error, ExportError::Differs { .. }), "{error}");
}

#[test]
fn a_graph_that_cannot_be_run_is_an_error() {
    let model = trained(ModelSpec::Linear, &features(0.0, 2));
    let mut exported = message(&model);
    exported.graph.as_mut().unwrap().node.push(NodeProto {
        op_type: "Nothing".into(),
        input: vec!["nowhere".into()],
        output: vec!["x".into()],
        ..Default::default()
    });
    let error = verify::check(&exported, &model, None).unwrap_err();
    assert!(matches!(error, ExportError::CannotRun { .. }), "{error}");
    let bytes = message(&model).encode_to_vec();
    let error = verify::read(&bytes[..bytes.len() - 5]).unwrap_err();
    assert!(matches!(error, ExportError::CannotRun { .. }), "{error}");
}

#[test]
fn the_file_says_what_it_is_of() {
    let model = trained(ModelSpec::Linear, &features(0.0, 2));
    let setting = Setting { penalty_weight: f64::INFINITY, ..Setting::unknown("core") };
    let exported = Export::new(&model).setting(&setting).message(None).unwrap();
    assert_eq!((exported.ir_version, exported.opset_import[0].version), (8, 18));
    let of = |key: &str| {
        let entry = exported.metadata_props.iter().find(|entry| entry.key == format!("corevar.{key}"));
        entry.map(|entry| entry.value.as_str())
    };
    assert_eq!(of("classes"), Some(r#"["c0","c1"]"#));
    assert_eq!(of("features"), Some(r#"["a","b","c"]"#));
    assert_eq!((of("estimator"), of("penalty_weight")), (Some("core"), Some("inf")));
    assert_eq!(of("data"), model.origin().data.as_deref());
    // A file without a record is not said to be without penalty.
    let unknown = Setting::unknown("model");
    let exported = Export::new(&model).setting(&unknown).message(None).unwrap();
    assert!(!exported.metadata_props.iter().any(|entry| entry.key == "corevar.penalty"));
}

#[test]
fn models_are_never_replaced_and_other_files_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let model = trained(ModelSpec::Linear, &features(0.0, 2));
    let [kept, file] = ["model.safetensors", "model.onnx"].map(|name| folder.path().join(name));
    model.save(&kept).unwrap();
    let before = std::fs::read(&kept).unwrap();
    for export in [Export::new(&model), Export::new(&model).overwrite(true)] {
        assert!(matches!(export.onnx(&kept), Err(ExportError::IsModel { .. })));
        assert!(matches!(export.pytorch(folder.path()), Err(ExportError::IsModel { .. })));
    }
    assert_eq!(std::fs::read(&kept).unwrap(), before);
    Export::new(&model).onnx(&file).unwrap();
    assert!(matches!(Export::new(&model).onnx(&file), Err(ExportError::Exists { .. })));
    Export::new(&model).overwrite(true).onnx(&file).unwrap();
    assert!(matches!(
        Export::new(&model).overwrite(true).onnx(folder.path()),
        Err(ExportError::NotAFile { .. })
    ));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn the_tensors_are_named_as_the_modules_are() {
    let model = trained(cnn(vec![3, 4], 5, 2, 0.2), &pictures(6, 7, 1));
    let folder = tempfile::tempdir().unwrap();
    Export::new(&model).pytorch(folder.path()).unwrap();
    let bytes = std::fs::read(folder.path().join("model.safetensors")).unwrap();
    let tensors = safetensors::SafeTensors::deserialize(&bytes).unwrap();
    let shape = |name: &str| tensors.tensor(name).unwrap().shape().to_vec();
    // The first map has an even height, so its zeros are a module of their own: 0, then 1; the second is 3x4.
    assert_eq!(shape("layers.1.weight"), [3, 1, 5, 5]);
    assert_eq!(shape("layers.4.weight"), [4, 3, 5, 5]);
    assert_eq!(shape("layers.7.weight"), [3, 2 * 2 * 4]);
    let module = std::fs::read_to_string(folder.path().join("model.py")).unwrap();
    assert!(
        module.contains("nn.ZeroPad2d((2, 2, 1, 2)),\n            nn.Conv2d(1, 3, 5, stride=2),"),
        "{module}"
    );
}

trait TensorsOf {
    fn tensors_of(&mut self, name: &str) -> &mut tract_onnx::pb::TensorProto;
}

impl TensorsOf for tract_onnx::pb::GraphProto {
    fn tensors_of(&mut self, name: &str) -> &mut tract_onnx::pb::TensorProto {
        self.initializer.iter_mut().find(|tensor| tensor.name == name).unwrap()
    }
}
