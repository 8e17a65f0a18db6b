//! Features as a NumPy matrix and a table, for other tools.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{InputColumns, write_table};
use crate::{DataError, Dataset, Inputs, partial};

/// Writes features as a NumPy matrix (`.npy`, f32) and, in the same folder, a `metadata.csv` with file (where `files` has one per
/// row), label, id, split and attributes of each row; the name of the table. Neither may exist. [`crate::read`] takes the matrix
/// as the field `features_file` of its options.
pub fn save_features(dataset: &Dataset, files: &[String], matrix: &Path) -> Result<PathBuf, DataError> {
    let Inputs::Features(features) = dataset.inputs() else {
        let reason = "the inputs are images, not features".to_string();
        return Err(DataError::Save { path: matrix.into(), reason, tip: "encode them first" });
    };
    let table = check_place(matrix)?;
    let folder = matrix.parent().unwrap_or(Path::new(""));
    if !folder.as_os_str().is_empty() {
        fs::create_dir_all(folder).map_err(DataError::io(folder, "create"))?;
    }
    renamed(matrix, |path| write_matrix(&features.values, features.names.len(), path))?;
    let name = |row: usize| files[row].clone();
    let file: Option<&dyn Fn(usize) -> String> =
        if files.len() == dataset.len() { Some(&name) } else { None };
    let written = renamed(&table, |path| write_table(dataset, &InputColumns { file, features: None }, path));
    // Both or none.
    written.inspect_err(|_| drop(fs::remove_file(matrix)))?;
    Ok(table)
}

/// The table beside the matrix, if both can be written. To be asked before hours of work.
pub fn check_place(matrix: &Path) -> Result<PathBuf, DataError> {
    let table = matrix.with_file_name("metadata.csv");
    for path in [matrix, &table] {
        if path.symlink_metadata().is_ok() {
            return Err(DataError::Save {
                path: path.into(),
                reason: "it exists already".into(),
                tip: "write to a new folder, such as `encoded/features.npy`",
            });
        }
    }
    if matrix.extension().is_none_or(|ending| ending != "npy") {
        return Err(DataError::Save {
            path: matrix.into(),
            reason: "its name does not end in .npy".into(),
            tip: "name a NumPy file, such as `encoded/features.npy`",
        });
    }
    Ok(table)
}

/// Writes under a temporary name, then gives the file its own.
fn renamed(path: &Path, write: impl FnOnce(&Path) -> Result<(), DataError>) -> Result<(), DataError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let partial = path.with_file_name(partial::name(&format!(".{name}")));
    let done =
        write(&partial).and_then(|()| fs::rename(&partial, path).map_err(DataError::io(path, "create")));
    done.inspect_err(|_| drop(fs::remove_file(&partial)))
}

/// Version 1 of the format: magic, length of the header, header, numbers.
fn write_matrix(values: &[f32], columns: usize, path: &Path) -> Result<(), DataError> {
    let rows = values.len() / columns.max(1);
    let text = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    // The numbers begin at a multiple of 64.
    let padded = (10 + text.len() + 1).div_ceil(64) * 64 - 10;
    let write = || -> std::io::Result<()> {
        let mut out = BufWriter::new(fs::File::create(path)?);
        out.write_all(b"\x93NUMPY\x01\x00")?;
        out.write_all(&(padded as u16).to_le_bytes())?;
        out.write_all(format!("{text:<width$}\n", width = padded - 1).as_bytes())?;
        values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()
    };
    write().map_err(DataError::io(path, "write"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{TableOptions, read};

    #[test]
    fn what_is_written_is_read_back_and_never_over_something() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("encoded/features.npy");
        let data = Dataset::features(["e0", "e1"], vec![1.5, -2.0, 0.25, 4.0, 5.0, 1e-9])
            .classes(&["a", "b", "a"])
            .ids([Some("p"), None, Some("p")])
            .splits(["train", "train", "test"])
            .check()
            .unwrap();
        let table = save_features(&data, &["x.png", "y.png", "z.png"].map(String::from), &path).unwrap();
        let options = TableOptions { features_file: Some(path.clone()), ..Default::default() };
        let (back, _) = read(&table, &options).unwrap();
        let features = |data: &Dataset| data.inputs().as_features().unwrap().values.clone();
        assert_eq!(features(&back), features(&data));
        assert_eq!((back.labels(), back.ids(), back.splits()), (data.labels(), data.ids(), data.splits()));
        assert!(back.attributes().is_empty(), "the name of a file is no attribute");
        let again = save_features(&data, &[], &path).unwrap_err().to_string();
        assert!(again.ends_with("it exists already"), "{again}");
    }
}
