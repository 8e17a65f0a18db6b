//! The chain of layers as an ONNX graph.

use corevar::model::{InputShape, Scaling, WeightValues};
use corevar::{Model, Task};
use prost::Message;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::{GraphProto, ModelProto, OperatorSetIdProto, ValueInfoProto};

use super::graph::{Graph, float, integer, integers, value};
use super::layers::{Conv, Dense, Layer, Layers};
use super::metadata::Metadata;
use super::{ExportError, Images, Layout, Pixels};

/// Read by every runtime of the last years; newer ones are refused by some.
const IR_VERSION: i64 = 8;
const OPSET: i64 = 18;

/// What a message of this format can be long.
const LONGEST: usize = i32::MAX as usize;

/// The file.
pub(super) fn to_bytes(message: &ModelProto) -> Result<Vec<u8>, ExportError> {
    match message.encoded_len() {
        bytes if bytes > LONGEST => Err(ExportError::TooLarge { bytes: bytes as u64 }),
        _ => Ok(message.encode_to_vec()),
    }
}

/// The model as a message.
pub(super) fn message(layers: &Layers, model: &Model, images: Images, metadata: Metadata) -> ModelProto {
    let mut graph = Graph::default();
    let prepared = prepare(&mut graph, layers, model.input(), images);
    let said = chain(&mut graph, &layers.chain, prepared);
    let outputs = match model.task() {
        Task::Classes(names) => classes(&mut graph, layers, &said, names.len()),
        _ => number(&mut graph, layers, &said),
    };
    let graph = GraphProto {
        name: "corevar".into(),
        node: graph.nodes,
        initializer: graph.tensors,
        input: vec![input(model.input(), images, &metadata)],
        output: outputs,
        ..Default::default()
    };
    ModelProto {
        ir_version: IR_VERSION,
        opset_import: vec![OperatorSetIdProto { domain: String::new(), version: OPSET }],
        producer_name: "corevar".into(),
        producer_version: env!("CARGO_PKG_VERSION").into(),
        graph: Some(graph),
        metadata_props: metadata.into_entries(),
        ..Default::default()
    }
}

fn input(shape: InputShape, images: Images, metadata: &Metadata) -> ValueInfoProto {
    let doc = metadata.of_input();
    match shape {
        InputShape::Image { height, width, channels } => {
            let data_type = if images.pixels == Pixels::U8 { DataType::Uint8 } else { DataType::Float };
            let sizes = match images.layout {
                Layout::Nhwc => [height, width, channels],
                Layout::Nchw => [channels, height, width],
            };
            value("input", data_type, &sizes, doc)
        }
        other => value("input", DataType::Float, &[other.len()], doc),
    }
}

/// From the input to what the first layer sees.
fn prepare(graph: &mut Graph, layers: &Layers, shape: InputShape, images: Images) -> String {
    let seen = match shape {
        InputShape::Image { .. } => pixels(graph, layers.takes_maps(), images),
        _ => "input".into(),
    };
    let cast = |graph: &mut Graph, from: &str, to: &str, data_type: DataType| {
        graph.add("Cast", &[from], to, vec![integer("to", i32::from(data_type).into())])
    };
    if let Some(Scaling { means, scales }) = &layers.scaling {
        let seen = cast(graph, &seen, "features/double", DataType::Double);
        let means = graph.tensor("means", &[means.len()], &WeightValues::F64(means.clone()));
        let scales = graph.tensor("scales", &[scales.len()], &WeightValues::F64(scales.clone()));
        let seen = graph.add("Sub", &[&seen, &means], "features/centred", vec![]);
        let seen = graph.add("Div", &[&seen, &scales], "features/scaled", vec![]);
        return cast(graph, &seen, "features/single", DataType::Float);
    }
    if layers.is_double() { cast(graph, &seen, "features/double", DataType::Double) } else { seen }
}

/// Pixels from 0 to 1, as maps `[batch, channels, height, width]` or as rows of height x width x channels.
fn pixels(graph: &mut Graph, as_maps: bool, images: Images) -> String {
    let mut seen = String::from("input");
    if images.pixels == Pixels::U8 {
        seen = graph.add(
            "Cast",
            &[&seen],
            "pixels/float",
            vec![integer("to", i32::from(DataType::Float).into())],
        );
        let most = graph.tensor("pixels/most", &[], &WeightValues::F32(vec![255.0]));
        seen = graph.add("Div", &[&seen, &most], "pixels/scaled", vec![]);
    }
    let order = match (images.layout, as_maps) {
        (Layout::Nhwc, true) => Some([0, 3, 1, 2]),
        (Layout::Nchw, false) => Some([0, 2, 3, 1]),
        _ => None,
    };
    if let Some(order) = order {
        seen = graph.add("Transpose", &[&seen], "pixels/turned", vec![integers("perm", order)]);
    }
    if as_maps { seen } else { graph.add("Flatten", &[&seen], "pixels/row", vec![integer("axis", 1)]) }
}

fn chain(graph: &mut Graph, chain: &[Layer], prepared: String) -> String {
    let add = |seen: String, (place, layer): (usize, &Layer)| {
        let name = format!("layers.{place}");
        match layer {
            Layer::Conv(conv) => convolve(graph, conv, &name, &seen),
            Layer::Flatten => graph.add("Flatten", &[&seen], &name, vec![integer("axis", 1)]),
            Layer::Dense(dense) => multiply(graph, dense, &name, &seen),
            Layer::Softplus => softplus(graph, &name, &seen),
        }
    };
    chain.iter().enumerate().fold(prepared, add)
}

fn convolve(graph: &mut Graph, conv: &Conv, name: &str, seen: &str) -> String {
    let shape = [conv.channels, conv.channels_in(), conv.kernel, conv.kernel];
    let weight = graph.tensor(&format!("{name}.weight"), &shape, &WeightValues::F32(conv.weight.clone()));
    let bias = graph.tensor(&format!("{name}.bias"), &[conv.channels], &WeightValues::F32(conv.bias.clone()));
    let [top, bottom, left, right] = conv.padding;
    let attributes = vec![
        integers("kernel_shape", [conv.kernel; 2]),
        integers("strides", [conv.stride; 2]),
        integers("pads", [top, left, bottom, right]),
    ];
    let seen = graph.add("Conv", &[seen, &weight, &bias], &format!("{name}/conv"), attributes);
    match conv.slope {
        0.0 => graph.add("Relu", &[&seen], name, vec![]),
        slope => graph.add("LeakyRelu", &[&seen], name, vec![float("alpha", slope)]),
    }
}

fn multiply(graph: &mut Graph, dense: &Dense, name: &str, seen: &str) -> String {
    let weight = graph.tensor(&format!("{name}.weight"), &[dense.inputs, dense.outputs()], &dense.weight);
    let bias = graph.tensor(&format!("{name}.bias"), &[dense.outputs()], &dense.bias);
    let seen = graph.add("MatMul", &[seen, &weight], &format!("{name}/product"), vec![]);
    graph.add("Add", &[&seen, &bias], name, vec![])
}

/// `max(x, 0) + log(1 + exp(-|x|))`: the operation `Softplus` overflows from x = 89 on in runtimes that compute it as it is defined.
fn softplus(graph: &mut Graph, name: &str, seen: &str) -> String {
    let one = graph.tensor(&format!("{name}/one"), &[], &WeightValues::F32(vec![1.0]));
    let mut size = graph.add("Abs", &[seen], &format!("{name}/abs"), vec![]);
    size = graph.add("Neg", &[&size], &format!("{name}/neg"), vec![]);
    size = graph.add("Exp", &[&size], &format!("{name}/exp"), vec![]);
    size = graph.add("Add", &[&size, &one], &format!("{name}/plus"), vec![]);
    let rest = graph.add("Log", &[&size], &format!("{name}/log"), vec![]);
    let ramp = graph.add("Relu", &[seen], &format!("{name}/relu"), vec![]);
    graph.add("Add", &[&ramp, &rest], name, vec![])
}

/// The outputs of a classifier; `said` are its logits.
fn classes(graph: &mut Graph, layers: &Layers, said: &str, count: usize) -> Vec<ValueInfoProto> {
    let single = |graph: &mut Graph, from: &str, to: &str| match layers.is_double() {
        true => graph.add("Cast", &[from], to, vec![integer("to", i32::from(DataType::Float).into())]),
        false => graph.add("Identity", &[from], to, vec![]),
    };
    single(graph, said, "logits");
    let shares = graph.add("Softmax", &[said], "softmax", vec![integer("axis", 1)]);
    single(graph, &shares, "probabilities");
    // The first of equals, as in the program.
    let attributes = vec![integer("axis", 1), integer("keepdims", 0), integer("select_last_index", 0)];
    graph.add("ArgMax", &[said], "label", attributes);
    vec![
        value("logits", DataType::Float, &[count], "one per class".into()),
        value("probabilities", DataType::Float, &[count], "softmax of the logits".into()),
        value("label", DataType::Int64, &[], "index of the class in corevar.classes".into()),
    ]
}

/// The output of a regression.
fn number(graph: &mut Graph, layers: &Layers, said: &str) -> Vec<ValueInfoProto> {
    let axes = graph.integers("prediction/axes", &[1]);
    let name = if layers.is_double() { "prediction/double" } else { "prediction" };
    let said = graph.add("Squeeze", &[said, &axes], name, vec![]);
    if layers.is_double() {
        graph.add("Cast", &[&said], "prediction", vec![integer("to", i32::from(DataType::Float).into())]);
    }
    vec![value("prediction", DataType::Float, &[], "the predicted number".into())]
}
