//! `corevar generate`: a synthetic data set as a folder.

use corevar_data::save;
use corevar_data::synthetic;

use crate::args::Generate;
use crate::data::draw;
use crate::failure::Usage;

pub fn run(args: Generate) -> anyhow::Result<()> {
    let Some(generator) = synthetic::find(&args.name) else {
        let names: Vec<&str> = synthetic::generators().iter().map(|generator| generator.name()).collect();
        let message = format!("no synthetic data set `{}`", args.name);
        return Err(Usage::new(message).tip(format!("there are {}", names.join(", "))).into());
    };
    let dataset = draw(generator, &args.sizes)?;
    save(&dataset, &args.out)?;
    if !args.quiet {
        let splits: Vec<String> =
            dataset.splits.iter().map(|split| format!("{} {}", split.name, split.rows.len())).collect();
        eprintln!("{}: {} rows ({})", args.out.display(), dataset.len(), splits.join(", "));
    }
    Ok(())
}
