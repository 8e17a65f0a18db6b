//! Networks that somebody else trained, as makers of features: the exact linear estimator on top needs seconds.
//!
//! ```no_run
//! use corevar_data::{Cache, Dataset};
//! use corevar_onnx::{Encoder, EncoderOptions};
//!
//! # fn pictures() -> Dataset { unimplemented!() }
//! let encoder = Encoder::load("dinov2.onnx", &EncoderOptions::default())?;
//! let features = encoder.encode(pictures(), &Cache::Default, &|_, _| {})?.dataset;
//! # Ok::<(), corevar_onnx::EncoderError>(())
//! ```

mod encode;
mod error;
mod file;
mod graph;
mod input;
mod preprocess;
mod run;

use std::path::{Path, PathBuf};

use corevar_data::images::Crop;
use corevar_data::{Encoding, Layout, Pooling};
use tract_onnx::pb::ModelProto;

pub use encode::Encoded;
pub use error::{EncoderError, FileProblem, SettingsProblem};
pub use preprocess::Preset;

use graph::OutputProblem;
pub(crate) use graph::Reduce;
pub(crate) use input::Number;
use input::{Input, InputProblem, Wanted};
use run::Plan;

/// What cannot be read from the file of a network, or is to be otherwise. All of it may stay open.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EncoderOptions {
    /// Tensor that becomes the features. Default: the output, or the one of several that is called like an embedding.
    pub layer: Option<String>,
    /// How bytes become numbers. Default: as the file or its `preprocessor_config.json` says, else as for ImageNet.
    pub preset: Option<Preset>,
    /// Order of the axes. Default: by the shape of the input.
    pub layout: Option<Layout>,
    /// How tokens become one row. Default: their mean.
    pub pool: Option<Pooling>,
    /// Height and width of the pictures. Needed where the network takes any and nothing says which.
    pub size: Option<(usize, usize)>,
    /// Which part of a picture is resized. Default: as the file says, else the centre.
    pub crop: Option<Crop>,
}

/// A network that is ready to make features of pictures. Can be shared by threads.
#[derive(Debug)]
pub struct Encoder {
    path: PathBuf,
    encoding: Encoding,
    crop: Crop,
    notes: Vec<String>,
    width: usize,
    plan: Plan,
    /// The part of the network that makes the features.
    graph: ModelProto,
}

impl Encoder {
    /// Reads and checks a network.
    pub fn load(path: impl AsRef<Path>, options: &EncoderOptions) -> Result<Self, EncoderError> {
        let path = path.as_ref();
        let file = file::read(path)?;
        Self::new(path, file, options)
    }

    /// Reads the encoder of a model, and refuses any other. What was done to the pictures in training is done again.
    pub fn load_for(path: impl AsRef<Path>, encoding: &Encoding, crop: Crop) -> Result<Self, EncoderError> {
        let path = path.as_ref();
        let file = file::read(path)?;
        if file.checksum != encoding.checksum {
            let (name, wanted, found) = (encoding.name.clone(), encoding.checksum.clone(), file.checksum);
            return Err(EncoderError::OtherEncoder { path: path.into(), name, wanted, found });
        }
        let options = EncoderOptions {
            layer: Some(encoding.layer.clone()),
            preset: None,
            layout: Some(encoding.layout),
            pool: Some(encoding.pooling),
            size: Some((encoding.height, encoding.width)),
            crop: Some(crop),
        };
        let mut encoder = Self::new(path, file, &options)?;
        encoder.encoding.pixels = encoding.pixels.clone();
        encoder.notes.clear();
        Ok(encoder)
    }

    fn new(path: &Path, file: file::NetworkFile, options: &EncoderOptions) -> Result<Self, EncoderError> {
        let of_file = |problem| EncoderError::File { path: path.into(), problem };
        let of_settings = |problem| EncoderError::Settings { path: path.into(), problem };
        let file::NetworkFile { mut proto, checksum } = file;
        let declared = preprocess::declared(path, &proto)?;
        let chosen = graph::choose(proto.graph.get_or_insert_default(), options.layer.as_deref())
            .map_err(of_settings)?;
        graph::cut(&mut proto, &chosen.layer);
        let graph = proto.graph.get_or_insert_default();
        graph::check(graph, &run::is_known).map_err(of_file)?;
        let info = graph::input(graph).map_err(of_file)?;
        let wanted = Wanted { size: options.size, layout: options.layout };
        let input = Input::of(info, wanted, &declared).map_err(|problem| match problem {
            InputProblem::File(problem) => of_file(problem),
            InputProblem::Settings(problem) => of_settings(problem),
        })?;
        let takes_bytes = input.number == Number::Byte;
        let (pixels, words) = preprocess::scale(options.preset, &declared, takes_bytes, input.image.channels)
            .map_err(of_settings)?;
        let pooling = options.pool.unwrap_or_default();
        let (image, layout) = (input.image, input.layout);
        let (plan, shape) = Plan::new(&proto, input).map_err(of_file)?;
        let graph = proto.graph.get_or_insert_default();
        let reduce =
            Reduce::of(graph, &chosen.layer, &shape, plan.batch(), pooling, layout).map_err(|problem| {
                match problem {
                    OutputProblem::File(problem) => of_file(problem),
                    OutputProblem::Settings(problem) => of_settings(problem),
                }
            })?;
        let crop = options.crop.or(declared.crop).unwrap_or(Crop::Center);
        let encoding = Encoding {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            checksum,
            layer: chosen.layer,
            pooling,
            height: image.height,
            width: image.width,
            channels: image.channels,
            layout,
            pixels,
        };
        let mut notes = vec![describe(&encoding, crop, &words, &shape, reduce)];
        notes.extend(chosen.note);
        if words.ends_with("assumed") {
            notes.push(
                "nothing says how this encoder scales pixels: taking mean and deviation of ImageNet; the field `encoder_preset` sets another way"
                    .into(),
            );
        }
        let plan = plan.reducing(reduce);
        Ok(Self { path: path.into(), encoding, crop, notes, width: reduce.width(), plan, graph: proto })
    }

    /// What goes into a model file.
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// Which part of a picture is resized to its size.
    pub fn crop(&self) -> Crop {
        self.crop
    }

    /// Features per picture.
    pub fn width(&self) -> usize {
        self.width
    }

    /// What is used, for the user, a line each.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How a tensor becomes a row of features.
    pub(crate) fn reduce(&self) -> Reduce {
        self.plan.reduce()
    }

    /// Numbers that the network takes.
    pub(crate) fn takes(&self) -> Number {
        self.plan.input().number
    }

    /// Pictures that the network takes at once; None if any number.
    pub(crate) fn fixed_batch(&self) -> Option<usize> {
        self.plan.input().batch
    }

    /// The part of the network that makes the features, with one input and one output: the tensor of [`Encoding::layer`], from
    /// which [`Encoding::pooling`] leaves a row of features.
    pub fn graph(&self) -> &ModelProto {
        &self.graph
    }
}

/// `open-nsfw.onnx (BLAKE3 0f3a..): images 224x224 rgb, nhwc, crop center, pixels imagenet; 1024 features from `pool` [1, 1024, 7, 7]`
fn describe(encoding: &Encoding, crop: Crop, pixels: &str, shape: &[usize], reduce: Reduce) -> String {
    let Encoding { name, checksum, layer, pooling, height, width, channels, layout, .. } = encoding;
    let colour = if *channels == 1 { "grey" } else { "rgb" };
    let pooled = match reduce {
        Reduce::Nothing { .. } => String::new(),
        _ => format!(" {:?}, {} over its places", &shape[1..], pooling.name()),
    };
    format!(
        "encoder {name} (BLAKE3 {}..): images {height}x{width} {colour}, {}, crop {}, pixels {pixels}; {} features from `{layer}`{pooled}",
        &checksum[..12],
        layout.name(),
        crop.name(),
        reduce.width(),
    )
}
