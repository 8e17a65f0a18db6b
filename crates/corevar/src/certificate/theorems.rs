//! The paper's two theorems, by simulation.

use super::curve::c4;
use super::{CurveConfig, CurvePoint, robustness_curve};
use crate::linear::simulate::normal;
use crate::linear::{LinearConfig, LinearData, LinearFit, LinearModel, MemoryMatrix, Penalty, Targets, fit};
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

const COLUMNS: usize = 8;

/// `x = core(y, id) + W style`, with two style directions that lean towards the class. f64, so that style differences
/// are exact.
struct World {
    x: Vec<f64>,
    y: Vec<u32>,
    group: Vec<usize>,
    style: [Vec<f64>; 2],
}

impl World {
    fn new(rows: usize, pairs: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let style: [Vec<f64>; 2] = std::array::from_fn(|_| (0..COLUMNS).map(|_| normal(&mut rng)).collect());
        let direction: Vec<f64> = (0..COLUMNS).map(|_| normal(&mut rng)).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut cores: Vec<(Vec<f64>, u32)> = Vec::new();
        let (mut x, mut y, mut group) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..rows {
            // The last rows show the objects of the first once more.
            let object = if row < rows - pairs { row } else { row + pairs - rows };
            if object == row {
                let class = u32::from(normal(&mut rng) > 0.0);
                let lean = 0.6 * (f64::from(class) - 0.5);
                cores.push((direction.iter().map(|d| lean * d + normal(&mut rng)).collect(), class));
            }
            let (core, class) = &cores[object];
            let amounts: [f64; 2] = std::array::from_fn(|_| 2.0 * f64::from(*class) - 1.0 + normal(&mut rng));
            x.extend((0..COLUMNS).map(|c| core[c] + amounts[0] * style[0][c] + amounts[1] * style[1][c]));
            y.push(*class);
            group.push(object);
        }
        Self { x, y, group, style }
    }

    fn fit(&self, penalty_weight: f64) -> LinearFit {
        let features = MemoryMatrix::new(&self.x, COLUMNS).unwrap();
        let targets = Targets::Classes { of_row: &self.y, count: 2 };
        let data =
            LinearData { features: &features, targets, group_of_row: &self.group, sample_weights: None };
        let config = LinearConfig {
            penalty: Penalty::LOGIT_VARIANCE,
            penalty_weight,
            ridge: 1e-6,
            ..Default::default()
        };
        fit(&config.check().unwrap(), &data).unwrap()
    }

    /// Mean loss when the style of every row moves by `size` along each style direction, against its class.
    fn shifted_loss(&self, model: &LinearModel, size: f64) -> f64 {
        let moves: Vec<f64> = self.style.iter().map(|style| size * inner(style, &model.weights)).collect();
        let losses = self.x.chunks(COLUMNS).zip(&self.y).map(|(x, &class)| {
            let margin = inner(x, &model.weights) + model.intercepts[0];
            let worst = |sign: f64| loss(margin + sign * (moves[0].abs() + moves[1].abs()), class);
            worst(1.0).max(worst(-1.0))
        });
        losses.sum::<f64>() / self.y.len() as f64
    }
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn loss(margin: f64, class: u32) -> f64 {
    let margin = if class == 1 { margin } else { -margin };
    (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
}

#[test]
fn theorem_1_pooled_loss_is_unbounded_and_the_limit_is_not() {
    let (train, test) = (World::new(3000, 200, 1), World::new(3000, 0, 2));
    let (pooled, limit) = (train.fit(0.0).model, train.fit(f64::INFINITY));
    let null_space = limit.null_space.unwrap();
    assert_eq!(null_space.rank, 2);
    assert!(null_space.largest_spread < 1e-8, "{}", null_space.largest_spread);
    let limit = limit.model;
    let (pooled_at, limit_at) =
        (|size| test.shifted_loss(&pooled, size), |size| test.shifted_loss(&limit, size));
    assert!(pooled_at(0.0) < limit_at(0.0), "style predicts the class where it does not shift");
    for size in [1.0, 10.0, 100.0, 1000.0] {
        assert!((limit_at(size) / limit_at(0.0) - 1.0).abs() < 0.05, "{size}: {}", limit_at(size));
        assert!(pooled_at(size) > 0.5 * size, "{size}: {}", pooled_at(size));
    }
}

/// Groups of four rows `core ± s_1, core ± s_2`: style of covariance `Σ_j = (s_1 s_1ᵀ + s_2 s_2ᵀ)/2`.
fn groups_of_four(world: &World, objects: usize) -> Vec<[Vec<f64>; 3]> {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let each = world.x.chunks(COLUMNS).take(objects).map(|core| {
        // Small style, as the theorem asks: ζ about 4e-4.
        let mut amount = || 0.02 * normal(&mut rng);
        let mut style = || {
            let (a, b) = (amount(), amount());
            (0..COLUMNS).map(|c| a * world.style[0][c] + b * world.style[1][c]).collect::<Vec<f64>>()
        };
        [core.to_vec(), style(), style()]
    });
    each.collect()
}

/// Worst mean loss of a group over shifts `δ` with `δᵀ Σ⁻¹ δ <= ξ`, in coordinates `δ = sqrt(ξ/2) (u_1 s_1 + u_2 s_2)`, `|u| <= 1`:
/// the gradient gives the next u until it stays (the loss is convex in u, so its maximum lies on the border).
fn worst_loss(model: &LinearModel, [core, first, second]: &[Vec<f64>; 3], class: u32, size: f64) -> f64 {
    let along = [inner(first, &model.weights), inner(second, &model.weights)];
    let margin = inner(core, &model.weights) + model.intercepts[0];
    let rows = [along[0], -along[0], along[1], -along[1]].map(|style| margin + style);
    let scale = (size / 2.0).sqrt();
    let mean = |u: [f64; 2]| {
        let shift = scale * (u[0] * along[0] + u[1] * along[1]);
        rows.iter().map(|row| loss(row + shift, class)).sum::<f64>() / 4.0
    };
    let climb = |mut u: [f64; 2]| {
        for _ in 0..20 {
            let step = 1e-4;
            let slope = [
                (mean([u[0] + step, u[1]]) - mean([u[0] - step, u[1]])) / (2.0 * step),
                (mean([u[0], u[1] + step]) - mean([u[0], u[1] - step])) / (2.0 * step),
            ];
            let norm = slope[0].hypot(slope[1]).max(f64::MIN_POSITIVE);
            u = [slope[0] / norm, slope[1] / norm];
        }
        mean(u)
    };
    climb([1.0, 0.0]).max(climb([-1.0, 0.0]))
}

/// The loss of the four rows of each group, and their groups.
fn losses_of(model: &LinearModel, groups: &[[Vec<f64>; 3]], classes: &[u32]) -> (Vec<f64>, Vec<usize>) {
    let (mut losses, mut group_of_row) = (Vec::new(), Vec::new());
    for (number, ([core, first, second], &class)) in groups.iter().zip(classes).enumerate() {
        let margin = inner(core, &model.weights) + model.intercepts[0];
        let along = [first, second].map(|style| inner(style, &model.weights));
        losses.extend([along[0], -along[0], along[1], -along[1]].map(|style| loss(margin + style, class)));
        group_of_row.extend([number; 4]);
    }
    (losses, group_of_row)
}

#[test]
fn theorem_2_the_worst_loss_leaves_the_curve_linearly_in_the_shift() {
    let world = World::new(2000, 200, 3);
    let (model, groups) = (world.fit(0.1).model, groups_of_four(&world, 500));
    let (losses, group_of_row) = losses_of(&model, &groups, &world.y);
    let shifts = vec![4.0, 1.0, 0.25, 0.0625];
    let config = CurveConfig { shifts, resamples: 1, ..Default::default() }.check().unwrap();
    let curve = robustness_curve(&config, &losses, &group_of_row).unwrap();
    // The four rows are all the style there is, not a sample of it: the correction for samples is undone.
    let loss_sd = curve.loss_sd * c4(4) * (3.0f64 / 4.0).sqrt();
    let at = |point: &CurvePoint| curve.expected_loss + point.shift.sqrt() * loss_sd;
    let error = |point: &CurvePoint| {
        let each = groups.iter().zip(&world.y);
        let worst: f64 = each.map(|(group, &class)| worst_loss(&model, group, class, point.shift)).sum();
        worst / groups.len() as f64 - at(point)
    };
    let errors: Vec<f64> = curve.points.iter().map(error).collect();
    for (point, error) in curve.points.iter().zip(&errors) {
        let rise = at(point) - curve.expected_loss;
        assert!(error.abs() < 0.02 * point.shift.sqrt() * rise, "{} {rise} {error}", point.shift);
    }
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!(
            (3.0..5.0).contains(&ratio),
            "a quarter of the shift has {ratio} times less error: {errors:?}"
        );
    }
}
