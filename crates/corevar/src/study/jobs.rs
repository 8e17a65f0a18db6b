//! Several estimators, several runs each, on the same data: one model per thread. Linear settings that differ only in λ are
//! one job, a path on which each fit starts from the one before.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use burn::tensor::Device;
use corevar_data::{BySplit, Dataset, Split};

use super::checkpoint::Checkpoint;
use super::error::StudyError;
use super::estimator::{Estimator, Job};
use super::folder::{RunFolder, RunRecord};
use super::observer::{Observer, StoppedBy};
use crate::check::Reference;
use crate::evaluate::{Measure, evaluate};
use crate::linear::LinearError;
use crate::model::{Model, ModelSpec, Outputs};
use crate::results::RunResult;
use crate::rows::Rows;
use crate::style::{StyleSpread, held_out};
use crate::train::{
    AfterStep, CheckpointStore, EpochRecord, LinearPoint, Log, TrainConfig, TrainError, linear_path,
    train_from,
};

/// A training run that is done.
#[derive(Debug)]
pub(crate) struct Finished {
    pub model: Model,
    /// Its numbers on each split.
    pub result: RunResult,
    /// How it got there.
    pub epochs: Vec<EpochRecord>,
    /// What the model says of each split: results, intervals and evidence all read this.
    pub outputs: BySplit<Outputs>,
}

/// What all jobs share.
pub(crate) struct Jobs<'a> {
    pub dataset: &'a Dataset,
    /// Fingerprint of the data.
    pub data: &'a str,
    pub measure: Measure,
    pub threads: usize,
    pub device: &'a Device,
    /// Where runs are kept; None for a study in memory.
    pub folder: Option<(&'a RunFolder, Duration)>,
    pub observer: &'a dyn Observer,
}

impl Jobs<'_> {
    /// Trains every estimator `runs` times, and lists the runs of each.
    ///
    /// The results do not depend on the number of threads: jobs share nothing, and the sums of a job have a fixed order.
    pub fn train(&self, estimators: &[Estimator], runs: usize) -> Result<Vec<Vec<Finished>>, StudyError> {
        let work = paths(estimators, runs);
        let done = in_parallel(&work, self.threads, |jobs| {
            // A job shares nothing with the others but what is finished, so nothing half-done outlives its panic.
            catch_unwind(AssertUnwindSafe(|| self.finish(jobs))).unwrap_or_else(|panic| {
                let run = jobs[0].name();
                Err(StudyError::Panic { run, message: panic_message(panic.as_ref()) })
            })
        })?;
        let mut finished: Vec<Vec<Option<Finished>>> =
            estimators.iter().map(|_| (0..runs).map(|_| None).collect()).collect();
        for (job, run) in work.iter().flatten().zip(done.into_iter().flatten()) {
            let place = estimators.iter().position(|estimator| std::ptr::eq(estimator, job.estimator));
            finished[place.expect("a job of these estimators")][job.run] = Some(run);
        }
        Ok(finished.into_iter().map(|runs| runs.into_iter().flatten().collect()).collect())
    }

    /// The runs of a path, or the one run of a network: as they were kept, or trained and kept now.
    fn finish(&self, jobs: &[Job]) -> Result<Vec<Finished>, StudyError> {
        let earlier: Vec<Option<Finished>> =
            jobs.iter().map(|job| self.earlier(job)).collect::<Result<_, _>>()?;
        if let Some(earlier) = earlier.into_iter().collect() {
            return Ok(earlier);
        }
        let of = |job: &Job| {
            let run = job.name();
            move |cause| StudyError::Train { run, cause: Box::new(cause) }
        };
        let trained = match jobs {
            [job] if job.estimator.config.model != ModelSpec::Linear => {
                vec![self.network(job).map_err(of(job))?]
            }
            path => self.path(path).map_err(|cause| of(blamed(path, &cause))(cause))?,
        };
        for (job, finished) in jobs.iter().zip(&trained) {
            self.keep(job, finished)?;
        }
        Ok(trained)
    }

    /// This very run, when it was finished earlier.
    fn earlier(&self, job: &Job) -> Result<Option<Finished>, StudyError> {
        let kept = self.folder.map(|(folder, _)| folder.kept(&job.key())).transpose()?;
        let Some((record, model)) = kept.flatten() else { return Ok(None) };
        let is_same =
            record.data == self.data && record.config == *job.config() && record.measure == self.measure;
        if !is_same {
            return Ok(None);
        }
        let outputs = self.outputs(&model)?;
        Ok(Some(Finished { model, result: record.result, epochs: record.epochs, outputs }))
    }

    fn network(&self, job: &Job) -> Result<Finished, TrainError> {
        let mut log = Recorder {
            shown: self.observer.started(&job.name(), job.estimator.config.epochs),
            epochs: Vec::new(),
        };
        let start = Instant::now();
        let mut checkpoints = self.checkpoints(job);
        if checkpoints.after_step() == AfterStep::Stop {
            return Err(TrainError::NotStarted);
        }
        let model = train_from(&job.config(), self.dataset, self.device, &mut log, checkpoints.as_mut())?;
        let seconds = checkpoints.seconds_before() + start.elapsed().as_secs_f64();
        self.evaluated(job, model, log.epochs, seconds)
    }

    /// Linear settings that differ in λ alone, from the smallest to the largest; the time is shared evenly.
    fn path(&self, jobs: &[Job]) -> Result<Vec<Finished>, TrainError> {
        if self.observer.is_interrupted() {
            return Err(TrainError::NotStarted);
        }
        let mut logs: Vec<Box<dyn Log>> =
            jobs.iter().map(|job| self.observer.started(&job.name(), 1)).collect();
        let weight = |place: usize| jobs[place].estimator.config.penalty_weight;
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by(|&a, &b| weight(a).total_cmp(&weight(b)));
        let weights: Vec<f64> = order.iter().map(|&place| weight(place)).collect();
        let start = Instant::now();
        let points =
            linear_path(&jobs[0].config(), self.dataset, &weights, &|| self.observer.is_interrupted())?;
        let seconds = start.elapsed().as_secs_f64() / jobs.len() as f64;
        let mut finished: Vec<Option<Finished>> = jobs.iter().map(|_| None).collect();
        for (place, LinearPoint { model, epoch, .. }) in order.into_iter().zip(points) {
            logs[place].step(1, 1);
            logs[place].epoch(epoch.clone());
            finished[place] = Some(self.evaluated(&jobs[place], model, vec![epoch], seconds)?);
        }
        Ok(finished.into_iter().flatten().collect())
    }

    /// Every split is predicted once.
    fn evaluated(
        &self,
        job: &Job,
        mut model: Model,
        epochs: Vec<EpochRecord>,
        seconds: f64,
    ) -> Result<Finished, TrainError> {
        model.origin.data = Some(self.data.into());
        let outputs = self.outputs(&model)?;
        model.style = StyleSpread::of_parts(&held_out(self.dataset, &outputs, model.label_slices()));
        model.reference = Some(Reference::of(&model, self.dataset)?);
        let style = model.style.as_ref();
        let splits = self.rows(&model).filter_map(|(split, rows)| {
            let outputs = outputs.get(&split.name)?;
            Some((split.name.clone(), evaluate(self.dataset, &rows, outputs, style, self.measure)))
        });
        let result =
            RunResult { seed: job.seed(), seconds, splits: splits.collect(), notes: model.notes.clone() };
        Ok(Finished { model, result, epochs, outputs })
    }

    fn outputs(&self, model: &Model) -> Result<BySplit<Outputs>, TrainError> {
        self.rows(model).map(|(split, rows)| Ok((split.name.clone(), model.outputs(&rows)?))).collect()
    }

    /// The splits with rows, grouped as those that the model was trained on.
    fn rows(&self, model: &Model) -> impl Iterator<Item = (&Split, Rows<'_>)> {
        let splits = self.dataset.splits().iter().filter(|split| !split.rows.is_empty());
        splits.map(|split| (split, model.rows(self.dataset, &split.rows)))
    }

    fn keep(&self, job: &Job, finished: &Finished) -> Result<(), StudyError> {
        if let Some((folder, _)) = self.folder {
            let (result, epochs) = (finished.result.clone(), finished.epochs.clone());
            let config = TrainConfig::clone(&job.config());
            let record = RunRecord::new(self.data.into(), config, self.measure, result, epochs);
            let kept = folder.keep(&job.key(), &finished.model, record);
            kept.map_err(|cause| StudyError::Save { run: job.name(), cause })?;
            self.checkpoint(job).iter().for_each(Checkpoint::remove);
        }
        for note in &finished.model.notes {
            self.observer.note(&format!("{}: {note}", job.name()));
        }
        self.observer.finished(&job.name(), finished.result.seconds);
        Ok(())
    }

    fn checkpoint(&self, job: &Job) -> Option<Checkpoint<'_>> {
        let (folder, every) = self.folder?;
        let (config, observer) = (job.config(), self.observer);
        Some(Checkpoint::new(&folder.states(), &job.key(), self.data, &config, every, observer))
    }

    fn checkpoints(&self, job: &Job) -> Box<dyn CheckpointStore + '_> {
        match self.checkpoint(job) {
            Some(checkpoint) => Box::new(checkpoint),
            None => Box::new(StoppedBy(self.observer)),
        }
    }
}

/// The jobs in the order of the estimators; linear settings that differ in λ alone stand together.
fn paths<'a>(estimators: &'a [Estimator], runs: usize) -> Vec<Vec<Job<'a>>> {
    let mut work: Vec<Vec<Job<'a>>> = Vec::new();
    for estimator in estimators {
        for run in 0..runs {
            let job = Job { estimator, run };
            match work.iter_mut().find(|path| is_one_path(&path[0], &job)) {
                Some(path) => path.push(job),
                None => work.push(vec![job]),
            }
        }
    }
    work
}

/// The setting of a path that an error is about: only λ = ∞ can be without a direction.
fn blamed<'j, 'a>(path: &'j [Job<'a>], cause: &TrainError) -> &'j Job<'a> {
    let at_infinity = matches!(cause, TrainError::Linear(LinearError::NoDirectionLeft { .. }));
    let is_meant = |job: &&Job| at_infinity && job.estimator.config.penalty_weight.is_infinite();
    path.iter().find(is_meant).unwrap_or(&path[0])
}

fn is_one_path(a: &Job, b: &Job) -> bool {
    let [a, b] = [a, b].map(|job| TrainConfig { penalty_weight: 0.0, ..TrainConfig::clone(&job.config()) });
    a.model == ModelSpec::Linear && a == b
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("no message").into()
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

/// Does the jobs on at most `threads` threads, as many at once as there are threads; threads that are
/// left over help inside the jobs. Results come in the order of the jobs; the first error stops the rest.
fn in_parallel<J: Sync, T: Send>(
    jobs: &[J],
    threads: usize,
    work: impl Fn(&J) -> Result<T, StudyError> + Sync,
) -> Result<Vec<T>, StudyError> {
    let workers = threads.min(jobs.len()).max(1);
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let done: Mutex<Vec<(usize, Result<T, StudyError>)>> = Mutex::new(Vec::new());
    let keep = |index, result: Result<T, StudyError>| {
        stop.fetch_or(result.is_err(), Ordering::Relaxed);
        done.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((index, result));
    };
    let no_threads = |cause: String| keep(usize::MAX, Err(StudyError::Threads { threads, cause }));
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

    use super::super::estimator::measure;
    use super::super::estimator::tests::varying_everywhere;
    use super::*;
    use crate::penalty::Penalty;
    use crate::train::Quiet;

    /// Falls over in the second run of `core`.
    struct Clumsy;

    impl Observer for Clumsy {
        fn started(&self, run: &str, _: usize) -> Box<dyn Log> {
            assert!(run != "core, run 2", "row {} of 3", 7);
            Box::new(Quiet::default())
        }
    }

    fn train(
        name: &str,
        estimators: &[Estimator],
        runs: usize,
        threads: usize,
        observer: &dyn Observer,
    ) -> Result<Vec<Vec<Finished>>, StudyError> {
        let sizes = Sizes { rows: 60, groups: 8, test_rows: 5 };
        let dataset = find(name).unwrap().generate(&sizes, 1).unwrap();
        let (measure, device) = (measure(estimators), Device::flex());
        let jobs =
            Jobs { dataset: &dataset, data: "", measure, threads, device: &device, folder: None, observer };
        jobs.train(estimators, runs)
    }

    #[test]
    fn a_panic_in_a_worker_is_an_error_that_names_its_job() {
        let model = ModelSpec::Mlp { hidden: vec![2] };
        let core = Estimator::new(TrainConfig { model, epochs: 1, ..Default::default() }.check().unwrap());
        for threads in [1, 2, 5] {
            let error = train("nonlinear", std::slice::from_ref(&core), 2, threads, &Clumsy).unwrap_err();
            assert_eq!(error.to_string(), "core, run 2: a fault in corevar: row 7 of 3");
        }
    }

    #[test]
    fn without_a_direction_left_the_error_names_the_infinite_weight() {
        let data = varying_everywhere();
        let config = TrainConfig { model: ModelSpec::Linear, ..Default::default() };
        let core = |penalty_weight| {
            let config = TrainConfig { penalty_weight, ..config.clone() };
            Estimator { key: format!("core-{penalty_weight}"), ..Estimator::new(config.check().unwrap()) }
        };
        let estimators = [core(0.1), core(f64::INFINITY)];
        let (measure, device) = (measure(&estimators), Device::flex());
        let observer = &super::super::Unobserved;
        let jobs =
            Jobs { dataset: &data, data: "", measure, threads: 1, device: &device, folder: None, observer };
        let error = jobs.train(&estimators, 1).unwrap_err().to_string();
        assert!(error.starts_with("core-inf, run 1: no direction is left at penalty weight inf"), "{error}");
    }

    #[test]
    fn linear_settings_that_differ_in_the_weight_alone_are_one_path() {
        let base = TrainConfig { model: ModelSpec::Linear, ..Default::default() };
        let core = |penalty, penalty_weight, ridge| {
            let config = TrainConfig { penalty, penalty_weight, ridge, ..base.clone() };
            Estimator::new(config.check().unwrap())
        };
        let all = [
            core(Penalty::NONE, 0.0, 0.1),
            core(Penalty::LOGIT_VARIANCE, 1.0, 0.1),
            core(Penalty::LOGIT_VARIANCE, 0.1, 0.1),
            core(Penalty::LOGIT_VARIANCE, 0.1, 0.2),
            core(Penalty::LOGIT_SD, 0.1, 0.1),
        ];
        let lengths: Vec<usize> = paths(&all, 1).iter().map(Vec::len).collect();
        assert_eq!(lengths, [1, 2, 1, 1]);
        let networks = Estimator::new(TrainConfig::default().check().unwrap());
        assert_eq!(paths(&[networks], 2).len(), 2);
        // The order in which weights are given does not change what comes out.
        let weights = |order: [f64; 2]| {
            let estimators = order.map(|weight| core(Penalty::LOGIT_VARIANCE, weight, 0.1));
            let done = train("linear", &estimators, 1, 1, &super::super::Unobserved).unwrap();
            done.into_iter().map(|runs| runs[0].model.linear().unwrap().weights.clone()).collect::<Vec<_>>()
        };
        let (up, down) = (weights([0.1, 1.0]), weights([1.0, 0.1]));
        assert_eq!((&up[0], &up[1]), (&down[1], &down[0]));
    }
}
