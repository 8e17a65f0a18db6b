//! Progress on stderr: bars on a terminal, plain lines elsewhere. Keeps every finished run on disk at once.

use std::io::{self, IsTerminal};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use corevar::checkpoint::Checkpoint;
use corevar::compare::{Finished, Job, Watch};
use corevar::evaluate::Measure;
use corevar::results::RunResult;
use corevar::run_folder::{RunFolder, RunRecord};
use corevar::train::{EpochRecord, Keep, Log, TrainConfig};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Plain lines come at most this often for a run.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Shows the runs and writes them to the folder.
pub struct Keeper<'a> {
    folder: &'a RunFolder,
    /// Fingerprint of the data.
    data: &'a str,
    checkpoints: Checkpoints<'a>,
    show: Showing,
}

/// How often runs keep their state, and what asks them to stop.
#[derive(Clone, Copy)]
pub struct Checkpoints<'a> {
    pub every: Duration,
    pub stop: &'a AtomicBool,
}

/// How progress is shown.
enum Showing {
    Not,
    Lines,
    Bars(MultiProgress),
}

impl<'a> Keeper<'a> {
    pub fn new(folder: &'a RunFolder, data: &'a str, checkpoints: Checkpoints<'a>, quiet: bool) -> Self {
        let show = match (quiet, io::stderr().is_terminal()) {
            (true, _) => Showing::Not,
            (false, true) => Showing::Bars(MultiProgress::with_draw_target(ProgressDrawTarget::stderr())),
            (false, false) => Showing::Lines,
        };
        Self { folder, data, checkpoints, show }
    }

    fn checkpoint(&self, job: &Job) -> Checkpoint<'_> {
        let Checkpoints { every, stop } = self.checkpoints;
        Checkpoint::new(&self.folder.states(), &job.key(), self.data, &job.config(), every, stop)
    }

    fn say(&self, line: String) -> io::Result<()> {
        match &self.show {
            Showing::Not => Ok(()),
            Showing::Lines => {
                eprintln!("{line}");
                Ok(())
            }
            Showing::Bars(bars) => bars.println(line),
        }
    }
}

fn name(job: &Job) -> String {
    format!("{}, run {}", job.estimator.key, job.run + 1)
}

impl Watch for Keeper<'_> {
    fn earlier(&self, job: &Job, measure: Measure) -> Option<RunResult> {
        let record = self.folder.kept(&job.key())?;
        let same = record.data == self.data && record.config == *job.config() && record.measure == measure;
        same.then_some(record.result)
    }

    fn keep<'k>(&'k self, job: &Job) -> Box<dyn Keep + 'k> {
        Box::new(self.checkpoint(job))
    }

    fn start(&self, job: &Job) -> Box<dyn Log> {
        let epochs = job.estimator.config.epochs;
        match &self.show {
            Showing::Not => Box::new(Silent),
            Showing::Lines => Box::new(Lines { name: name(job), epochs, last: Instant::now() }),
            Showing::Bars(bars) => Box::new(Bar::new(bars, name(job), epochs)),
        }
    }

    fn finish(&self, job: &Job, measure: Measure, finished: &Finished) -> io::Result<()> {
        let (data, config) = (self.data.to_string(), TrainConfig::clone(&job.config()));
        let record = RunRecord::new(data, config, measure, finished.result.clone(), finished.epochs.clone());
        self.folder.keep(&job.key(), &finished.trained, &record)?;
        self.checkpoint(job).remove();
        for note in &finished.trained.notes {
            self.say(format!("{}: {note}", name(job)))?;
        }
        self.say(format!("{}: done in {:.1} s", name(job), finished.result.seconds))
    }
}

/// Pictures that are decoded for the first time.
pub struct Decoding(Option<ProgressBar>);

impl Decoding {
    pub fn new(quiet: bool) -> Self {
        let shown = !quiet && io::stderr().is_terminal();
        let template = "decoding pictures {bar:24} {pos}/{len}  {per_sec}  {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(shown.then(|| ProgressBar::new(0).with_style(style)))
    }

    pub fn show(&self, done: usize, all: usize) {
        if let Some(bar) = &self.0 {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
            if done == all {
                bar.finish_and_clear();
            }
        }
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
        let template = "{prefix:24} {bar:24} {percent:>3} %  {per_sec}  {eta:>4} left  {msg}";
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
