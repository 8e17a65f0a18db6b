//! `corevar inspect`: what a data set holds, and whether CoRe can help there.

use corevar_data::TableOptions;
use corevar_data::inspect::{InspectOptions, inspect};
use corevar_data::table::Purpose;

use crate::args::Inspect;
use crate::data::{Reading, Source, load};
use crate::output;

pub fn run(args: &Inspect) -> anyhow::Result<()> {
    let reading = Reading {
        options: TableOptions { purpose: Purpose::Inspect, ..Default::default() },
        flags: args.reader.clone(),
        quiet: args.show.quiet,
    };
    let loaded = load(&Source::new(&args.data), &args.table, &args.sizes, &reading)?;
    let usual = InspectOptions::default();
    let options = InspectOptions { label_bins: args.table.label_bins.unwrap_or(usual.label_bins), ..usual };
    let inspection = inspect(&loaded.dataset, loaded.report.as_ref(), &options)?;
    if args.show.json {
        return output::json(&inspection);
    }
    if !args.show.quiet {
        loaded.notes().iter().for_each(|line| output::note(line));
    }
    Ok(output::text(
        &inspection.lines_of_text().iter().map(|line| output::one_line(line) + "\n").collect::<String>(),
    )?)
}
