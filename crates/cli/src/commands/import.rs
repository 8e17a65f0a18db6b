//! `corevar import`: the files of a public data set as a table of this program.

use corevar_data::import::{ImportOptions, Source, import};

use crate::args::Import;
use crate::failure::Usage;
use crate::output;
use crate::progress::Decoding;

pub fn run(args: &Import) -> anyhow::Result<()> {
    let Some(source) = Source::from_name(&args.name) else {
        let names = Source::ALL.map(Source::name).join(", ");
        let message = format!("no public data set `{}`", args.name);
        return Err(Usage::new(message).tip(format!("there are {names}")).into());
    };
    let options = ImportOptions {
        label: args.label.clone(),
        classes: args.classes.clone(),
        allow_outside: args.allow_outside,
    };
    let progress = Decoding::new(args.quiet);
    let report = import(source, &args.from, &args.out, &options, &|done, all| progress.show(done, all))?;
    if !args.quiet {
        report.notes.iter().for_each(|line| output::note(line));
        let (out, rows, with_id) = (args.out.display(), report.rows, report.rows_with_id);
        output::note(&format!("{out}: {rows} rows, {with_id} of them with an id"));
        let features = report.features.map_or(String::new(), |names| format!(" --features '{names}'"));
        output::note(&format!("next: corevar inspect {out}{features}"));
    }
    Ok(())
}
