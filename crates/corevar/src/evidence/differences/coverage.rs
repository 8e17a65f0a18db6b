//! The 95 % interval covers a known difference in about 95 % of simulated tests.

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Normal};

use super::paired::{Units, student};
use super::tests::{dataset, outputs};
use crate::evidence::bootstrap::interval;
use crate::outputs::Outputs;
use crate::rows::Rows;

const SIMULATIONS: u64 = 300;
const DRAWS: usize = 1000;

/// The pooled model is wrong on a row with a probability that depends on its id and on the run, CoRe with one that is lower by this.
const DIFFERENCE: f64 = 0.1;

/// Share of the simulations whose interval holds the difference. Half the ids have one row, the others three.
fn coverage(ids: usize, runs: usize, sd_of_runs: f64) -> f64 {
    let covers = |seed: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let of_row: Vec<i32> =
            (0..ids as i32).flat_map(|id| vec![id; if id % 2 == 0 { 1 } else { 3 }]).collect();
        let hard: Vec<f64> = (0..ids).map(|_| rng.random_range(0.3..0.7)).collect();
        let of_run = Normal::new(0.0, sd_of_runs).unwrap();
        let mut model = |gain: f64| -> Outputs {
            let shift = of_run.sample(&mut rng) - gain;
            let wrong: Vec<u8> = of_row
                .iter()
                .map(|&id| u8::from(rng.random_bool((hard[id as usize] + shift).clamp(0.0, 1.0))))
                .collect();
            outputs(&wrong)
        };
        let models = [0.0, DIFFERENCE].map(|gain| (0..runs).map(|_| model(gain)).collect::<Vec<_>>());
        let dataset = dataset(&of_row);
        let rows = Rows::new(&dataset, &dataset.splits()[0].rows, 1);
        let [pooled, core] = [0, 1].map(|model| models[model].iter().collect::<Vec<_>>());
        let units = Units::new(&rows, [&pooled, &core], true, seed);
        let drawn = units.draws(DRAWS, seed, student);
        let found =
            interval(units.figures().comparison().error, drawn.iter().map(|draw| draw.error)).unwrap();
        found.low <= -DIFFERENCE && -DIFFERENCE <= found.high
    };
    (0..SIMULATIONS).filter(|&seed| covers(seed)).count() as f64 / SIMULATIONS as f64
}

/// With 300 simulations, 95 % is known to ± 2.5 %.
#[track_caller]
fn is_about_95_percent(coverage: f64) {
    assert!((0.92..=0.985).contains(&coverage), "{coverage}");
}

#[test]
fn intervals_over_ids_cover_the_difference() {
    is_about_95_percent(coverage(60, 1, 0.0));
}

#[test]
fn intervals_over_few_ids_cover_the_difference() {
    is_about_95_percent(coverage(15, 1, 0.0));
}

#[test]
fn intervals_over_ids_and_three_runs_cover_the_difference() {
    is_about_95_percent(coverage(60, 3, 0.05));
}
