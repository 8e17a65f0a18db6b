//! A `metadata.csv` in the manner of Waterbirds: read with the usual names, written with ours.

use std::path::Path;

use super::files::{self, Origin, Row, find};
use super::{ImportOptions, ImportReport, Source, fault};
use crate::DataError;
use crate::table::{TableOptions, climbs_out, rows_of_table};

/// `img_filename`, `y`, `split` (0, 1, 2) and whatever else there is.
pub(super) fn import(
    origin: &Origin,
    out: &Path,
    options: &ImportOptions,
    progress: &dyn Fn(usize, usize),
) -> Result<ImportReport, DataError> {
    let from = origin.path();
    let path = find(from, &["metadata.csv"], Source::Waterbirds.files())?;
    let allow_outside = options.allow_outside;
    let file = origin.open(&path)?;
    let table = rows_of_table(&path, file, &TableOptions { allow_outside, ..Default::default() })?;
    let folder = path.parent().unwrap_or(from);
    if table.files.is_empty() {
        return Err(fault(&path, "it has no column of pictures", "name that column `img_filename`"));
    }
    let row = |row: usize| Row {
        picture: table.files[row].clone(),
        name: table.files[row]
            .strip_prefix(folder)
            .unwrap_or(&table.files[row])
            .to_string_lossy()
            .into_owned(),
        label: table.labels[row].clone(),
        id: table.ids[row].clone(),
        split: table.splits.as_ref().map(|splits| splits[row].clone()),
        attributes: table.attributes.iter().map(|(_, values)| values[row].clone()).collect(),
    };
    let rows: Vec<Row> = (0..table.files.len()).map(row).collect();
    // The copy takes the path below `images`: it must not climb out of there.
    if let Some(stray) = rows.iter().find(|row| climbs_out(Path::new(&row.name))) {
        let reason = format!("`{}` lies outside the folder of the table", stray.name);
        return Err(fault(&path, reason, "move it into the folder"));
    }
    origin.check_pictures(folder, &rows)?;
    let attributes: Vec<String> = table.attributes.iter().map(|(name, _)| name.clone()).collect();
    files::write(origin, out, &attributes, &rows, progress)?;
    let rows_with_id = rows.iter().filter(|row| !row.id.is_empty()).count();
    let mut notes = Vec::new();
    if rows_with_id == 0 {
        notes.push("there are no ids: add a column `group_id` to use the penalty".to_string());
    }
    Ok(ImportReport { rows: rows.len(), rows_with_id, notes, features: None })
}
