//! What the file says of its model beside the numbers, in `metadata_props` of ONNX and the header of safetensors.

use corevar::model::InputShape;
use corevar::results::Setting;
use corevar::{Model, Task};
use serde_json::{Value, json};
use tract_onnx::pb::StringStringEntryProto;

use super::{Images, Layout, Pixels};
use crate::Encoder;

/// Keys and values, in this order.
#[derive(Debug, Clone)]
pub(super) struct Metadata(Vec<(String, String)>);

impl Metadata {
    /// `images` is how they go in; None where that is fixed (PyTorch).
    pub fn of(model: &Model, setting: Option<&Setting>, images: Option<Images>) -> Self {
        let mut all = Self(Vec::new());
        all.text("version", env!("CARGO_PKG_VERSION"));
        all.text("model", model.spec().name());
        match model.task() {
            Task::Classes(names) => {
                all.text("task", "classification");
                all.json("classes", json!(names));
            }
            _ => all.text("task", "regression"),
        }
        if !model.features().is_empty() {
            all.json("features", json!(model.features()));
        }
        all.json("preprocessing", preprocessing(model, images.unwrap_or_default()));
        if let Some(setting) = setting {
            all.text("estimator", &setting.name);
            all.text("penalty", &setting.penalty);
            all.text("penalty_weight", &setting.penalty_weight.to_string());
            all.text("ridge", &setting.ridge.to_string());
            all.text("seed", &setting.seed.to_string());
        }
        all.origin(model);
        all
    }

    /// For a file that has the encoder inside: images go in.
    pub fn with_encoder(mut self, encoder: &Encoder, images: Images) -> Self {
        let encoding = encoder.encoding();
        let (input, inside) = match images.pixels {
            Pixels::U8 => ("u8 from 0 to 255", "scale pixels, encode"),
            Pixels::F32 => ("f32 from 0 to 1", "scale pixels, encode"),
        };
        let said = json!({
            "input": input,
            "layout": match images.layout { Layout::Nhwc => "nhwc", Layout::Nchw => "nchw" },
            "height": encoding.height,
            "width": encoding.width,
            "colour": if encoding.channels == 1 { "grey" } else { "rgb" },
            "channels": encoding.channels,
            "caller": { "crop": encoder.crop().name(), "resize": [encoding.height, encoding.width] },
            "inside": inside,
        });
        self.0.retain(|(key, _)| key != "corevar.preprocessing");
        self.json("preprocessing", said);
        self.json("encoder", serde_json::to_value(encoding).unwrap_or_default());
        self
    }

    fn origin(&mut self, model: &Model) {
        if let Some(data) = &model.origin().data {
            self.text("data", data);
        }
        if !model.origin().version.is_empty() {
            self.text("trained_with", &model.origin().version);
        }
        if let Some(style) = model.style() {
            let (sds, count) = (style.sds(), style.outputs());
            let row = |a: usize| (0..count).map(|b| sds.of(a, b)).collect::<Vec<f64>>();
            match model.task() {
                Task::Classes(_) => self.json("style_sds", json!((0..count).map(row).collect::<Vec<_>>())),
                _ => self.json("style_sds", json!(style.of_residual())),
            }
        }
        if !model.notes().is_empty() {
            self.json("notes", json!(model.notes()));
        }
    }

    fn text(&mut self, key: &str, value: &str) {
        self.0.push((format!("corevar.{key}"), value.into()));
    }

    fn json(&mut self, key: &str, value: Value) {
        self.text(key, &value.to_string());
    }

    /// What the caller does, and what the input is then.
    pub fn of_input(&self) -> String {
        let found = self.0.iter().find(|(key, _)| key == "corevar.preprocessing");
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    }

    /// Keys and values.
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }

    /// As ONNX has them.
    pub fn into_entries(self) -> Vec<StringStringEntryProto> {
        self.0.into_iter().map(|(key, value)| StringStringEntryProto { key, value }).collect()
    }
}

/// What is done to the inputs: `caller` before they go in, `inside` by the model.
fn preprocessing(model: &Model, images: Images) -> Value {
    let InputShape::Image { height, width, channels } = model.input() else {
        let inside =
            if model.scaling().is_some() && model.linear().is_none() { "standardise" } else { "none" };
        return json!({ "input": "f32", "inside": inside });
    };
    let (input, inside) = match images.pixels {
        Pixels::U8 => ("u8 from 0 to 255", "divide by 255"),
        Pixels::F32 => ("f32 from 0 to 1", "none"),
    };
    json!({
        "input": input,
        "layout": match images.layout { Layout::Nhwc => "nhwc", Layout::Nchw => "nchw" },
        "height": height,
        "width": width,
        "colour": match channels { 1 => "grey", 3 => "rgb", _ => "other" },
        "channels": channels,
        "caller": { "crop": model.preparation().crop.unwrap_or_default().name(), "resize": [height, width] },
        "inside": inside,
    })
}
