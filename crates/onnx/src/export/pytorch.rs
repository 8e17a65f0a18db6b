//! The chain of layers for PyTorch: its tensors by the names of a `state_dict`, and the module that they belong to.

use std::collections::HashMap;

use corevar::model::{InputShape, WeightValues};
use corevar::{Model, Task};
use safetensors::tensor::{Dtype, TensorView};

use super::ExportError;
use super::layers::{Conv, Dense, Layer, Layers};
use super::metadata::Metadata;

/// A tensor and its bytes.
struct Named {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Named {
    fn new(name: String, shape: Vec<usize>, values: &WeightValues) -> Self {
        let dtype = match values {
            WeightValues::F32(_) => Dtype::F32,
            WeightValues::F64(_) => Dtype::F64,
        };
        Self { name, dtype, shape, bytes: values.to_le_bytes() }
    }
}

/// `model.safetensors`: what `load_state_dict` of the module takes.
pub(super) fn weights(layers: &Layers, metadata: &Metadata) -> Result<Vec<u8>, ExportError> {
    let tensors = tensors(layers);
    let refused =
        |cause: safetensors::SafeTensorError| ExportError::UnknownModel { reason: cause.to_string() };
    let mut views = Vec::new();
    for Named { name, dtype, shape, bytes } in &tensors {
        views.push((name.as_str(), TensorView::new(*dtype, shape.clone(), bytes).map_err(refused)?));
    }
    let mut header: HashMap<String, String> = metadata.clone().into_pairs().into_iter().collect();
    // Asked for by other readers of such files.
    header.insert("format".into(), "pt".into());
    safetensors::serialize(views, Some(header)).map_err(refused)
}

fn tensors(layers: &Layers) -> Vec<Named> {
    let mut tensors = Vec::new();
    if let Some(scaling) = &layers.scaling {
        for (name, values) in [("means", &scaling.means), ("scales", &scaling.scales)] {
            tensors.push(Named::new(name.into(), vec![values.len()], &WeightValues::F64(values.clone())));
        }
    }
    let mut place = 0;
    for layer in &layers.chain {
        let name = |place: usize, what: &str| format!("layers.{place}.{what}");
        match layer {
            Layer::Conv(conv) => {
                let here = place + modules(layer).len() - 2;
                let shape = vec![conv.channels, conv.channels_in(), conv.kernel, conv.kernel];
                let (weight, bias) =
                    (WeightValues::F32(conv.weight.clone()), WeightValues::F32(conv.bias.clone()));
                tensors.push(Named::new(name(here, "weight"), shape, &weight));
                tensors.push(Named::new(name(here, "bias"), vec![conv.channels], &bias));
            }
            Layer::Dense(dense) => {
                let weight = outputs_first(dense);
                tensors.push(Named::new(name(place, "weight"), vec![dense.outputs(), dense.inputs], &weight));
                tensors.push(Named::new(name(place, "bias"), vec![dense.outputs()], &dense.bias));
            }
            Layer::Flatten | Layer::Softplus => {}
        }
        place += modules(layer).len();
    }
    tensors
}

/// `[inputs, outputs]` -> `[outputs, inputs]`
fn outputs_first(dense: &Dense) -> WeightValues {
    fn turn<T: Copy>(values: &[T], outputs: usize) -> Vec<T> {
        (0..outputs).flat_map(|output| values.iter().skip(output).step_by(outputs)).copied().collect()
    }
    match &dense.weight {
        WeightValues::F32(values) => WeightValues::F32(turn(values, dense.outputs())),
        WeightValues::F64(values) => WeightValues::F64(turn(values, dense.outputs())),
    }
}

/// A layer as modules of PyTorch. Of a convolution the last but one has the numbers.
fn modules(layer: &Layer) -> Vec<String> {
    match layer {
        Layer::Conv(conv) => convolution(conv),
        Layer::Flatten => vec!["nn.Flatten()".into()],
        Layer::Dense(dense) => {
            let double = if dense.is_double() { ", dtype=torch.float64" } else { "" };
            vec![format!("nn.Linear({}, {}{double})", dense.inputs, dense.outputs())]
        }
        Layer::Softplus => vec!["nn.Softplus()".into()],
    }
}

/// Zeros that differ from side to side are a module of their own: `Conv2d` adds as many on both.
fn convolution(conv: &Conv) -> Vec<String> {
    let Conv { channels, kernel, stride, padding: [top, bottom, left, right], .. } = conv;
    let is_even = top == bottom && left == right;
    let padding = if is_even { format!(", padding=({top}, {left})") } else { String::new() };
    let activation = match conv.slope {
        0.0 => "nn.ReLU()".into(),
        slope => format!("nn.LeakyReLU({slope})"),
    };
    let before = (!is_even).then(|| format!("nn.ZeroPad2d(({left}, {right}, {top}, {bottom}))"));
    let here = format!("nn.Conv2d({}, {channels}, {kernel}, stride={stride}{padding})", conv.channels_in());
    before.into_iter().chain([here, activation]).collect()
}

/// `model.py`. Names of classes are not in it but read from the weights: they come from files of strangers, and this is a program.
pub(super) fn module(layers: &Layers, model: &Model) -> String {
    let is_regression = *model.task() == Task::Regression;
    let list: String =
        layers.chain.iter().flat_map(modules).map(|module| format!("            {module},\n")).collect();
    let buffers: String = match &layers.scaling {
        Some(scaling) => ["means", "scales"]
            .map(|name| {
                let zeros = format!("torch.ones({}, dtype=torch.float64)", scaling.means.len());
                format!("        self.register_buffer(\"{name}\", {zeros})\n")
            })
            .concat(),
        None => String::new(),
    };
    let (rows, prepared) = forward(layers, model.input());
    let (said, usage, after) = match is_regression {
        true => ("numbers", "numbers = load()(rows)", ".squeeze(1)"),
        false => ("logits", "probabilities = load()(rows).softmax(1)", ""),
    };
    let classes = match is_regression {
        true => "",
        false => "        model.classes = json.loads(file.metadata()[\"corevar.classes\"])\n",
    };
    let json = if is_regression { "" } else { "import json\n" };
    format!(
        r#"# A model of corevar: `{usage}`, rows {rows}.
{json}from pathlib import Path

import torch
from safetensors import safe_open
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
{buffers}        self.layers = nn.Sequential(
{list}        )

    def forward(self, rows):  # -> {said}
        return self.layers({prepared}){after}


def load(path=Path(__file__).with_name("model.safetensors")):
    model = Model()
    with safe_open(path, "pt") as file:
        model.load_state_dict({{name: file.get_tensor(name) for name in file.keys()}})
{classes}    return model.eval()
"#
    )
}

/// What goes in, and what the first layer sees of it.
fn forward(layers: &Layers, input: InputShape) -> (String, &'static str) {
    let InputShape::Image { height, width, channels } = input else {
        let seen = match (&layers.scaling, layers.is_double()) {
            (Some(_), _) => "((rows.double() - self.means) / self.scales).float()",
            (None, true) => "rows.double()",
            (None, false) => "rows",
        };
        return (format!("float32 [batch, {}]", input.len()), seen);
    };
    let seen = match (layers.takes_maps(), layers.is_double()) {
        (true, _) => "rows.permute(0, 3, 1, 2) / 255",
        (false, true) => "(rows / 255).flatten(1).double()",
        (false, false) => "(rows / 255).flatten(1)",
    };
    (format!("uint8 [batch, {height}, {width}, {channels}]"), seen)
}
