//! MNIST, and QMNIST's labels for the same digits.

use std::path::{Path, PathBuf};

use super::files::{Origin, find};
use super::{ImportReport, Source, fault, idx};
use crate::save::save;
use crate::{Attribute, DataError, Dataset, ImageShape, Labels, Split, SplitName};

/// Digits with their label; the original split into `train` and `test`.
pub(super) fn mnist(origin: &Origin, out: &Path) -> Result<ImportReport, DataError> {
    write(&digits_of(origin)?, out)
}

/// Whether any of the files is there.
pub fn is_begun(from: &Path) -> bool {
    let names = ["train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1"];
    names.iter().any(|name| find_idx(from, &format!("{name}-ubyte"), Source::Mnist).is_ok())
}

/// The digits under `from`, in memory. Links do not lead out of it.
pub fn digits(from: &Path) -> Result<Dataset, DataError> {
    digits_of(&Origin::new(from, false)?)
}

fn digits_of(origin: &Origin) -> Result<Dataset, DataError> {
    let from = origin.path();
    let mut digits = Digits::default();
    for (part, split) in [("train", SplitName::TRAIN), ("t10k", SplitName::TEST)] {
        let images = find_idx(from, &format!("{part}-images-idx3-ubyte"), Source::Mnist)?;
        let labels = find_idx(from, &format!("{part}-labels-idx1-ubyte"), Source::Mnist)?;
        let (sizes, labels_of_row) = idx::bytes(origin, &labels)?;
        let rows = digits.push_images(origin, &images, split, None)?;
        if sizes != [rows] {
            let reason = format!("it has labels {sizes:?} for {rows} pictures");
            return Err(fault(&labels, reason, "take images and labels of the same part"));
        }
        digits.labels.extend(labels_of_row.into_iter().map(i32::from));
        digits.writers.extend(std::iter::repeat_n(None, rows));
    }
    digits.dataset(from, Vec::new())
}

/// The same digits with their writer as the id. QMNIST has 60000 test digits, of which MNIST's 10000
/// are the first.
pub(super) fn qmnist(origin: &Origin, out: &Path) -> Result<ImportReport, DataError> {
    let from = origin.path();
    let mut digits = Digits::default();
    let mut series = Vec::new();
    let mut notes = Vec::new();
    for (part, split) in [("train", SplitName::TRAIN), ("t10k", SplitName::TEST)] {
        let labels = find_idx(from, &format!("qmnist-{split}-labels-idx2-int"), Source::Qmnist)?;
        let images = find_idx(from, &format!("{part}-images-idx3-ubyte"), Source::Qmnist)?;
        let (sizes, numbers) = idx::integers(origin, &labels)?;
        let &[labelled, 8] = sizes.as_slice() else {
            return Err(fault(
                &labels,
                format!("its sizes are {sizes:?}, not rows x 8"),
                "download the file again",
            ));
        };
        let rows = digits.push_images(origin, &images, split, Some(labelled))?;
        if rows < labelled {
            notes.push(format!("{split}: the first {rows} of the {labelled} digits that QMNIST labels"));
        }
        for [digit, hsf, writer, ..] in numbers.as_chunks::<8>().0.iter().take(rows) {
            digits.labels.push(*digit);
            digits.writers.push(Some(*writer));
            series.push(*hsf);
        }
    }
    let dataset = digits.dataset(from, vec![attribute("series", &series)])?;
    write(&dataset, out).map(|report| ImportReport { notes, ..report })
}

/// Also as `train-images.idx3-ubyte`, and packed.
fn find_idx(from: &Path, name: &str, source: Source) -> Result<PathBuf, DataError> {
    let dotted = name.replacen("-idx", ".idx", 1);
    let names = [name.to_string(), format!("{name}.gz"), dotted.clone(), format!("{dotted}.gz")];
    find(from, &names.each_ref().map(String::as_str), source.files())
}

#[derive(Default)]
struct Digits {
    shape: Option<ImageShape>,
    pixels: Vec<u8>,
    splits: Vec<Split>,
    labels: Vec<i32>,
    writers: Vec<Option<i32>>,
}

impl Digits {
    /// Adds the pictures of a part and says how many; at most `at_most` are allowed.
    fn push_images(
        &mut self,
        origin: &Origin,
        path: &Path,
        split: &str,
        at_most: Option<usize>,
    ) -> Result<usize, DataError> {
        let (sizes, pixels) = idx::bytes(origin, path)?;
        let again = "take images and labels of the same data set";
        let &[rows, height, width] = sizes.as_slice() else {
            return Err(fault(path, format!("its sizes are {sizes:?}, not rows x height x width"), again));
        };
        let shape = ImageShape { height, width, channels: 1 };
        if shape.is_empty() || self.shape.is_some_and(|other| other != shape) {
            return Err(fault(path, format!("its pictures are {height}x{width}, unlike the others"), again));
        }
        if at_most.is_some_and(|labelled| rows > labelled) {
            return Err(fault(path, format!("it has {rows} pictures, more than there are labels"), again));
        }
        self.shape = Some(shape);
        let start = self.labels.len();
        self.splits.push(Split::new(split, start..start + rows));
        self.pixels.extend(pixels);
        Ok(rows)
    }

    fn dataset(self, from: &Path, attributes: Vec<Attribute>) -> Result<Dataset, DataError> {
        let Some(shape) = self.shape else {
            return Err(fault(from, "there is no picture in it", "download the files again"));
        };
        let (names, of_row) = levels(&self.labels);
        let writers: Vec<i32> = self.writers.iter().flatten().copied().collect();
        let (id_names, mut of_writer) = levels(&writers);
        of_writer.reverse();
        let ids = self.writers.iter().map(|writer| writer.and_then(|_| of_writer.pop())).collect();
        Dataset::images(shape, self.pixels)
            .name("digits")
            .labels(Labels::Classes { names, of_row })
            .id_indices(ids, id_names)
            .split_rows(self.splits)
            .attributes(attributes)
            .check()
    }
}

fn write(digits: &Dataset, out: &Path) -> Result<ImportReport, DataError> {
    save(digits, out)?;
    let rows_with_id = digits.ids().iter().flatten().count();
    Ok(ImportReport { rows: digits.len(), rows_with_id, notes: Vec::new(), features: None })
}

fn attribute(name: &str, values: &[i32]) -> Attribute {
    let (levels, of_row) = levels(values);
    Attribute { name: name.into(), levels, of_row }
}

/// The different numbers, ascending, as names, and each number's place among them.
fn levels(values: &[i32]) -> (Vec<String>, Vec<u32>) {
    let mut different = values.to_vec();
    different.sort_unstable();
    different.dedup();
    let place = |value: &i32| different.binary_search(value).unwrap_or(0) as u32;
    let of_row = values.iter().map(place).collect();
    (different.iter().map(i32::to_string).collect(), of_row)
}
