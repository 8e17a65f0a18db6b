//! Writing a cache.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::format::{HEADER, Header, encode_notes};
use crate::{DataError, ImageShape, Pixels, partial};

/// In the name of every cache that is being written.
const ENDING: &str = ".pixels.partial-";

/// A cache under a temporary name, removed unless it is finished.
pub(crate) struct Writer {
    file: Option<File>,
    partial: PathBuf,
    path: PathBuf,
    key: u64,
    shape: ImageShape,
    rows: u64,
    crc: crc32fast::Hasher,
}

impl Writer {
    /// Begins a cache in its folder, which is made if need be, and removes what writers that were killed left there.
    pub(crate) fn create(path: &Path, key: u64, shape: ImageShape) -> Result<Writer, DataError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        std::fs::create_dir_all(folder).map_err(DataError::io(folder, "create the cache folder"))?;
        partial::remove_abandoned(folder, |name| name.contains(ENDING));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let partial = folder.join(partial::name(&name));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(true);
        let mut file = partial::open(&partial, &options).map_err(DataError::io(&partial, "create"))?;
        let crc = crc32fast::Hasher::new();
        let head = file.write_all(&[0; HEADER]).map_err(DataError::io(&partial, "write"));
        let writer = Writer { file: Some(file), partial, path: path.to_path_buf(), key, shape, rows: 0, crc };
        // From here on the file is removed with the writer.
        head.map(|()| writer)
    }

    /// Adds whole rows.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        self.crc.update(bytes);
        self.rows += (bytes.len() / self.shape.len()) as u64;
        self.append(bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        match &mut self.file {
            Some(file) => file.write_all(bytes).map_err(DataError::io(&self.partial, "write")),
            None => Ok(()),
        }
    }

    /// Writes the rest, gives the file its name, and reads from it from now on.
    pub(crate) fn finish(mut self, notes: &[(usize, String)]) -> Result<Pixels, DataError> {
        let notes = encode_notes(notes);
        self.append(&notes)?;
        let header = Header {
            key: self.key,
            shape: self.shape,
            rows: self.rows,
            pixels_crc: self.crc.clone().finalize(),
            notes_len: notes.len() as u64,
            notes_crc: crc32fast::hash(&notes),
        };
        let path = self.path.clone();
        let file = self.seal(&header).map_err(DataError::io(&path, "write"))?;
        Ok(Pixels::File { file, path, offset: HEADER as u64, rows: header.rows as usize })
    }

    fn seal(&mut self, header: &Header) -> std::io::Result<File> {
        let too_large = || std::io::Error::other("a picture is too large for the cache");
        let bytes = header.encode().ok_or_else(too_large)?;
        let mut file = self.file.take().ok_or_else(|| std::io::Error::other("finished twice"))?;
        let sealed = file
            .seek(SeekFrom::Start(0))
            .and_then(|_| file.write_all(&bytes))
            .and_then(|()| file.set_modified(header.stamp()))
            // Before the rename, so that not even a power cut leaves a whole name on half a file.
            .and_then(|()| file.sync_all())
            .and_then(|()| std::fs::rename(&self.partial, &self.path));
        match sealed {
            Ok(()) => Ok(file),
            Err(cause) => {
                let _ = std::fs::remove_file(&self.partial);
                Err(cause)
            }
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = std::fs::remove_file(&self.partial);
        }
    }
}
