//! `corevar report`: the HTML again, from the records.

use crate::args::Report;

pub fn run(args: &Report) -> anyhow::Result<()> {
    let path = corevar_report::write(&args.run)?;
    println!("{}", path.display());
    Ok(())
}
