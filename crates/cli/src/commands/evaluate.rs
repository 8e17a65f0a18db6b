//! `corevar evaluate`: trained models on data.

use corevar::evidence::Evidence;
use corevar::results::Results;
use corevar::study::{Evaluation, Start, write_evaluation};
use corevar::verdict;

use super::models::Loaded;
use super::run::in_pool;
use crate::args::{Evaluate, Models};
use crate::{output, table};

pub fn run(args: &Evaluate) -> anyhow::Result<()> {
    let ready = Loaded::new(&args.models)?;
    in_pool(args.models.threads, || {
        let evaluation = Evaluation::new(&ready.parts)?;
        let (results, evidence) = (evaluation.results(), evaluation.evidence(0)?);
        match args.models.show.json {
            true => output::json(&results)?,
            false => {
                output::table(&table::errors(&results))?;
                output::text(&table::details(&results, &evidence))?;
                for paragraph in verdict(&results) {
                    output::line(&format!("\n{paragraph}"))?;
                }
            }
        }
        keep(&args.models, &ready.data, &results, &evidence)
    })
}

/// Records and report, when a folder for them is named.
pub fn keep(args: &Models, data: &str, results: &Results, evidence: &Evidence) -> anyhow::Result<()> {
    let Some(out) = &args.out else { return Ok(()) };
    let start = if args.overwrite { Start::Overwrite } else { Start::New };
    let models = &args.models_and_data[..args.models_and_data.len() - 1];
    let config = toml::Table::from_iter([
        ("data".to_string(), toml::Value::from(data)),
        ("models".to_string(), toml::Value::from(models.to_vec())),
    ]);
    let folder = write_evaluation(out, start, &config.to_string(), results, evidence)?;
    let report = corevar_report::write(folder.path())?;
    if !args.show.quiet {
        output::note("");
        output::note(&format!("report: {}", report.display()));
    }
    Ok(())
}
