//! Encoder and model in one graph: from pixels to probabilities.

use corevar::model::WeightValues;
use corevar_data::{Layout as Order, PixelScale};
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::{AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto};

use super::graph::{Graph, integer, integers, value};
use super::{Images, Layout, Pixels};
use crate::Encoder;
use crate::encoder::{Number, Reduce};

/// Before all names of the encoder, so that they cannot be those of the model.
const PREFIX: &str = "encoder/";

/// The head takes features as `input`; in the joined graph they are what the encoder makes of images. The operator set is that of
/// the encoder, whose nodes stay as they are.
pub(super) fn join(head: ModelProto, encoder: &Encoder, images: Images) -> ModelProto {
    let ModelProto { graph: Some(head_graph), metadata_props, producer_name, producer_version, .. } = head
    else {
        return ModelProto::default();
    };
    let mut joined = encoder.graph().clone();
    let mut inside = joined.graph.take().unwrap_or_default();
    let opset = joined.opset_import.iter().find(|opset| opset.domain.is_empty() || opset.domain == "ai.onnx");
    let opset = opset.map_or(0, |opset| opset.version);
    rename(&mut inside, &|name| format!("{PREFIX}{name}"));
    let mut graph = Graph::default();
    let taken = inside
        .input
        .iter()
        .find(|input| !inside.initializer.iter().any(|weights| weights.name == input.name));
    let taken = taken.map(|input| input.name.clone()).unwrap_or_default();
    pixels(&mut graph, encoder, images, &taken);
    graph.nodes.append(&mut inside.node);
    graph.tensors.append(&mut inside.initializer);
    features(&mut graph, encoder);
    for mut node in head_graph.node {
        node.input.iter_mut().filter(|name| *name == "input").for_each(|name| *name = FEATURES.into());
        suit(&mut node, opset, &head_graph.initializer);
        graph.nodes.push(node);
    }
    graph.tensors.extend(head_graph.initializer);
    joined.graph = Some(GraphProto {
        name: "corevar".into(),
        node: graph.nodes,
        initializer: graph.tensors,
        input: vec![input(encoder, images)],
        output: head_graph.output,
        ..Default::default()
    });
    joined.ir_version = joined.ir_version.max(8);
    joined.metadata_props = metadata_props;
    (joined.producer_name, joined.producer_version) = (producer_name, producer_version);
    joined.doc_string.clear();
    joined
}

/// Name of the features in the joined graph.
const FEATURES: &str = "features";

/// Every name of a tensor, also in graphs inside.
fn rename(graph: &mut GraphProto, new: &dyn Fn(&str) -> String) {
    let change = |name: &mut String| {
        if !name.is_empty() {
            *name = new(name);
        }
    };
    graph.initializer.iter_mut().for_each(|tensor| change(&mut tensor.name));
    graph.input.iter_mut().chain(&mut graph.output).for_each(|value| change(&mut value.name));
    graph.value_info.clear();
    for node in &mut graph.node {
        change(&mut node.name);
        node.input.iter_mut().chain(&mut node.output).for_each(change);
        let inner = node
            .attribute
            .iter_mut()
            .flat_map(|attribute| attribute.g.iter_mut().chain(&mut attribute.graphs));
        inner.for_each(|graph| rename(graph, new));
    }
}

fn input(encoder: &Encoder, images: Images) -> ValueInfoProto {
    let shape = encoder.encoding().shape();
    let kind = if images.pixels == Pixels::U8 { DataType::Uint8 } else { DataType::Float };
    let sizes = match images.layout {
        Layout::Nhwc => [shape.height, shape.width, shape.channels],
        Layout::Nchw => [shape.channels, shape.height, shape.width],
    };
    let mut info = value("input", kind, &sizes, "images".into());
    if let Some(batch) = encoder.fixed_batch() {
        use tract_onnx::pb::tensor_shape_proto::dimension::Value;
        use tract_onnx::pb::type_proto;
        if let Some(type_proto::Value::TensorType(tensor)) =
            info.r#type.as_mut().and_then(|kind| kind.value.as_mut())
            && let Some(first) = tensor.shape.as_mut().and_then(|shape| shape.dim.first_mut())
        {
            first.value = Some(Value::DimValue(batch as i64));
        }
    }
    info
}

fn cast(graph: &mut Graph, from: &str, to: &str, kind: DataType) -> String {
    graph.add("Cast", &[from], to, vec![integer("to", i32::from(kind).into())])
}

fn single(graph: &mut Graph, name: &str, value: f32) -> String {
    graph.tensor(name, &[], &WeightValues::F32(vec![value]))
}

/// From the input to what the encoder takes.
fn pixels(graph: &mut Graph, encoder: &Encoder, images: Images, taken: &str) {
    let mut seen = String::from("input");
    if images.pixels == Pixels::F32 {
        let most = single(graph, "pixels/most", 255.0);
        seen = graph.add("Mul", &[&seen, &most], "pixels/bytes", vec![]);
    }
    match (encoder.takes(), images.pixels) {
        (Number::Byte, Pixels::U8) => {}
        (Number::Byte, Pixels::F32) => {
            let half = single(graph, "pixels/half", 0.5);
            seen = graph.add("Add", &[&seen, &half], "pixels/raised", vec![]);
            seen = graph.add("Floor", &[&seen], "pixels/rounded", vec![]);
            seen = cast(graph, &seen, "pixels/whole", DataType::Uint8);
        }
        (number, pixels) => {
            if pixels == Pixels::U8 {
                seen = cast(graph, &seen, "pixels/float", DataType::Float);
            }
            seen = scaled(graph, &encoder.encoding().pixels, images.layout, &seen);
            if number == Number::Half {
                seen = cast(graph, &seen, "pixels/short", DataType::Float16);
            }
        }
    }
    let order = match (images.layout, encoder.encoding().layout) {
        (Layout::Nhwc, Order::Nchw) => Some([0, 3, 1, 2]),
        (Layout::Nchw, Order::Nhwc) => Some([0, 2, 3, 1]),
        _ => None,
    };
    match order {
        Some(order) => graph.add("Transpose", &[&seen], taken, vec![integers("perm", order)]),
        None => graph.add("Identity", &[&seen], taken, vec![]),
    };
}

/// `(scale b - mean) / sd` by channel, in the order of the encoder.
fn scaled(graph: &mut Graph, scale: &PixelScale, layout: Layout, seen: &str) -> String {
    let channels = scale.mean.len();
    let (axis, shape) = match layout {
        Layout::Nhwc => (3, vec![channels]),
        Layout::Nchw => (1, vec![channels, 1, 1]),
    };
    let mut seen = seen.to_string();
    if scale.bgr {
        let order: Vec<i64> = (0..channels as i64).rev().collect();
        let order = graph.integers("pixels/order", &order);
        seen = graph.add("Gather", &[&seen, &order], "pixels/bgr", vec![integer("axis", axis)]);
    }
    let factor = single(graph, "pixels/factor", scale.scale);
    let mean = graph.tensor("pixels/mean", &shape, &WeightValues::F32(scale.mean.clone()));
    let sd = graph.tensor("pixels/sd", &shape, &WeightValues::F32(scale.sd.clone()));
    seen = graph.add("Mul", &[&seen, &factor], "pixels/scaled", vec![]);
    seen = graph.add("Sub", &[&seen, &mean], "pixels/centred", vec![]);
    graph.add("Div", &[&seen, &sd], "pixels/standard", vec![])
}

/// From the tensor of the encoder to a row of features: operators that all versions have.
fn features(graph: &mut Graph, encoder: &Encoder) {
    let layer = format!("{PREFIX}{}", encoder.encoding().layer);
    let mut seen = cast(graph, &layer, "pooled/float", DataType::Float);
    let order = match encoder.reduce() {
        Reduce::FirstAxes { axes: 1, .. } => Some(vec![0, 2, 1]),
        Reduce::FirstAxes { .. } => Some(vec![0, 3, 1, 2]),
        _ => None,
    };
    if let Some(order) = order {
        seen = graph.add("Transpose", &[&seen], "pooled/turned", vec![integers("perm", order)]);
    }
    match encoder.reduce() {
        Reduce::Nothing { .. } => {
            graph.add("Identity", &[&seen], FEATURES, vec![]);
        }
        Reduce::FirstToken { .. } => {
            let first = graph.tensor_of_one("pooled/first", 0);
            graph.add("Gather", &[&seen, &first], FEATURES, vec![integer("axis", 1)]);
        }
        Reduce::LastAxes { .. } | Reduce::FirstAxes { .. } => {
            seen = graph.add("GlobalAveragePool", &[&seen], "pooled/mean", vec![]);
            graph.add("Flatten", &[&seen], FEATURES, vec![integer("axis", 1)]);
        }
    }
}

/// Nodes of the head as older operator sets have them.
fn suit(node: &mut NodeProto, opset: i64, constants: &[TensorProto]) {
    match node.op_type.as_str() {
        "ArgMax" if opset < 12 => node.attribute.retain(|attribute| attribute.name != "select_last_index"),
        "Squeeze" if opset < 13 => {
            let axes = node
                .input
                .pop()
                .and_then(|name| constants.iter().find(|tensor| tensor.name == name).cloned());
            let ints = axes.map_or(vec![1], |tensor| {
                tensor.raw_data.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect()
            });
            let attribute: AttributeProto = integers("axes", ints.into_iter().map(|axis: i64| axis as usize));
            node.attribute.push(attribute);
        }
        _ => {}
    }
}
