//! `corevar reproduce`: the experiments of the paper, our numbers beside its own.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use corevar::study::layout;
use corevar::{Outcome, write_whole};
use corevar_data::{Tip, bounded};
use corevar_paper::{
    Experiment, ExperimentError, ExperimentRun, OriginalFiles, Pages, ReproduceError, Reproduction, Size,
    markdown,
};
use serde::Serialize;

use super::run::threads;
use crate::args::Reproduce;
use crate::failure::{self, Failure, Usage, is_interruption};
use crate::progress::Progress;
use crate::{interrupt, output, table};

/// What --json prints.
#[derive(Serialize)]
struct Printed<'a> {
    schema: &'static str,
    experiments: &'a [Reproduction],
}

pub fn run(args: &Reproduce) -> anyhow::Result<()> {
    let (works, progress) = (works(args)?, Progress::new(args.show.quiet));
    // What cannot be put on a page is found before hours of training.
    all_records(args)?;
    let (mut records, mut failed) = (Vec::new(), Vec::new());
    let outcome = works.iter().try_for_each(|work| {
        match work.run(&progress, &Reports).map_err(anyhow::Error::from) {
            Ok(record) => {
                if !args.show.json {
                    output::text(&table::reproduction(&record))?;
                }
                records.push(record);
            }
            // The other experiments do not wait for one that fails.
            Err(error) if works.len() > 1 && !is_interruption(&error) => {
                interrupt::none_runs();
                failure::report(&error);
                failed.push(work.experiment.name.as_str());
            }
            Err(error) => return Err(error),
        }
        anyhow::Ok(())
    });
    // Also of what was stopped; why it stopped is the greater news.
    let pages = write_pages(args);
    outcome?;
    interrupt::check();
    if let Some(report) = pages?.filter(|_| !args.show.quiet) {
        output::note(&format!("report: {}", report.display()));
        args.markdown.iter().for_each(|page| output::note(&format!("page: {}", page.display())));
    }
    if args.show.json {
        output::json(&Printed { schema: "corevar.reproductions/1", experiments: &records })?;
    }
    match failed.as_slice() {
        [] => Ok(()),
        failed => Err(Failure::new(format!("not finished: {}", failed.join(", ")))
            .tip("the same command goes on with them; what is finished is kept")
            .into()),
    }
}

/// All that was ever reproduced into the folder.
fn all_records(args: &Reproduce) -> Result<Vec<Reproduction>, ReproduceError> {
    if args.out.is_dir() {
        Reproduction::read_all(&args.out).map_err(ReproduceError::Unreadable)
    } else {
        Ok(Vec::new())
    }
}

/// All that the folder holds, as a report and, if asked for, as Markdown.
fn write_pages(args: &Reproduce) -> anyhow::Result<Option<PathBuf>> {
    let all = all_records(args)?;
    if all.is_empty() {
        return Ok(None);
    }
    let report = corevar_report::write_reproductions(&args.out, &all)?;
    if let Some(page) = &args.markdown {
        write_whole(page, markdown(&all).as_bytes()).with_context(|| page.display().to_string())?;
    }
    Ok(Some(report))
}

/// Everything that is asked for, checked before anything is written.
fn works(args: &Reproduce) -> anyhow::Result<Vec<ExperimentRun>> {
    let every = Duration::try_from_secs_f64(args.checkpoint_every)
        .map_err(|_| Usage::new("--checkpoint-every must be a number of seconds from 0"))?;
    let threads = threads(args.threads)?;
    check_places(args)?;
    let is_all = args.name == "all";
    let names: Vec<&str> = if is_all { corevar_paper::names().collect() } else { vec![&args.name] };
    if is_all && (!args.variant.is_empty() || args.features_file.is_some()) {
        let message = "--variant and --features-file belong to one experiment, not to all";
        return Err(Usage::new(message).tip("name the experiment").into());
    }
    let work = |name: &str| {
        let experiment = corevar_paper::find(name).map_err(usage)?;
        let material = material(args, &experiment, is_all)?;
        if let Some(folder) = material.originals.as_deref().filter(|_| is_all) {
            experiment.protocol.check_originals(folder)?;
        }
        if is_all && args.data.is_some() && !args.show.quiet {
            output::note(&format!("{name}: {}", experiment.protocol.source(&material).name()));
        }
        experiment.check_material(&material).map_err(usage)?;
        let size = if args.full { Size::Full } else { Size::Quick };
        let variants = experiment.variants_like(&args.variant, size).map_err(usage)?;
        let variants = variants.into_iter().cloned().collect();
        // Both sizes: the file is one, and the other size is hours.
        [Size::Quick, Size::Full].into_iter().try_for_each(|size| experiment.check(size))?;
        let (out, overwrite, checkpoint_every) = (args.out.clone(), args.overwrite, every);
        Ok(ExperimentRun { experiment, variants, size, material, out, overwrite, threads, checkpoint_every })
    };
    let works: Vec<ExperimentRun> = names.into_iter().map(work).collect::<anyhow::Result<_>>()?;
    match &args.data {
        Some(folder) if works.iter().all(|work| work.material.originals.is_none()) => {
            let message = format!("--data: {} holds none of the original files", folder.display());
            Err(Usage::new(message).tip("name the folder with the files of CelebA, AwA2 or MNIST").into())
        }
        _ => Ok(works),
    }
}

/// Nobody's report is replaced, and a page that cannot be written is found before hours of training.
fn check_places(args: &Reproduce) -> Result<(), Usage> {
    if args.out.exists() && !args.out.is_dir() {
        let message = format!("--out: {} is not a folder", args.out.display());
        return Err(Usage::new(message).tip("choose a folder, or a name that is new"));
    }
    if let Some(page) = args.markdown.as_deref().filter(|page| page.is_dir()) {
        let message = format!("--markdown: {} is a folder", page.display());
        return Err(Usage::new(message).tip("name a file, as in --markdown R.md"));
    }
    let report = args.out.join(corevar_report::FILE);
    let is_ours = !report.exists()
        || bounded::read_text(&report, bounded::LARGEST_RECORD)
            .is_ok_and(|page| page.contains("corevar report"));
    if args.out.join(layout::CONFIG).exists() || !is_ours {
        let message = format!("--out: {} holds other files", args.out.display());
        return Err(Usage::new(message).tip("choose one that is new, empty, or of an earlier reproduce"));
    }
    let folder =
        args.markdown.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(Usage::new(format!("--markdown: there is not a folder {}", folder.display()))
                .tip("make it first"))
        }
        _ => Ok(()),
    }
}

/// Names and files that do not fit are wrong usage; what a file says is not.
fn usage(error: ExperimentError) -> anyhow::Error {
    let is_usage = matches!(
        error,
        ExperimentError::NoExperiment { .. }
            | ExperimentError::Ending { .. }
            | ExperimentError::Known { .. }
            | ExperimentError::NoVariant { .. }
            | ExperimentError::OriginalFiles { .. }
    );
    match (is_usage, error.tip()) {
        (true, Some(tip)) => Usage::new(error.to_string()).tip(tip).into(),
        _ => error.into(),
    }
}

/// For all experiments the folder is used by those whose files are in it.
fn material(args: &Reproduce, experiment: &Experiment, is_all: bool) -> anyhow::Result<OriginalFiles> {
    if let Some(folder) = args.data.as_deref().filter(|folder| !folder.is_dir()) {
        let tip = "name the folder with the files of CelebA, AwA2 or MNIST";
        return Err(Usage::new(format!("--data: {} is not a folder", folder.display())).tip(tip).into());
    }
    let has_files = |folder: &PathBuf| !is_all || experiment.protocol.has_originals(folder);
    Ok(OriginalFiles { originals: args.data.clone().filter(has_files), features: args.features_file.clone() })
}

/// The reports beside the records.
struct Reports;

impl Pages for Reports {
    fn variant(&self, outcome: &Outcome) -> io::Result<()> {
        corevar_report::write_outcome(outcome).map(drop).map_err(io::Error::other)
    }

    fn experiment(&self, folder: &Path, record: &Reproduction) -> io::Result<()> {
        corevar_report::write_reproduction(folder, record).map(drop).map_err(io::Error::other)
    }
}
