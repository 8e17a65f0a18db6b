//! Drawn families with known style: from none to extreme bias, few and many pairs, noisy cores. The rules were designed on these.

use corevar::Dataset;
use corevar::model::ModelSpec;
use corevar::train::TrainConfig;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;

use super::Subject;

/// How far apart the styles of the two classes are in training, in SDs on either side; a shifted test has them swapped.
pub const BIASES: [(&str, f64); 4] = [("none", 0.0), ("weak", 0.5), ("strong", 1.5), ("extreme", 4.0)];

/// Columns, directions of style, objects, pairs and noise of the linear families.
pub const LINEAR: [(usize, usize, usize, usize, f64); 6] = [
    (12, 3, 300, 80, 0.0),
    (40, 5, 400, 40, 0.5),
    (40, 5, 400, 200, 0.5),
    (12, 3, 300, 20, 0.3),
    (100, 5, 500, 100, 0.3),
    (20, 4, 1000, 300, 1.0),
];

/// Networks take longer.
const RING_DRAWS: u64 = 2;

/// Rows of each test.
const TEST_ROWS: usize = 2000;
const CORES: usize = 3;
/// Distance of the class means from their centre along the core.
const CORE: f64 = 1.5;

/// Name, bias and draws of every family.
pub fn subjects(draws: u64) -> Vec<(String, &'static str, Vec<Subject>)> {
    let config = TrainConfig { model: ModelSpec::Linear, ..Default::default() };
    let mut all = Vec::new();
    for family in LINEAR {
        for (bias, size) in BIASES {
            let (columns, _, objects, pairs, noise) = family;
            let name = format!("linear {columns}, {pairs}/{objects}, {noise}; {bias}");
            let draw = |seed| subject(&name, &config, seed, move || linear(family, size, 90_000 + seed));
            let draws = (0..draws).map(draw).collect();
            all.push((name, bias, draws));
        }
    }
    let model = ModelSpec::Mlp { hidden: vec![32] };
    let config = TrainConfig { model, epochs: 60, learning_rate: 0.01, ..Default::default() };
    for pairs in [30, 150] {
        for (bias, size) in BIASES {
            let name = format!("rings, {pairs}/600; {bias}");
            let draw = |seed| subject(&name, &config, seed, move || nonlinear(pairs, size, 80_000 + seed));
            let draws = (0..draws.min(RING_DRAWS)).map(draw).collect();
            all.push((name, bias, draws));
        }
    }
    all
}

fn subject(name: &str, config: &TrainConfig, seed: u64, data: impl Fn() -> Dataset + 'static) -> Subject {
    Subject {
        name: name.into(),
        key: format!("{name} {seed}"),
        data: Box::new(move || Ok(data())),
        config: config.clone(),
        plain: vec!["test1"],
        shifted: vec!["test2"],
    }
}

/// `x = U core + V style + noise`, with core and style each in a space of its own; all but the core is drawn anew per view.
pub fn linear(family: (usize, usize, usize, usize, f64), bias: f64, seed: u64) -> Dataset {
    let (columns, styles, objects, pairs, noise) = family;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = move || rng.sample::<f64, _>(StandardNormal);
    let axes = orthonormal(columns, CORES + styles, &mut normal);
    let (core, style) = (unit(CORES, &mut normal), unit(styles, &mut normal));
    let mut drawn = Drawn::default();
    for (split, count, pairs, sign) in
        [("train", objects, pairs, 1.0), ("test1", TEST_ROWS, 0, 1.0), ("test2", TEST_ROWS, 0, -1.0)]
    {
        for object in 0..count {
            let class = if normal() > 0.0 { 1.0 } else { -1.0 };
            let of_object: Vec<f64> = core.iter().map(|a| CORE * class * a + normal()).collect();
            for _ in 0..if object < pairs { 2 } else { 1 } {
                let of_view: Vec<f64> = style.iter().map(|b| sign * bias * class * b + normal()).collect();
                let parts: Vec<f64> = of_object.iter().chain(&of_view).copied().collect();
                let mut row: Vec<f64> = (0..columns).map(|_| noise * normal()).collect();
                for (axis, amount) in axes.iter().zip(&parts) {
                    row.iter_mut().zip(axis).for_each(|(x, a)| *x += amount * a);
                }
                drawn.push(row, class, split, object);
            }
        }
    }
    drawn.dataset()
}

/// Two rings: the class is the radius, style is the angle around which points lie.
pub fn nonlinear(pairs: usize, bias: f64, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut normal = move || rng.sample::<f64, _>(StandardNormal);
    let mut drawn = Drawn::default();
    for (split, count, pairs, sign) in
        [("train", 600, pairs, 1.0), ("test1", TEST_ROWS, 0, 1.0), ("test2", TEST_ROWS, 0, -1.0)]
    {
        for object in 0..count {
            let class = if normal() > 0.0 { 1.0 } else { -1.0 };
            let radius = 2.0 + 0.5 * class + 0.25 * normal();
            for _ in 0..if object < pairs { 2 } else { 1 } {
                let angle = 0.6 * (sign * bias * class + normal());
                drawn.push(vec![radius * angle.cos(), radius * angle.sin()], class, split, object);
            }
        }
    }
    drawn.dataset()
}

#[derive(Default)]
struct Drawn {
    columns: usize,
    values: Vec<f32>,
    labels: Vec<&'static str>,
    ids: Vec<Option<String>>,
    splits: Vec<&'static str>,
}

impl Drawn {
    fn push(&mut self, row: Vec<f64>, class: f64, split: &'static str, object: usize) {
        self.columns = row.len();
        self.values.extend(row.into_iter().map(|x| x as f32));
        self.labels.push(if class > 0.0 { "a" } else { "b" });
        self.ids.push(Some(format!("{split}-{object}")));
        self.splits.push(split);
    }

    fn dataset(self) -> Dataset {
        let names = (1..=self.columns).map(|column| format!("x{column}"));
        let data = Dataset::features(names, self.values).classes(&self.labels).ids(self.ids);
        data.splits(self.splits).check().expect("drawn rows are in order")
    }
}

fn unit(size: usize, normal: &mut impl FnMut() -> f64) -> Vec<f64> {
    orthonormal(size, 1, normal).remove(0)
}

/// By Gram and Schmidt.
fn orthonormal(size: usize, count: usize, normal: &mut impl FnMut() -> f64) -> Vec<Vec<f64>> {
    let mut axes: Vec<Vec<f64>> = Vec::new();
    while axes.len() < count {
        let mut axis: Vec<f64> = (0..size).map(|_| normal()).collect();
        for other in &axes {
            let along: f64 = axis.iter().zip(other).map(|(a, b)| a * b).sum();
            axis.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
        axes.push(axis.into_iter().map(|a| a / length).collect());
    }
    axes
}
