//! A data set as files that [`crate::table::read`] reads back to the same rows.

mod matrix;

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use rayon::prelude::*;

pub use matrix::{check_place, save_features};

use crate::{DataError, Dataset, Features, ImageShape, Images, Inputs, partial};

/// Writes `metadata.csv` and, for pictures, PNG files under `images/`.
///
/// Features are columns of their own names. All is written under a temporary name beside `folder` and
/// then renamed: a folder that exists is whole. A folder that exists already must be empty.
pub fn save(dataset: &Dataset, folder: &Path) -> Result<(), DataError> {
    refuse_occupied(folder)?;
    let partial = Partial::beside(folder)?;
    let name = |row| image_name(row, dataset.len());
    let inputs = match dataset.inputs() {
        Inputs::Images(_) => InputColumns { file: Some(&name), features: None },
        Inputs::Features(features) => InputColumns { file: None, features: Some(features) },
    };
    write_table(dataset, &inputs, &partial.path.join("metadata.csv"))?;
    if let Inputs::Images(images) = dataset.inputs() {
        write_images(images, dataset.len(), &partial.path)?;
    }
    partial.rename(folder)
}

/// A folder that holds something is never written to.
pub(crate) fn refuse_occupied(folder: &Path) -> Result<(), DataError> {
    let occupied = match fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_some(),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => false,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotADirectory => true,
        Err(cause) => return Err(DataError::Io { path: folder.into(), action: "list", cause }),
    };
    if occupied {
        let reason = "it exists and is not an empty folder".to_string();
        return Err(DataError::Save {
            path: folder.into(),
            reason,
            tip: "name a new folder, or remove this one",
        });
    }
    Ok(())
}

/// A folder under a temporary name, removed unless it got its own.
pub(crate) struct Partial {
    pub(crate) path: PathBuf,
    /// Says to others that it is being written.
    _lock: Option<fs::File>,
}

impl Partial {
    pub(crate) fn beside(folder: &Path) -> Result<Partial, DataError> {
        let Some(name) = folder.file_name() else {
            let reason = "it has no name that a folder could be given".to_string();
            return Err(DataError::Save { path: folder.into(), reason, tip: "name a new folder" });
        };
        let parent = folder.parent().unwrap_or(Path::new(""));
        if !parent.as_os_str().is_empty() {
            fs::create_dir_all(parent).map_err(DataError::io(parent, "create"))?;
        }
        let hidden = format!(".{}", name.to_string_lossy());
        let beginning = format!("{hidden}{}", partial::MARK);
        // What earlier ones left behind that were killed.
        let here = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
        partial::remove_abandoned(here, |name| name.starts_with(&beginning));
        let path = parent.join(partial::name(&hidden));
        let _lock = partial::create_folder(&path).map_err(DataError::io(&path, "create"))?;
        Ok(Partial { path, _lock })
    }

    pub(crate) fn rename(self, folder: &Path) -> Result<(), DataError> {
        // Not every system renames onto an empty folder.
        let _ = fs::remove_dir(folder);
        fs::rename(&self.path, folder).map_err(DataError::io(folder, "create"))
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already when it was renamed.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// What a table says of its inputs, beside labels and the like.
struct InputColumns<'a> {
    /// Name of the file of each row.
    file: Option<&'a dyn Fn(usize) -> String>,
    features: Option<&'a Features>,
}

fn write_table(dataset: &Dataset, inputs: &InputColumns, path: &Path) -> Result<(), DataError> {
    let file = fs::File::create(path).map_err(DataError::io(path, "create"))?;
    let mut out = csv::Writer::from_writer(BufWriter::new(file));
    let fault = |error: csv::Error| DataError::Io {
        path: path.to_path_buf(),
        action: "write",
        cause: match error.into_kind() {
            csv::ErrorKind::Io(cause) => cause,
            other => std::io::Error::other(format!("{other:?}")),
        },
    };
    out.write_record(header(dataset, inputs)).map_err(fault)?;
    for (row, split) in split_of_row(dataset).into_iter().enumerate() {
        out.write_record(record(dataset, inputs, row, split)).map_err(fault)?;
    }
    out.flush().map_err(DataError::io(path, "write"))
}

fn header<'a>(dataset: &'a Dataset, inputs: &InputColumns<'a>) -> Vec<&'a str> {
    let mut header: Vec<&str> = inputs.file.iter().map(|_| "filename").collect();
    header.extend(["y", "group_id", "split"]);
    header.extend(dataset.attributes().iter().map(|attribute| attribute.name.as_str()));
    header.extend(inputs.features.iter().flat_map(|features| features.names.iter().map(String::as_str)));
    header
}

fn record(dataset: &Dataset, inputs: &InputColumns, row: usize, split: &str) -> Vec<String> {
    let mut record: Vec<String> = inputs.file.iter().map(|name| name(row)).collect();
    record.push(dataset.labels().text(row));
    record.push(dataset.id_name(row).unwrap_or_default().into());
    record.push(split.into());
    for attribute in dataset.attributes() {
        record.push(attribute.levels[attribute.of_row[row] as usize].clone());
    }
    if let Some(features) = inputs.features {
        // The shortest text that reads back to the same number.
        let width = features.names.len();
        record.extend(features.values[row * width..(row + 1) * width].iter().map(f32::to_string));
    }
    record
}

fn split_of_row(dataset: &Dataset) -> Vec<&str> {
    let mut names = vec![""; dataset.len()];
    for split in dataset.splits() {
        split.rows.iter().for_each(|row| names[*row] = split.name.as_str());
    }
    names
}

/// `images/00042.png`, with as many digits as the last row needs.
fn image_name(row: usize, rows: usize) -> String {
    let digits = rows.saturating_sub(1).to_string().len();
    format!("images/{row:0digits$}.png")
}

fn write_images(images: &Images, rows: usize, folder: &Path) -> Result<(), DataError> {
    let subfolder = folder.join("images");
    fs::create_dir(&subfolder).map_err(DataError::io(&subfolder, "create"))?;
    (0..rows).into_par_iter().try_for_each_init(
        || vec![0; images.shape.len()],
        |bytes, row| {
            images.read_bytes(row, bytes)?;
            write_png(&folder.join(image_name(row, rows)), bytes, images)
        },
    )
}

fn write_png(path: &Path, bytes: &[u8], images: &Images) -> Result<(), DataError> {
    let png = encode_png(bytes, images.shape).map_err(DataError::io(path, "encode"))?;
    let mut file = fs::File::create(path).map_err(DataError::io(path, "create"))?;
    file.write_all(&png).map_err(DataError::io(path, "write"))
}

/// The bytes of one picture, HWC, as a PNG file.
pub fn encode_png(bytes: &[u8], shape: ImageShape) -> std::io::Result<Vec<u8>> {
    let colour = if shape.channels == 1 { ExtendedColorType::L8 } else { ExtendedColorType::Rgb8 };
    let mut png = Vec::new();
    PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive)
        .write_image(bytes, shape.width as u32, shape.height as u32, colour)
        .map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(png)
}
