//! The part of a network that makes the features: which tensor they are, and what it needs.

use std::collections::{HashMap, HashSet};

use corevar_data::{Layout, Pooling};
use tract_onnx::pb::{GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto};

use super::error::{FileProblem, SettingsProblem};

/// Outputs that are embeddings, by the names that exporters give them; the first that is there is taken.
const EMBEDDINGS: [&str; 6] =
    ["pooler_output", "image_embeds", "image_embedding", "embeddings", "embedding", "features"];

/// Numbers that a constant shape inside a network may ask for.
const MOST_NUMBERS: u64 = 1 << 28;

/// Tensors that are listed when one is not found.
const LISTED: usize = 8;

/// The tensor that becomes the features, and a word about the choice.
pub(super) struct Chosen {
    pub(super) layer: String,
    pub(super) note: Option<String>,
}

/// The tensor that was asked for; else the one output, or the one that is called like an embedding.
pub(super) fn choose(graph: &GraphProto, asked: Option<&str>) -> Result<Chosen, SettingsProblem> {
    if let Some(name) = asked {
        let known = graph.node.iter().any(|node| node.output.iter().any(|output| output == name));
        return match known {
            true => Ok(Chosen { layer: name.into(), note: None }),
            false => Err(SettingsProblem::NoLayer { name: name.into(), some: useful(graph) }),
        };
    }
    let outputs: Vec<&str> = graph.output.iter().map(|output| output.name.as_str()).collect();
    let named = EMBEDDINGS.iter().find_map(|name| outputs.iter().find(|output| output == &name));
    let Some(layer) = named.or(outputs.first()) else {
        return Err(SettingsProblem::NoLayer { name: String::new(), some: useful(graph) });
    };
    let scores = is_softmax(graph, layer).then(|| before_head(graph)).flatten();
    let note = match (scores, outputs.len()) {
        (Some(better), _) => Some(format!(
            "the output `{layer}` is class scores, not an embedding; for what the last layer sees, set the field `encoder_layer` to {better}"
        )),
        (None, 2..) => Some(format!("of the outputs {} the features are `{layer}`", outputs.join(", "))),
        (None, _) => None,
    };
    Ok(Chosen { layer: layer.to_string(), note })
}

fn producer<'a>(graph: &'a GraphProto, tensor: &str) -> Option<&'a NodeProto> {
    graph.node.iter().find(|node| node.output.iter().any(|output| output == tensor))
}

fn is_softmax(graph: &GraphProto, tensor: &str) -> bool {
    producer(graph, tensor).is_some_and(|node| matches!(node.op_type.as_str(), "Softmax" | "LogSoftmax"))
}

/// What the last matrix product sees: of a classifier, its embedding.
fn before_head(graph: &GraphProto) -> Option<&str> {
    let last = graph.node.iter().rev().find(|node| matches!(node.op_type.as_str(), "Gemm" | "MatMul"))?;
    last.input.first().map(String::as_str)
}

/// Tensors that are likely to be meant: before the head, the outputs, the last ones.
fn useful(graph: &GraphProto) -> Vec<String> {
    let mut names: Vec<&str> = before_head(graph).into_iter().collect();
    names.extend(graph.output.iter().map(|output| output.name.as_str()));
    names.extend(graph.node.iter().rev().filter_map(|node| node.output.first()).map(String::as_str));
    let mut seen = HashSet::new();
    names.retain(|name| !name.is_empty() && seen.insert(*name));
    names.into_iter().take(LISTED).map(|name| format!("`{name}`")).collect()
}

/// Leaves nothing in the graph but what the tensor needs; the tensor is the only output then. Shapes that the exporter wrote down
/// go too: they may contradict the size of the batch.
pub(super) fn cut(proto: &mut ModelProto, layer: &str) {
    let Some(graph) = proto.graph.as_mut() else { return };
    let by_output: HashMap<&str, usize> = graph
        .node
        .iter()
        .enumerate()
        .flat_map(|(place, node)| node.output.iter().map(move |output| (output.as_str(), place)))
        .filter(|(output, _)| !output.is_empty())
        .collect();
    let (mut nodes, mut tensors) = (HashSet::new(), HashSet::from([layer.to_string()]));
    let mut open = vec![layer];
    while let Some(tensor) = open.pop() {
        let Some(&place) = by_output.get(tensor) else { continue };
        if !nodes.insert(place) {
            continue;
        }
        for input in inputs_of(&graph.node[place]) {
            if tensors.insert(input.to_string()) {
                open.push(input);
            }
        }
    }
    let mut place = 0;
    graph.node.retain(|_| {
        place += 1;
        nodes.contains(&(place - 1))
    });
    graph.initializer.retain(|tensor| tensors.contains(&tensor.name));
    graph.input.retain(|input| tensors.contains(&input.name));
    graph.value_info.clear();
    graph.quantization_annotation.clear();
    graph.output = vec![ValueInfoProto { name: layer.into(), ..Default::default() }];
    proto.training_info.clear();
}

/// Tensors that a node takes, also inside the graphs that it holds.
fn inputs_of(node: &NodeProto) -> Vec<&str> {
    let mut inputs: Vec<&str> =
        node.input.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    for graph in node.attribute.iter().flat_map(|attribute| attribute.g.iter().chain(&attribute.graphs)) {
        inputs.extend(graph.node.iter().flat_map(inputs_of));
        inputs.extend(graph.output.iter().map(|output| output.name.as_str()));
    }
    inputs
}

/// The input that is no weight, if there is just one.
pub(super) fn input(graph: &GraphProto) -> Result<&ValueInfoProto, FileProblem> {
    let weights: HashSet<&str> = graph.initializer.iter().map(|tensor| tensor.name.as_str()).collect();
    let inputs: Vec<&ValueInfoProto> =
        graph.input.iter().filter(|input| !weights.contains(input.name.as_str())).collect();
    match inputs.as_slice() {
        [input] => Ok(input),
        inputs => Err(FileProblem::Inputs(inputs.iter().map(|input| input.name.clone()).collect())),
    }
}

/// Refuses operators that the runtime does not know, all of them by name, and constant shapes that ask for more memory than a
/// network needs.
pub(super) fn check(graph: &GraphProto, is_known: &dyn Fn(&str) -> bool) -> Result<(), FileProblem> {
    let mut unknown: Vec<String> = Vec::new();
    let constants: HashMap<&str, &TensorProto> = graph
        .initializer
        .iter()
        .map(|tensor| (tensor.name.as_str(), tensor))
        .chain(graph.node.iter().filter_map(|node| Some((node.output.first()?.as_str(), constant(node)?))))
        .collect();
    for node in &graph.node {
        let standard = matches!(node.domain.as_str(), "" | "ai.onnx" | "ai.onnx.ml" | "com.microsoft");
        if !standard || !is_known(&node.op_type) {
            let domain = if standard { String::new() } else { format!("{}.", node.domain) };
            unknown.push(format!("{domain}{}", node.op_type));
        }
        check_attributes(node)?;
        let shape = match node.op_type.as_str() {
            "ConstantOfShape" => node.input.first(),
            "Expand" | "Tile" => node.input.get(1),
            _ => None,
        };
        if let Some(tensor) = shape.and_then(|name| constants.get(name.as_str())) {
            let numbers = whole_numbers(tensor)
                .into_iter()
                .fold(1u64, |product, size| product.saturating_mul(size.unsigned_abs().max(1)));
            if numbers > MOST_NUMBERS {
                return Err(FileProblem::TooLarge(numbers));
            }
        }
    }
    unknown.sort_unstable();
    unknown.dedup();
    if unknown.is_empty() { Ok(()) } else { Err(FileProblem::Operators(unknown)) }
}

/// Refuses numbers on which the runtime would ask for memory without end.
fn check_attributes(node: &NodeProto) -> Result<(), FileProblem> {
    /// Of kernels, strides and paddings, in pixels.
    const LARGEST: i64 = 1 << 13;
    let fault = |name: &str, ints: &[i64]| {
        let name = format!("{} of {}", name, node.op_type);
        Err(FileProblem::Plan(format!("{name} is {:?}, which makes no sense", &ints[..ints.len().min(8)])))
    };
    for attribute in &node.attribute {
        let ints = attribute.ints.as_slice();
        let is_sound = match attribute.name.as_str() {
            "perm" => {
                let mut sorted = ints.to_vec();
                sorted.sort_unstable();
                sorted.iter().enumerate().all(|(place, axis)| *axis == place as i64)
            }
            "kernel_shape" | "strides" | "dilations" => ints.iter().all(|size| (1..=LARGEST).contains(size)),
            "pads" | "output_padding" => ints.iter().all(|size| size.abs() <= LARGEST),
            _ => true,
        };
        if !is_sound {
            return fault(&attribute.name, ints);
        }
    }
    Ok(())
}

/// What a constant holds.
fn constant(node: &NodeProto) -> Option<&TensorProto> {
    let value = node.attribute.iter().find(|attribute| attribute.name == "value")?;
    if node.op_type == "Constant" { value.t.as_ref() } else { None }
}

/// Numbers of a shape.
fn whole_numbers(tensor: &TensorProto) -> Vec<i64> {
    match tensor.raw_data.is_empty() {
        true => tensor.int64_data.clone(),
        false => tensor.raw_data.as_chunks::<8>().0.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect(),
    }
}

/// What is between the runtime's output and a row of features: the places of a map over which the mean is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduce {
    /// Rows of features already.
    Nothing { width: usize },
    /// Rows of maps: `width` channels, each of `places` numbers side by side.
    LastAxes { width: usize, places: usize },
    /// Rows of `places` vectors of `width` numbers: tokens, or a map with the channels last.
    FirstAxes {
        width: usize,
        places: usize,
        /// Over which the mean is taken.
        axes: usize,
    },
    /// The first of `places` vectors.
    FirstToken { width: usize, places: usize },
}

impl Reduce {
    /// How a tensor of this shape becomes features. The first axis is the batch.
    pub(super) fn of(
        graph: &GraphProto,
        layer: &str,
        shape: &[usize],
        batch: usize,
        pooling: Pooling,
        input: Layout,
    ) -> Result<Reduce, OutputProblem> {
        let wrong = || {
            OutputProblem::File(FileProblem::OutputShape { name: layer.into(), shape: format!("{shape:?}") })
        };
        if shape.first() != Some(&batch) || shape.contains(&0) {
            return Err(wrong());
        }
        let reduce = match (shape, pooling) {
            ([_, places, width], Pooling::First) => Reduce::FirstToken { width: *width, places: *places },
            (_, Pooling::First) => {
                let shape = format!("{shape:?}");
                return Err(OutputProblem::Settings(SettingsProblem::NoTokens { name: layer.into(), shape }));
            }
            ([_, width], _) => Reduce::Nothing { width: *width },
            ([_, places, width], _) => Reduce::FirstAxes { width: *width, places: *places, axes: 1 },
            ([_, a, b, c], _) => match has_channels_last(graph, layer, input) {
                true => Reduce::FirstAxes { width: *c, places: a * b, axes: 2 },
                false => Reduce::LastAxes { width: *a, places: b * c },
            },
            _ => return Err(wrong()),
        };
        Ok(reduce)
    }

    pub(super) fn width(self) -> usize {
        match self {
            Self::Nothing { width }
            | Self::LastAxes { width, .. }
            | Self::FirstAxes { width, .. }
            | Self::FirstToken { width, .. } => width,
        }
    }

    /// The features of one picture, from its part of the output.
    pub(super) fn apply(self, numbers: &[f32], out: &mut [f32]) {
        match self {
            Self::Nothing { .. } => out.copy_from_slice(numbers),
            Self::FirstToken { width, .. } => out.copy_from_slice(&numbers[..width]),
            Self::LastAxes { places, .. } => {
                for (out, map) in out.iter_mut().zip(numbers.chunks_exact(places)) {
                    *out = (map.iter().map(|value| f64::from(*value)).sum::<f64>() / places as f64) as f32;
                }
            }
            Self::FirstAxes { width, places, .. } => {
                let mut sums = vec![0.0f64; width];
                for vector in numbers.chunks_exact(width) {
                    sums.iter_mut().zip(vector).for_each(|(sum, value)| *sum += f64::from(*value));
                }
                out.iter_mut().zip(sums).for_each(|(out, sum)| *out = (sum / places as f64) as f32);
            }
        }
    }

    /// Numbers of one picture in the output.
    pub(super) fn length(self) -> usize {
        match self {
            Self::Nothing { width } => width,
            Self::LastAxes { width, places }
            | Self::FirstAxes { width, places, .. }
            | Self::FirstToken { width, places } => width * places,
        }
    }
}

/// Why a tensor cannot become features.
pub(super) enum OutputProblem {
    File(FileProblem),
    Settings(SettingsProblem),
}

/// A network for NHWC computes in NCHW, as ONNX does, between a transposition at its beginning and one at its end.
fn has_channels_last(graph: &GraphProto, layer: &str, input: Layout) -> bool {
    let mut tensor = layer;
    while let (Layout::Nhwc, Some(node)) = (input, producer(graph, tensor)) {
        match node.op_type.as_str() {
            "Transpose" => {
                let order = node.attribute.iter().find(|attribute| attribute.name == "perm");
                return order.is_some_and(|order| order.ints == [0, 2, 3, 1]);
            }
            "Relu" | "Clip" | "Identity" | "Cast" | "Sigmoid" | "LeakyRelu" => match node.input.first() {
                Some(input) => tensor = input,
                None => return false,
            },
            _ => return false,
        }
    }
    false
}
