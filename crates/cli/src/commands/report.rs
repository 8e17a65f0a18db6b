//! `corevar report`: the HTML again, from the records.

use crate::args::Report;
use crate::output;

pub fn run(args: &Report) -> anyhow::Result<()> {
    let path = corevar_report::write(&args.run)?;
    Ok(output::line(&path.display().to_string())?)
}
