//! An experiment in one size, variant by variant: what is finished is kept, what is missing is trained.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use corevar::study::{
    KeepIn, Observer, Outcome, RunFolderError, Start, Study, StudyError, check_same_settings, check_settings,
    layout,
};
use corevar::train::{TrainConfig, check_fit};
use corevar_data::Tip;

use super::data::{OriginalFiles, Source};
use super::plan::Plan;
use super::record::{FILE, Finished, Reproduction, VariantRecord};
use super::spec::{Experiment, ExperimentError, Size, Variant};

/// One experiment in one size.
#[derive(Debug)]
pub struct ExperimentRun {
    /// Which.
    pub experiment: Experiment,
    /// Those that are asked for.
    pub variants: Vec<Variant>,
    /// How large.
    pub size: Size,
    /// Where pictures come from.
    pub material: OriginalFiles,
    /// Where all experiments go.
    pub out: PathBuf,
    /// Replace variants that are there with other settings.
    pub overwrite: bool,
    /// Threads to use; the results do not depend on it.
    pub threads: usize,
    /// Between two checkpoints of a run.
    pub checkpoint_every: Duration,
}

/// Somebody who writes pages from the records.
pub trait Pages {
    /// A variant is trained and its records are written.
    fn variant(&self, outcome: &Outcome) -> io::Result<()>;
    /// The record of the experiment was written into its folder.
    fn experiment(&self, folder: &Path, record: &Reproduction) -> io::Result<()>;
}

/// Why an experiment stopped. Repeating it goes on where it stopped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReproduceError {
    /// A variant failed, or was stopped.
    #[error("{variant}: {cause}")]
    Study {
        /// Experiment and variant.
        variant: String,
        /// Why.
        cause: StudyError,
    },
    /// A variant is there with other settings.
    #[error("{variant}: {cause}")]
    OtherSettings {
        /// Experiment and variant.
        variant: String,
        /// Which.
        cause: RunFolderError,
    },
    /// The experiment cannot be planned, or its data cannot be made.
    #[error(transparent)]
    Experiment(#[from] ExperimentError),
    /// A record cannot be read.
    #[error("{0}")]
    Unreadable(io::Error),
    /// A record or a page cannot be written.
    #[error("{}: {cause}", path.display())]
    Write {
        /// Where.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl Tip for ReproduceError {
    fn tip(&self) -> Option<String> {
        match self {
            Self::Study { cause, .. } => cause.tip(),
            Self::OtherSettings { cause, .. } => cause.tip(),
            Self::Experiment(cause) => cause.tip(),
            Self::Unreadable(_) => Some(
                "bring the file back, or remove it; variants whose folders are gone are then trained again"
                    .into(),
            ),
            Self::Write { .. } => None,
        }
    }
}

impl ReproduceError {
    /// Whether the observer stopped it.
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Study { cause, .. } if cause.is_interruption())
    }
}

/// How far a variant is.
enum VariantStatus {
    Finished,
    /// Elsewhere, or long ago: only its record is here.
    Recorded,
    Open(Start),
}

impl ExperimentRun {
    /// Drawn, a stand-in, or the original files.
    pub fn source(&self) -> Source {
        self.experiment.protocol.source(&self.material)
    }

    /// Where its records go.
    pub fn folder(&self) -> PathBuf {
        Reproduction::folder(&self.out, &self.experiment.name, self.size, self.source())
    }

    /// Trains what is missing. The records grow with every variant, so that what was stopped shows what it has.
    pub fn run(&self, observer: &dyn Observer, pages: &dyn Pages) -> Result<Reproduction, ReproduceError> {
        let earlier = Reproduction::read(&self.folder()).map_err(ReproduceError::Unreadable)?;
        let mut record = self.record(earlier.as_ref())?;
        self.say_what_is_left_out(&record, earlier.as_ref(), observer)?;
        // What is refused is refused before anything is trained or written.
        let status = self.variants.iter().map(|variant| self.status(variant, &record, earlier.as_ref()));
        let status: Vec<VariantStatus> = status.collect::<Result<_, _>>()?;
        // What is finished does without the files.
        if let Some(folder) = &self.material.originals
            && status.iter().any(|status| matches!(status, VariantStatus::Open(_)))
        {
            self.experiment.protocol.check_originals(folder).map_err(ExperimentError::from)?;
        }
        for (place, (variant, status)) in self.variants.iter().zip(status).enumerate() {
            let (name, unread) = (self.name_of(variant), self.unread());
            match status {
                VariantStatus::Finished => observer.note(&format!("{name}: finished before{unread}")),
                VariantStatus::Recorded => observer.note(&format!(
                    "{name}: finished before{unread}; only its record is here; in another folder it is trained again"
                )),
                VariantStatus::Open(start) => {
                    let (place, all) = (place + 1, self.variants.len());
                    observer.note(&format!("{name} ({place} of {all}), {}", self.source().name()));
                    let done = self.train(variant, start, observer, pages)?;
                    record = self.with(record, &done);
                    self.write(&record, pages)?;
                }
            }
        }
        self.write(&record, pages)?;
        Ok(record)
    }

    fn name_of(&self, variant: &Variant) -> String {
        format!("{} {}", self.experiment.name, variant.name)
    }

    fn folder_of(&self, variant: &Variant) -> PathBuf {
        self.folder().join(&variant.name)
    }

    fn config_of(&self, variant: &Variant) -> Result<(Plan, String), ReproduceError> {
        let plan = self.experiment.plan(variant, self.size)?;
        let config = plan.config_toml(&self.material).map_err(|cause| ReproduceError::Write {
            path: self.folder_of(variant),
            cause: io::Error::other(cause),
        })?;
        Ok((plan, config))
    }

    /// What is said of original files where nothing is trained.
    fn unread(&self) -> &'static str {
        if self.material.originals.is_some() { "; the original files were not read" } else { "" }
    }

    /// All variants that are finished, also those of earlier commands, and those of which only the record is left.
    fn record(&self, earlier: Option<&Reproduction>) -> Result<Reproduction, ReproduceError> {
        let mut variants = Vec::new();
        for variant in self.experiment.variants_in(self.size) {
            let (plan, config) = self.config_of(variant)?;
            let folder = self.folder_of(variant);
            let finished = match check_settings(&folder, &config) {
                Ok(()) => Finished::read(&folder, &plan).map_err(ReproduceError::Unreadable)?,
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

    /// The record with one more variant, in the order of the file.
    fn with(&self, record: Reproduction, done: &VariantRecord) -> Reproduction {
        let of_now = |variant: &Variant| match variant.name == done.name {
            true => Some(done.clone()),
            false => record.variants.iter().find(|other| other.name == variant.name).cloned(),
        };
        let variants = self.experiment.variants_in(self.size).filter_map(of_now).collect();
        Reproduction::new(&self.experiment, self.size, &self.material, variants).with_others_of(&record)
    }

    fn write(&self, record: &Reproduction, pages: &dyn Pages) -> Result<(), ReproduceError> {
        let folder = self.folder();
        let failed = |cause| ReproduceError::Write { path: folder.clone(), cause };
        if !record.variants.is_empty() {
            record.write(&folder).map_err(failed)?;
            pages.experiment(&folder, record).map_err(failed)?;
        }
        Ok(())
    }

    /// Variants of earlier commands that are not what the file says now; those asked for are refused or replaced.
    fn say_what_is_left_out(
        &self,
        record: &Reproduction,
        earlier: Option<&Reproduction>,
        observer: &dyn Observer,
    ) -> Result<(), ReproduceError> {
        let is_asked = |variant: &Variant| self.variants.iter().any(|asked| asked.name == variant.name);
        for variant in self.experiment.variants_in(self.size).filter(|variant| !is_asked(variant)) {
            let (_, config) = self.config_of(variant)?;
            if !record.has(variant) && self.check_settings(variant, &config, earlier).is_err() {
                observer.note(&format!("{}: left out, it ran with other settings", self.name_of(variant)));
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
    ) -> Result<(), RunFolderError> {
        let folder = self.folder_of(variant);
        let recorded = earlier.and_then(|earlier| earlier.of(variant));
        match (folder.join(layout::CONFIG).exists(), recorded) {
            (true, _) => check_settings(&folder, config),
            (false, Some(recorded)) => {
                check_same_settings(&self.folder().join(FILE), &recorded.config, config)
            }
            (false, None) => Ok(()),
        }
    }

    /// Other settings are refused, or replaced if asked to.
    fn status(
        &self,
        variant: &Variant,
        record: &Reproduction,
        earlier: Option<&Reproduction>,
    ) -> Result<VariantStatus, ReproduceError> {
        let (plan, config) = self.config_of(variant)?;
        let folder = self.folder_of(variant);
        let is_here = folder.join(layout::CONFIG).exists();
        if record.has(variant) {
            let finished = is_here.then(|| Finished::read(&folder, &plan)).transpose();
            let has_models = finished.map_err(ReproduceError::Unreadable)?.flatten().is_some();
            return Ok(if has_models { VariantStatus::Finished } else { VariantStatus::Recorded });
        }
        match self.check_settings(variant, &config, earlier) {
            Ok(()) if is_here => Ok(VariantStatus::Open(Start::Resume)),
            Ok(()) => Ok(VariantStatus::Open(Start::New)),
            Err(_) if self.overwrite => Ok(VariantStatus::Open(Start::Overwrite)),
            Err(cause) => Err(ReproduceError::OtherSettings { variant: self.name_of(variant), cause }),
        }
    }

    fn train(
        &self,
        variant: &Variant,
        start: Start,
        observer: &dyn Observer,
        pages: &dyn Pages,
    ) -> Result<VariantRecord, ReproduceError> {
        let (plan, config) = self.config_of(variant)?;
        let failed = |cause| ReproduceError::Study { variant: self.name_of(variant), cause };
        // The data first: what cannot be made or trained leaves no folder behind.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let threads = |cause: rayon::ThreadPoolBuildError| {
            failed(StudyError::Threads { threads: self.threads, cause: cause.to_string() })
        };
        let dataset = pool.map_err(threads)?.install(|| plan.dataset(&self.material))?;
        self.experiment.check_splits(&dataset)?;
        let fits = plan.estimators.iter().try_for_each(|one| check_fit(&one.config, &dataset).map(drop));
        fits.map_err(|cause| failed(cause.into()))?;
        let folder = self.folder_of(variant);
        let study = Study::new(&dataset);
        let study = match (plan.rule, plan.estimators.last()) {
            (Some(rule), Some(core)) => study.config(TrainConfig::clone(&core.config)).choose(rule),
            _ => study.listed(plan.estimators.clone()),
        };
        let outcome = study
            .runs(plan.runs)
            .threads(self.threads)
            .keep_in(KeepIn {
                folder: folder.clone(),
                start,
                config: config.clone(),
                checkpoint_every: self.checkpoint_every,
            })
            .observe(observer)
            .run()
            .map_err(failed)?;
        let title = format!("{}, {}: {}", self.name_of(variant), self.size, outcome.results.data.name);
        let outcome = outcome.titled(title).map_err(failed)?;
        pages.variant(&outcome).map_err(|cause| ReproduceError::Write { path: folder, cause })?;
        outcome.finish().map_err(failed)?;
        Ok(VariantRecord::new(variant, &plan, config, &Finished::now(outcome.results)))
    }
}
