//! Models that leave this program: as an ONNX file, or as weights and a module for PyTorch.
//!
//! ```no_run
//! use corevar::Model;
//! use corevar_onnx::export::Export;
//!
//! let model = Model::load("model.safetensors")?;
//! let checked = Export::new(&model).onnx("model.onnx".as_ref())?;
//! println!("agrees with the model on {} rows", checked.rows);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The file takes raw inputs: all that the model does to them is inside. It has opset 18 and IR 8, which current runtimes all read.
//!
//! | | name | type and shape |
//! |---|---|---|
//! | input | `input` | features: f32 `[batch, features]`; images: see [`Images`] |
//! | output, classes | `logits`, `probabilities` | f32 `[batch, classes]` |
//! | | `label` | i64 `[batch]`, an index into `corevar.classes` |
//! | output, regression | `prediction` | f32 `[batch]` |
//!
//! **Precision.** A network computes in f32, as in training. Features are standardised in f64, and linear models, whose weights are in
//! the units of the features, compute in f64, as in this program: a feature of mean 10⁴ and SD 1 has only 3 digits left after
//! it was multiplied in f32.
//!
//! **Why these crates.** The messages of the format are those of `tract-onnx`, which reads the file again before it gets its name:
//! one copy of the format for writer and reader. The exporter of `burn-onnx` 0.22 traces Burn operations, so it sees neither the
//! linear model, which is none, nor through the fused convolution, and it turns on features of Burn that the engine does without.
//! `onnx-rs` would be a second copy of the messages, in its first releases.

mod error;
mod graph;
mod join;
mod layers;
mod metadata;
mod onnx;
mod pytorch;
#[cfg(test)]
mod tests;
mod verify;

use std::path::{Path, PathBuf};

use corevar::model::InputShape;
use corevar::results::Setting;
use corevar::{Model, write_checked, write_whole};
use tract_onnx::pb::ModelProto;

use crate::Encoder;
use layers::Layers;
use metadata::Metadata;

pub use error::ExportError;
pub use verify::Checked;

/// How images go into an ONNX file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Images {
    /// Order of the axes.
    pub layout: Layout,
    /// Type of the pixels.
    pub pixels: Pixels,
}

/// Order of the axes of images.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Layout {
    /// `[batch, height, width, channels]`, as image files are decoded.
    #[default]
    Nhwc,
    /// `[batch, channels, height, width]`, as in PyTorch.
    Nchw,
}

/// Type of the pixels of images.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pixels {
    /// u8 from 0 to 255.
    #[default]
    U8,
    /// f32 from 0 to 1.
    F32,
}

/// A model to be exported.
#[derive(Debug, Clone)]
pub struct Export<'a> {
    model: &'a Model,
    setting: Option<&'a Setting>,
    images: Option<Images>,
    encoder: Option<&'a Encoder>,
    overwrite: bool,
}

impl<'a> Export<'a> {
    /// Images as u8 NHWC; nothing is overwritten.
    pub fn new(model: &'a Model) -> Self {
        Self { model, setting: None, images: None, encoder: None, overwrite: false }
    }

    /// How the model was trained, for the metadata. That of a file without a record says nothing and is left out.
    pub fn setting(self, setting: &'a Setting) -> Self {
        Self { setting: (*setting != Setting::unknown(&setting.name)).then_some(setting), ..self }
    }

    /// How images go into the ONNX file; an error for a model of features.
    pub fn images(self, images: Images) -> Self {
        Self { images: Some(images), ..self }
    }

    /// Puts the encoder of the model ([`Encoder::load_for`]) into the ONNX file: images go in, not features.
    pub fn encoder(self, encoder: &'a Encoder) -> Self {
        Self { encoder: Some(encoder), ..self }
    }

    /// Whether files of the same name are replaced. Models of this program never are.
    pub fn overwrite(self, overwrite: bool) -> Self {
        Self { overwrite, ..self }
    }

    /// Writes an ONNX file. It gets its name only after it ran on drawn rows and gave the model's answers.
    pub fn onnx(&self, path: &Path) -> Result<Checked, ExportError> {
        let images = self.check_images()?;
        self.check_target(path)?;
        let bytes = onnx::to_bytes(&self.message(images)?)?;
        write_checked(path, &bytes, |written| {
            let message = verify::read(&std::fs::read(written)?)?;
            match self.encoder {
                Some(encoder) => {
                    verify::check_joined(&message, self.model, encoder, images.unwrap_or_default())
                }
                None => verify::check(&message, self.model, images),
            }
        })
        .map_err(|error| error.at(path))
    }

    /// Writes `model.safetensors`, with the names and shapes of a PyTorch module, and that module as `model.py`, into a folder,
    /// which is made if it is not there. Its layers are those of the ONNX file, and are checked as such.
    pub fn pytorch(&self, folder: &Path) -> Result<[PathBuf; 2], ExportError> {
        let [weights, module] = ["model.safetensors", "model.py"].map(|name| folder.join(name));
        for path in [&weights, &module] {
            self.check_target(path)?;
        }
        let layers = Layers::of(self.model)?;
        verify::check(&self.message(None)?, self.model, None)?;
        let bytes = pytorch::weights(&layers, &Metadata::of(self.model, self.setting, None))?;
        std::fs::create_dir_all(folder).map_err(|cause| ExportError::from(cause).at(folder))?;
        write_whole(&weights, &bytes).map_err(|cause| ExportError::from(cause).at(&weights))?;
        let text = pytorch::module(&layers, self.model);
        write_whole(&module, text.as_bytes()).map_err(|cause| ExportError::from(cause).at(&module))?;
        Ok([weights, module])
    }

    fn message(&self, images: Option<Images>) -> Result<ModelProto, ExportError> {
        let layers = Layers::of(self.model)?;
        let metadata = Metadata::of(self.model, self.setting, Some(images.unwrap_or_default()));
        let images = images.unwrap_or_default();
        Ok(match self.encoder {
            Some(encoder) => {
                let metadata = metadata.with_encoder(encoder, images);
                join::join(onnx::message(&layers, self.model, images, metadata), encoder, images)
            }
            None => onnx::message(&layers, self.model, images, metadata),
        })
    }

    fn check_images(&self) -> Result<Option<Images>, ExportError> {
        match self.model.input() {
            found @ InputShape::Features(_) if self.images.is_some() && self.encoder.is_none() => {
                Err(ExportError::NotImages { found })
            }
            _ => Ok(self.images),
        }
    }

    /// What is there already stays, unless the user says otherwise; a model of ours stays in any case.
    fn check_target(&self, path: &Path) -> Result<(), ExportError> {
        let Ok(there) = std::fs::symlink_metadata(path) else { return Ok(()) };
        let path_text = path.display().to_string();
        if path.is_file() && Model::load(path).is_ok() {
            return Err(ExportError::IsModel { path: path_text });
        }
        match there.is_file() {
            true if self.overwrite => Ok(()),
            true => Err(ExportError::Exists { path: path_text }),
            false => Err(ExportError::NotAFile { path: path_text }),
        }
    }
}
