//! A chain of ONNX nodes: each takes what the one before gave.

use tract_onnx::pb::attribute_proto::AttributeType;
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::tensor_shape_proto::{Dimension, dimension};
use tract_onnx::pb::{
    AttributeProto, NodeProto, TensorProto, TensorShapeProto, TypeProto, ValueInfoProto, type_proto,
};

use corevar::model::WeightValues;

/// Name of the axis of rows, of any length.
const BATCH: &str = "batch";

/// Nodes and the tensors that they know.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<NodeProto>,
    pub tensors: Vec<TensorProto>,
}

impl Graph {
    /// Adds a node with one output, named `output`, and gives that name.
    pub fn add(
        &mut self,
        operator: &str,
        inputs: &[&str],
        output: &str,
        attributes: Vec<AttributeProto>,
    ) -> String {
        self.nodes.push(NodeProto {
            input: inputs.iter().map(|&name| name.into()).collect(),
            output: vec![output.into()],
            name: output.into(),
            op_type: operator.into(),
            attribute: attributes,
            ..Default::default()
        });
        output.into()
    }

    /// Adds a tensor that does not change, and gives its name.
    pub fn tensor(&mut self, name: &str, shape: &[usize], values: &WeightValues) -> String {
        let data_type = match values {
            WeightValues::F32(_) => DataType::Float,
            WeightValues::F64(_) => DataType::Double,
        };
        self.raw(name, shape, data_type, values.to_le_bytes())
    }

    /// Adds a tensor of whole numbers, such as axes, and gives its name.
    pub fn integers(&mut self, name: &str, values: &[i64]) -> String {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.raw(name, &[values.len()], DataType::Int64, bytes)
    }

    /// Adds a whole number without axes, and gives its name.
    pub fn tensor_of_one(&mut self, name: &str, value: i64) -> String {
        self.raw(name, &[], DataType::Int64, value.to_le_bytes().to_vec())
    }

    fn raw(&mut self, name: &str, shape: &[usize], data_type: DataType, raw_data: Vec<u8>) -> String {
        self.tensors.push(TensorProto {
            dims: shape.iter().map(|&size| size as i64).collect(),
            data_type: data_type.into(),
            name: name.into(),
            raw_data,
            ..Default::default()
        });
        name.into()
    }
}

/// An attribute that is a whole number.
pub(super) fn integer(name: &str, value: i64) -> AttributeProto {
    AttributeProto { name: name.into(), r#type: AttributeType::Int.into(), i: value, ..Default::default() }
}

/// An attribute that is a list of whole numbers.
pub(super) fn integers(name: &str, values: impl IntoIterator<Item = usize>) -> AttributeProto {
    let ints = values.into_iter().map(|value| value as i64).collect();
    AttributeProto { name: name.into(), r#type: AttributeType::Ints.into(), ints, ..Default::default() }
}

/// An attribute that is a number.
pub(super) fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto { name: name.into(), r#type: AttributeType::Float.into(), f: value, ..Default::default() }
}

/// An input or output with rows along its first axis.
pub(super) fn value(name: &str, data_type: DataType, sizes: &[usize], doc: String) -> ValueInfoProto {
    let batch = dimension::Value::DimParam(BATCH.into());
    let sizes = sizes.iter().map(|&size| dimension::Value::DimValue(size as i64));
    let dim = std::iter::once(batch).chain(sizes);
    let dim = dim.map(|value| Dimension { value: Some(value), ..Default::default() }).collect();
    let tensor = type_proto::Tensor { elem_type: data_type.into(), shape: Some(TensorShapeProto { dim }) };
    let r#type = TypeProto { value: Some(type_proto::Value::TensorType(tensor)), ..Default::default() };
    ValueInfoProto { name: name.into(), r#type: Some(r#type), doc_string: doc }
}
