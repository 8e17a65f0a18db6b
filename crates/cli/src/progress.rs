//! Progress on stderr: bars on a terminal, plain lines elsewhere. Keeps every finished run on disk at once.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use corevar::compare::{Finished, Job, Watch};
use corevar::evidence::Setting;
use corevar::run_folder::RunFolder;
use corevar::train::{EpochRecord, Log, Trained};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Plain lines come at most this often for a run.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Shows the runs and writes them to the folder.
pub struct Keeper<'a> {
    folder: &'a RunFolder,
    /// Models go to `models/`, unless there is just one.
    several: bool,
    show: Showing,
    /// The first run of each estimator, as they end.
    first_runs: Mutex<Vec<(Setting, Trained)>>,
}

/// How progress is shown.
enum Showing {
    Not,
    Lines,
    Bars(MultiProgress),
}

impl<'a> Keeper<'a> {
    pub fn new(folder: &'a RunFolder, several: bool, quiet: bool) -> Self {
        let show = match (quiet, io::stderr().is_terminal()) {
            (true, _) => Showing::Not,
            (false, true) => Showing::Bars(MultiProgress::with_draw_target(ProgressDrawTarget::stderr())),
            (false, false) => Showing::Lines,
        };
        Self { folder, several, show, first_runs: Mutex::default() }
    }

    /// The first run of each estimator that has ended.
    pub fn into_first_runs(self) -> Vec<(Setting, Trained)> {
        self.first_runs.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

fn name(job: &Job) -> String {
    format!("{}, run {}", job.estimator.name, job.run + 1)
}

impl Watch for Keeper<'_> {
    fn start(&self, job: &Job) -> Box<dyn Log> {
        let epochs = job.estimator.config.epochs;
        match &self.show {
            Showing::Not => Box::new(Silent),
            Showing::Lines => Box::new(Lines { name: name(job), epochs, last: Instant::now() }),
            Showing::Bars(bars) => Box::new(Bar::new(bars, name(job), epochs)),
        }
    }

    fn finish(&self, job: &Job, finished: &Finished) -> io::Result<()> {
        let estimator = job.estimator.name.as_str();
        let seed = job.seed();
        self.folder.add_metrics(estimator, seed, &finished.epochs)?;
        self.folder.save_model(&finished.trained, self.several.then_some((estimator, seed)))?;
        if job.run == 0 {
            let first = (Setting::new(estimator, &job.estimator.config), finished.trained.clone());
            self.first_runs.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(first);
        }
        let line = format!("{}: done in {:.1} s", name(job), finished.result.seconds);
        match &self.show {
            Showing::Not => {}
            Showing::Lines => eprintln!("{line}"),
            Showing::Bars(bars) => bars.println(line)?,
        }
        Ok(())
    }
}

struct Silent;

impl Log for Silent {
    fn step(&mut self, _: usize, _: usize) {}
    fn epoch(&mut self, _: EpochRecord) {}
}

struct Lines {
    name: String,
    epochs: usize,
    last: Instant,
}

impl Log for Lines {
    fn step(&mut self, _: usize, _: usize) {}

    fn epoch(&mut self, record: EpochRecord) {
        if self.last.elapsed() >= BETWEEN_LINES {
            eprintln!("{}: {}", self.name, summary(&record, self.epochs));
            self.last = Instant::now();
        }
    }
}

fn summary(record: &EpochRecord, epochs: usize) -> String {
    let EpochRecord { epoch, risk, penalty, ridge } = record;
    format!("epoch {epoch} of {epochs}, risk {risk:.4}, penalty {penalty:.4}, ridge {ridge:.4}")
}

struct Bar {
    bar: ProgressBar,
    epochs: usize,
    epoch: usize,
}

impl Bar {
    fn new(bars: &MultiProgress, name: String, epochs: usize) -> Self {
        let template = "{prefix:24} {bar:24} {percent:>3} %  {eta:>4} left  {msg}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = bars.add(ProgressBar::new(0).with_style(style).with_prefix(name));
        Self { bar, epochs, epoch: 0 }
    }
}

impl Log for Bar {
    fn step(&mut self, step: usize, steps: usize) {
        self.bar.set_length((self.epochs * steps) as u64);
        self.bar.set_position((self.epoch * steps + step) as u64);
    }

    fn epoch(&mut self, record: EpochRecord) {
        self.epoch = record.epoch;
        self.bar.set_message(summary(&record, self.epochs));
        if record.epoch == self.epochs {
            self.bar.finish_and_clear();
        }
    }
}
