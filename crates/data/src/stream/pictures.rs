//! Pictures of rows, decoded in parallel.

use std::path::{Path, PathBuf};

use super::block::Block;
use super::{BlockRows, StreamOptions, WantedInputs};
use crate::cache::Settings;
use crate::error::{ImageProblem, Place, TableProblem};
use crate::images::{Crop, Fault, Limits, decode_rows};
use crate::source_folder::SourceFolder;
use crate::table::climbs_out;
use crate::{DataError, ImageShape};

/// Decodes the pictures that the rows name.
pub(super) struct PictureRows {
    /// For messages where a file lies outside the folder.
    name: PathBuf,
    folder: PathBuf,
    root: SourceFolder,
    shape: ImageShape,
    settings: Settings,
}

impl PictureRows {
    pub(super) fn new(name: &Path, folder: &Path, root: SourceFolder, options: &StreamOptions) -> Self {
        let (shape, crop) = match options.inputs {
            WantedInputs::Images { shape, crop } => (shape, crop),
            WantedInputs::Features(_) => (ImageShape { height: 1, width: 1, channels: 1 }, Crop::default()),
        };
        let settings = Settings {
            size: Some((shape.height, shape.width)),
            channels: Some(shape.channels),
            crop,
            limits: Limits { pixels: options.max_pixels, memory: options.decode_memory },
        };
        Self { name: name.into(), folder: folder.into(), root, shape, settings }
    }

    /// The pixels of the rows that can be read; the others are marked.
    pub(super) fn decode(&self, block: &mut Block) -> Result<Vec<u8>, DataError> {
        let readable = block.is_readable();
        let rows: Vec<usize> = (0..block.rows).filter(|row| readable[*row]).collect();
        let path = |row: &usize| match block.paths.get(*row) {
            Some(path) => path.clone(),
            None => self.folder.join(&block.files[*row]),
        };
        let files: Vec<PathBuf> = rows.iter().map(path).collect();
        let place_of = |row: usize, file: &Path| match block.lines.get(row) {
            Some(line) => Place::line(&self.name, *line),
            None => Place::file(file),
        };
        // By its name alone, so that nothing is said of what is there.
        let leaves = |row: &&usize| climbs_out(Path::new(&block.files[**row]));
        if let Some(row) = rows.iter().find(leaves).filter(|_| self.root.is_restricted()) {
            let image = block.files[*row].clone();
            return Err(place_of(*row, &self.name).table(TableProblem::Outside { image }));
        }
        let length = self.shape.len();
        let mut pixels = vec![0; rows.len() * length];
        let decoded = decode_rows(&self.root, &files, &self.settings, self.shape, &mut pixels);
        let (mut filled, mut spoilt) = (0, Vec::new());
        for (place, (row, result)) in rows.iter().zip(decoded).enumerate() {
            match result {
                Ok(()) => {
                    pixels.copy_within(place * length..(place + 1) * length, filled * length);
                    filled += 1;
                }
                Err(Fault::File(reason)) => {
                    let image = block.files[*row].clone();
                    let problem = ImageProblem::Unreadable { image, reason };
                    spoilt.push((*row, place_of(*row, &files[place]).images(problem)));
                }
                Err(Fault::Disk(cause)) => return Err(DataError::io(&files[place], "read")(cause)),
                Err(Fault::Outside) => {
                    let image = block.files[*row].clone();
                    return Err(place_of(*row, &self.name).table(TableProblem::Outside { image }));
                }
            }
        }
        pixels.truncate(filled * length);
        block.spoil(spoilt);
        Ok(pixels)
    }
}

/// Pictures that were found or named.
pub(super) struct Listed {
    folder: PathBuf,
    files: std::vec::IntoIter<PathBuf>,
}

impl Listed {
    pub(super) fn new(folder: &Path, files: Vec<PathBuf>) -> Self {
        Self { folder: folder.into(), files: files.into_iter() }
    }
}

impl BlockRows for Listed {
    fn next_block(&mut self, most_rows: usize) -> Result<Option<Block>, DataError> {
        let paths: Vec<PathBuf> = self.files.by_ref().take(most_rows).collect();
        let name =
            |file: &PathBuf| file.strip_prefix(&self.folder).unwrap_or(file).to_string_lossy().into_owned();
        let files: Vec<String> = paths.iter().map(name).collect();
        Ok((!files.is_empty()).then(|| Block { rows: files.len(), files, paths, ..Block::default() }))
    }
}
