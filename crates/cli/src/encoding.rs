//! --encoder on the command line: a network between images and model.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use corevar::Model;
use corevar_data::{Cache, Dataset};
use corevar_onnx::{Encoder, EncoderOptions};

use crate::failure::{self, Failure, Usage};
use crate::output;
use crate::progress::Encoding;
use crate::settings::{EncoderFlags, TableFlags, no_effect};
use crate::values::ImageSize;

impl EncoderFlags {
    /// The network that is asked for. It decides on the size of images, so that flags of the reader for it have no effect.
    pub fn load(&self, table: &TableFlags) -> anyhow::Result<Option<Arc<Encoder>>> {
        self.refuse_idle(self)?;
        let Some(path) = &self.encoder else { return Ok(None) };
        refuse_image_flags(table)?;
        let options = EncoderOptions {
            layer: self.encoder_layer.clone(),
            preset: self.encoder_preset,
            layout: self.encoder_layout,
            pool: self.encoder_pool,
            size: self.encoder_size.map(|size| (size.height, size.width)),
            crop: self.encoder_crop,
        };
        Ok(Some(Arc::new(Encoder::load(path, &options)?)))
    }

    /// With what was read from the network where no flag says it.
    pub fn complete_for(&self, encoder: &Encoder) -> Self {
        let encoding = encoder.encoding();
        Self {
            encoder_layer: Some(encoding.layer.clone()),
            encoder_size: Some(ImageSize { height: encoding.height, width: encoding.width }),
            encoder_crop: Some(encoder.crop()),
            encoder_layout: Some(encoding.layout),
            encoder_pool: Some(encoding.pooling),
            ..self.clone()
        }
    }
}

fn refuse_image_flags(table: &TableFlags) -> Result<(), Usage> {
    let given = [
        (
            "image_size",
            table.image_size.is_some(),
            "the encoder takes images of one size, see --encoder-size",
        ),
        ("crop", table.crop.is_some(), "there is --encoder-crop for images that go through an encoder"),
        ("colour", table.colour.is_some(), "the encoder takes images of one kind"),
    ];
    match given.iter().find(|(_, is_given, _)| *is_given) {
        None => Ok(()),
        Some((name, _, why)) => Err(no_effect(name, why)),
    }
}

/// An encoder that none of the models takes was passed in vain.
pub fn refuse_idle<'a>(
    path: Option<&PathBuf>,
    models: impl IntoIterator<Item = &'a Model>,
) -> Result<(), Usage> {
    let needs_one = models.into_iter().any(|model| model.preparation().encoding.is_some());
    match path.is_some() && !needs_one {
        true => Err(no_effect("encoder", "no model was trained with an encoder")),
        false => Ok(()),
    }
}

/// The encoder of a model, when it needs one.
pub fn of_model(model: &Model, path: Option<&PathBuf>) -> anyhow::Result<Option<Arc<Encoder>>> {
    let preparation = model.preparation();
    let Some(encoding) = &preparation.encoding else { return Ok(None) };
    let Some(path) = path else {
        let message = format!("the model takes features that the encoder `{}` made of images", encoding.name);
        return Err(Failure::new(message).tip(format!("pass --encoder {}", encoding.name)).into());
    };
    let crop = preparation.crop.unwrap_or_default();
    Ok(Some(Arc::new(Encoder::load_for(Path::new(path), encoding, crop)?)))
}

/// The data with features for images, if there is an encoder; says how long it took.
pub fn encode(
    dataset: Dataset,
    encoder: Option<&Encoder>,
    cache: &Cache,
    quiet: bool,
) -> anyhow::Result<Dataset> {
    let Some(encoder) = encoder else { return Ok(dataset) };
    if !quiet {
        encoder.notes().iter().for_each(|line| output::note(&failure::in_flags(line)));
    }
    let progress = Encoding::new(quiet);
    let encoded = encoder.encode(dataset, cache, &|done, all| progress.show(done, all))?;
    if !quiet {
        output::note(&summary(encoded.dataset.len(), encoded.from_cache, progress.seconds()));
        encoded.notes.iter().for_each(|line| output::note(line));
    }
    Ok(encoded.dataset)
}

/// `encoded 480 images in 12.1 s (39.7 images per second), 20 from the cache`
fn summary(rows: usize, from_cache: usize, seconds: f64) -> String {
    let fresh = rows - from_cache;
    let speed = fresh as f64 / seconds.max(1e-9);
    match (fresh, from_cache) {
        (0, _) => format!("features of all {rows} images come from the cache"),
        (_, 0) => format!("encoded {fresh} images in {seconds:.1} s ({speed:.1} images per second)"),
        _ => format!(
            "encoded {fresh} images in {seconds:.1} s ({speed:.1} images per second), {from_cache} from the cache"
        ),
    }
}
