//! The file of a network: read with a limit, its claims checked, its checksum taken.

use std::io;
use std::path::{Component, Path, PathBuf};

use corevar_data::bounded;
use prost::Message;
use tract_onnx::pb::tensor_proto::{DataLocation, DataType};
use tract_onnx::pb::{AttributeProto, GraphProto, ModelProto, TensorProto};

use super::error::{EncoderError, FileProblem};

/// No protobuf message is longer; weights beyond that lie in files beside it.
const LARGEST_FILE: u64 = 2 << 30;

/// Of all files beside the network together.
const LARGEST_WEIGHTS: u64 = 8 << 30;

/// A network, and the checksum of everything that it was read from.
pub(super) struct NetworkFile {
    pub(super) proto: ModelProto,
    /// BLAKE3 in hexadecimal.
    pub(super) checksum: String,
}

/// Reads the network and the weights that lie beside it.
pub(super) fn read(path: &Path) -> Result<NetworkFile, EncoderError> {
    let bytes =
        bounded::read(path, LARGEST_FILE).map_err(|cause| EncoderError::Io { path: path.into(), cause })?;
    let fault = |problem| EncoderError::File { path: path.into(), problem };
    let mut proto = ModelProto::decode(bytes.as_slice())
        .map_err(|cause| fault(FileProblem::NotOnnx(cause.to_string())))?;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&bytes);
    drop(bytes);
    let Some(graph) = proto.graph.as_mut().filter(|graph| !graph.node.is_empty()) else {
        return Err(fault(FileProblem::NotOnnx("there is no network in it".into())));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut outside = Outside { folder, hasher, left: LARGEST_WEIGHTS };
    graph_tensors(graph, &mut |tensor| outside.fetch(tensor).and_then(|()| check(tensor))).map_err(
        |problem| match problem {
            TensorProblem::Io(path, cause) => EncoderError::Io { path, cause },
            TensorProblem::File(problem) => fault(problem),
        },
    )?;
    Ok(NetworkFile { checksum: outside.hasher.finalize().to_hex().to_string(), proto })
}

/// Why a tensor cannot be used.
pub(super) enum TensorProblem {
    Io(PathBuf, io::Error),
    File(FileProblem),
}

type Visit<'a> = dyn FnMut(&mut TensorProto) -> Result<(), TensorProblem> + 'a;

/// Visits every tensor of a graph and of those inside it.
fn graph_tensors(graph: &mut GraphProto, visit: &mut Visit) -> Result<(), TensorProblem> {
    if let Some(sparse) = graph.sparse_initializer.first() {
        let name = sparse.values.as_ref().map_or(String::new(), |values| values.name.clone());
        return Err(tensor_fault(&name, "are sparse, which is not supported"));
    }
    graph.initializer.iter_mut().try_for_each(&mut *visit)?;
    graph
        .node
        .iter_mut()
        .flat_map(|node| &mut node.attribute)
        .try_for_each(|attribute| attribute_tensors(attribute, visit))
}

fn attribute_tensors(attribute: &mut AttributeProto, visit: &mut Visit) -> Result<(), TensorProblem> {
    attribute.t.iter_mut().chain(&mut attribute.tensors).try_for_each(&mut *visit)?;
    attribute.g.iter_mut().chain(&mut attribute.graphs).try_for_each(|graph| graph_tensors(graph, visit))
}

fn tensor_fault(name: &str, reason: impl Into<String>) -> TensorProblem {
    TensorProblem::File(FileProblem::Tensor { name: name.into(), reason: reason.into() })
}

/// Weights in files beside the network.
struct Outside<'a> {
    folder: &'a Path,
    hasher: blake3::Hasher,
    /// Bytes that may still be read.
    left: u64,
}

impl Outside<'_> {
    /// Puts the bytes into the tensor, so that what follows knows no other place.
    fn fetch(&mut self, tensor: &mut TensorProto) -> Result<(), TensorProblem> {
        if tensor.data_location != Some(DataLocation::External as i32) {
            return Ok(());
        }
        let entry = |key: &str| {
            tensor.external_data.iter().find(|entry| entry.key == key).map(|entry| entry.value.as_str())
        };
        let location =
            entry("location").ok_or_else(|| tensor_fault(&tensor.name, "name no file that they are in"))?;
        let location = Path::new(location);
        if location.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) {
            let reason =
                format!("are said to be in {}, outside the folder of the network", location.display());
            return Err(tensor_fault(&tensor.name, reason));
        }
        let number = |key: &str| entry(key).map_or(Ok(None), |text| text.parse::<u64>().map(Some));
        let bad = |_| tensor_fault(&tensor.name, "have an offset or a length that is no number");
        let (offset, length) = (number("offset").map_err(bad)?.unwrap_or(0), number("length").map_err(bad)?);
        let length = match length.or_else(|| claimed(tensor)) {
            Some(length) if length <= self.left => length,
            _ => {
                return Err(tensor_fault(
                    &tensor.name,
                    format!("would take more than {LARGEST_WEIGHTS} bytes"),
                ));
            }
        };
        let path = self.folder.join(location);
        let bytes = part(&path, offset, length).map_err(|cause| TensorProblem::Io(path, cause))?;
        self.left -= length;
        self.hasher.update(&bytes);
        tensor.raw_data = bytes;
        tensor.data_location = None;
        tensor.external_data.clear();
        Ok(())
    }
}

/// So many bytes of a file; the length of the file is looked at before memory is asked for.
fn part(path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = bounded::open(path)?;
    if offset.checked_add(length).is_none_or(|end| file.metadata().is_ok_and(|kind| kind.len() < end)) {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize)?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Bytes of one number; None for types that are not supported.
fn size_of(data_type: i32) -> Option<u64> {
    match DataType::try_from(data_type).ok()? {
        DataType::Bool | DataType::Uint8 | DataType::Int8 => Some(1),
        DataType::Uint16 | DataType::Int16 | DataType::Float16 => Some(2),
        DataType::Uint32 | DataType::Int32 | DataType::Float => Some(4),
        DataType::Uint64 | DataType::Int64 | DataType::Double => Some(8),
        _ => None,
    }
}

fn count(tensor: &TensorProto) -> Option<u64> {
    tensor.dims.iter().try_fold(1u64, |product, size| product.checked_mul(u64::try_from(*size).ok()?))
}

fn claimed(tensor: &TensorProto) -> Option<u64> {
    count(tensor)?.checked_mul(size_of(tensor.data_type)?)
}

/// Whether the tensor holds as much as it says, before anybody asks memory for it.
fn check(tensor: &TensorProto) -> Result<(), TensorProblem> {
    if tensor.data_type == DataType::String as i32 {
        return Ok(());
    }
    let Some(size) = size_of(tensor.data_type) else {
        let kind =
            DataType::try_from(tensor.data_type).map_or("of an unknown type", |kind| kind.as_str_name());
        return Err(tensor_fault(&tensor.name, format!("are {kind}, which is not supported")));
    };
    let held =
        if tensor.raw_data.is_empty() { listed_numbers(tensor) * size } else { tensor.raw_data.len() as u64 };
    match claimed(tensor) {
        Some(claimed) if claimed == held => Ok(()),
        claimed => {
            let claimed = claimed.map_or("more than 2^64".into(), |bytes| bytes.to_string());
            Err(TensorProblem::File(FileProblem::Claim { name: tensor.name.clone(), claimed, held }))
        }
    }
}

/// Numbers that stand in a list of their own type.
fn listed_numbers(tensor: &TensorProto) -> u64 {
    let lists = [
        tensor.float_data.len(),
        tensor.int32_data.len(),
        tensor.int64_data.len(),
        tensor.double_data.len(),
        tensor.uint64_data.len(),
    ];
    lists.into_iter().max().unwrap_or(0) as u64
}
