//! Whether a run that was stopped can go on with the settings of now.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use corevar::run_folder::RunFolderError;
use corevar_data::bounded;

/// Lists that may grow: what is finished stays valid.
const GRIDS: [&str; 4] = ["runs", "penalty-weights", "ridges", "penalties"];

/// Refuses other settings than those of the run in `folder`, with the first difference.
pub fn check_settings(folder: &Path, now: &str) -> anyhow::Result<()> {
    let path = folder.join("config.toml");
    let text =
        bounded::read_text(&path, bounded::LARGEST_SETTINGS).with_context(|| path.display().to_string())?;
    check_same(folder, &text, now)
}

/// As [`check_settings`], of settings that were kept elsewhere.
pub fn check_same(folder: &Path, before: &str, now: &str) -> anyhow::Result<()> {
    let of = || format!("the settings of {}: not TOML", folder.display());
    let (before, now): (toml::Table, toml::Table) = (before.parse().with_context(of)?, now.parse()?);
    let (before, now) = (leaves(&before), leaves(&now));
    let keys = before.keys().chain(now.keys()).filter(|key| !GRIDS.contains(&key.as_str()));
    let show = |leaves: &Leaves, key: &str| leaves.get(key).map_or("nothing".into(), toml::Value::to_string);
    for key in keys {
        if before.get(key) != now.get(key) {
            let (before, now) = (show(&before, key), show(&now, key));
            return Err(
                RunFolderError::OtherSettings { path: folder.into(), key: key.clone(), before, now }.into()
            );
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
