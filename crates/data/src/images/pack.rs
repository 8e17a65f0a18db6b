//! Many files to one block of bytes, in parallel, in bounded memory.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::decode::{Fault, decode};
use super::picture::Picture;
use super::resize::write;
use crate::cache::{self, Cache, Settings, Writer};
use crate::error::{ImageProblem, Place};
use crate::{DataError, ImageShape, Images, Pixels};

/// Pixels that are decoded before they are handed on.
const CHUNK_BYTES: usize = 32 << 20;

/// Nobody trains on larger ones, and a few rows of them fill the memory.
const MAX_SIZE: usize = 1 << 24;

/// What is wanted of the pictures.
pub(crate) struct Request<'a> {
    /// The table or folder, for messages and for the name of the cache.
    pub(crate) table: &'a Path,
    /// The folder to which names of pictures are relative.
    pub(crate) folder: &'a Path,
    /// One picture a row.
    pub(crate) files: &'a [PathBuf],
    /// Size, channels and the like.
    pub(crate) settings: Settings,
    /// Where the pixels go.
    pub(crate) cache: &'a Cache,
    /// Told from time to time how many of how many pictures are done.
    pub(crate) progress: &'a dyn Fn(usize, usize),
}

/// The pictures that could be read, in their order (`None` if not a single one), and the others by row
/// and reason.
pub(crate) struct Loaded {
    pub(crate) images: Option<Images>,
    pub(crate) unreadable: Vec<(usize, String)>,
}

/// Why a picture has no place in the block.
enum Refusal {
    Unreadable(String),
    Disk(std::io::Error),
    /// Height and width.
    OtherSize(usize, usize),
    /// The block is grey and the picture is not.
    Coloured,
}

/// How a pass over the files ended.
enum Pass {
    Done(Loaded),
    /// All must be done again in colour.
    NeedsColour,
}

/// Takes the pictures from the cache, or decodes them all.
pub(crate) fn load(request: &Request<'_>) -> Result<Loaded, DataError> {
    request.check()?;
    let store = match request.cache.folder(request.files.len())? {
        None => None,
        Some(folder) => {
            let path = folder.join(cache::name_of(request.table, &request.settings));
            Some((path, cache::key(request.folder, request.files, &request.settings)))
        }
    };
    if let Some((path, key)) = &store
        && let Some((images, unreadable)) = cache::open(path, *key, request.files.len())
        && request.asks_for(images.shape)
    {
        return Ok(Loaded { images: Some(images), unreadable });
    }
    let (first, mut shape) = match request.first_shape()? {
        Ok(found) => found,
        Err(unreadable) => return Ok(Loaded { images: None, unreadable }),
    };
    loop {
        let sink = match &store {
            Some((path, key)) => Sink::File(Writer::create(path, *key, shape)?),
            None => Sink::Memory(request.memory(shape)?),
        };
        match request.pass(first, shape, sink)? {
            Pass::Done(loaded) => return Ok(loaded),
            Pass::NeedsColour => shape.channels = 3,
        }
    }
}

enum Sink {
    Memory(Vec<u8>),
    File(Writer),
}

impl Sink {
    fn push(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        match self {
            Sink::Memory(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
            Sink::File(writer) => writer.push(bytes),
        }
    }

    fn finish(self, unreadable: &[(usize, String)]) -> Result<Pixels, DataError> {
        match self {
            Sink::Memory(all) => Ok(Pixels::Memory(all)),
            Sink::File(writer) => writer.finish(unreadable),
        }
    }
}

impl Request<'_> {
    fn check(&self) -> Result<(), DataError> {
        let Settings { size, channels, .. } = self.settings;
        let (height, width) = size.unwrap_or((1, 1));
        let problem = if height == 0 || width == 0 {
            ImageProblem::BadShape("an image size of 0 holds nothing".into())
        } else if height.saturating_mul(width) > MAX_SIZE {
            ImageProblem::BadShape(format!("an image size of more than {MAX_SIZE} pixels is not meant"))
        } else if let Some(channels) = channels.filter(|channels| ![1, 3].contains(channels)) {
            ImageProblem::BadChannels(channels)
        } else {
            return Ok(());
        };
        Err(Place::file(self.table).images(problem))
    }

    /// Whether the pictures of a cache have the shape that is asked for.
    fn asks_for(&self, shape: ImageShape) -> bool {
        self.settings.size.is_none_or(|size| size == (shape.height, shape.width))
            && self.settings.channels.is_none_or(|channels| channels == shape.channels)
    }

    /// Room for all pictures.
    fn memory(&self, shape: ImageShape) -> Result<Vec<u8>, DataError> {
        let (rows, mut room) = (self.files.len(), Vec::new());
        match room.try_reserve_exact(rows.saturating_mul(shape.len())) {
            Ok(()) => Ok(room),
            Err(_) => Err(Place::file(self.table).images(ImageProblem::NoMemory { rows, shape })),
        }
    }

    /// Row and shape of the first picture that can be read, or the reasons why none can.
    #[allow(clippy::type_complexity, reason = "two ways to fail: pictures, or the disk")]
    fn first_shape(&self) -> Result<Result<(usize, ImageShape), Vec<(usize, String)>>, DataError> {
        let mut reasons = Vec::new();
        for (row, file) in self.files.iter().enumerate() {
            match decode(file, self.settings.max_pixels) {
                Ok(Picture { height, width, channels, .. }) => {
                    let (height, width) = self.settings.size.unwrap_or((height, width));
                    let channels = self.settings.channels.unwrap_or(channels);
                    return Ok(Ok((row, ImageShape { height, width, channels })));
                }
                Err(Fault::File(reason)) => reasons.push((row, reason)),
                Err(Fault::Disk(cause)) => return Err(DataError::io(file, "read")(cause)),
            }
        }
        Ok(Err(reasons))
    }

    fn pass(&self, first: usize, shape: ImageShape, mut sink: Sink) -> Result<Pass, DataError> {
        let rows = (CHUNK_BYTES / shape.len()).clamp(2 * rayon::current_num_threads(), 512);
        let mut buffer = vec![0; rows.min(self.files.len()) * shape.len()];
        let mut unreadable = Vec::new();
        for (chunk, files) in self.files.chunks(rows).enumerate() {
            (self.progress)(chunk * rows, self.files.len());
            let mut filled = 0;
            for (i, result) in decode_chunk(files, &self.settings, shape, &mut buffer).into_iter().enumerate()
            {
                let row = chunk * rows + i;
                match result {
                    Ok(()) => {
                        buffer.copy_within(i * shape.len()..(i + 1) * shape.len(), filled * shape.len());
                        filled += 1;
                    }
                    Err(Refusal::Unreadable(reason)) => unreadable.push((row, reason)),
                    Err(Refusal::Disk(cause)) => return Err(DataError::io(&files[i], "read")(cause)),
                    Err(Refusal::Coloured) => return Ok(Pass::NeedsColour),
                    Err(Refusal::OtherSize(height, width)) => {
                        return Err(self.sizes_differ(first, shape, row, height, width));
                    }
                }
            }
            sink.push(&buffer[..filled * shape.len()])?;
        }
        (self.progress)(self.files.len(), self.files.len());
        let images = Images::new(shape, sink.finish(&unreadable)?);
        Ok(Pass::Done(Loaded { images: Some(images), unreadable }))
    }

    fn sizes_differ(
        &self,
        first: usize,
        shape: ImageShape,
        row: usize,
        height: usize,
        width: usize,
    ) -> DataError {
        let show = |row: usize| {
            let file = &self.files[row];
            file.strip_prefix(self.folder).unwrap_or(file).display().to_string()
        };
        Place::file(self.table).images(ImageProblem::SizesDiffer {
            first: (show(first), shape.height, shape.width),
            other: (show(row), height, width),
        })
    }
}

fn decode_chunk(
    files: &[PathBuf],
    settings: &Settings,
    shape: ImageShape,
    out: &mut [u8],
) -> Vec<Result<(), Refusal>> {
    let places = out.par_chunks_mut(shape.len()).zip(files);
    places.map(|(out, file)| decode_one(file, settings, shape, out)).collect()
}

fn decode_one(file: &Path, settings: &Settings, shape: ImageShape, out: &mut [u8]) -> Result<(), Refusal> {
    let picture = decode(file, settings.max_pixels).map_err(|fault| match fault {
        Fault::File(reason) => Refusal::Unreadable(reason),
        Fault::Disk(cause) => Refusal::Disk(cause),
    })?;
    if settings.channels.is_none() && shape.channels < picture.channels {
        return Err(Refusal::Coloured);
    }
    if settings.size.is_none() && (picture.height, picture.width) != (shape.height, shape.width) {
        return Err(Refusal::OtherSize(picture.height, picture.width));
    }
    write(&picture, settings.crop, shape, out);
    Ok(())
}
