//! What is done to pixels before the network: presets by name, and what files of exporters say.

use std::io::ErrorKind;
use std::path::Path;

use corevar_data::images::Crop;
use corevar_data::{PixelScale, bounded};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tract_onnx::pb::ModelProto;

use super::error::{EncoderError, SettingsProblem};

/// A file of settings is short.
const LARGEST_CONFIG: u64 = 1 << 20;

/// The file that Hugging Face puts beside a network.
const BESIDE: &str = "preprocessor_config.json";

/// How bytes become the numbers that a network was trained on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Preset {
    /// 0..1, then mean and deviation of ImageNet: torchvision, most of timm, DINO.
    Imagenet,
    /// 0..1, then mean and deviation of CLIP.
    Clip,
    /// -1..1: Inception, many vision transformers, TensorFlow.
    MinusOneToOne,
    /// 0..1.
    None,
    /// 0..255, as the bytes are: networks that scale for themselves.
    Bytes,
    /// 0..255 less the mean of ImageNet, channels as blue, green, red: Caffe.
    Caffe,
}

impl Preset {
    /// For three channels; grey pictures have the means of the three.
    pub(super) fn scale(self, channels: usize) -> PixelScale {
        let full = |scale: f32, mean: [f32; 3], sd: [f32; 3]| {
            let fit = |values: [f32; 3]| match channels {
                3 => values.to_vec(),
                _ => vec![values.iter().sum::<f32>() / 3.0; channels],
            };
            PixelScale { scale, mean: fit(mean), sd: fit(sd), bgr: false }
        };
        const UNIT: f32 = 1.0 / 255.0;
        match self {
            Self::Imagenet => full(UNIT, [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
            Self::Clip => full(
                UNIT,
                [0.481_454_66, 0.457_827_5, 0.408_210_73],
                [0.268_629_54, 0.261_302_6, 0.275_777_1],
            ),
            Self::MinusOneToOne => full(UNIT, [0.5; 3], [0.5; 3]),
            Self::None => full(UNIT, [0.0; 3], [1.0; 3]),
            Self::Bytes => full(1.0, [0.0; 3], [1.0; 3]),
            Self::Caffe => PixelScale { bgr: channels == 3, ..full(1.0, [104.0, 117.0, 123.0], [1.0; 3]) },
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Imagenet => "imagenet",
            Self::Clip => "clip",
            Self::MinusOneToOne => "minus-one-to-one",
            Self::None => "none",
            Self::Bytes => "bytes",
            Self::Caffe => "caffe",
        }
    }
}

/// What a file says of the pictures that a network takes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Declared {
    /// Height and width.
    pub(super) size: Option<(usize, usize)>,
    pub(super) crop: Option<Crop>,
    /// Scale, and means and deviations as they stand.
    pub(super) scale: Option<PixelScale>,
    /// Where it stands, for people.
    pub(super) from: String,
}

/// Looks into the metadata of the network, then beside it.
pub(super) fn declared(path: &Path, proto: &ModelProto) -> Result<Declared, EncoderError> {
    let prop = |key: &str| {
        proto.metadata_props.iter().find(|entry| entry.key == key).map(|entry| entry.value.as_str())
    };
    let of = |text: &str, from: &Path, name: &str| {
        let found = parse(text).map_err(|reason| EncoderError::Preprocessor { path: from.into(), reason })?;
        Ok(Declared { from: name.into(), ..found })
    };
    if let Some(text) = prop("preprocessor_config").or(prop(BESIDE)) {
        return of(text, path, "the metadata of the network");
    }
    let beside = path.with_file_name(BESIDE);
    match bounded::read_text(&beside, LARGEST_CONFIG) {
        Ok(text) => of(&text, &beside, BESIDE),
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(image_metadata(&prop)),
        Err(cause) => Err(EncoderError::Io { path: beside, cause }),
    }
}

/// The metadata that ONNX itself has words for.
fn image_metadata<'a>(prop: &dyn Fn(&str) -> Option<&'a str>) -> Declared {
    let (scale, mean, sd) = match prop("Image.NominalPixelRange") {
        Some("NominalRange_0_255") => (1.0, 0.0, 1.0),
        Some("Normalized_0_1") => (1.0 / 255.0, 0.0, 1.0),
        Some("Normalized_1_1") => (1.0 / 255.0, 0.5, 0.5),
        _ => return Declared::default(),
    };
    let bgr = prop("Image.BitmapPixelFormat").is_some_and(|format| format.eq_ignore_ascii_case("Bgr8"));
    let scale = PixelScale { scale, mean: vec![mean], sd: vec![sd], bgr };
    Declared { scale: Some(scale), from: "the metadata of the network".into(), ..Default::default() }
}

/// `preprocessor_config.json` of Hugging Face.
fn parse(text: &str) -> Result<Declared, String> {
    let config: Value = serde_json::from_str(text).map_err(|cause| format!("it is not JSON: {cause}"))?;
    let is_on = |key: &str| config.get(key).and_then(Value::as_bool).unwrap_or(true);
    let cropped =
        config.get("crop_size").filter(|_| is_on("do_center_crop") && config.get("do_center_crop").is_some());
    let size = cropped.or(config.get("size")).map(size_of).transpose()?;
    let scale = match (is_on("do_rescale"), config.get("rescale_factor")) {
        (false, _) => 1.0,
        (true, None) => 1.0 / 255.0,
        (true, Some(factor)) => factor.as_f64().ok_or("its rescale_factor is no number")? as f32,
    };
    let list = |key: &str, usual: f32| match config.get(key).filter(|_| is_on("do_normalize")) {
        None => Ok(vec![usual]),
        Some(list) => numbers(list).ok_or(format!("its {key} is no list of numbers")),
    };
    let (mean, sd) = (list("image_mean", 0.0)?, list("image_std", 1.0)?);
    let is_sound =
        scale.is_finite() && mean.iter().all(|mean| mean.is_finite()) && sd.iter().all(|sd| sd.is_normal());
    if !is_sound {
        return Err("its means, deviations and factor must be finite, and no deviation may be 0".into());
    }
    let scale = PixelScale { scale, mean, sd, bgr: false };
    Ok(Declared { size, crop: cropped.map(|_| Crop::Center), scale: Some(scale), from: String::new() })
}

/// 224, or {"height": 224, "width": 224}, or {"shortest_edge": 224}.
fn size_of(value: &Value) -> Result<(usize, usize), String> {
    let number =
        |value: &Value| value.as_u64().and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0);
    let of = |key: &str| value.get(key).and_then(number);
    let side = number(value).or(of("shortest_edge"));
    of("height")
        .zip(of("width"))
        .or(side.map(|side| (side, side)))
        .ok_or_else(|| format!("its size is {value}"))
}

fn numbers(value: &Value) -> Option<Vec<f32>> {
    let list: Option<Vec<f32>> =
        value.as_array()?.iter().map(|value| value.as_f64().map(|value| value as f32)).collect();
    list.filter(|list| matches!(list.len(), 1 | 3))
}

/// How pixels are scaled, and where that comes from.
pub(super) fn scale(
    asked: Option<Preset>,
    declared: &Declared,
    takes_bytes: bool,
    channels: usize,
) -> Result<(PixelScale, String), SettingsProblem> {
    match (takes_bytes, asked) {
        (true, Some(_)) => return Err(SettingsProblem::TakesBytes),
        (true, None) => return Ok((PixelScale::bytes(channels), "bytes as they are".into())),
        (false, Some(preset)) => return Ok((preset.scale(channels), preset.name().into())),
        (false, None) => {}
    }
    let Some(scale) = &declared.scale else {
        return Ok((Preset::Imagenet.scale(channels), "imagenet, assumed".into()));
    };
    let fit = |values: &[f32]| match values {
        values if values.len() == channels => Ok(values.to_vec()),
        [one] => Ok(vec![*one; channels]),
        values => Err(SettingsProblem::Channels { found: values.len(), wanted: channels }),
    };
    let scale = PixelScale {
        mean: fit(&scale.mean)?,
        sd: fit(&scale.sd)?,
        bgr: scale.bgr && channels == 3,
        ..*scale
    };
    Ok((scale, format!("as {} says", declared.from)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_scales_as_its_training_did() {
        let value = |preset: Preset, byte, channel| preset.scale(3).apply(byte, channel);
        assert!((value(Preset::Imagenet, 255, 0) - (1.0 - 0.485) / 0.229).abs() < 1e-6);
        assert_eq!((value(Preset::MinusOneToOne, 0, 1), value(Preset::MinusOneToOne, 255, 2)), (-1.0, 1.0));
        assert_eq!((value(Preset::None, 255, 0), value(Preset::Bytes, 255, 0)), (1.0, 255.0));
        assert_eq!((value(Preset::Caffe, 104, 0), Preset::Caffe.scale(3).bgr), (0.0, true));
    }

    #[test]
    fn the_file_of_hugging_face_is_understood() {
        let clip = r#"{"crop_size": {"height": 224, "width": 224}, "do_center_crop": true, "do_normalize": true,
            "do_rescale": true, "do_resize": true, "image_mean": [0.5, 0.5, 0.5], "image_std": [0.25, 0.25, 0.25],
            "rescale_factor": 0.00392156862745098, "size": {"shortest_edge": 256}}"#;
        let found = parse(clip).unwrap();
        assert_eq!((found.size, found.crop), (Some((224, 224)), Some(Crop::Center)));
        let (scale, words) = super::scale(None, &Declared { from: "x".into(), ..found }, false, 3).unwrap();
        assert!((scale.apply(255, 0) - 2.0).abs() < 1e-6 && words == "as x says");
        let vit = parse(r#"{"do_normalize": false, "size": 384}"#).unwrap();
        assert_eq!((vit.size, vit.crop), (Some((384, 384)), None));
        assert_eq!(super::scale(None, &vit, false, 3).unwrap().0, Preset::None.scale(3));
        let plain = parse(r#"{"do_rescale": false, "do_normalize": false}"#).unwrap();
        assert_eq!(super::scale(None, &plain, false, 1).unwrap().0, Preset::Bytes.scale(1));
    }

    #[test]
    fn nonsense_in_it_is_an_error() {
        for text in
            ["", "[", r#"{"size": "big"}"#, r#"{"image_std": [0, 1, 1]}"#, r#"{"image_mean": [1, 2]}"#]
        {
            assert!(parse(text).is_err(), "{text}");
        }
        let three = Declared { scale: Some(Preset::Imagenet.scale(3)), ..Default::default() };
        assert!(matches!(super::scale(None, &three, false, 1), Err(SettingsProblem::Channels { .. })));
        assert!(matches!(
            super::scale(Some(Preset::Clip), &three, true, 3),
            Err(SettingsProblem::TakesBytes)
        ));
    }
}
