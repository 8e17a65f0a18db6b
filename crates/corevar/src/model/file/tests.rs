//! Models that were saved and come back, or should not.

use super::*;
use corevar_data::images::Crop;

use crate::model::CnnSpec;

fn trained(spec: ModelSpec) -> Model {
    let input = InputShape::Image { height: 7, width: 5, channels: 1 };
    let task = Task::Classes(vec!["a".into(), "b \"c\"".into()]);
    let predictor = match spec {
        ModelSpec::Linear => Predictor::Linear(LinearModel {
            logits: 2,
            weights: (0..35).map(|k| 1.0 / f64::from(k + 3)).collect(),
            intercepts: vec![-0.1],
        }),
        _ => Predictor::Network(spec.init(input, 2, 3, &Device::flex())),
    };
    Model {
        predictor,
        spec,
        input,
        features: Vec::new(),
        scaling: None,
        preparation: Preparation {
            crop: Some(Crop::Center),
            label_column: Some("what".into()),
            ..Default::default()
        },
        task,
        slices: None,
        style: None,
        reference: None,
        origin: Origin { data: Some("a1".into()), version: "0.1.0".into() },
        notes: vec!["one direction is left".into()],
    }
}

fn specs() -> [ModelSpec; 3] {
    let cnn = CnnSpec { channels: vec![3, 4], ..Default::default() };
    [ModelSpec::Linear, ModelSpec::Mlp { hidden: vec![3, 4] }, ModelSpec::Cnn(cnn)]
}

#[test]
fn a_model_comes_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    for spec in specs() {
        let model = trained(spec);
        save(&model, &path).unwrap();
        let back = load(&path).unwrap();
        assert_eq!(back.weights(), model.weights());
        assert_eq!((back.spec, back.input, back.task), (model.spec, model.input, model.task));
        assert_eq!((back.preparation, back.origin), (model.preparation, model.origin));
        assert_eq!(back.notes, model.notes);
    }
}

fn of_a_regression(edges: &[f32]) -> Model {
    let linear = LinearModel { logits: 1, weights: vec![0.5; 35], intercepts: vec![1.0] };
    let slices = serde_json::from_value(serde_json::json!(edges)).unwrap();
    let (task, predictor) = (Task::Regression, Predictor::Linear(linear));
    Model { task, predictor, slices: Some(slices), ..trained(ModelSpec::Linear) }
}

/// So that rows are grouped later as they were in training.
#[test]
fn the_slices_of_a_label_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    save(&of_a_regression(&[0.1, 1.0 / 3.0]), &path).unwrap();
    assert_eq!(load(&path).unwrap().label_slices().unwrap().edges(), [0.1, 1.0 / 3.0]);
}

#[test]
fn a_model_that_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let cnn = |change: &dyn Fn(&mut CnnSpec)| {
        let mut spec = CnnSpec { channels: vec![3, 4], ..Default::default() };
        change(&mut spec);
        Model { spec: ModelSpec::Cnn(spec), ..trained(specs()[2].clone()) }
    };
    let whole = trained(specs()[1].clone());
    let image = |height, width| InputShape::Image { height, width, channels: 1 };
    for (model, words) in [
        (cnn(&|spec| spec.stride = 0), "stride is 0, but must be"),
        (cnn(&|spec| spec.kernel = 0), "kernel is 0, but must be"),
        (cnn(&|spec| spec.negative_slope = -1.0), "negative_slope is -1, but must be"),
        (cnn(&|spec| spec.channels = vec![1 << 40]), "a row would become more than 16777216 numbers"),
        (cnn(&|spec| spec.channels.push(7)), "do not fit the model"),
        (Model { input: image(0, 5), ..whole.clone() }, "it takes or says nothing"),
        (Model { input: image(1 << 40, 1 << 40), ..whole.clone() }, "its input is too large"),
        (Model { input: InputShape::Features(36), ..whole.clone() }, "do not fit the model"),
        (Model { task: Task::Classes(Vec::new()), ..whole.clone() }, "it takes or says nothing"),
        (Model { features: vec!["a".into()], ..whole.clone() }, "as many features as it takes"),
        (of_a_regression(&[2.0, 1.0]), "the slices of its label are not in ascending order"),
        (Model { slices: of_a_regression(&[1.0]).slices, ..whole.clone() }, "or it has classes"),
    ] {
        save(&model, &path).unwrap();
        let message = load(&path).unwrap_err().to_string();
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn images_that_were_cropped_in_another_way_are_refused() {
    let shape = corevar_data::ImageShape { height: 6, width: 6, channels: 1 };
    let model = Model {
        input: InputShape::Image { height: 6, width: 6, channels: 1 },
        preparation: Preparation { crop: Some(Crop::Center), ..Default::default() },
        ..trained(specs()[1].clone())
    };
    let images = |crop| {
        let preparation = Preparation { crop, ..Default::default() };
        corevar_data::Dataset::images(shape, vec![0; 36]).preparation(preparation).check().unwrap()
    };
    let error = model.predict(&images(Some(Crop::None))).unwrap_err();
    assert!(matches!(error, ModelError::OtherCrop { found: "none", wanted: "center" }), "{error}");
    assert_eq!(model.table_options().crop, Crop::Center);
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let mut model = trained(ModelSpec::Linear);
    let Predictor::Linear(linear) = &mut model.predictor else { unreachable!() };
    linear.intercepts[0] = f64::NAN;
    save(&model, &path).unwrap();
    assert!(load(&path).unwrap_err().to_string().ends_with("`intercepts` are not all finite"));
}

#[test]
fn a_large_file_is_refused_by_its_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    save(&trained(ModelSpec::Linear), &path).unwrap();
    // Sparse: a terabyte that takes no room.
    std::fs::File::options().append(true).open(&path).unwrap().set_len(1 << 40).unwrap();
    assert!(load(&path).unwrap_err().to_string().contains("it has 1099511627776 bytes, but its header says"));
    std::fs::write(&path, [0xFF; 20]).unwrap();
    assert!(load(&path).unwrap_err().to_string().contains("its header claims 18446744073709551615 bytes"));
}

#[test]
fn a_damaged_or_foreign_file_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    save(&trained(specs()[2].clone()), &path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    for length in [0, 4, 8, 100, whole.len() - 1] {
        std::fs::write(&path, &whole[..length]).unwrap();
        assert!(matches!(load(&path), Err(ModelError::NotAModel { .. })), "{length} bytes");
    }
    assert!(matches!(load(&folder.path().join("none")), Err(ModelError::Io { .. })));
}

#[test]
fn a_header_that_asks_for_a_huge_model_is_refused() {
    let mut model = trained(ModelSpec::Mlp { hidden: vec![3] });
    model.spec = ModelSpec::Mlp { hidden: vec![usize::MAX, usize::MAX] };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    save(&model, &path).unwrap();
    assert!(load(&path).unwrap_err().to_string().contains("a row would become more than"));
}

/// A linear model of so many features, with a letter in each name that JSON writes with six, and twice so with seven.
fn wide(features: usize) -> Model {
    let model = trained(ModelSpec::Linear);
    let numbers = |offset: f64| (0..features).map(|k| 1.0 / (k as f64 + offset)).collect::<Vec<f64>>();
    Model {
        predictor: Predictor::Linear(LinearModel {
            logits: 2,
            weights: numbers(3.0),
            intercepts: vec![-0.1],
        }),
        input: InputShape::Features(features),
        features: (0..features).map(|k| format!("\u{1}\"{k}")).collect(),
        scaling: Some(Scaling { means: numbers(7.0), scales: numbers(1.3) }),
        preparation: Preparation::default(),
        ..model
    }
}

#[test]
fn what_is_saved_is_loaded_also_with_very_many_features() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    // A header of 50 to 80 MB, by what the model keeps beside the names.
    let model = wide(700_000);
    check_names(&model.features, &model.task).unwrap();
    save(&model, &path).unwrap();
    assert_eq!(load(&path).unwrap().features, model.features);
    let model = wide(2_500_000);
    assert!(matches!(check_names(&model.features, &model.task), Err(ModelError::HeaderTooLarge { .. })));
    assert!(matches!(save(&model, &path), Err(ModelError::HeaderTooLarge { .. })));
    assert_eq!(load(&path).unwrap().features.len(), 700_000);
}

#[test]
fn a_header_is_no_longer_than_was_said() {
    for features in [1, 30, 2000] {
        let model = wide(features);
        let bytes = to_bytes(&model).unwrap();
        let written = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let names = serde_json::to_string(&serde_json::to_string(&model.features).unwrap()).unwrap();
        assert!(written <= names.len() + 26 * (2 * features + 4) + 2000, "{features}: {written}");
    }
}
