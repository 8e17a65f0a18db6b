//! Times whole training steps (batch in, updated weights out) on request, so that a driver can take turns
//! between this program and its peers. One request a line on stdin, one answer a line on stdout:
//!
//!     face 120 10         ten steps of the face network at batch 120 on all threads -> median ms a step
//!     jobs face 120 10 2  two models at once, a thread each -> steps a second, all models together
//!     memory face 20000   trains on so many pictures, held in memory -> peak of this process in MB
//!
//! A network is a name or `HEIGHTxWIDTHxCHANNELS/channels/classes`, such as `64x48x3/16,32/10`.

use std::io::{BufRead, Write};
use std::time::Instant;

use burn::tensor::Device;
use corevar::model::{CnnSpec, ModelSpec};
use corevar::train::{EpochRecord, Log, TrainConfig, train};
use corevar_data::{Dataset, ImageShape, Labels};

// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Steps before the clock starts.
const WARM_UP: usize = 3;
/// Of 120 rows of a batch, 20 pairs show the same object.
const ROWS_A_PAIR: usize = 6;

struct Network {
    shape: ImageShape,
    cnn: CnnSpec,
    classes: usize,
}

fn main() {
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line of text");
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words.as_slice() {
            ["jobs", network, batch, steps, jobs] => {
                steps_a_second(network, number(batch), number(steps), number(jobs))
            }
            ["memory", network, rows] => peak_memory(network, number(rows)),
            [network, batch, steps] => median(times(network, number(batch), number(steps))),
            _ => panic!("not a request: {line}"),
        };
        println!("{answer}");
        std::io::stdout().flush().expect("a reader");
    }
}

fn number(word: &str) -> usize {
    word.parse().expect("a number")
}

/// Milliseconds of each step after the warm-up.
fn times(network: &str, batch: usize, steps: usize) -> Vec<f64> {
    let network = parse(network);
    let ends = ends_of_steps(&network, batch, &noise(&network, batch * (steps + WARM_UP)));
    ends.windows(2).skip(WARM_UP).map(|ends| (ends[1] - ends[0]).as_secs_f64() * 1e3).collect()
}

/// When training started and when each of its steps ended: one pass over the rows.
fn ends_of_steps(network: &Network, batch: usize, dataset: &Dataset) -> Vec<Instant> {
    let config = TrainConfig {
        model: ModelSpec::Cnn(network.cnn.clone()),
        epochs: 1,
        batch_size: batch,
        learning_rate: 1e-3,
        ..Default::default()
    };
    let mut clock = Clock(vec![Instant::now()]);
    let config = config.check().expect("a valid configuration");
    train(&config, dataset, &Device::flex(), &mut clock).expect("trains");
    clock.0
}

/// Of all models together, each on a thread of its own, from the start of training to the end of the last.
fn steps_a_second(network: &str, batch: usize, steps: usize, jobs: usize) -> f64 {
    let network = parse(network);
    let dataset = noise(&network, batch * steps);
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
                pool.install(|| ends_of_steps(&network, batch, &dataset));
            });
        }
    });
    (jobs * steps) as f64 / start.elapsed().as_secs_f64()
}

/// Linux keeps the peak of each process; elsewhere the answer is NaN.
fn peak_memory(network: &str, rows: usize) -> f64 {
    let network = parse(network);
    ends_of_steps(&network, 120, &noise(&network, rows));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok());
    peak.map_or(f64::NAN, |kilobytes: f64| kilobytes / 1000.0)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

struct Clock(Vec<Instant>);

impl Log for Clock {
    fn step(&mut self, _: usize, _: usize) {
        self.0.push(Instant::now());
    }

    fn epoch(&mut self, _: EpochRecord) {}
}

fn parse(name: &str) -> Network {
    let written = match name {
        "face" => "64x48x3/16,32,64,128/2",
        "stickmen" => "64x64x1/16,32,64,128/2",
        "mnist" => "28x28x1/16,32/10",
        other => other,
    };
    let parts: Vec<&str> = written.split('/').collect();
    let [shape, channels, classes] = parts.as_slice() else { panic!("not a network: {name}") };
    let shape: Vec<usize> = shape.split('x').map(number).collect();
    Network {
        shape: ImageShape { height: shape[0], width: shape[1], channels: shape[2] },
        cnn: CnnSpec {
            channels: channels.split(',').map(number).collect(),
            negative_slope: if name == "mnist" { 0.0 } else { 0.2 },
            ..Default::default()
        },
        classes: number(classes),
    }
}

/// Pictures of noise: how long a step takes does not depend on what they show.
fn noise(network: &Network, rows: usize) -> Dataset {
    let mut state = 1u32;
    let pixels = (0..rows * network.shape.len()).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    // Rows 0 and 1 of six, six, .. are a pair; both have the label of their six.
    let label = |row: usize| (row / ROWS_A_PAIR % network.classes) as u32;
    let id = |row: usize| (row % ROWS_A_PAIR < 2).then_some(row / ROWS_A_PAIR);
    let names = (0..network.classes).map(|class| class.to_string()).collect();
    Dataset::images(network.shape, pixels.collect())
        .labels(Labels::Classes { names, of_row: (0..rows).map(label).collect() })
        .ids((0..rows).map(id))
        .check()
        .expect("whole pictures")
}
