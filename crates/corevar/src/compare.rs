//! Several estimators, several runs each, on the same data: one model a thread.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use corevar_data::{Dataset, Split};

use crate::evaluate::{Measure, evaluate};
use crate::penalty::Penalty;
use crate::results::{DataSummary, EstimatorResult, Results, RunResult, SCHEMA, SplitResult};
use crate::train::{
    CheckedTrainConfig, EpochRecord, Keep, Log, TrainConfig, TrainError, Trained, Wish, train_from,
};

/// A named configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimator {
    /// `pooled`, `core`, `label-variance`, `total-variance`.
    pub name: String,
    /// Tells it from the other estimators of the run, in file names and progress: its name, unless a path has several
    /// settings of that name.
    pub key: String,
    /// Its seed is that of the first run; run `r` adds `r`.
    pub config: CheckedTrainConfig,
}

/// One training run to do.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// Of which estimator.
    pub estimator: &'a Estimator,
    /// Counted from 0.
    pub run: usize,
}

impl Job<'_> {
    /// Seed of this run.
    pub fn seed(&self) -> u64 {
        self.estimator.config.seed.wrapping_add(self.run as u64)
    }

    /// The settings of this run.
    pub fn config(&self) -> CheckedTrainConfig {
        self.estimator.config.with_seed(self.seed())
    }

    /// Tells it from the other runs, in file names.
    pub fn key(&self) -> String {
        format!("{}-{}", self.estimator.key, self.seed())
    }
}

/// A training run that is done.
#[derive(Debug)]
pub struct Finished {
    /// The model.
    pub trained: Trained,
    /// Its numbers on each split.
    pub result: RunResult,
    /// How it got there.
    pub epochs: Vec<EpochRecord>,
}

/// Somewhere to show progress and to keep what is finished. Called from several threads.
pub trait Watch: Sync {
    /// The result of this very run, when it was finished earlier.
    fn earlier(&self, job: &Job, measure: Measure) -> Option<RunResult>;
    /// Where the run keeps its state.
    fn keep<'k>(&'k self, job: &Job) -> Box<dyn Keep + 'k>;
    /// Where the run logs to.
    fn start(&self, job: &Job) -> Box<dyn Log>;
    /// Keeps a finished run; an error stops the comparison.
    fn finish(&self, job: &Job, measure: Measure, finished: &Finished) -> std::io::Result<()>;
}

/// Why a comparison stopped.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A run failed.
    #[error("{estimator}, run {run}: {cause}")]
    Train {
        /// Name of the estimator.
        estimator: String,
        /// Counted from 1.
        run: usize,
        /// Why.
        cause: Box<TrainError>,
    },
    /// What was finished could not be kept.
    #[error("{estimator}, run {run}: cannot be saved: {cause}")]
    Save {
        /// Name of the estimator.
        estimator: String,
        /// Counted from 1.
        run: usize,
        /// Why.
        cause: std::io::Error,
    },
    /// A fault of this program: no input may lead here.
    #[error("{estimator}, run {run}: a fault in corevar: {message}")]
    Panic {
        /// Name of the estimator.
        estimator: String,
        /// Counted from 1.
        run: usize,
        /// What the thread said when it gave up.
        message: String,
    },
    /// The system gave no threads.
    #[error("cannot start {threads} threads: {cause}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// Why.
        cause: String,
    },
}

impl CompareError {
    /// What to do about it.
    pub fn tip(&self) -> Option<String> {
        match self {
            Self::Train { cause, .. } => cause.tip(),
            Self::Save { .. } => {
                Some("make room or choose another --out; --resume keeps what is finished".into())
            }
            Self::Panic { .. } => Some(
                "please report it with the command; runs that are finished are kept, --resume goes on".into(),
            ),
            Self::Threads { .. } => Some("ask for fewer with --threads".into()),
        }
    }
}

/// Trains every estimator `runs` times and evaluates each model on every split.
///
/// The results do not depend on `threads`: jobs share nothing, and a job's sums have a fixed order.
pub fn compare(
    dataset: &Dataset,
    estimators: &[Estimator],
    runs: usize,
    threads: usize,
    watch: &dyn Watch,
) -> Result<Results, CompareError> {
    let jobs: Vec<Job> =
        estimators.iter().flat_map(|estimator| (0..runs).map(move |run| Job { estimator, run })).collect();
    let measure = measure(estimators);
    let done = in_parallel(&jobs, threads, |job| {
        // A job shares nothing with the others but what is finished, so nothing half-done outlives its panic.
        catch_unwind(AssertUnwindSafe(|| finish_job(job, dataset, measure, watch))).unwrap_or_else(|panic| {
            let (estimator, run) = (job.estimator.key.clone(), job.run + 1);
            Err(CompareError::Panic { estimator, run, message: panic_message(panic.as_ref()) })
        })
    })?;

    let mut done = done.into_iter();
    let of_estimator = |estimator: &Estimator| summarise(estimator, done.by_ref().take(runs).collect());
    Ok(Results {
        schema: SCHEMA.into(),
        title: None,
        data: DataSummary::new(dataset, measure.label_bins),
        estimators: estimators.iter().map(of_estimator).collect(),
        selection: None,
    })
}

/// All estimators are measured by the penalty of CoRe, also those that were trained without it.
pub fn measure(estimators: &[Estimator]) -> Measure {
    let core =
        estimators.iter().map(|estimator| &estimator.config).find(|config| config.penalty.needs_groups());
    let config = core.or(estimators.first().map(|estimator| &estimator.config));
    Measure {
        penalty: core.map_or(Penalty::LogitVariance, |config| config.penalty),
        normalise: config.map_or_else(Default::default, |config| config.normalise),
        label_bins: config.map_or_else(|| TrainConfig::default().label_bins, |config| config.label_bins),
    }
}

/// The result of a job, trained and kept unless that was done earlier.
fn finish_job(
    job: &Job,
    dataset: &Dataset,
    measure: Measure,
    watch: &dyn Watch,
) -> Result<RunResult, CompareError> {
    if let Some(result) = watch.earlier(job, measure) {
        return Ok(result);
    }
    let (estimator, run) = (job.estimator.key.clone(), job.run + 1);
    let finished = run_job(job, dataset, measure, watch).map_err(|cause| CompareError::Train {
        estimator: estimator.clone(),
        run,
        cause: Box::new(cause),
    })?;
    let kept = watch.finish(job, measure, &finished);
    kept.map_err(|cause| CompareError::Save { estimator, run, cause })?;
    Ok(finished.result)
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").into()
}

fn run_job(
    job: &Job,
    dataset: &Dataset,
    measure: Measure,
    watch: &dyn Watch,
) -> Result<Finished, TrainError> {
    let config = job.config();
    let mut log = Recorder { shown: watch.start(job), epochs: Vec::new() };
    let start = Instant::now();
    let mut keep = watch.keep(job);
    if keep.wish() == Wish::Stop {
        return Err(TrainError::Interrupted { epoch: 1, batch: 0 });
    }
    let trained = train_from(&config, dataset, &mut log, keep.as_mut())?;
    let seconds = keep.seconds_before() + start.elapsed().as_secs_f64();
    let splits = evaluate_splits(&trained, dataset, measure)?;
    let result = RunResult { seed: job.seed(), seconds, splits, notes: trained.notes.clone() };
    Ok(Finished { trained, result, epochs: log.epochs })
}

/// The numbers of a model on every split.
pub fn evaluate_splits(
    model: &Trained,
    dataset: &Dataset,
    measure: Measure,
) -> Result<BTreeMap<String, SplitResult>, TrainError> {
    let one = |split: &Split| Ok((split.name.clone(), evaluate(model, dataset, &split.rows, measure)?));
    dataset.splits.iter().filter(|split| !split.rows.is_empty()).map(one).collect()
}

struct Recorder {
    shown: Box<dyn Log>,
    epochs: Vec<EpochRecord>,
}

impl Log for Recorder {
    fn step(&mut self, step: usize, steps: usize) {
        self.shown.step(step, steps);
    }

    fn epoch(&mut self, record: EpochRecord) {
        self.epochs.push(record.clone());
        self.shown.epoch(record);
    }
}

/// An estimator with the runs that were done of it.
pub fn summarise(estimator: &Estimator, runs: Vec<RunResult>) -> EstimatorResult {
    let [mean, standard_error] = EstimatorResult::summaries(&runs);
    let config = &estimator.config;
    EstimatorResult {
        name: estimator.name.clone(),
        penalty: config.penalty.to_string(),
        penalty_weight: config.penalty_weight,
        ridge: config.ridge,
        chosen: false,
        runs,
        mean,
        standard_error,
    }
}

/// Does the jobs on at most `threads` threads, as many at once as there are threads; threads that are
/// left over help inside the jobs. Results come in the order of the jobs; the first error stops the rest.
fn in_parallel<J: Sync, T: Send>(
    jobs: &[J],
    threads: usize,
    work: impl Fn(&J) -> Result<T, CompareError> + Sync,
) -> Result<Vec<T>, CompareError> {
    let workers = threads.min(jobs.len()).max(1);
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let done: Mutex<Vec<(usize, Result<T, CompareError>)>> = Mutex::new(Vec::new());
    let keep = |index, result: Result<T, CompareError>| {
        stop.fetch_or(result.is_err(), Ordering::Relaxed);
        done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((index, result));
    };
    let no_threads = |cause: String| keep(usize::MAX, Err(CompareError::Threads { threads, cause }));
    std::thread::scope(|scope| {
        for worker in 0..workers {
            let (next, stop, keep, work, no_threads) = (&next, &stop, &keep, &work, &no_threads);
            let share = threads.max(1) / workers + usize::from(worker < threads.max(1) % workers);
            let work = move || match rayon::ThreadPoolBuilder::new().num_threads(share).build() {
                Err(cause) => no_threads(cause.to_string()),
                Ok(pool) => pool.install(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(job) = jobs.get(index) else { break };
                        keep(index, work(job));
                    }
                }),
            };
            if let Err(cause) = std::thread::Builder::new().spawn_scoped(scope, work) {
                no_threads(cause.to_string());
            }
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use corevar_data::synthetic::{Sizes, find};

    use super::*;
    use crate::model::ModelSpec;
    use crate::train::{Quiet, Snapshot, SnapshotError};

    /// Gives no state back, but the time that it took.
    struct OldTime;

    impl Keep for OldTime {
        fn earlier(&mut self) -> Option<Snapshot> {
            None
        }

        fn wish(&mut self) -> Wish {
            Wish::GoOn
        }

        fn keep(&mut self, _: &Snapshot) -> Result<(), SnapshotError> {
            Ok(())
        }

        fn seconds_before(&self) -> f64 {
            1000.0
        }
    }

    /// Falls over in the second run of `core`.
    struct Clumsy;

    impl Watch for Clumsy {
        fn earlier(&self, _: &Job, _: Measure) -> Option<RunResult> {
            None
        }

        fn keep<'k>(&'k self, _: &Job) -> Box<dyn Keep + 'k> {
            Box::new(OldTime)
        }

        fn start(&self, job: &Job) -> Box<dyn Log> {
            assert!(job.run == 0, "row {} of 3", 7);
            Box::new(Quiet::default())
        }

        fn finish(&self, _: &Job, _: Measure, _: &Finished) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn clumsy(runs: usize, threads: usize) -> Result<Results, CompareError> {
        let sizes = Sizes { rows: 40, groups: 4, test_rows: 5 };
        let dataset = find("nonlinear").unwrap().generate(&sizes, 1).unwrap();
        let model = ModelSpec::Mlp { hidden: vec![2] };
        let config = TrainConfig { model, epochs: 1, ..Default::default() }.check().unwrap();
        let core = Estimator { name: "core".into(), key: "core".into(), config };
        compare(&dataset, &[core], runs, threads, &Clumsy)
    }

    #[test]
    fn the_time_before_a_stop_counts() {
        let seconds = clumsy(1, 1).unwrap().estimators[0].runs[0].seconds;
        assert!((1000.0..1100.0).contains(&seconds), "{seconds}");
    }

    #[test]
    fn a_panic_in_a_worker_is_an_error_that_names_its_job() {
        for threads in [1, 2, 5] {
            let error = clumsy(2, threads).unwrap_err();
            assert_eq!(error.to_string(), "core, run 2: a fault in corevar: row 7 of 3");
            assert!(error.tip().unwrap().contains("report it"));
        }
    }
}
