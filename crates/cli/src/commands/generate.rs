//! `corevar generate`: a synthetic data set as a folder.

use corevar_data::{Dataset, Views, save};
use corevar_paper::drawn;

use crate::args::Generate;
use crate::data::{DATA_SEED, draw};
use crate::failure::Usage;
use crate::output;

pub fn run(args: Generate) -> anyhow::Result<()> {
    let Some(generator) = drawn::find(&args.name) else {
        let names: Vec<&str> = drawn::generators().map(|generator| generator.name()).collect();
        let message = format!("no synthetic data set `{}`", args.name);
        return Err(Usage::new(message).tip(format!("there are {}", names.join(", "))).into());
    };
    let dataset = intervene(draw(generator, &args.sizes)?, &args)?;
    save(&dataset, &args.out)?;
    if !args.quiet {
        let splits: Vec<String> =
            dataset.splits().iter().map(|split| format!("{} {}", split.name, split.rows.len())).collect();
        output::note(&format!("{}: {} rows ({})", args.out.display(), dataset.len(), splits.join(", ")));
        if dataset.labels().numbers().is_some() {
            output::note(&format!("next: corevar inspect {} --task regression", args.out.display()));
        }
    }
    Ok(())
}

/// With the recipe applied to the pictures of the chosen splits.
fn intervene(dataset: Dataset, args: &Generate) -> anyhow::Result<Dataset> {
    let Some(recipe) = &args.intervene else { return Ok(dataset) };
    let recipe = recipe.parse()?;
    let rows = match &args.intervene_splits {
        None => None,
        Some(names) => Some(rows_of(&dataset, names)?),
    };
    let seed = args.sizes.data_seed.unwrap_or(DATA_SEED);
    Ok(Views::of(dataset)?.under(&recipe, rows.as_deref(), seed))
}

fn rows_of(dataset: &Dataset, splits: &[String]) -> Result<Vec<usize>, Usage> {
    let mut rows = Vec::new();
    for name in splits {
        match dataset.split(name) {
            Some(split) => rows.extend_from_slice(split),
            None => {
                let names = dataset.split_names();
                let message = format!("--intervene-splits: there is no split `{name}`");
                return Err(Usage::new(message).tip(format!("there are {}", names.join(", "))));
            }
        }
    }
    Ok(rows)
}
