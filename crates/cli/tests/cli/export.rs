//! export: files that other programs run, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use corevar::model::{CnnSpec, ModelSpec};
use corevar::{Core, Dataset, ImageShape, Model, Task};
use serde_json::{Value, json};

use crate::support::*;

const ROWS: usize = 500;

/// Numbers without order in 0..1.
fn noise(place: usize) -> f32 {
    (place as f32 * 12.9898).sin().mul_add(43758.547, 0.5).rem_euclid(1.0)
}

/// Four features of mean 10000 and an SD near 1; the first says the class, or the number.
fn features(classes: usize) -> Dataset {
    let cycle = if classes == 0 { 3 } else { classes };
    let signal = |place: usize| (if place.is_multiple_of(4) { place / 4 % cycle } else { 0 }) as f32;
    let values = (0..4 * ROWS).map(|place| 1e4 + 2.0 * noise(place) + signal(place)).collect();
    let data = Dataset::features(["w", "x", "y", "z"], values);
    match classes {
        0 => data.numbers((0..ROWS).map(|row| (row % cycle) as f32 + noise(row)).collect::<Vec<_>>()),
        _ => data.classes(&(0..ROWS).map(|row| format!("class {}", row % classes)).collect::<Vec<_>>()),
    }
    .check()
    .unwrap()
}

/// Pictures in which the class is a bright column.
fn pictures(shape: ImageShape, classes: usize) -> Dataset {
    let ImageShape { width, channels, .. } = shape;
    let pixel = |place: usize| {
        let (row, column) = (place / shape.len(), place / channels % width);
        let light = if column == row % classes { 100.0 } else { 0.0 };
        (light + noise(place) * 150.0) as u8
    };
    Dataset::images(shape, (0..ROWS * shape.len()).map(pixel).collect())
        .classes(&(0..ROWS).map(|row| format!("é\"{}", row % classes)).collect::<Vec<_>>())
        .check()
        .unwrap()
}

/// Every kind of model, with data for it. Sizes are such that zeros around maps differ from side to side.
fn models() -> Vec<(&'static str, ModelSpec, Dataset)> {
    let grey = ImageShape { height: 16, width: 14, channels: 1 };
    let colour = ImageShape { height: 12, width: 15, channels: 3 };
    let mlp = || ModelSpec::Mlp { hidden: vec![16, 8] };
    let cnn = |negative_slope| {
        ModelSpec::Cnn(CnnSpec { channels: vec![4, 6, 8], negative_slope, ..Default::default() })
    };
    vec![
        ("linear-2", ModelSpec::Linear, features(2)),
        ("linear-3", ModelSpec::Linear, features(3)),
        ("linear-number", ModelSpec::Linear, features(0)),
        ("linear-colour", ModelSpec::Linear, pictures(colour, 3)),
        ("mlp-2", mlp(), features(2)),
        ("mlp-4", mlp(), features(4)),
        ("mlp-number", mlp(), features(0)),
        ("mlp-colour", mlp(), pictures(colour, 2)),
        ("cnn-grey-2", cnn(0.2), pictures(grey, 2)),
        ("cnn-grey-4", cnn(0.0), pictures(grey, 4)),
        ("cnn-colour-2", cnn(0.0), pictures(colour, 2)),
        ("cnn-colour-3", cnn(0.2), pictures(colour, 3)),
    ]
}

/// A model as files in a folder of its own, with its inputs and its answers.
struct Exported {
    name: String,
    folder: PathBuf,
    shape: Option<ImageShape>,
    classes: Vec<String>,
    inputs: Vec<f32>,
}

impl Exported {
    fn new(folder: &Path, name: &str, spec: ModelSpec, data: &Dataset) -> Self {
        let folder = folder.join(name);
        fs::create_dir(&folder).unwrap();
        let core = Core::pooled().model(spec).epochs(4).with(|config| config.learning_rate = 0.01);
        core.fit(data).unwrap().save(folder.join("model")).unwrap();
        let model = Model::load(folder.join("model")).unwrap();
        let answers = model.predict(data).unwrap();
        let bytes = answers.outputs().values.iter().flat_map(|value| value.to_le_bytes());
        fs::write(folder.join("answers"), bytes.collect::<Vec<u8>>()).unwrap();
        let shape = data.inputs().as_features().is_none().then(|| match model.input() {
            corevar::model::InputShape::Image { height, width, channels } => {
                ImageShape { height, width, channels }
            }
            other => panic!("{other}"),
        });
        let width = data.inputs().width();
        let mut inputs = vec![0.0; ROWS * width];
        for (row, out) in inputs.chunks_exact_mut(width).enumerate() {
            data.inputs().read_row(row, out).unwrap();
        }
        let classes = match model.task() {
            Task::Classes(names) => names.clone(),
            _ => Vec::new(),
        };
        Self { name: name.into(), folder, shape, classes, inputs }
    }

    /// Exports it, and describes it to the script.
    fn case(&self, flags: &str) -> Value {
        let name =
            flags.split_whitespace().filter(|word| !word.starts_with("--")).collect::<Vec<_>>().join("-");
        let [file, module] = ["onnx", "torch"].map(|kind| format!("{kind}-{name}"));
        let export = format!("export model --onnx {file} --safetensors {module} {flags}");
        assert_eq!(succeeds(&self.folder, &export), "");
        let is_bytes = self.shape.is_some() && !flags.contains("f32");
        let (sizes, values) = match self.shape {
            None => (vec![ROWS, self.inputs.len() / ROWS], self.inputs.clone()),
            Some(ImageShape { height, width, channels }) if flags.contains("nchw") => {
                (vec![ROWS, channels, height, width], self.channels_first(channels))
            }
            Some(ImageShape { height, width, channels }) => {
                (vec![ROWS, height, width, channels], self.inputs.clone())
            }
        };
        let bytes: Vec<u8> = match is_bytes {
            true => values.iter().map(|pixel| (pixel * 255.0).round() as u8).collect(),
            false => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
        };
        fs::write(self.folder.join(format!("input-{name}")), bytes).unwrap();
        json!({
            "name": format!("{} {flags}", self.name),
            "file": self.folder.join(file),
            "folder": self.folder.join(module),
            "input": self.folder.join(format!("input-{name}")),
            "answers": self.folder.join("answers"),
            "dtype": if is_bytes { "u1" } else { "f4" },
            "shape": sizes,
            "classes": self.classes,
        })
    }

    fn channels_first(&self, channels: usize) -> Vec<f32> {
        let images = self.inputs.chunks_exact(self.inputs.len() / ROWS);
        let turn = |image| (0..channels).flat_map(move |channel| of_channel(image, channel, channels));
        images.flat_map(turn).collect()
    }
}

fn of_channel(image: &[f32], channel: usize, channels: usize) -> impl Iterator<Item = f32> {
    image.iter().skip(channel).step_by(channels).copied()
}

/// The Python that `make test` names in this variable; in a bare `cargo test` that of `.venv`, if there is one.
fn python(variable: &str, stamp: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match std::env::var_os(variable) {
        Some(path) => Some(path.into()),
        None if root.join(stamp).is_file() => Some(root.join(stamp).with_file_name("bin/python")),
        None => {
            eprintln!("skipped: there is no {stamp}; `make test` and `make test-torch` make it");
            None
        }
    }
}

fn compare(python: &Path, kind: &str, cases: &[Value], folder: &Path, page: &Path) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = folder.join("cases.json");
    fs::write(&list, json!({ "models": cases, "page": page }).to_string()).unwrap();
    let output = Command::new(python)
        .arg(tests.join("tests/python/exported.py"))
        .args([kind.as_ref(), list.as_os_str()])
        .arg(tests.join("../../docs/onnx.md"))
        .output()
        .expect("Python starts");
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    println!("{stdout}");
    assert!(output.status.success(), "{stdout}{stderr}");
}

/// The files that docs/onnx.md speaks of, in a folder.
fn files_of_page(folder: &Path) -> PathBuf {
    let page = folder.join("page");
    fs::create_dir(&page).unwrap();
    succeeds(&page, "train faces --rows 40 --groups 5 --test-rows 10 --epochs 1 --out RUN --quiet");
    succeeds(&page, "export RUN --onnx model.onnx --safetensors model");
    page
}

#[test]
fn onnxruntime_gives_the_answers_of_the_program() {
    let Some(python) = python("COREVAR_PYTHON", ".venv/test") else { return };
    let folder = folder();
    let mut cases = Vec::new();
    for (name, spec, data) in models() {
        let exported = Exported::new(folder.path(), name, spec, &data);
        match exported.shape {
            None => cases.push(exported.case("")),
            Some(_) => {
                for layout in ["nhwc", "nchw"] {
                    cases.extend(
                        ["u8", "f32"].map(|pixels| {
                            exported.case(&format!("--layout {layout} --input {pixels} --quiet"))
                        }),
                    );
                }
            }
        }
    }
    let page = files_of_page(folder.path());
    compare(&python, "onnx", &cases, folder.path(), &page);
}

#[test]
fn pytorch_gives_the_answers_of_the_program() {
    let Some(python) = python("COREVAR_TORCH_PYTHON", ".venv-torch/ready") else { return };
    let folder = folder();
    let case = |(name, spec, data): (&str, ModelSpec, Dataset)| {
        Exported::new(folder.path(), name, spec, &data).case("")
    };
    let cases: Vec<Value> = models().into_iter().map(case).collect();
    let page = files_of_page(folder.path());
    compare(&python, "torch", &cases, folder.path(), &page);
}

#[test]
fn a_run_stands_for_its_core_model_unless_another_is_named() {
    let folder = folder();
    succeeds(folder.path(), &format!("compare nonlinear {SMALL} --runs 2 --out run --quiet"));
    let output = corevar(folder.path(), "export run --onnx a.onnx");
    assert!(output.status.success() && output.stdout.is_empty());
    let note = text(&output.stderr);
    assert!(note.starts_with("a.onnx: agrees with the model on 64 drawn rows, to "), "{note}");
    succeeds(folder.path(), "export run --onnx b.onnx --estimator pooled --run 2");
    succeeds(folder.path(), "export run/models/pooled-1.safetensors --onnx c.onnx");
    let read = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(read("b.onnx"), read("c.onnx"));
    assert_ne!(read("a.onnx"), read("b.onnx"));
    let message = fails(folder.path(), "export run --onnx d.onnx --estimator robust", 1);
    assert!(message.contains("there is no estimator robust"), "{message}");
    let message = fails(folder.path(), "export run --onnx d.onnx --run 3", 1);
    assert!(message.contains("there is no run 3"), "{message}");
    assert_eq!(names(folder.path()), ["a.onnx", "b.onnx", "c.onnx", "run"]);
}

/// A linear model of a table, in `run`.
fn trained(folder: &Path) {
    write_table(folder, "");
    succeeds(folder, "train metadata.csv --out run --quiet");
}

#[test]
fn files_that_are_there_stay_unless_the_user_says_otherwise() {
    let folder = folder();
    trained(folder.path());
    let model = fs::read(folder.path().join("run/model.safetensors")).unwrap();
    fs::write(folder.path().join("a.onnx"), "mine").unwrap();
    let message = fails(folder.path(), "export run --onnx a.onnx", 1);
    assert!(message.contains("a.onnx: there is such a file already"), "{message}");
    assert!(message.contains("tip: choose another name, or pass --overwrite to replace it"), "{message}");
    assert_eq!(fs::read_to_string(folder.path().join("a.onnx")).unwrap(), "mine");
    succeeds(folder.path(), "export run --onnx a.onnx --overwrite");
    let of_model = "run/model.safetensors";
    for flags in ["", " --overwrite"] {
        let message = fails(folder.path(), &format!("export run --onnx {of_model}{flags}"), 1);
        assert!(message.contains("this is a model of corevar, and is not replaced"), "{message}");
    }
    fs::copy(folder.path().join(of_model), folder.path().join("model.safetensors")).unwrap();
    let message = fails(folder.path(), "export run --safetensors . --overwrite", 1);
    assert!(message.contains("./model.safetensors: this is a model of corevar"), "{message}");
    for kept in [of_model, "model.safetensors"] {
        assert_eq!(fs::read(folder.path().join(kept)).unwrap(), model);
    }
}

#[test]
fn places_that_cannot_be_written_are_named() {
    let folder = folder();
    trained(folder.path());
    let message = fails(folder.path(), "export run --onnx no/a.onnx", 1);
    assert!(
        message.contains("no/a.onnx") && message.contains("tip: make the folder for the file first"),
        "{message}"
    );
    let message = fails(folder.path(), "export run --onnx metadata.csv/a.onnx", 1);
    assert!(message.contains("metadata.csv/a.onnx: "), "{message}");
    let message = fails(folder.path(), "export run --onnx run", 1);
    assert!(message.contains("run: there is something that is not an ordinary file"), "{message}");
    let message = fails(folder.path(), "export run --safetensors metadata.csv", 1);
    assert!(message.contains("metadata.csv"), "{message}");
    assert_eq!(names(folder.path()), ["metadata.csv", "run"]);
}

#[test]
fn what_makes_no_sense_is_wrong_usage() {
    let folder = folder();
    trained(folder.path());
    let message = fails(folder.path(), "export run", 2);
    assert!(message.contains("--onnx <F.onnx>|--safetensors <DIR>"), "{message}");
    for flag in ["--layout nchw", "--input u8"] {
        let message = fails(folder.path(), &format!("export run --onnx a.onnx {flag}"), 2);
        assert!(
            message.contains("layout and type are of images, but the model takes 2 features"),
            "{message}"
        );
        assert!(message.contains("tip: leave out --layout and --input"), "{message}");
        fails(folder.path(), &format!("export run --safetensors a {flag}"), 2);
    }
    fails(folder.path(), "export run --onnx a.onnx --layout hwc", 2);
    assert_eq!(names(folder.path()), ["metadata.csv", "run"]);
}

#[test]
fn damaged_models_are_refused_and_earlier_ones_are_read() {
    let folder = folder();
    trained(folder.path());
    let model = fs::read(folder.path().join("run/model.safetensors")).unwrap();
    let changed = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let place = model.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        [&model[..place], to.as_bytes(), &model[place + from.len()..]].concat()
    };
    let write = |bytes: &[u8]| fs::write(folder.path().join("m.safetensors"), bytes).unwrap();
    let damaged = [
        model[..model.len() - 1].to_vec(),
        model[..20].to_vec(),
        Vec::new(),
        b"x1,x2,y\n1,2,yes\n".to_vec(),
        changed("corevar.model/2", "corevar.model/9"),
        changed(r#"\"no\",\"yes\""#, r#"              "#),
    ];
    for bytes in damaged {
        write(&bytes);
        let message = fails(folder.path(), "export m.safetensors --onnx a.onnx --safetensors a", 1);
        assert!(message.contains("m.safetensors: not a corevar model"), "{message}");
    }
    assert_eq!(names(folder.path()), ["m.safetensors", "metadata.csv", "run"]);
    write(&changed("corevar.model/2", "corevar.model/1"));
    succeeds(folder.path(), "export m.safetensors --onnx a.onnx --quiet");
    let message = fails(folder.path(), "export nothing --onnx b.onnx", 1);
    assert!(message.contains("nothing"), "{message}");
}
