//! `corevar inspect`: what a data set holds, and whether CoRe can help there.

use corevar_data::TableOptions;
use corevar_data::inspect::{InspectOptions, inspect};
use corevar_data::table::Purpose;

use crate::args::Inspect;
use crate::data::{Reading, Source, load};
use crate::encoding::encode;
use crate::output;

pub fn run(args: &Inspect) -> anyhow::Result<()> {
    let encoder = args.encoder.load(&args.table)?;
    let reading = Reading {
        encoder: encoder.clone(),
        options: TableOptions { purpose: Purpose::Inspect, ..Default::default() },
        flags: args.reader.clone(),
        quiet: args.show.quiet,
    };
    let mut loaded = load(&Source::new(&args.data), &args.table, &args.sizes, &reading)?;
    loaded.dataset = encode(loaded.dataset, encoder.as_deref(), &args.reader.cache(), args.show.quiet)?;
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
