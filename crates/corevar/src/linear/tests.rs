//! How fits behave: properties, limits, and the words for data that cannot be fitted.

use corevar_data::Tip;

use super::simulate::Sample;
use super::*;
use crate::penalty::Varying;
use crate::penalty::tests::combinations;

const ALL: [Penalty; 6] = [
    Penalty::LOGIT_VARIANCE,
    Penalty::LOGIT_SD,
    Penalty::LOSS_VARIANCE,
    Penalty::LOSS_SD,
    Penalty::LABEL_VARIANCE,
    Penalty::TOTAL_VARIANCE,
];

fn config(penalty: Penalty, penalty_weight: f64) -> LinearConfig {
    LinearConfig { penalty, penalty_weight, ..Default::default() }
}

fn distance(a: &LinearModel, b: &LinearModel) -> f64 {
    let all =
        |model: &LinearModel| model.weights.iter().chain(&model.intercepts).copied().collect::<Vec<f64>>();
    all(a).iter().zip(all(b)).fold(0.0, |largest: f64, (a, b)| largest.max((a - b).abs()))
}

#[test]
fn fits_do_not_depend_on_the_number_of_threads() {
    let with = |threads: usize, run: &(dyn Fn() -> LinearFit + Sync)| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run)
    };
    // A Newton fit, a softmax, a model of a part of the rows in f32 with the penalty kept apart, and λ = ∞.
    let cases: [(Sample, LinearConfig); 4] = [
        (Sample::new(2000, 7, 300, 2), config(Penalty::LOGIT_SD, 0.5)),
        (Sample::new(900, 9, 100, 3), config(Penalty::LOGIT_VARIANCE, 0.5)),
        (Sample::new(4000, 520, 100, 2), config(Penalty::LOGIT_VARIANCE, 2.0)),
        (Sample::new(500, 40, 15, 2), config(Penalty::LOGIT_VARIANCE, f64::INFINITY)),
    ];
    for (sample, config) in cases {
        let run = || sample.fit(config.clone()).unwrap();
        let one = with(1, &run);
        assert!(one.optimality.converged);
        assert_eq!(with(2, &run), one);
        assert_eq!(with(3, &run), one);
    }
}

#[test]
fn without_a_group_of_two_every_penalty_is_the_pooled_fit_bit_for_bit() {
    let mut sample = Sample::new(200, 4, 0, 2);
    sample.group = (0..200).collect();
    let pooled = sample.fit(config(Penalty::NONE, 1.0)).unwrap();
    for (penalty, weight) in ALL.map(|penalty| (penalty, 1.0)).into_iter().chain([(ALL[0], f64::INFINITY)]) {
        if matches!(penalty, Penalty::LABEL_VARIANCE | Penalty::TOTAL_VARIANCE) {
            continue;
        }
        let fit = sample.fit(config(penalty, weight)).unwrap();
        assert_eq!(fit.model, pooled.model, "{penalty:?} {weight}");
        assert_eq!(fit.notes, [Note::NoGroupOfTwo]);
    }
}

/// The objective of the fit is no larger than that of the pooled fit, and its penalty is smaller.
#[test]
fn every_combination_can_be_penalised() {
    let sample = Sample::new(300, 5, 60, 3);
    for variance in combinations() {
        let config = |weight| LinearConfig { ridge: 1e-2, ..config(Penalty::unnamed(variance), weight) };
        let [pooled, fit] = [0.0, 0.5].map(|weight| sample.fit(config(weight)).unwrap());
        assert!(fit.optimality.converged, "{variance:?} {:?}", fit.optimality);
        assert!(fit.objective.penalty < 0.9 * pooled.objective.penalty, "{variance:?}");
        assert!(
            fit.objective.total <= pooled.objective.total + 0.5 * pooled.objective.penalty,
            "{variance:?}"
        );
        let at_infinity = config(f64::INFINITY).check();
        assert_eq!(at_infinity.is_ok(), variance.varying == Varying::Logits, "{variance:?}");
    }
}

#[test]
fn a_path_gives_the_fits_one_by_one() {
    let sample = Sample::new(600, 12, 5, 3);
    let (features, targets) = (sample.features(), sample.targets());
    let data = LinearData { features: &features, targets, group_of_row: &sample.group, sample_weights: None };
    for penalty in [Penalty::LOGIT_VARIANCE, Penalty::LOGIT_SD] {
        let penalty_weights = vec![0.0, 0.1, 1.0, 10.0, f64::INFINITY, 2.0];
        let setting = PathConfig { fit: config(penalty, 1.0), penalty_weights, ridges: vec![1e-2, 1e-3] };
        let fits = path(&setting.check().unwrap(), &data).unwrap();
        assert_eq!(fits.len(), 12);
        for fit in fits {
            let alone = LinearConfig { ridge: fit.ridge, ..config(penalty, fit.penalty_weight) };
            let distance = distance(&sample.fit(alone).unwrap().model, &fit.model);
            assert!(distance < 2e-5, "{penalty:?} {} {} {distance}", fit.ridge, fit.penalty_weight);
        }
    }
}

#[test]
fn at_infinity_no_logit_varies_inside_a_group() {
    for classes in [2, 3] {
        let sample = Sample::new(500, 30, 12, classes).with_style_everywhere();
        let fit = sample.fit(config(Penalty::LOGIT_VARIANCE, f64::INFINITY)).unwrap();
        let null_space = fit.null_space.unwrap();
        assert_eq!((null_space.rank, null_space.free), (12, 18));
        let logits = fit.model.logits(&sample.features()).unwrap();
        for pair in 0..12 {
            for k in 0..classes {
                let differ = logits[pair * classes + k] - logits[(488 + pair) * classes + k];
                assert!(differ.abs() < 1e-8, "{differ}");
            }
        }
        assert!(null_space.largest_spread < 1e-8 && fit.optimality.converged);
        let near = sample.fit(config(Penalty::LOGIT_VARIANCE, 1e7)).unwrap();
        assert!(distance(&near.model, &fit.model) < 1e-3);
    }
}

/// 200 pairs that differ along (1, -0.75), stored as f32: all but one direction of the differences is rounding.
#[test]
fn rounding_of_the_storage_is_not_taken_for_style() {
    let core = Sample::new(400, 2, 0, 2);
    let shift = |row: usize| ((row * 7919) % 100) as f32 / 17.0 + 0.1;
    let mut sample = core.rows(&(0..400).map(|row| row % 200).collect::<Vec<_>>());
    for row in 200..400 {
        sample.x[2 * row] += shift(row);
        sample.x[2 * row + 1] -= 0.75 * shift(row);
    }
    let fit = sample.fit(config(Penalty::LOGIT_VARIANCE, f64::INFINITY)).unwrap();
    let null_space = fit.null_space.unwrap();
    assert_eq!((null_space.rank, null_space.free), (1, 1));
    assert!(null_space.largest_dropped > 0.0 && null_space.largest_dropped < null_space.tolerance);
    assert!(null_space.smallest_kept > 1e3 * null_space.tolerance);
    assert!((fit.model.weights[0] - 0.75 * fit.model.weights[1]).abs() < 1e-5 * fit.model.weights[1].abs());
    let strict = LinearConfig { rank_tolerance: Some(0.0), ..config(Penalty::LOGIT_VARIANCE, f64::INFINITY) };
    assert!(matches!(sample.fit(strict), Err(LinearError::NoDirectionLeft { rank: 2 })));
}

#[test]
fn at_infinity_without_a_direction_left_the_error_says_so() {
    let sample = Sample::new(500, 5, 40, 2).with_style_everywhere();
    let error = sample.fit(config(Penalty::LOGIT_VARIANCE, f64::INFINITY)).unwrap_err();
    assert!(
        error.to_string().starts_with("no direction is left at penalty weight inf: the groups vary in all 5")
    );
    let total = Sample::new(500, 5, 0, 2).fit(config(Penalty::TOTAL_VARIANCE, f64::INFINITY));
    assert!(matches!(total, Err(LinearError::NoDirectionLeft { rank: 5 })));
}

#[test]
fn at_infinity_noise_does_not_count_as_style_when_a_rank_is_given() {
    let sample = Sample::new(500, 5, 40, 2).with_style_everywhere();
    let with = |style_rank: StyleRank| {
        sample.fit(LinearConfig { style_rank, ..config(Penalty::LOGIT_VARIANCE, f64::INFINITY) })
    };
    let fit = with(StyleRank::Directions(2)).unwrap();
    let space = fit.null_space.unwrap();
    assert_eq!((space.rank, space.varying, space.free), (2, 5, 3));
    assert!(space.share > 0.8 && space.share < 1.0 && space.smallest_kept > space.largest_dropped);
    assert!(fit.optimality.converged && fit.objective.penalty > 0.0);
    // Less of the variance inside groups is left the more directions are taken.
    let left = |rank| with(StyleRank::Directions(rank)).unwrap().objective.penalty;
    assert!(left(1) > left(2) && left(2) > left(4));
    // All directions, however they are asked for, leave none.
    for all in [StyleRank::All, StyleRank::Directions(5), StyleRank::Directions(9), StyleRank::Percent(100.0)] {
        let error = with(all).unwrap_err();
        assert!(matches!(error, LinearError::NoDirectionLeft { rank: 5 }), "{error}");
        assert!(error.tip().unwrap().contains("the field `style_rank`"));
    }
    // Where directions are left, 100 % and all are Theorem 1's limit.
    let few = Sample::new(500, 30, 12, 2).with_style_everywhere();
    let [theorem, all] = [StyleRank::All, StyleRank::Percent(100.0)].map(|style_rank| {
        few.fit(LinearConfig { style_rank, ..config(Penalty::LOGIT_VARIANCE, f64::INFINITY) }).unwrap()
    });
    assert_eq!(theorem, all);
    assert_eq!(theorem.null_space.unwrap().rank, 12);
}

/// Numbers `y` that lean on the columns, and differ inside pairs.
fn regression(sample: &Sample) -> Vec<f32> {
    let row = |(row, x): (usize, &[f32])| x.iter().sum::<f32>() + ((row * 31) % 17) as f32 / 4.0 + 100.0;
    sample.x.chunks(sample.columns).enumerate().map(row).collect()
}

fn fit_numbers(sample: &Sample, values: &[f32], config: LinearConfig) -> LinearFit {
    let features = sample.features();
    let targets = Targets::Numbers { values, bins: None };
    let data = LinearData { features: &features, targets, group_of_row: &sample.group, sample_weights: None };
    fit(&config.check().unwrap(), &data).unwrap()
}

#[test]
fn a_regression_is_penalised_for_residuals_that_vary_inside_groups() {
    let sample = Sample::new(200, 4, 60, 2);
    let values = regression(&sample);
    for (penalty, root) in [(Penalty::LOGIT_VARIANCE, false), (Penalty::LOGIT_SD, true)] {
        for standardise in [false, true] {
            let config = LinearConfig { standardise, ..config(penalty, 0.7) };
            let fit = fit_numbers(&sample, &values, config.clone());
            let f = fit.model.logits(&sample.features()).unwrap();
            let of_pair = |pair: usize| {
                let residual = |row: usize| f[row] - f64::from(values[row]);
                let variance = ((residual(pair) - residual(140 + pair)) / 2.0).powi(2);
                if root { variance.sqrt() } else { variance }
            };
            let expected = (0..60).map(of_pair).sum::<f64>() / 60.0;
            // The smoothed root is smaller by at most ε.
            assert!((fit.objective.penalty - expected).abs() < 2e-5, "{} {expected}", fit.objective.penalty);
            // Without penalty the same number is reported.
            let pooled = fit_numbers(&sample, &values, LinearConfig { penalty_weight: 0.0, ..config });
            assert!(pooled.objective.penalty > fit.objective.penalty);
        }
    }
}

/// Where labels differ inside groups, λ = ∞ explains their differences as well as it can; elsewhere it is the null space.
#[test]
fn at_infinity_a_regression_is_the_limit_of_large_weights() {
    for (columns, pairs, style_rank) in [(6, 3, StyleRank::All), (4, 60, StyleRank::Directions(3))] {
        let sample = Sample::new(200, columns, pairs, 2);
        let values = regression(&sample);
        let at = |penalty_weight| {
            let config = LinearConfig { style_rank, ..config(Penalty::LOGIT_VARIANCE, penalty_weight) };
            fit_numbers(&sample, &values, config)
        };
        let limit = at(f64::INFINITY);
        assert!(limit.optimality.converged);
        if style_rank == StyleRank::All {
            // Three differences can be explained exactly.
            assert!(limit.null_space.unwrap().largest_spread < 1e-5, "{:?}", limit.null_space);
            let near = at(1e7);
            assert!(distance(&near.model, &limit.model) < 1e-3, "{:?} {:?}", near.model, limit.model);
        }
        let equal: Vec<f32> = (0..200).map(|row| values[if row < 200 - pairs { row } else { row + pairs - 200 }]).collect();
        let config = LinearConfig { style_rank, ..config(Penalty::LOGIT_VARIANCE, f64::INFINITY) };
        let fit = fit_numbers(&sample, &equal, config);
        let space = fit.null_space.unwrap();
        assert!(style_rank != StyleRank::All || space.largest_spread < 1e-5, "{space:?}");
    }
}

#[test]
fn separable_classes_need_a_ridge() {
    let without = LinearConfig { ridge: 0.0, ..config(Penalty::NONE, 0.0) };
    let mut sample = Sample::new(60, 2, 0, 2);
    for row in 0..60 {
        sample.x[2 * row] = sample.y[row] as f32 * 2.0 - 1.0 + (row % 7) as f32 * 0.1;
    }
    let error = sample.fit(without.clone()).unwrap_err();
    assert!(error.to_string().contains("separated") && error.tip().unwrap().contains("the field `ridge`"));
    assert!(sample.fit(LinearConfig { ridge: 1e-3, ..without.clone() }).unwrap().optimality.converged);
    // Two rows of both classes on the border: no strict separation, and no minimum either.
    sample.x[0] = 0.0;
    sample.x[2] = 0.0;
    (sample.y[0], sample.y[1]) = (0, 1);
    sample.x[3] = sample.x[1];
    assert!(matches!(sample.fit(without.clone()), Err(LinearError::Separable)));
    // Overlapping classes have a minimum without ridge.
    assert!(Sample::new(400, 3, 0, 2).fit(without.clone()).unwrap().optimality.converged);
    assert!(Sample::new(400, 3, 0, 3).fit(without).unwrap().optimality.converged);
}

#[test]
fn constant_columns_have_weight_zero_and_change_nothing() {
    let sample = Sample::new(200, 3, 20, 2);
    let mut wider = Sample { columns: 4, x: Vec::new(), ..sample.clone() };
    sample.x.chunks(3).for_each(|row| wider.x.extend([row[0], row[1], 7.5, row[2]]));
    for ridge in [0.0, 1e-3] {
        let config = LinearConfig { ridge, ..config(Penalty::LOGIT_VARIANCE, 0.1) };
        let (narrow, wide) = (sample.fit(config.clone()).unwrap().model, wider.fit(config).unwrap());
        assert_eq!((wide.model.weights[2], &wide.notes), (0.0, &vec![Note::ConstantColumns(vec![2])]));
        let kept = [0, 1, 3].map(|column| wide.model.weights[column]).to_vec();
        assert!(distance(&LinearModel { weights: kept, ..wide.model }, &narrow) < 1e-7);
    }
}

#[test]
fn more_columns_than_rows_need_a_ridge_and_then_fit() {
    let sample = Sample::new(40, 300, 10, 2);
    let without = LinearConfig { ridge: 0.0, ..config(Penalty::LOGIT_VARIANCE, 1.0) };
    let error = sample.fit(without).unwrap_err();
    assert!(matches!(error, LinearError::NotUnique { rows: 40, columns: 300 }));
    for penalty in ALL {
        let fit = sample.fit(config(penalty, 1.0)).unwrap();
        assert!(fit.optimality.converged, "{penalty:?} {:?}", fit.optimality);
    }
    assert!(sample.fit(config(Penalty::LOGIT_VARIANCE, f64::INFINITY)).unwrap().optimality.converged);
}

#[test]
fn wrong_data_are_named() {
    let sample = Sample::new(20, 2, 5, 2);
    let message = |change: &dyn Fn(&mut Sample)| {
        let mut changed = sample.clone();
        change(&mut changed);
        changed.fit(LinearConfig::default()).unwrap_err().to_string()
    };
    assert!(message(&|s| s.x[7] = f32::NAN).starts_with("row 3, column 1: the feature is NaN"));
    assert!(message(&|s| s.y[4] = 2).starts_with("row 4: the label is 2, but must be a class below 2"));
    assert!(message(&|s| s.y.fill(1)).starts_with("class 0 of 2 has no row"));
    assert_eq!(message(&|s| s.group.truncate(3)), "group_of_row has 3 entries for 20 rows");
    let weighted = |weights: &[f64]| sample.fit_weighted(LinearConfig::default(), Some(weights)).unwrap_err();
    assert!(weighted(&[-1.0; 20]).to_string().ends_with("row 0 has -1"));
    assert!(weighted(&[0.0; 20]).to_string().ends_with("all are zero"));
}

#[test]
fn whole_sample_weights_are_repeated_rows() {
    let sample = Sample::new(80, 3, 20, 2);
    let weights: Vec<f64> = (0..80).map(|row| [1.0, 0.0, 2.0, 3.0][row % 4]).collect();
    let repeated: Vec<usize> = (0..80).flat_map(|row| vec![row; weights[row] as usize]).collect();
    for penalty in ALL {
        // Repeating a single row would make a group of it; give it a share of the mean by counting all groups.
        let config = LinearConfig { normalise: Normalise::All, ..config(penalty, 0.7) };
        let weighted = sample.fit_weighted(config.clone(), Some(&weights)).unwrap();
        let distance = distance(&weighted.model, &sample.rows(&repeated).fit(config).unwrap().model);
        assert!(distance < 1e-6, "{penalty:?} {distance}");
    }
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let sample = Sample::new(300, 5, 60, 3);
    let shuffled = sample.rows(&(0..300).map(|row| (row * 77 + 13) % 300).collect::<Vec<_>>());
    for penalty in ALL {
        let fits = [&sample, &shuffled].map(|sample| sample.fit(config(penalty, 0.5)).unwrap());
        assert!(distance(&fits[0].model, &fits[1].model) < 1e-5, "{penalty:?}");
    }
}

#[test]
fn standardising_is_scaling_the_columns_first() {
    let sample = Sample::new(300, 3, 60, 2);
    let factors = [2.0_f32, 0.25, 16.0];
    let mut scaled = sample.clone();
    scaled.x.chunks_mut(3).for_each(|row| row.iter_mut().zip(factors).for_each(|(x, factor)| *x *= factor));
    let config = LinearConfig { standardise: true, ..config(Penalty::LOGIT_VARIANCE, 0.5) };
    let (plain, mut scaled) = (sample.fit(config.clone()).unwrap().model, scaled.fit(config).unwrap().model);
    scaled.weights.iter_mut().zip(factors).for_each(|(w, factor)| *w *= f64::from(factor));
    assert!(distance(&plain, &scaled) < 1e-7);
}

#[test]
fn a_matrix_in_a_file_gives_the_same_fit_bit_for_bit() {
    let sample = Sample::new(500, 6, 50, 2);
    let path = std::env::temp_dir().join(format!("corevar-linear-{}", std::process::id()));
    std::fs::write(&path, sample.x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>()).unwrap();
    let file = FileMatrix::open(&path, 0, 500, 6).unwrap();
    let rows: Vec<usize> = (0..500).collect();
    let selected = SelectedRows::new(&file, &rows).unwrap();
    for penalty in [Penalty::LOGIT_VARIANCE, Penalty::LOSS_SD] {
        let config = config(penalty, 0.5);
        let memory = sample.fit(config.clone()).unwrap();
        for features in [&file as &dyn DesignMatrix, &selected] {
            let data = LinearData {
                features,
                targets: sample.targets(),
                group_of_row: &sample.group,
                sample_weights: None,
            };
            assert_eq!(fit(&config.clone().check().unwrap(), &data).unwrap(), memory);
        }
    }
    std::fs::remove_file(path).unwrap();
}

#[test]
fn the_losses_of_a_model_are_those_it_was_fitted_to() {
    for classes in [2, 3] {
        let sample = Sample::new(200, 4, 20, classes);
        let fit = sample.fit(config(Penalty::LOGIT_VARIANCE, 0.5)).unwrap();
        let losses = fit.model.losses(&sample.features(), sample.targets()).unwrap();
        assert!((losses.iter().sum::<f64>() / 200.0 - fit.objective.risk).abs() < 1e-12);
        let other = Targets::Classes { of_row: &sample.y, count: 5 };
        assert!(fit.model.losses(&sample.features(), other).is_err());
    }
}

#[test]
fn a_larger_penalty_weight_leaves_less_variance_inside_groups() {
    let sample = Sample::new(600, 8, 100, 2);
    let (features, targets) = (sample.features(), sample.targets());
    let data = LinearData { features: &features, targets, group_of_row: &sample.group, sample_weights: None };
    for penalty in [Penalty::LOGIT_VARIANCE, Penalty::LOGIT_SD] {
        let penalty_weights = vec![0.0, 0.01, 0.1, 1.0, 10.0];
        let setting = PathConfig { fit: config(penalty, 1.0), penalty_weights, ridges: vec![] };
        let fits = path(&setting.check().unwrap(), &data).unwrap();
        assert!(fits.windows(2).all(|pair| pair[0].objective.penalty > pair[1].objective.penalty));
        assert!(fits.windows(2).all(|pair| pair[0].objective.risk < pair[1].objective.risk));
    }
}
