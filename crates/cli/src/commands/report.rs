//! `corevar report`: the HTML and the model card again, from the records.

use crate::args::Report;
use crate::output;

pub fn run(args: &Report) -> anyhow::Result<()> {
    let path = corevar_report::write(&args.run)?;
    output::line(&path.display().to_string())?;
    if let Some(card) = corevar_report::write_card(&args.run)? {
        output::line(&card.display().to_string())?;
    }
    Ok(())
}
