//! What a network takes: pictures in which order of axes, of which size, as which numbers, how many at once.

use corevar_data::{ImageShape, Layout};
use tract_onnx::pb::tensor_proto::DataType;
use tract_onnx::pb::tensor_shape_proto::Dimension;
use tract_onnx::pb::tensor_shape_proto::dimension::Value;
use tract_onnx::pb::{ValueInfoProto, type_proto};

use super::error::{FileProblem, SettingsProblem};
use super::preprocess::Declared;

/// Numbers of one batch: a picture of a million pixels is large for an encoder already.
const MOST_NUMBERS: u64 = 1 << 26;

/// Numbers that the input consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Number {
    Byte,
    Single,
    Half,
}

/// The input of a network, with everything that was open decided.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Input {
    pub(super) number: Number,
    pub(super) layout: Layout,
    pub(super) image: ImageShape,
    /// Pictures that the network takes at once; None if any number.
    pub(super) batch: Option<usize>,
}

/// What the user or a file beside the network says.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    pub(super) size: Option<(usize, usize)>,
    pub(super) layout: Option<Layout>,
}

/// Why an input does not do.
pub(super) enum InputProblem {
    File(FileProblem),
    Settings(SettingsProblem),
}

impl From<SettingsProblem> for InputProblem {
    fn from(problem: SettingsProblem) -> Self {
        Self::Settings(problem)
    }
}

impl Input {
    /// The input as the file declares it, with what is asked for where the file leaves it open.
    pub(super) fn of(
        info: &ValueInfoProto,
        wanted: Wanted,
        declared: &Declared,
    ) -> Result<Input, InputProblem> {
        let Some(type_proto::Value::TensorType(tensor)) =
            info.r#type.as_ref().and_then(|kind| kind.value.as_ref())
        else {
            return Err(not_pictures(info, "of no type"));
        };
        let number = match DataType::try_from(tensor.elem_type) {
            Ok(DataType::Uint8) => Number::Byte,
            Ok(DataType::Float) => Number::Single,
            Ok(DataType::Float16) => Number::Half,
            Ok(other) => return Err(not_pictures(info, &format!("of {} numbers", other.as_str_name()))),
            Err(_) => return Err(not_pictures(info, "of an unknown type")),
        };
        let dims = tensor.shape.as_ref().map_or(&[][..], |shape| &shape.dim);
        let text = shape_text(dims);
        let [batch, rest @ ..] = dims else { return Err(not_pictures(info, &text)) };
        let [a, b, c] = rest else { return Err(not_pictures(info, &text)) };
        let layout = layout([a, b, c], &text, wanted.layout)?;
        let (channels, height, width) = match layout {
            Layout::Nhwc => (c, a, b),
            _ => (a, b, c),
        };
        let channels = match fixed(channels) {
            None => 3,
            Some(channels @ (1 | 3)) => channels,
            Some(_) => return Err(not_pictures(info, &text)),
        };
        let (height, width) = size((fixed(height), fixed(width)), wanted.size, declared.size)?;
        let image = ImageShape { height, width, channels };
        let numbers = [fixed(batch).unwrap_or(1), height, width, channels]
            .into_iter()
            .fold(1u64, |product, size| product.saturating_mul(size as u64));
        if numbers > MOST_NUMBERS {
            return Err(InputProblem::File(FileProblem::TooLarge(numbers)));
        }
        Ok(Input { number, layout, image, batch: fixed(batch) })
    }

    /// The shape of a batch.
    pub(super) fn shape(&self, batch: usize) -> [usize; 4] {
        let ImageShape { height, width, channels } = self.image;
        match self.layout {
            Layout::Nhwc => [batch, height, width, channels],
            _ => [batch, channels, height, width],
        }
    }
}

fn not_pictures(info: &ValueInfoProto, shape: &str) -> InputProblem {
    InputProblem::File(FileProblem::NotPictures { name: info.name.clone(), shape: shape.into() })
}

/// A size that the file fixes. Exporters also write 0 and -1 where they mean any.
fn fixed(dim: &Dimension) -> Option<usize> {
    match dim.value {
        Some(Value::DimValue(size)) => usize::try_from(size).ok().filter(|size| *size > 0),
        _ => None,
    }
}

/// `[batch, 3, ?, ?]`
fn shape_text(dims: &[Dimension]) -> String {
    let one = |dim: &Dimension| match (&dim.value, fixed(dim)) {
        (_, Some(size)) => size.to_string(),
        (Some(Value::DimParam(name)), None) if !name.is_empty() => name.clone(),
        _ => "?".into(),
    };
    format!("[{}]", dims.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// Where the channels are: where there are 1 or 3 and elsewhere not, or where the name of an axis says so.
fn layout(dims: [&Dimension; 3], shape: &str, wanted: Option<Layout>) -> Result<Layout, SettingsProblem> {
    let few = |dim: &Dimension| fixed(dim).map(|size| size == 1 || size == 3);
    let named = |dim: &Dimension| matches!(&dim.value, Some(Value::DimParam(name)) if name.to_lowercase().contains("channel") || name == "c" || name == "C");
    let ends = [(dims[0], Layout::Nchw), (dims[2], Layout::Nhwc)];
    if let Some(wanted) = wanted {
        let at = ends.iter().find(|(_, layout)| *layout == wanted).map(|(dim, _)| *dim);
        return match at.and_then(few) {
            Some(false) => Err(SettingsProblem::OtherLayout { shape: shape.into(), asked: wanted.name() }),
            _ => Ok(wanted),
        };
    }
    for (dim, layout) in ends {
        let other = if layout == Layout::Nchw { dims[2] } else { dims[0] };
        if (few(dim) == Some(true) && few(other) != Some(true)) || (named(dim) && few(dim) != Some(false)) {
            return Ok(layout);
        }
    }
    // The one that cannot be it decides for the other.
    match (few(dims[0]), few(dims[2])) {
        (Some(false), None) => Ok(Layout::Nhwc),
        (None, Some(false)) => Ok(Layout::Nchw),
        _ => Err(SettingsProblem::NoLayout(shape.into())),
    }
}

/// Height and width: those that the file fixes, else those that are asked for, else those that are declared beside it.
fn size(
    taken: (Option<usize>, Option<usize>),
    asked: Option<(usize, usize)>,
    declared: Option<(usize, usize)>,
) -> Result<(usize, usize), SettingsProblem> {
    if let (Some(height), Some(width)) = taken {
        return match asked.filter(|asked| *asked != (height, width)) {
            Some(asked) => Err(SettingsProblem::OtherSize { taken: (height, width), asked }),
            None => Ok((height, width)),
        };
    }
    let (height, width) = asked.or(declared).ok_or(SettingsProblem::NoSize)?;
    let size = (taken.0.unwrap_or(height), taken.1.unwrap_or(width));
    match size == (height, width) {
        true => Ok(size),
        false => Err(SettingsProblem::OtherSize { taken: size, asked: (height, width) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dim(text: &str) -> Dimension {
        let value = match text.parse() {
            Ok(size) => Value::DimValue(size),
            Err(_) => Value::DimParam(text.into()),
        };
        Dimension { value: Some(value), ..Default::default() }
    }

    fn found(dims: [&str; 3], wanted: Option<Layout>) -> Option<Layout> {
        let dims = dims.map(dim);
        layout([&dims[0], &dims[1], &dims[2]], "", wanted).ok()
    }

    #[test]
    fn the_channels_are_found_by_their_number_or_their_name() {
        assert_eq!(found(["3", "224", "224"], None), Some(Layout::Nchw));
        assert_eq!(found(["224", "224", "3"], None), Some(Layout::Nhwc));
        assert_eq!(found(["1", "h", "w"], None), Some(Layout::Nchw));
        assert_eq!(found(["num_channels", "height", "width"], None), Some(Layout::Nchw));
        assert_eq!(found(["h", "w", "c"], None), Some(Layout::Nhwc));
        assert_eq!(found(["a", "b", "224"], None), Some(Layout::Nchw));
        assert_eq!(found(["a", "b", "d"], None), None);
        assert_eq!(found(["3", "5", "3"], None), None);
        assert_eq!(found(["3", "5", "3"], Some(Layout::Nhwc)), Some(Layout::Nhwc));
        assert_eq!(found(["3", "224", "224"], Some(Layout::Nhwc)), None);
    }

    #[test]
    fn a_size_that_is_open_must_be_said_and_one_that_is_fixed_stays() {
        let open = (None, None);
        assert!(matches!(size(open, None, None), Err(SettingsProblem::NoSize)));
        assert_eq!(size(open, None, Some((2, 3))).ok(), Some((2, 3)));
        assert_eq!(size(open, Some((4, 5)), Some((2, 3))).ok(), Some((4, 5)));
        let fixed = (Some(7), Some(7));
        assert_eq!(size(fixed, None, Some((2, 3))).ok(), Some((7, 7)));
        assert!(matches!(size(fixed, Some((8, 7)), None), Err(SettingsProblem::OtherSize { .. })));
    }
}
