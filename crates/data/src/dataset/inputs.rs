//! What a model sees of each row: features, or pictures of one size.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use super::Changed;
use crate::{DataError, ImageShape};

/// What the model sees.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Inputs {
    /// A matrix of numbers.
    Features(Features),
    /// Pictures of one size.
    Images(Images),
}

/// A row-major matrix of features.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Features {
    /// Column names, as many as there are columns.
    pub names: Vec<String>,
    /// Row-major, rows x columns.
    pub values: Vec<f32>,
}

/// Pictures of one size, one byte a channel, one after the other. A clone shares the pixels.
#[derive(Debug, Clone)]
pub struct Images {
    /// Size of every picture.
    pub shape: ImageShape,
    /// Where the bytes are.
    pub pixels: Arc<Pixels>,
}

/// Pixels in memory, or in a packed file of which rows are read when a batch asks for them.
#[derive(Debug)]
#[non_exhaustive]
pub enum Pixels {
    /// All rows, one after the other.
    Memory(Vec<u8>),
    /// A file that holds the rows from `offset` on. Positioned reads, not a memory map: a file that
    /// shrinks under us is an error then, and not a crash, and the page cache is as good a cache.
    File {
        /// Open for reading.
        file: File,
        /// For messages.
        path: PathBuf,
        /// First byte of row 0.
        offset: u64,
        /// Number of rows.
        rows: usize,
    },
    /// Other pixels, some rows of which an intervention changes when they are read.
    Changed(Changed),
}

impl Inputs {
    /// Number of rows; None when the numbers do not make whole rows.
    pub fn rows(&self) -> Option<usize> {
        let whole =
            |values: usize, width: usize| (width > 0 && values.is_multiple_of(width)).then(|| values / width);
        match self {
            Inputs::Features(features) => whole(features.values.len(), features.names.len()),
            Inputs::Images(images) => match &*images.pixels {
                Pixels::Memory(bytes) => whole(bytes.len(), images.shape.len()),
                pixels => pixels.rows(images.shape),
            },
        }
    }

    /// The pictures, unless these are features.
    pub fn as_images(&self) -> Option<&Images> {
        match self {
            Inputs::Images(images) => Some(images),
            Inputs::Features(_) => None,
        }
    }

    /// The features, unless these are pictures.
    pub fn as_features(&self) -> Option<&Features> {
        match self {
            Inputs::Features(features) => Some(features),
            Inputs::Images(_) => None,
        }
    }

    /// Numbers that the model sees of one row.
    pub fn width(&self) -> usize {
        match self {
            Inputs::Features(features) => features.names.len(),
            Inputs::Images(images) => images.shape.len(),
        }
    }

    /// The row as the model sees it: features as they are, pixels divided by 255.
    /// `out` has [`Inputs::width`] places.
    pub fn read_row(&self, row: usize, out: &mut [f32]) -> Result<(), DataError> {
        self.read_row_at(row, 0, out)
    }

    /// As [`Inputs::read_row`], in an epoch of training: copies that are made anew in every epoch
    /// ([`crate::Mode::Fresh`]) differ from one to the next. Reading without an epoch is epoch 0.
    pub fn read_row_at(&self, row: usize, epoch: u64, out: &mut [f32]) -> Result<(), DataError> {
        match self {
            Inputs::Features(features) => {
                let width = features.names.len();
                out.copy_from_slice(&features.values[row * width..(row + 1) * width]);
                Ok(())
            }
            Inputs::Images(images) => images.read_scaled(row, epoch, out),
        }
    }
}

impl Images {
    /// Pictures of this size.
    pub fn new(shape: ImageShape, pixels: Pixels) -> Self {
        Self { shape, pixels: Arc::new(pixels) }
    }

    /// The bytes of one picture, HWC. `out` has [`ImageShape::len`] places.
    pub fn read_bytes(&self, row: usize, out: &mut [u8]) -> Result<(), DataError> {
        self.pixels.read(self.shape, row, 0, out)
    }

    fn read_scaled(&self, row: usize, epoch: u64, out: &mut [f32]) -> Result<(), DataError> {
        let scale = |bytes: &[u8], out: &mut [f32]| {
            for (to, from) in out.iter_mut().zip(bytes) {
                *to = f32::from(*from) / 255.0;
            }
        };
        let len = self.shape.len();
        if let Pixels::Memory(bytes) = &*self.pixels {
            scale(&bytes[row * len..(row + 1) * len], out);
            return Ok(());
        }
        let mut bytes = vec![0; len];
        self.pixels.read(self.shape, row, epoch, &mut bytes)?;
        scale(&bytes, out);
        Ok(())
    }
}

impl Pixels {
    pub(crate) fn rows(&self, shape: ImageShape) -> Option<usize> {
        match self {
            Pixels::Memory(bytes) => Some(bytes.len() / shape.len().max(1)),
            Pixels::File { rows, .. } => Some(*rows),
            Pixels::Changed(changed) => changed.rows(shape),
        }
    }

    /// The bytes of one picture in an epoch of training.
    pub(crate) fn read(
        &self,
        shape: ImageShape,
        row: usize,
        epoch: u64,
        out: &mut [u8],
    ) -> Result<(), DataError> {
        let len = shape.len();
        match self {
            Pixels::Memory(bytes) => {
                out.copy_from_slice(&bytes[row * len..(row + 1) * len]);
                Ok(())
            }
            Pixels::File { file, path, offset, .. } => read_at(file, out, offset + (row * len) as u64)
                .map_err(|cause| DataError::Io { path: path.clone(), action: "read", cause }),
            Pixels::Changed(changed) => changed.read(shape, row, epoch, out),
        }
    }
}

#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], offset: u64) -> std::io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

#[cfg(windows)]
fn read_at(file: &File, out: &mut [u8], offset: u64) -> std::io::Result<()> {
    let mut done = 0;
    while done < out.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut out[done..], offset + done as u64)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            read => done += read,
        }
    }
    Ok(())
}
