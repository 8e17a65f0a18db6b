//! What `train`, `compare`, `sweep` and `demo` share: data in, models and records out.

use std::path::PathBuf;
use std::time::Duration;

use corevar::Outcome;
use corevar::study::{KeepIn, Start, Study, check_folder};
use corevar::train::{TrainConfig, check_fit};
use corevar_data::{Dataset, Inputs, ReadReport};

use crate::args::{Common, Show};
use crate::data::{Reading, Source, augment, load};
use crate::encoding::encode;
use crate::failure::Usage;
use crate::progress::Progress;
use crate::settings::{Choosing, DataSituation, Decided, Resolved, Settings, given, overlay, resolve};
use crate::{interrupt, output};

/// Beyond any machine; each thread takes memory before it does anything.
const MOST_THREADS: usize = 4096;

/// Everything read and checked; nothing written yet.
pub struct Prepared {
    pub resolved: Resolved,
    data: String,
    dataset: Dataset,
    /// Of the reader; None for built-in data.
    report: Option<ReadReport>,
    out: PathBuf,
    start: Start,
    show: Show,
    threads: usize,
    checkpoint_every: Duration,
    progress: Progress,
}

impl Prepared {
    /// `usual` are the command's own defaults; `runs` how often it trains an estimator; `refuse` is asked before data are read.
    pub fn new(
        common: &Common,
        usual: &Settings,
        runs: usize,
        choosing: Choosing,
        refuse: impl Fn(&Settings) -> Result<(), Usage>,
    ) -> anyhow::Result<Self> {
        let threads = threads(common.threads)?;
        let checkpoint_every = Duration::try_from_secs_f64(common.checkpoint_every)
            .map_err(|_| Usage::new("--checkpoint-every must be a number of seconds from 0"))?;
        let given = given(&common.settings, common.config.as_deref())?;
        refuse(&given)?;
        let start = match (common.overwrite, common.resume) {
            (_, true) => Start::Resume,
            (true, false) => Start::Overwrite,
            (false, false) => Start::New,
        };
        check_folder(&common.out, start)?;
        let source = Source::new(&common.data);
        let asked = overlay(usual, &given)?;
        let (flags, quiet) = (common.reader.clone(), common.show.quiet);
        let encoder = asked.encoder.load(&asked.table)?;
        let reading = Reading { flags, quiet, encoder: encoder.clone(), ..Default::default() };
        let loaded = in_pool(common.threads, || load(&source, &asked.table, &asked.sizes, &reading))?;
        let notes = loaded.notes();
        let decided = Settings {
            augment: asked.augment.complete_copies()?,
            encoder: encoder
                .as_ref()
                .map_or(asked.encoder.clone(), |encoder| asked.encoder.complete_for(encoder)),
            table: loaded.table.clone(),
            sizes: loaded.sizes.clone(),
            ..source.settings()
        };
        let of_data = overlay(&decided, usual)?;
        // The reader knows nothing of copies.
        let report = loaded.report.filter(|_| asked.augment.augment.is_none());
        let cache = common.reader.cache();
        let dataset = in_pool(common.threads, || {
            let dataset = augment(loaded.dataset, &asked.augment)?;
            encode(dataset, encoder.as_deref(), &cache, quiet)
        })?;
        let are_images = matches!(dataset.inputs(), Inputs::Images(_));
        let situation = DataSituation::new(&source, asked.table.task);
        let resolved = resolve(&given, &of_data, &situation, are_images, runs, choosing)?;
        check_fit(&resolved.decided.config, &dataset)?;
        let (data, out, show) = (common.data.clone(), common.out.clone(), common.show);
        let prepared = Self {
            resolved,
            data,
            dataset,
            report,
            out,
            start,
            show,
            threads,
            checkpoint_every,
            progress: Progress::new(common.show.quiet),
        };
        notes.iter().filter(|_| !common.show.quiet).for_each(|line| output::note(line));
        Ok(prepared)
    }

    /// Leaves λ = ∞ out of the weights to choose from where no direction would be left, with a word about it.
    pub fn leave_out_empty_limit(&mut self) -> anyhow::Result<()> {
        let Decided { config, choice: Some(choice), .. } = &mut self.resolved.decided else { return Ok(()) };
        if choice.grid.leave_out_empty_limit(config, &self.dataset)? {
            let settings = &mut self.resolved.settings;
            settings.choice.penalty_weights = Some(choice.grid.penalty_weights.clone());
            settings.style_rank = None;
            if !self.show.quiet {
                output::note(
                    "the groups vary in every direction of the features: leaving out the penalty weight inf, at which the \
                     model would be constant; --style-rank 95% removes the strongest directions only",
                );
            }
        }
        Ok(())
    }

    /// The study of the settings: pooled and CoRe side by side, or the grid of a sweep.
    pub fn study(&self) -> Study<'_> {
        let Decided { config, runs, choice, sweeps } = &self.resolved.decided;
        let study = Study::new(&self.dataset)
            .config(TrainConfig::clone(config))
            .runs(*runs)
            .threads(self.threads)
            .read_report(self.report.as_ref())
            .observe(&self.progress);
        match choice {
            Some(choice) if *sweeps => study.sweep(choice.clone()),
            Some(choice) => study.choose_from(choice.clone()),
            None => study,
        }
    }

    /// Does the study, writes its report, prints its table or its JSON.
    pub fn run(&self, study: Study<'_>, table: impl Fn(&Outcome) -> String) -> anyhow::Result<()> {
        let outcome = study.keep_in(self.keep_in()?).run()?;
        interrupt::check();
        let report = corevar_report::write_outcome(&outcome)?;
        if let Some(folder) = outcome.folder() {
            corevar_report::write_card(folder.path())?;
        }
        outcome.finish()?;
        if self.show.json {
            return output::json(&outcome.results);
        }
        output::table(&table(&outcome))?;
        for paragraph in outcome.verdict() {
            output::line(&format!("\n{paragraph}"))?;
        }
        if let Some(report) = report.filter(|_| !self.show.quiet) {
            output::note("");
            output::note(&format!("report: {}", report.display()));
        }
        Ok(())
    }

    fn keep_in(&self) -> anyhow::Result<KeepIn> {
        let table = toml::Table::try_from(&self.resolved.settings)?;
        // A line break in it would begin a setting.
        let data = output::one_line(&self.data);
        let config =
            format!("# All settings of this run on `{data}`. Take them again with --config.\n{table}");
        let (folder, start, checkpoint_every) = (self.out.clone(), self.start, self.checkpoint_every);
        Ok(KeepIn { folder, start, config, checkpoint_every })
    }
}

/// Does the work on so many threads, or on all.
pub fn in_pool<T: Send>(
    asked: Option<usize>,
    work: impl FnOnce() -> anyhow::Result<T> + Send,
) -> anyhow::Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads(asked)?).build()?;
    pool.install(work)
}

pub fn threads(asked: Option<usize>) -> Result<usize, Usage> {
    match asked {
        Some(0) => Err(Usage::new("--threads is 0, but must be at least 1")),
        Some(threads) if threads > MOST_THREADS => {
            let message = format!("--threads is {threads}, but must be at most {MOST_THREADS}");
            Err(Usage::new(message).tip("more threads than cores do not help"))
        }
        Some(threads) => Ok(threads),
        None => Ok(std::thread::available_parallelism().map_or(1, usize::from)),
    }
}
