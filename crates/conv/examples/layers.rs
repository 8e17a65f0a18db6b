//! Times of each layer of the paper's networks, forward and backward, through Burn:
//!
//!     cargo run --release -p corevar-conv --example layers -- [face|stickmen|mnist] [batch] [repeats] [threads]
//!
//! Columns are the shortest times in milliseconds. The gradients are each measured alone, so each contains the
//! derivative of the activation; `all` is the backward pass of training. The first layer needs no gradient of x.

use std::time::Instant;

use burn::tensor::{Device, Distribution, Tensor};
use corevar_conv::{ConvOptions, Padding, conv2d_leaky_relu};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

struct Network {
    input: [usize; 3],
    channels: &'static [usize],
    slope: f32,
}

fn network(name: &str) -> Network {
    match name {
        "face" => Network { input: [64, 48, 3], channels: &[16, 32, 64, 128], slope: 0.2 },
        "stickmen" => Network { input: [64, 64, 1], channels: &[16, 32, 64, 128], slope: 0.2 },
        "mnist" => Network { input: [28, 28, 1], channels: &[16, 32], slope: 0.0 },
        _ => panic!("no network `{name}`; there are face, stickmen, mnist"),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |i: usize, default: usize| arguments.get(i).map_or(default, |a| a.parse().expect("a number"));
    let name = arguments.first().map_or("face", String::as_str);
    let (batch, repeats, threads) = (number(1, 120), number(2, 30), number(3, 2));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    pool.install(|| report(network(name), batch, repeats));
}

fn report(
    Network { input: [height, width, channels], channels: layers, slope }: Network,
    batch: usize,
    repeats: usize,
) {
    println!("{:>24} {:>9} {:>9} {:>9} {:>9}", "layer", "forward", "weights", "inputs", "all");
    let options = ConvOptions { stride: [2, 2], padding: Padding::Same, slope };
    let mut shape = [batch, height, width, channels];
    let mut total = [0.0; 2];
    for (i, &after) in layers.iter().enumerate() {
        let layer = Layer { shape, after, options };
        let forward = layer.time(repeats, [false, false])[0];
        let [weights, inputs, all] =
            [[false, true], [true, false], [true, true]].map(|which| match (i, which) {
                (0, [true, false]) => 0.0,
                (0, [_, weight]) => layer.time(repeats, [false, weight])[1],
                _ => layer.time(repeats, which)[1],
            });
        println!(
            "{:>24} {forward:9.2} {weights:9.2} {inputs:9.2} {all:9.2}",
            format!("{shape:?} -> {after}")
        );
        total = [total[0] + forward, total[1] + all];
        shape = [batch, shape[1].div_ceil(2), shape[2].div_ceil(2), after];
    }
    println!("{:>24} {:9.2} {:>19} {:9.2}", "sum", total[0], "", total[1]);
}

struct Layer {
    shape: [usize; 4],
    after: usize,
    options: ConvOptions,
}

impl Layer {
    /// Shortest milliseconds of forward and backward, with gradients for x and for weight and bias, or not.
    fn time(&self, repeats: usize, [grad_x, grad_weight]: [bool; 2]) -> [f64; 2] {
        let device = Device::flex().autodiff();
        let range = Distribution::Uniform(-1.0, 1.0);
        let x = Tensor::<4>::random(self.shape, range, &device).set_require_grad(grad_x);
        let weight = Tensor::<4>::random([5, 5, self.shape[3], self.after], range, &device)
            .set_require_grad(grad_weight);
        let bias = Tensor::<1>::random([self.after], range, &device).set_require_grad(grad_weight);
        let mut best = [f64::INFINITY; 2];
        for _ in 0..repeats {
            let start = Instant::now();
            let y = conv2d_leaky_relu(x.clone(), weight.clone(), bias.clone(), self.options);
            let forward = start.elapsed();
            let mut backward = forward;
            if grad_x || grad_weight {
                // The gradient of y is 1 everywhere.
                let start = Instant::now();
                drop(y.backward());
                backward = start.elapsed();
            }
            for (best, time) in best.iter_mut().zip([forward, backward]) {
                *best = best.min(1e3 * time.as_secs_f64());
            }
        }
        best
    }
}
