//! Training for long takes no more memory than training for a while.
//!
//! 1500 steps in `make test`, 10000 in `make soak` (`COREVAR_SOAK_STEPS`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use corevar::model::{CnnSpec, ModelSpec};
use corevar::study::{KeepIn, Start};
use corevar::train::{EpochRecord, Log, TrainConfig};
use corevar::{Observer, Study};
use corevar_data::synthetic::{Sizes, find};

// As the program: what the allocator keeps is part of what a user sees.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// By then every buffer has been needed once.
const WARM: usize = 500;

/// What may come on top of the memory after [`WARM`] steps: the larger of 5 % and this many kB.
const SLACK: u64 = 8 << 10;

/// Resident memory in kB.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Looks at the memory every hundred steps.
#[derive(Default)]
struct Gauge {
    steps: usize,
    warm: u64,
    most: u64,
}

impl Gauge {
    fn step(&mut self) {
        self.steps += 1;
        if self.steps == WARM {
            self.warm = resident();
        } else if self.steps > WARM && self.steps.is_multiple_of(100) {
            self.most = self.most.max(resident());
        }
    }
}

#[derive(Default, Clone)]
struct Watch(Arc<Mutex<Gauge>>);

impl Log for Watch {
    fn step(&mut self, _: usize, _: usize) {
        self.0.lock().unwrap().step();
    }

    fn epoch(&mut self, _: EpochRecord) {}
}

impl Observer for Watch {
    fn started(&self, _: &str, _: usize) -> Box<dyn Log> {
        Box::new(self.clone())
    }
}

#[test]
fn memory_is_flat_after_the_first_steps() {
    let steps: usize =
        std::env::var("COREVAR_SOAK_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(1500);
    let sizes = Sizes { rows: 400, groups: 40, test_rows: 2 };
    let dataset = find("stickmen").unwrap().generate(&sizes, 1).unwrap();
    let cnn = CnnSpec { channels: vec![4, 8], ..Default::default() };
    // 440 training rows in batches of 40 are 11 steps an epoch; the last steps round up.
    let epochs = steps.div_ceil(dataset.train().len().div_ceil(40));
    let config = TrainConfig { model: ModelSpec::Cnn(cnn), epochs, batch_size: 40, ..Default::default() };
    let parent = tempfile::tempdir().unwrap();
    let keep = KeepIn {
        folder: parent.path().join("run"),
        start: Start::New,
        config: String::new(),
        checkpoint_every: Duration::from_millis(200),
    };
    let watch = Watch::default();
    Study::new(&dataset).config(config).one().keep_in(keep).observe(&watch).run().unwrap();
    let Gauge { steps: done, warm, most } = *watch.0.lock().unwrap();
    eprintln!("{done} steps: {warm} kB after {WARM}, at most {most} kB later");
    assert!(done >= steps, "{done}");
    assert!(most <= warm + SLACK.max(warm / 20), "{warm} kB after {WARM} steps, {most} kB later");
}
