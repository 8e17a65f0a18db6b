//! Pictures of a data set to features: what was computed before comes from the cache, the rest goes through the network on all
//! threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use corevar::model::ModelError;
use corevar::predict::Front;
use corevar_data::{
    Cache, DataError, Dataset, FeatureCache, Features, Images, Inputs, KeptFeatures, Mode, Pixels,
    Preparation, Tip, images, memory,
};
use rayon::prelude::*;

use super::{Encoder, EncoderError};

/// What is finished is kept at least this often.
const BETWEEN_STORES: Duration = Duration::from_secs(120);

/// Pictures between two looks at the clock, per thread.
const AT_ONCE: usize = 64;

/// A data set of features, and how it came about.
#[derive(Debug)]
pub struct Encoded {
    /// The same rows, with features `e0`, `e1`, .. as inputs and the images for people to look at.
    pub dataset: Dataset,
    /// Rows that came from the cache.
    pub from_cache: usize,
    /// For the user, a line each.
    pub notes: Vec<String>,
}

type Digest = [u8; 32];

impl Encoder {
    /// Makes features of the pictures of every row. Pictures of another size than that of the network are resized; `progress` is
    /// told how many of how many pictures that are not in the cache are done, by any thread.
    pub fn encode(
        &self,
        data: Dataset,
        cache: &Cache,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Encoded, EncoderError> {
        let Some(images) = data.inputs().as_images().cloned() else {
            return Err(DataError::NeedsImages { action: "an encoder" }.into());
        };
        if let Pixels::Changed(changed) = &*images.pixels
            && changed.mode() == Mode::Fresh
        {
            return Err(EncoderError::FreshCopies);
        }
        let kept = FeatureCache::new(cache, data.name(), self.key(), self.width);
        let mut work = Work::new(self, &images, data.len())?;
        work.digest()?;
        let mut notes = Vec::new();
        let from_cache = kept.as_ref().map_or(0, |kept| work.take(&kept.load()));
        if !work.missing.is_empty() {
            work.run(kept.as_ref(), progress)?;
            notes.extend(work.store(kept.as_ref())?);
        }
        let names = (0..self.width).map(|place| format!("e{place}")).collect();
        let features = Features { names, values: work.values };
        let preparation = Preparation {
            crop: Some(self.crop),
            encoding: Some(self.encoding.clone()),
            ..data.preparation().clone()
        };
        let dataset = data
            .edit()
            .inputs(Inputs::Features(features))
            .pictures(Some(images))
            .preparation(preparation)
            .check()?;
        Ok(Encoded { dataset, from_cache, notes })
    }

    /// Of everything that decides on the features of a picture that has the size of the network.
    fn key(&self) -> Digest {
        let encoding = corevar_data::Encoding { name: String::new(), ..self.encoding.clone() };
        *blake3::hash(format!("{encoding:?} {}", env!("CARGO_PKG_VERSION")).as_bytes()).as_bytes()
    }
}

/// For answers to any number of rows: nothing is kept, nobody is told.
impl Front for Encoder {
    fn features(&self, pictures: Dataset) -> Result<Dataset, ModelError> {
        let encoded = self.encode(pictures, &Cache::Off, &|_, _| {});
        encoded
            .map(|encoded| encoded.dataset)
            .map_err(|error| ModelError::Encoder { reason: error.to_string(), tip: error.tip() })
    }
}

/// The rows on their way.
struct Work<'a> {
    encoder: &'a Encoder,
    images: &'a Images,
    /// Of the pixels that the network sees.
    digests: Vec<Digest>,
    values: Vec<f32>,
    /// Rows that are to be encoded, ascending.
    missing: Vec<usize>,
}

impl<'a> Work<'a> {
    fn new(encoder: &'a Encoder, images: &'a Images, rows: usize) -> Result<Self, EncoderError> {
        let width = encoder.width;
        let count = rows.checked_mul(width).filter(|count| memory::fits_machine(4 * *count as u64));
        let mut values = Vec::new();
        match count {
            Some(count) if values.try_reserve_exact(count).is_ok() => values.resize(count, 0.0),
            _ => return Err(EncoderError::NoMemory { rows, width }),
        }
        Ok(Self { encoder, images, digests: vec![[0; 32]; rows], values, missing: (0..rows).collect() })
    }

    /// The pixels of a row as the network takes them.
    fn pixels(&self, row: usize, out: &mut Vec<u8>) -> Result<(), DataError> {
        let (shape, wanted) = (self.images.shape, self.encoder.encoding.shape());
        let mut bytes = vec![0; shape.len()];
        self.images.read_bytes(row, &mut bytes)?;
        match shape == wanted {
            true => out.extend_from_slice(&bytes),
            false => out.extend(images::resize(&bytes, shape, self.encoder.crop, wanted)),
        }
        Ok(())
    }

    fn digest(&mut self) -> Result<(), DataError> {
        let digest = |row: usize| {
            let mut pixels = Vec::new();
            self.pixels(row, &mut pixels).map(|()| *blake3::hash(&pixels).as_bytes())
        };
        self.digests = (0..self.digests.len()).into_par_iter().map(digest).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Takes what was computed before; the number of such rows.
    fn take(&mut self, kept: &KeptFeatures) -> usize {
        let width = self.encoder.width;
        let (values, digests) = (&mut self.values, &self.digests);
        self.missing.retain(|row| match kept.find(&digests[*row]) {
            Some(features) => {
                values[row * width..(row + 1) * width].copy_from_slice(features);
                false
            }
            None => true,
        });
        self.digests.len() - self.missing.len()
    }

    /// Sends the missing rows through the network, and keeps from time to time what is done.
    fn run(
        &mut self,
        kept: Option<&FeatureCache>,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<(), EncoderError> {
        let (batch, all) = (self.encoder.plan.batch(), self.missing.len());
        let block = batch * AT_ONCE.div_ceil(batch) * rayon::current_num_threads();
        let done = AtomicUsize::new(0);
        progress(0, all);
        let mut last = Instant::now();
        while !self.missing.is_empty() {
            let rows: Vec<usize> = self.missing.iter().copied().take(block).collect();
            let features =
                self.block(&rows, &|rows| progress(done.fetch_add(rows, Ordering::Relaxed) + rows, all))?;
            let width = self.encoder.width;
            for (row, features) in rows.iter().zip(features.chunks_exact(width)) {
                self.values[row * width..(row + 1) * width].copy_from_slice(features);
            }
            self.missing.drain(..rows.len());
            if last.elapsed() >= BETWEEN_STORES && !self.missing.is_empty() {
                // What cannot be kept now is said at the end.
                let _ = self.store(kept);
                last = Instant::now();
            }
        }
        Ok(())
    }

    /// Features of some rows, on all threads. A thread keeps its way through the network: to begin one costs as much as a picture.
    fn block(&self, rows: &[usize], done: &(dyn Fn(usize) + Sync)) -> Result<Vec<f32>, EncoderError> {
        let (encoder, width, batch) = (self.encoder, self.encoder.width, self.encoder.plan.batch());
        let failed =
            |row: usize, reason: String| EncoderError::Run { path: encoder.path.clone(), row, reason };
        let batches: Vec<&[usize]> = rows.chunks(batch).collect();
        let next = AtomicUsize::new(0);
        let work = |_: usize| -> Result<Vec<(usize, Vec<f32>)>, EncoderError> {
            let runner = encoder.plan.runner(&encoder.encoding.pixels);
            let mut runner = runner.map_err(|reason| failed(rows[0], reason))?;
            let (mut finished, mut pixels) = (Vec::new(), Vec::new());
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(rows) = batches.get(place) else { return Ok(finished) };
                pixels.clear();
                rows.iter().try_for_each(|row| self.pixels(*row, &mut pixels))?;
                let mut features = vec![0.0; rows.len() * width];
                runner.run(&pixels, &mut features).map_err(|reason| failed(rows[0], reason))?;
                finished.push((place, features));
                done(rows.len());
            }
        };
        let threads = rayon::current_num_threads();
        let parts = (0..threads).into_par_iter().with_max_len(1).map(work).collect::<Result<Vec<_>, _>>()?;
        let mut features = vec![0.0; rows.len() * width];
        for (place, part) in parts.into_iter().flatten() {
            let start = place * batch * width;
            features[start..start + part.len()].copy_from_slice(&part);
        }
        Ok(features)
    }

    /// Keeps all rows that are done. A cache that nobody asked for and that cannot be written is a note.
    fn store(&self, kept: Option<&FeatureCache>) -> Result<Option<String>, EncoderError> {
        let Some(cache) = kept else { return Ok(None) };
        let width = self.encoder.width;
        let written = match self.missing.is_empty() {
            true => cache.store(&self.digests, &self.values),
            false => {
                let is_missing: std::collections::HashSet<usize> = self.missing.iter().copied().collect();
                let rows: Vec<usize> =
                    (0..self.digests.len()).filter(|row| !is_missing.contains(row)).collect();
                let digests: Vec<Digest> = rows.iter().map(|row| self.digests[*row]).collect();
                let values: Vec<f32> = rows
                    .iter()
                    .flat_map(|row| &self.values[row * width..(row + 1) * width])
                    .copied()
                    .collect();
                cache.store(&digests, &values)
            }
        };
        match written {
            Ok(()) => Ok(None),
            Err(cause) if cache.is_asked_for() => Err(cause.into()),
            Err(cause) => Ok(Some(format!("features are not kept for the next time: {cause}"))),
        }
    }
}
