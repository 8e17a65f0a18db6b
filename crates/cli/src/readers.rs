//! What takes the words of strangers: the command line, and a file for --config. For tests from outside; nothing is trained.

use std::ffi::OsString;
use std::path::Path;

use clap::Parser;
use corevar_data::table::Task;

use crate::args::{Command, Program};
use crate::settings::{Choosing, DataSituation, Settings, given, overlay, resolve};

/// Whether these arguments could be typed, and mean something that could be trained.
pub fn arguments(arguments: Vec<OsString>) -> bool {
    let Ok(program) = Program::try_parse_from([vec!["corevar".into()], arguments].concat()) else {
        return false;
    };
    let (common, choosing) = match program.command {
        Command::Train(train) => (train.common, Choosing::IfAsked),
        Command::Compare(compare) => (compare.common, Choosing::IfAsked),
        Command::Sweep(sweep) | Command::Path(sweep) => (sweep.common, Choosing::Always),
        _ => return true,
    };
    decide(&common.settings, choosing).is_ok()
}

/// Whether a file holds settings that could be trained with.
pub fn config(path: &Path) -> bool {
    let settings = given(&Settings::default(), Some(path));
    settings.and_then(|given| decide(&given, Choosing::IfAsked)).is_ok()
}

/// As for a table of images, then of features.
fn decide(given: &Settings, choosing: Choosing) -> anyhow::Result<()> {
    let is_regression = given.table.task == Some(Task::Regression);
    let data = DataSituation { data: "t.csv".into(), built_in: false, is_regression };
    given.table.refuse_idle(&data)?;
    given.augment.complete_copies()?;
    let asked = overlay(&Settings::default(), given)?;
    let images = resolve(&asked, &Settings::default(), &data, true, 1, choosing);
    images.or(resolve(&asked, &Settings::default(), &data, false, 1, choosing)).map(drop)
}
