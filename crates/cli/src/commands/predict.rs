//! `corevar predict`: what a model says of new rows.

use std::io;
use std::path::{Path, PathBuf};

use corevar::predict::{Ensemble, PredictError, Summary, heads, predict};
use corevar::study::{Pick, PickRuns, pick_models};
use corevar::{Model, WholeFile};
use corevar_data::writers::{Sink, TableFormat, table_writer};
use corevar_data::{RowStream, StreamOptions, StreamSource, WantedInputs};

use super::run::in_pool;
use crate::args::{FormatName, Predict};
use crate::encoding::{of_model, refuse_idle};
use crate::failure::{Failure, Usage};
use crate::output;
use crate::progress::Answering;
use crate::settings::no_effect;

pub fn run(args: &Predict) -> anyhow::Result<()> {
    let (source, format) = (source(&args.data)?, format(args)?);
    let models = models(args)?;
    let mut rows = RowStream::open(source, &options(args, &models)?)?;
    if !args.quiet {
        rows.notes().iter().for_each(|line| output::note(line));
        if !models.has_style_radius() && *models.task() != corevar::Task::Regression {
            output::note("style_radius stays empty: the model saw no group that it was not trained on");
        }
    }
    let out = table_writer(format, heads(&models, rows.keys()), sink(args)?).map_err(PredictError::Write);
    let mut watch = Answering::new(args.quiet, rows.expected());
    let answered = in_pool(args.threads, || {
        Ok(out.and_then(|out| predict(&models, &mut rows, out, args.strict, &mut watch)))
    })?;
    watch.finish();
    match answered {
        // Its reader may have what it wants.
        Err(PredictError::Write(cause)) if cause.kind() == io::ErrorKind::BrokenPipe => Err(cause.into()),
        Err(error) => Err(error.into()),
        Ok(summary) => finish(args, summary),
    }
}

fn finish(args: &Predict, summary: Summary) -> anyhow::Result<()> {
    match summary {
        Summary { rows, unanswered: 1.. } => {
            let message = format!("{} of {rows} rows have no answer", summary.unanswered);
            return Err(Failure::new(message)
                .tip("mend the rows named above; all others have answers")
                .into());
        }
        Summary { rows: 0, .. } if !args.quiet => output::note("there are no rows, and so no answers"),
        _ => {}
    }
    Ok(())
}

/// One place with rows, or several pictures.
fn source(data: &[PathBuf]) -> Result<StreamSource, Usage> {
    match data {
        [one] if one == Path::new("-") => Ok(StreamSource::Pipe(Box::new(io::stdin()))),
        [one] => Ok(StreamSource::Path(one.clone())),
        several => match several.iter().find(|path| path.is_dir() || !corevar_data::images::is_named(path)) {
            None => Ok(StreamSource::Pictures(several.to_vec())),
            Some(other) => {
                let message = format!("{}: several inputs must all be images", other.display());
                Err(Usage::new(message).tip("name one table or folder, or images only"))
            }
        },
    }
}

fn models(args: &Predict) -> anyhow::Result<Ensemble> {
    let pick = match args.ensemble {
        true => Pick { runs: PickRuns::All, ..args.pick.pick() },
        false => args.pick.pick(),
    };
    let models: Vec<Model> = pick_models(&args.model, &pick)?.into_iter().map(|found| found.model).collect();
    if args.ensemble && models.len() < 2 {
        let message = format!("--ensemble has no effect: {} has one run of this model", args.model.display());
        return Err(Usage::new(message).tip("leave it out, or train with --runs 3").into());
    }
    refuse_idle(args.encoder.as_ref(), &models)?;
    let encoder = of_model(&models[0], args.encoder.as_ref())?;
    let models = Ensemble::new(models)?;
    Ok(match encoder {
        Some(encoder) => models.front(encoder),
        None => models,
    })
}

fn options(args: &Predict, models: &Ensemble) -> Result<StreamOptions, Usage> {
    let usual = models.stream_options();
    if args.decode_memory.is_some() && matches!(usual.inputs, WantedInputs::Features(_)) {
        return Err(no_effect("decode_memory", "the model takes features, not images"));
    }
    Ok(StreamOptions {
        group_column: args.group_column.clone(),
        filename_column: args.filename_column.clone(),
        features_file: args.features_file.clone(),
        allow_outside: args.allow_outside,
        decode_memory: args.decode_memory.map_or(usual.decode_memory, |megabytes| megabytes * 1_000_000),
        ..usual
    })
}

fn format(args: &Predict) -> Result<TableFormat, Usage> {
    let format = match (args.format, &args.out) {
        (Some(FormatName::Csv), _) | (None, None) => TableFormat::Csv,
        (Some(FormatName::Jsonl), _) => TableFormat::Jsonl,
        (Some(FormatName::Parquet), _) => TableFormat::Parquet,
        (None, Some(out)) => TableFormat::of(out).ok_or_else(|| {
            Usage::new(format!("--out {}: the name does not say which form the answers have", out.display()))
                .tip("end it in .csv, .jsonl or .parquet, or pass --format")
        })?,
    };
    match format == TableFormat::Parquet && args.out.is_none() && output::is_terminal() {
        true => Err(Usage::new("Parquet is not text for a terminal").tip("pass --out F.parquet")),
        false => Ok(format),
    }
}

fn sink(args: &Predict) -> anyhow::Result<Box<dyn Sink>> {
    let Some(out) = &args.out else { return Ok(output::sink()) };
    let is_input = |path: &&PathBuf| match (path.canonicalize(), out.canonicalize()) {
        (Ok(path), Ok(out)) => path == out,
        _ => false,
    };
    if args.data.iter().chain([&args.model]).find(is_input).is_some() {
        let message = format!("--out {}: the answers would replace what they are made from", out.display());
        return Err(Usage::new(message).tip("choose another --out").into());
    }
    match WholeFile::create(out) {
        Ok(file) => Ok(Box::new(file)),
        Err(cause) => Err(Failure::new(format!("--out {}: {cause}", out.display()))
            .tip("name a file in a folder that is there and can be written, or leave --out out and redirect stdout")
            .into()),
    }
}
