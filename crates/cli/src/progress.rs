//! Progress on stderr: bars on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use corevar::Observer;
use corevar::predict::{Unanswered, Watch};
use corevar::train::{EpochRecord, Log};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{failure, interrupt, output};

/// Plain lines come at most this often for a run.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// Shows the runs, and asks them to stop on Ctrl-C.
pub enum Progress {
    Not,
    Lines,
    Bars(MultiProgress),
}

impl Progress {
    pub fn new(quiet: bool) -> Self {
        match (quiet, io::stderr().is_terminal()) {
            (true, _) => Self::Not,
            (false, true) => Self::Bars(MultiProgress::with_draw_target(ProgressDrawTarget::stderr())),
            (false, false) => Self::Lines,
        }
    }
}

impl Observer for Progress {
    fn note(&self, line: &str) {
        match self {
            Self::Not => {}
            Self::Lines => output::note(line),
            // A terminal that is gone is no reason to stop training.
            Self::Bars(bars) => drop(bars.println(output::one_line(line))),
        }
    }

    fn started(&self, run: &str, epochs: usize) -> Box<dyn Log> {
        interrupt::begun();
        match self {
            Self::Not => Box::new(Silent),
            Self::Lines => Box::new(Lines { name: run.into(), epochs, last: Instant::now() }),
            Self::Bars(bars) => Box::new(Bar::new(bars, run.into(), epochs)),
        }
    }

    fn finished(&self, run: &str, seconds: f64) {
        interrupt::kept();
        self.note(&format!("{run}: done in {seconds:.1} s"));
    }

    fn is_interrupted(&self) -> bool {
        interrupt::is_asked()
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

/// Rows that are answered.
pub struct Answering {
    bar: Option<ProgressBar>,
    named: u64,
}

impl Answering {
    /// Of so many rows, where that is known.
    pub fn new(quiet: bool, expected: Option<u64>) -> Self {
        let shown = !quiet && io::stderr().is_terminal();
        let bar = || match expected {
            Some(rows) => {
                Self::styled(ProgressBar::new(rows), "answers {bar:24} {pos}/{len}  {per_sec}  {eta} left")
            }
            None => Self::styled(ProgressBar::no_length(), "answers {pos}  {per_sec}"),
        };
        Self { bar: shown.then(bar), named: 0 }
    }

    fn styled(bar: ProgressBar, template: &str) -> ProgressBar {
        bar.with_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        )
    }

    /// Nothing more is shown.
    pub fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

impl Watch for Answering {
    /// The first of them by name: a million bad rows are one reason, not a million.
    fn unanswered(&mut self, why: &Unanswered) {
        const MOST_NAMED: u64 = 100;
        self.named += 1;
        let say = || match self.named {
            ..=MOST_NAMED => output::message("no answer", &failure::in_flags(&why.to_string())),
            place if place == MOST_NAMED + 1 => output::note("no answer: further rows, which are not listed"),
            _ => {}
        };
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    fn done(&mut self, rows: u64) {
        self.bar.iter().for_each(|bar| bar.set_position(rows));
    }
}

/// Images that go through an encoder. Told by all threads.
pub struct Encoding {
    begun: Instant,
    shown: Shown,
}

enum Shown {
    Not,
    Lines(Mutex<Instant>),
    Bar(ProgressBar),
}

impl Encoding {
    pub fn new(quiet: bool) -> Self {
        let begun = Instant::now();
        let template = "encoding images {bar:24} {pos}/{len}  {per_sec}  {eta} left";
        let shown = match (quiet, io::stderr().is_terminal()) {
            (true, _) => Shown::Not,
            (false, false) => Shown::Lines(Mutex::new(begun)),
            (false, true) => {
                let style =
                    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
                Shown::Bar(ProgressBar::new(0).with_style(style))
            }
        };
        Self { begun, shown }
    }

    pub fn show(&self, done: usize, all: usize) {
        match &self.shown {
            Shown::Not => {}
            Shown::Lines(last) => self.line(last, done, all),
            Shown::Bar(bar) => {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
                if done == all {
                    bar.finish_and_clear();
                }
            }
        }
    }

    /// From time to time; whoever finds another thread at it leaves it alone.
    fn line(&self, last: &Mutex<Instant>, done: usize, all: usize) {
        let Ok(mut last) = last.try_lock() else { return };
        if done == 0 || last.elapsed() < BETWEEN_LINES {
            return;
        }
        *last = Instant::now();
        let speed = done as f64 / self.begun.elapsed().as_secs_f64();
        let left = (all - done.min(all)) as f64 / speed;
        output::note(&format!(
            "encoding images: {done} of {all}, {speed:.1} images per second, {left:.0} s left"
        ));
    }

    /// Seconds since the beginning.
    pub fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
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
            output::note(&format!("{}: {}", self.name, summary(&record, self.epochs)));
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
