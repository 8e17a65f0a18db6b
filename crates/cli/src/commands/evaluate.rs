//! `corevar evaluate`: trained models on data.

use corevar::compare::evaluate_splits;
use corevar::evaluate::Measure;
use corevar::evidence::{Evidence, gather};
use corevar::models::Found;
use corevar::penalty::{Normalise, Penalty};
use corevar::results::{DataSummary, EstimatorResult, Results, RunResult, SCHEMA};
use corevar::run_folder::{RunFolder, Start};
use corevar::train::{TrainConfig, TrainError};
use corevar::verdict::{bias_reading, verdict};

use super::models::{Ready, subjects};
use super::run::in_pool;
use crate::args::{Evaluate, Models};
use crate::{output, table};

pub fn run(args: &Evaluate) -> anyhow::Result<()> {
    let ready = Ready::new(&args.models)?;
    in_pool(args.models.threads, || {
        let results = results(&ready)?;
        let evidence = gather(&ready.dataset, &subjects(&ready.found), measure(), 0)?;
        match args.models.show.json {
            true => output::json(&results)?,
            false => {
                output::table(&table::errors(&results))?;
                output::text(&table::details(&results, &evidence))?;
                for sentence in [verdict(&results), bias_reading(&results)].into_iter().flatten() {
                    output::line(&format!("\n{sentence}"))?;
                }
            }
        }
        keep(&args.models, &ready.data, &results, &evidence)
    })
}

/// All models are measured alike, whatever they were trained with.
pub fn measure() -> Measure {
    Measure {
        penalty: Penalty::LogitVariance,
        normalise: Normalise::Grouped,
        label_bins: TrainConfig::default().label_bins,
    }
}

/// One entry a setting, with all its runs.
pub fn results(ready: &Ready) -> Result<Results, TrainError> {
    let mut settings: Vec<(usize, Vec<&Found>)> = Vec::new();
    for (found, &argument) in ready.found.iter().zip(&ready.argument) {
        let same =
            |from: usize, runs: &[&Found]| from == argument && runs[0].setting.is_run_of(&found.setting);
        match settings.iter_mut().find(|(from, runs)| same(*from, runs)) {
            Some((_, runs)) => runs.push(found),
            None => settings.push((argument, vec![found])),
        }
    }
    Ok(Results {
        schema: SCHEMA.into(),
        title: None,
        data: DataSummary::new(&ready.dataset, measure().label_bins),
        estimators: settings.iter().map(|(_, runs)| estimator(ready, runs)).collect::<Result<_, _>>()?,
        selection: None,
    })
}

fn estimator(ready: &Ready, found: &[&Found]) -> Result<EstimatorResult, TrainError> {
    let run = |found: &&Found| {
        let splits = evaluate_splits(&found.model, &ready.dataset, measure())?;
        Ok(RunResult { seed: found.setting.seed, seconds: found.seconds, splits, notes: Vec::new() })
    };
    let runs = found.iter().map(run).collect::<Result<Vec<_>, TrainError>>()?;
    let [mean, standard_error] = EstimatorResult::summaries(&runs);
    let setting = &found[0].setting;
    Ok(EstimatorResult {
        name: setting.name.clone(),
        penalty: setting.penalty.clone(),
        penalty_weight: setting.penalty_weight,
        ridge: setting.ridge,
        chosen: setting.chosen,
        runs,
        mean,
        standard_error,
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
    let folder = RunFolder::create(out, start, &config.to_string(), false)?;
    folder.write_results(results)?;
    folder.write_evidence(evidence)?;
    let report = corevar_report::write(folder.path())?;
    if !args.show.quiet {
        eprintln!("\nreport: {}", report.display());
    }
    Ok(())
}
