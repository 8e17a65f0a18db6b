//! Whether a run that was stopped can go on with the settings of now.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use corevar_data::bounded;

use super::folder::RunFolderError;
use super::layout;

/// Lists that may grow: what is finished stays valid.
const GRIDS: [&str; 4] = ["runs", "penalty-weights", "ridges", "penalties"];

/// Refuses other settings than those of the run in `folder`, with the first difference.
pub fn check_settings(folder: &Path, now: &str) -> Result<(), RunFolderError> {
    let path = folder.join(layout::CONFIG);
    let text = bounded::read_text(&path, bounded::LARGEST_SETTINGS)
        .map_err(|cause| RunFolderError::Io { path, cause })?;
    check_same_settings(folder, &text, now)
}

/// As [`check_settings`], of settings that were kept elsewhere.
pub fn check_same_settings(folder: &Path, before: &str, now: &str) -> Result<(), RunFolderError> {
    let parse = |text: &str| {
        let table = text.parse::<toml::Table>();
        table.map(|table| leaves(&table)).map_err(|cause| RunFolderError::Io {
            path: folder.join(layout::CONFIG),
            cause: io::Error::new(io::ErrorKind::InvalidData, format!("not TOML: {cause}")),
        })
    };
    let (before, now) = (parse(before)?, parse(now)?);
    let keys = before.keys().chain(now.keys()).filter(|key| !GRIDS.contains(&key.as_str()));
    let show = |leaves: &Leaves, key: &str| leaves.get(key).map_or("nothing".into(), toml::Value::to_string);
    for key in keys {
        if before.get(key) != now.get(key) {
            let (before, now) = (show(&before, key), show(&now, key));
            return Err(RunFolderError::OtherSettings { path: folder.into(), key: key.clone(), before, now });
        }
    }
    Ok(())
}

/// Settings by their whole names: `estimators.core.epochs`.
type Leaves = BTreeMap<String, toml::Value>;

fn leaves(table: &toml::Table) -> Leaves {
    let under = |(key, value): (&String, &toml::Value)| match value {
        toml::Value::Table(inner) => {
            leaves(inner).into_iter().map(|(name, value)| (format!("{key}.{name}"), value)).collect()
        }
        value => vec![(key.clone(), value.clone())],
    };
    table.iter().flat_map(under).collect()
}
