//! Many files to one block of bytes, in parallel, in bounded memory.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::decode::{Fault, Limits, decode};
use super::resize::write;
use crate::cache::{self, Cache, Settings, Writer};
use crate::error::{ImageProblem, Place, TableProblem};
use crate::source_folder::SourceFolder;
use crate::{DataError, ImageShape, Images, Pixels, memory};

/// Pixels that are decoded before they are handed on.
const CHUNK_BYTES: usize = 64 << 20;

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
    /// Pictures may lie outside the folder.
    pub(crate) allow_outside: bool,
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
    /// For the report.
    pub(crate) notes: Vec<String>,
}

/// Why a picture has no place in the block.
enum Refusal {
    Fault(Fault),
    /// Height and width.
    OtherSize(usize, usize),
    /// The block is grey and the picture is not.
    Coloured,
}

/// How a pass over the files ended.
enum Pass {
    Done(Images, Vec<(usize, String)>),
    /// All must be done again in colour.
    NeedsColour,
    /// The cache could not be written.
    NoCache(DataError),
}

/// Takes the pictures from the cache, or decodes them all.
pub(crate) fn load(request: &Request<'_>) -> Result<Loaded, DataError> {
    request.check()?;
    let mut notes = Vec::new();
    let mut place = request.cache.folder().map(|folder| {
        let path = folder.join(cache::name_of(request.table, &request.settings));
        (path, cache::key(request.folder, request.files, &request.settings))
    });
    if let Some((path, key)) = &place
        && let Some((images, unreadable)) = cache::open(path, *key, request.files.len())
        && request.asks_for(images.shape)
    {
        return Ok(Loaded { images: Some(images), unreadable, notes });
    }
    let folder = SourceFolder::new(request.folder, request.allow_outside)
        .map_err(DataError::io(request.folder, "open"))?;
    let (first, mut shape) = match request.first_shape(&folder)? {
        Ok(found) => found,
        Err(unreadable) => return Ok(Loaded { images: None, unreadable, notes }),
    };
    let bytes = (request.files.len() as u64).saturating_mul(shape.len() as u64);
    place = place.filter(|_| request.cache.takes(request.files.len(), bytes));
    loop {
        match request.pass(&folder, first, shape, request.sink(place.as_ref(), shape)?)? {
            Pass::Done(images, unreadable) => return Ok(Loaded { images: Some(images), unreadable, notes }),
            Pass::NeedsColour => shape.channels = 3,
            Pass::NoCache(cause) if request.cache.is_asked_for() => return Err(cause),
            Pass::NoCache(cause) => {
                notes.push(format!(
                    "decoded pictures stay in memory, and are not kept for the next time: {cause}"
                ));
                place = None;
            }
        }
    }
}

enum Sink {
    Memory(Vec<u8>),
    File(Writer),
    /// The cache could not even be begun.
    NoFile(DataError),
}

impl Sink {
    /// Errors are those of the cache.
    fn push(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        match self {
            Sink::Memory(all) => {
                all.extend_from_slice(bytes);
                Ok(())
            }
            Sink::File(writer) => writer.push(bytes),
            Sink::NoFile(_) => Ok(()),
        }
    }

    fn finish(self, unreadable: &[(usize, String)]) -> Result<Pixels, DataError> {
        match self {
            Sink::Memory(all) => Ok(Pixels::Memory(all)),
            Sink::File(writer) => writer.finish(unreadable),
            Sink::NoFile(cause) => Err(cause),
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

    /// Where the pixels go: into a cache, or into memory.
    fn sink(&self, place: Option<&(PathBuf, u64)>, shape: ImageShape) -> Result<Sink, DataError> {
        match place {
            None => self.memory(shape).map(Sink::Memory),
            Some((path, key)) => Ok(Writer::create(path, *key, shape).map_or_else(Sink::NoFile, Sink::File)),
        }
    }

    /// Room for all pictures.
    fn memory(&self, shape: ImageShape) -> Result<Vec<u8>, DataError> {
        let (rows, mut room) = (self.files.len(), Vec::new());
        let bytes = rows.saturating_mul(shape.len());
        if memory::fits_machine(bytes as u64) && room.try_reserve_exact(bytes).is_ok() {
            return Ok(room);
        }
        Err(Place::file(self.table).images(ImageProblem::NoMemory { rows, shape }))
    }

    /// Row and shape of the first picture that can be read, or the reasons why none can.
    #[allow(clippy::type_complexity, reason = "two ways to fail: pictures, or the disk")]
    fn first_shape(
        &self,
        folder: &SourceFolder,
    ) -> Result<Result<(usize, ImageShape), Vec<(usize, String)>>, DataError> {
        let mut reasons = Vec::new();
        for (row, file) in self.files.iter().enumerate() {
            match decode(folder, file, &self.settings.limits) {
                Ok(decoded) => {
                    let (height, width) =
                        self.settings.size.unwrap_or((decoded.picture.height, decoded.picture.width));
                    let channels = self.settings.channels.unwrap_or(decoded.picture.channels);
                    return Ok(Ok((row, ImageShape { height, width, channels })));
                }
                Err(Fault::File(reason)) => reasons.push((row, reason)),
                Err(fault) => return Err(self.fault(row, fault)),
            }
        }
        Ok(Err(reasons))
    }

    fn pass(
        &self,
        folder: &SourceFolder,
        first: usize,
        shape: ImageShape,
        mut sink: Sink,
    ) -> Result<Pass, DataError> {
        if let Sink::NoFile(cause) = sink {
            return Ok(Pass::NoCache(cause));
        }
        let rows = (CHUNK_BYTES / shape.len()).clamp(1, 512).min(self.files.len());
        let mut buffer = vec![0; rows * shape.len()];
        // The buffer is there all the time that pictures are decoded.
        let memory = self.settings.limits.memory.saturating_sub(buffer.len() as u64);
        let settings = Settings { limits: Limits { memory, ..self.settings.limits }, ..self.settings };
        let mut unreadable = Vec::new();
        for (chunk, files) in self.files.chunks(rows).enumerate() {
            (self.progress)(chunk * rows, self.files.len());
            let mut filled = 0;
            for (i, result) in
                decode_chunk(folder, files, &settings, shape, &mut buffer).into_iter().enumerate()
            {
                let row = chunk * rows + i;
                match result {
                    Ok(()) => {
                        buffer.copy_within(i * shape.len()..(i + 1) * shape.len(), filled * shape.len());
                        filled += 1;
                    }
                    Err(Refusal::Fault(Fault::File(reason))) => unreadable.push((row, reason)),
                    Err(Refusal::Fault(fault)) => return Err(self.fault(row, fault)),
                    Err(Refusal::Coloured) => return Ok(Pass::NeedsColour),
                    Err(Refusal::OtherSize(height, width)) => {
                        return Err(self.sizes_differ(first, shape, row, height, width));
                    }
                }
            }
            if let Err(cause) = sink.push(&buffer[..filled * shape.len()]) {
                return Ok(Pass::NoCache(cause));
            }
        }
        (self.progress)(self.files.len(), self.files.len());
        match sink.finish(&unreadable) {
            Ok(pixels) => Ok(Pass::Done(Images::new(shape, pixels), unreadable)),
            Err(cause) => Ok(Pass::NoCache(cause)),
        }
    }

    /// A picture as messages name it.
    fn name(&self, row: usize) -> String {
        let file = &self.files[row];
        file.strip_prefix(self.folder).unwrap_or(file).display().to_string()
    }

    /// What no row may be left out for.
    fn fault(&self, row: usize, fault: Fault) -> DataError {
        match fault {
            Fault::Disk(cause) => DataError::io(&self.files[row], "read")(cause),
            Fault::Outside => Place::file(self.table).table(TableProblem::Outside { image: self.name(row) }),
            Fault::File(reason) => {
                Place::file(self.table).images(ImageProblem::Unreadable { image: self.name(row), reason })
            }
        }
    }

    fn sizes_differ(
        &self,
        first: usize,
        shape: ImageShape,
        row: usize,
        height: usize,
        width: usize,
    ) -> DataError {
        Place::file(self.table).images(ImageProblem::SizesDiffer {
            first: (self.name(first), shape.height, shape.width),
            other: (self.name(row), height, width),
        })
    }
}

fn decode_chunk(
    folder: &SourceFolder,
    files: &[PathBuf],
    settings: &Settings,
    shape: ImageShape,
    out: &mut [u8],
) -> Vec<Result<(), Refusal>> {
    let places = out.par_chunks_mut(shape.len()).zip(files);
    places.map(|(out, file)| decode_one(folder, file, settings, shape, out)).collect()
}

/// Decodes files into one block of pixels, each in its place; size and channels are those of the settings.
pub(crate) fn decode_rows(
    folder: &SourceFolder,
    files: &[PathBuf],
    settings: &Settings,
    shape: ImageShape,
    out: &mut [u8],
) -> Vec<Result<(), Fault>> {
    let fault = |refusal| match refusal {
        Refusal::Fault(fault) => fault,
        Refusal::OtherSize(height, width) => Fault::File(format!("it has {height}x{width} pixels")),
        Refusal::Coloured => Fault::File("it is not grey".into()),
    };
    let decoded = decode_chunk(folder, files, settings, shape, out);
    decoded.into_iter().map(|result| result.map_err(fault)).collect()
}

fn decode_one(
    folder: &SourceFolder,
    file: &Path,
    settings: &Settings,
    shape: ImageShape,
    out: &mut [u8],
) -> Result<(), Refusal> {
    let decoded = decode(folder, file, &settings.limits).map_err(Refusal::Fault)?;
    let picture = &decoded.picture;
    if settings.channels.is_none() && shape.channels < picture.channels {
        return Err(Refusal::Coloured);
    }
    if settings.size.is_none() && (picture.height, picture.width) != (shape.height, shape.width) {
        return Err(Refusal::OtherSize(picture.height, picture.width));
    }
    write(picture, settings.crop, shape, out);
    Ok(())
}
