//! A folder for a test, removed at its end, and short ways to fill it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use corevar_data::{DataError, Dataset, ReadReport, TableOptions, Tip, read};

/// A folder of its own.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("corevar-data-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path
    }

    /// A grey or RGB picture whose bytes are counted up.
    pub fn picture(&self, name: &str, height: u32, width: u32, channels: u32) -> Vec<u8> {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let bytes: Vec<u8> = (0..height * width * channels).map(|i| (i * 7 % 251) as u8).collect();
        let colour = if channels == 1 { image::ColorType::L8 } else { image::ColorType::Rgb8 };
        image::save_buffer(&path, &bytes, width, height, colour).unwrap();
        bytes
    }

    /// Reads a table of this text.
    pub fn table(
        &self,
        text: impl AsRef<[u8]>,
        options: &TableOptions,
    ) -> Result<(Dataset, ReadReport), DataError> {
        read(&self.write("metadata.csv", text), options)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Message, with the folder taken out, and tip, as the program prints them.
pub fn shown(folder: &Path, error: &DataError) -> String {
    let message = error.to_string().replace(&format!("{}/", folder.display()), "");
    match error.tip() {
        Some(tip) => format!("{message}\ntip: {tip}"),
        None => message,
    }
}
