//! `corevar reproduce`: the experiments of the paper, our numbers beside its own.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::Context;
use corevar::experiment::{
    self, Experiment, ExperimentError, Finished, Material, Plan, Reproduction, Size, Source, Variant,
    VariantRecord, markdown,
};
use corevar::run_folder::{RunFolder, Start, write_whole};
use corevar::train::check_fit;
use serde::Serialize;

use super::run::{in_pool, threads};
use crate::args::{Reproduce, Show};
use crate::failure::{self, Failure, Restarts, Usage, is_interruption};
use crate::progress::Checkpoints;
use crate::training::Training;
use crate::{interrupt, output, resume, table};

/// What --json prints.
#[derive(Serialize)]
struct Printed<'a> {
    schema: &'static str,
    experiments: &'a [Reproduction],
}

pub fn run(args: &Reproduce) -> anyhow::Result<()> {
    let works = works(args)?;
    // What cannot be put on a page is found before hours of training.
    all_records(args)?;
    let (mut records, mut failed) = (Vec::new(), Vec::new());
    let outcome = works.iter().try_for_each(|work| {
        match work.run() {
            Ok(record) => {
                if !work.show.json {
                    output::text(&table::reproduction(&record))?;
                }
                records.push(record);
            }
            // The other experiments do not wait for one that fails.
            Err(error) if works.len() > 1 && !is_interruption(&error) => {
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
    if let Some(report) = pages?.filter(|_| !args.show.quiet) {
        eprintln!("report: {}", report.display());
        args.markdown.iter().for_each(|page| eprintln!("page: {}", page.display()));
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

fn unreadable(cause: std::io::Error) -> Failure {
    let tip = "bring the file back, or remove it; variants whose folders are gone are then trained again";
    Failure::new(cause.to_string()).tip(tip)
}

/// All that was ever reproduced into the folder.
fn all_records(args: &Reproduce) -> Result<Vec<Reproduction>, Failure> {
    if args.out.is_dir() { Reproduction::read_all(&args.out).map_err(unreadable) } else { Ok(Vec::new()) }
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
fn works(args: &Reproduce) -> anyhow::Result<Vec<Work>> {
    let every = Duration::try_from_secs_f64(args.checkpoint_every)
        .map_err(|_| Usage::new("--checkpoint-every must be a number of seconds from 0"))?;
    let (threads, stop) = (threads(args.threads)?, interrupt::watch()?);
    check_places(args)?;
    let is_all = args.name == "all";
    let names: Vec<&str> = if is_all { experiment::names().collect() } else { vec![&args.name] };
    if is_all && (!args.variant.is_empty() || args.features_file.is_some()) {
        let message = "--variant and --features-file belong to one experiment, not to all";
        return Err(Usage::new(message).tip("name the experiment").into());
    }
    let work = |name: &str| {
        let experiment = experiment::find(name).map_err(usage)?;
        let material = material(args, &experiment, is_all)?;
        if let Some(folder) = material.originals.as_deref().filter(|_| is_all) {
            experiment.protocol.check_originals(folder)?;
        }
        if is_all && args.data.is_some() && !args.show.quiet {
            eprintln!("{name}: {}", experiment.protocol.source(&material).name());
        }
        experiment.check_material(&material).map_err(usage)?;
        let variants = experiment.variants_like(&args.variant).map_err(usage)?.into_iter().cloned().collect();
        let size = if args.full { Size::Full } else { Size::Quick };
        // Both sizes: the file is one, and the other size is hours.
        [Size::Quick, Size::Full].into_iter().try_for_each(|size| experiment.check(size))?;
        let source = experiment.protocol.source(&material);
        let folder = Reproduction::folder(&args.out, &experiment.name, size, source);
        let (show, overwrite, stop) = (args.show, args.overwrite, Arc::clone(&stop));
        Ok(Work {
            experiment,
            variants,
            size,
            material,
            source,
            folder,
            overwrite,
            threads,
            every,
            stop,
            show,
        })
    };
    let works: Vec<Work> = names.into_iter().map(work).collect::<anyhow::Result<_>>()?;
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
        let message = format!("--out: {} is no folder", args.out.display());
        return Err(Usage::new(message).tip("choose a folder, or a name that is new"));
    }
    if let Some(page) = args.markdown.as_deref().filter(|page| page.is_dir()) {
        let message = format!("--markdown: {} is a folder", page.display());
        return Err(Usage::new(message).tip("name a file, as in --markdown R.md"));
    }
    let report = args.out.join(corevar_report::FILE);
    let is_ours = !report.exists()
        || std::fs::read_to_string(&report).is_ok_and(|page| page.contains("corevar report"));
    if args.out.join("config.toml").exists() || !is_ours {
        let message = format!("--out: {} holds other files", args.out.display());
        return Err(Usage::new(message).tip("choose one that is new, empty, or of an earlier reproduce"));
    }
    let folder =
        args.markdown.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    match folder {
        Some(folder) if !folder.is_dir() => {
            Err(Usage::new(format!("--markdown: there is no folder {}", folder.display()))
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
            | ExperimentError::Material { .. }
    );
    match (is_usage, error.tip()) {
        (true, Some(tip)) => Usage::new(error.to_string()).tip(tip).into(),
        _ => error.into(),
    }
}

/// For all experiments the folder is used by those whose files are in it.
fn material(args: &Reproduce, experiment: &Experiment, is_all: bool) -> anyhow::Result<Material> {
    if let Some(folder) = args.data.as_deref().filter(|folder| !folder.is_dir()) {
        let tip = "name the folder with the files of CelebA, AwA2 or MNIST";
        return Err(Usage::new(format!("--data: {} is no folder", folder.display())).tip(tip).into());
    }
    let has_files = |folder: &PathBuf| !is_all || experiment.protocol.has_originals(folder);
    Ok(Material { originals: args.data.clone().filter(has_files), features: args.features_file.clone() })
}

/// One experiment in one size.
struct Work {
    experiment: Experiment,
    /// Those that are asked for.
    variants: Vec<Variant>,
    size: Size,
    material: Material,
    source: Source,
    folder: PathBuf,
    overwrite: bool,
    threads: usize,
    every: Duration,
    stop: Arc<AtomicBool>,
    show: Show,
}

impl Work {
    /// Trains what is missing. The records grow with every variant, so that what was stopped shows what it has.
    fn run(&self) -> anyhow::Result<Reproduction> {
        let earlier = self.earlier()?;
        let mut record = self.record(earlier.as_ref())?;
        self.say_what_is_left_out(&record, earlier.as_ref())?;
        // What is refused is refused before anything is trained or written.
        let begun = self.variants.iter().map(|variant| self.begun(variant, &record, earlier.as_ref()));
        let begun: Vec<Begun> = begun.collect::<anyhow::Result<_>>()?;
        // What is finished does without the files.
        if let Some(folder) = &self.material.originals
            && begun.iter().any(|begun| matches!(begun, Begun::Start(_)))
        {
            self.experiment.protocol.check_originals(folder)?;
        }
        for (place, (variant, begun)) in self.variants.iter().zip(begun).enumerate() {
            let name = self.name_of(variant);
            match begun {
                Begun::Finished => self.say(&format!("{name}: finished before{}", self.unread())),
                Begun::Recorded => {
                    let unread = self.unread();
                    self.say(&format!(
                        "{name}: finished before{unread}; only its record is here, with another --out it is trained again"
                    ));
                }
                Begun::Start(start) => {
                    let (place, all) = (place + 1, self.variants.len());
                    self.say(&format!("{name} ({place} of {all}), {}", self.source.name()));
                    self.train(variant, start).context(Restarts(name))?;
                    record = self.record(Some(&record))?;
                    self.write(&record)?;
                }
            }
        }
        self.write(&record)?;
        Ok(record)
    }

    fn name_of(&self, variant: &Variant) -> String {
        format!("{} {}", self.experiment.name, variant.name)
    }

    fn folder_of(&self, variant: &Variant) -> PathBuf {
        self.folder.join(&variant.name)
    }

    fn config_of(&self, variant: &Variant) -> anyhow::Result<(Plan, String)> {
        let plan = self.experiment.plan(variant, self.size)?;
        let config = plan.config_toml(&self.material)?;
        Ok((plan, config))
    }

    /// What is said of original files where nothing is trained.
    fn unread(&self) -> &'static str {
        if self.material.originals.is_some() { "; the files of --data were not read" } else { "" }
    }

    /// The record that the folder holds.
    fn earlier(&self) -> anyhow::Result<Option<Reproduction>> {
        Ok(Reproduction::read(&self.folder).map_err(unreadable)?)
    }

    /// All variants that are finished, also those of earlier commands, and those of which only the record is left.
    fn record(&self, earlier: Option<&Reproduction>) -> anyhow::Result<Reproduction> {
        let mut variants = Vec::new();
        for variant in &self.experiment.variants {
            let (plan, config) = self.config_of(variant)?;
            let folder = self.folder_of(variant);
            let finished = match resume::check_settings(&folder, &config) {
                Ok(()) => Finished::read(&folder, &plan)?,
                Err(_) => None,
            };
            variants.extend(match finished {
                Some(finished) => Some(VariantRecord::new(variant, &plan, config, &finished)),
                None => earlier.and_then(|earlier| earlier.kept(variant, &config)),
            });
        }
        let record = Reproduction::new(&self.experiment, self.size, &self.material, variants);
        Ok(match earlier {
            Some(earlier) => record.with_others_of(earlier),
            None => record,
        })
    }

    fn write(&self, record: &Reproduction) -> anyhow::Result<()> {
        if !record.variants.is_empty() {
            record.write(&self.folder).with_context(|| self.folder.display().to_string())?;
            corevar_report::write_reproduction(&self.folder, record)?;
        }
        Ok(())
    }

    /// Variants of earlier commands that are not what the file says now; those asked for are refused or replaced.
    fn say_what_is_left_out(
        &self,
        record: &Reproduction,
        earlier: Option<&Reproduction>,
    ) -> anyhow::Result<()> {
        let is_asked = |variant: &Variant| self.variants.iter().any(|asked| asked.name == variant.name);
        for variant in self.experiment.variants.iter().filter(|variant| !is_asked(variant)) {
            let (_, config) = self.config_of(variant)?;
            if !record.has(variant) && self.check_settings(variant, &config, earlier).is_err() {
                self.say(&format!("{}: left out, it ran with other settings", self.name_of(variant)));
            }
        }
        Ok(())
    }

    /// Whether the variant, if any of it is here, has these settings: by its folder, or else by its record.
    fn check_settings(
        &self,
        variant: &Variant,
        config: &str,
        earlier: Option<&Reproduction>,
    ) -> anyhow::Result<()> {
        let folder = self.folder_of(variant);
        let recorded = earlier.and_then(|earlier| earlier.of(variant));
        match (folder.join("config.toml").exists(), recorded) {
            (true, _) => resume::check_settings(&folder, config),
            (false, Some(recorded)) => {
                resume::check_same(&self.folder.join(experiment::FILE), &recorded.config, config)
            }
            (false, None) => Ok(()),
        }
    }

    /// Other settings are refused, or replaced if asked to.
    fn begun(
        &self,
        variant: &Variant,
        record: &Reproduction,
        earlier: Option<&Reproduction>,
    ) -> anyhow::Result<Begun> {
        let (plan, config) = self.config_of(variant)?;
        let folder = self.folder_of(variant);
        let is_here = folder.join("config.toml").exists();
        if record.has(variant) {
            let has_models = is_here && Finished::read(&folder, &plan)?.is_some();
            return Ok(if has_models { Begun::Finished } else { Begun::Recorded });
        }
        match self.check_settings(variant, &config, earlier) {
            Ok(()) if is_here => Ok(Begun::Start(Start::Resume)),
            Ok(()) => Ok(Begun::Start(Start::New)),
            Err(_) if self.overwrite => Ok(Begun::Start(Start::Overwrite)),
            Err(other) => Err(other.context(self.name_of(variant))),
        }
    }

    fn train(&self, variant: &Variant, start: Start) -> anyhow::Result<()> {
        let (plan, config) = self.config_of(variant)?;
        // The data first: what cannot be made or trained leaves no folder behind.
        let dataset = in_pool(Some(self.threads), || Ok(plan.dataset(&self.material)?))?;
        self.experiment.check_splits(&dataset)?;
        plan.estimators.iter().try_for_each(|estimator| check_fit(&estimator.config, &dataset))?;
        let folder = RunFolder::create(
            &self.folder_of(variant),
            start,
            &config,
            plan.estimators.len() * plan.runs > 1,
        )?;
        let training = Training {
            dataset: &dataset,
            report: None,
            threads: self.threads,
            checkpoints: Checkpoints { every: self.every, stop: &self.stop },
            quiet: self.show.quiet,
        };
        let mut results = training.train(&folder, &plan.estimators, plan.runs)?;
        let (name, data) = (self.name_of(variant), &results.data.name);
        results.title = Some(format!("{name}, {}: {data}", self.size));
        // Of several settings of CoRe the report speaks of the one that is the experiment's.
        for (result, estimator) in results.estimators.iter_mut().zip(&plan.estimators) {
            let namesakes = plan.estimators.iter().filter(|other| other.name == estimator.name).count();
            result.chosen = namesakes > 1 && estimator.key == estimator.name;
        }
        training.write(&folder, &plan.estimators, &results)?;
        Ok(())
    }

    fn say(&self, line: &str) {
        if !self.show.quiet {
            eprintln!("{line}");
        }
    }
}

/// How far a variant is.
enum Begun {
    Finished,
    /// Elsewhere, or long ago: only its record is here.
    Recorded,
    Start(Start),
}
