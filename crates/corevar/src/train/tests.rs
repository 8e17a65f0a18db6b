//! Small runs whose outcome is known.

use burn::module::ModuleMapper;
use burn::tensor::TensorData;
use corevar_data::{ImageShape, Images, Labels, Pixels, Split};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::model::{CnnSpec, Network};
use crate::penalty::{Normalise, Penalty};

/// Two classes along the first feature; the second says the same and varies inside the pairs.
fn plane(rows: usize, pairs: usize) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let classes: Vec<u32> = (0..rows).map(|row| (row / 2 % 2) as u32).collect();
    let values = classes
        .iter()
        .flat_map(|&class| {
            let side = class as f32 * 2.0 - 1.0;
            [side + rng.random_range(-0.3..0.3), 2.0 * side + rng.random_range(-1.0..1.0)]
        })
        .collect();
    Dataset::features(["x1", "x2"], values)
        .name("plane")
        .labels(Labels::Classes { names: vec!["a".into(), "b".into()], of_row: classes })
        .ids((0..rows).map(|row| (row < 2 * pairs).then_some(row / 2)))
        .check()
        .unwrap()
}

fn pictures(rows: usize) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let shape = ImageShape { height: 9, width: 7, channels: 1 };
    let pixels = (0..rows * shape.len()).map(|_| rng.random_range(0..=255)).collect();
    let pictures = Inputs::Images(Images::new(shape, Pixels::Memory(pixels)));
    plane(rows, rows / 4).edit().inputs(pictures).check().unwrap()
}

/// A linear model trained by epochs: an MLP without a hidden layer.
fn config() -> TrainConfig {
    TrainConfig {
        model: ModelSpec::Mlp { hidden: Vec::new() },
        epochs: 5,
        batch_size: 20,
        learning_rate: 0.05,
        ..Default::default()
    }
}

fn weights(model: &Model) -> Vec<u64> {
    struct Bits(Vec<u64>);
    impl ModuleVisitor for Bits {
        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            let values: Vec<f32> = param.val().into_data().try_to_vec().unwrap();
            self.0.extend(values.iter().map(|value| u64::from(value.to_bits())));
        }
    }
    let mut bits = Bits(Vec::new());
    match &model.predictor {
        Predictor::Network(network) => network.visit(&mut bits),
        Predictor::Linear(linear) => {
            bits.0.extend(linear.weights.iter().chain(&linear.intercepts).map(|value| value.to_bits()));
        }
    }
    bits.0
}

fn run(config: TrainConfig, dataset: &Dataset) -> (Model, Vec<EpochRecord>) {
    let mut log = Quiet::default();
    let model = train(&config.check().unwrap(), dataset, &Device::flex(), &mut log).unwrap();
    (model, log.0)
}

fn failure(config: &CheckedTrainConfig, dataset: &Dataset) -> TrainError {
    train(config, dataset, &Device::flex(), &mut Quiet::default()).unwrap_err()
}

fn models() -> [ModelSpec; 3] {
    let cnn = CnnSpec { channels: vec![5, 9], ..Default::default() };
    [ModelSpec::Linear, ModelSpec::Mlp { hidden: vec![33, 17] }, ModelSpec::Cnn(cnn)]
}

#[test]
fn the_risk_falls() {
    let (_, epochs) = run(config(), &plane(200, 0));
    assert!(epochs[4].risk < 0.5 * epochs[0].risk, "{epochs:?}");
}

#[test]
fn the_penalty_shrinks_the_variance_inside_pairs() {
    let penalty_at_the_end = |penalty_weight| {
        let config = TrainConfig { penalty_weight, epochs: 20, ..config() };
        run(config, &plane(200, 50)).1.last().unwrap().penalty
    };
    assert!(penalty_at_the_end(10.0) < 0.2 * penalty_at_the_end(0.0));
}

#[test]
fn without_any_group_core_is_the_pooled_model_bit_for_bit() {
    let dataset = pictures(60).edit().ids([None::<u32>; 60]).check().unwrap();
    for model in models() {
        for penalty in [Penalty::LOGIT_VARIANCE, Penalty::LOGIT_SD, Penalty::LOSS_VARIANCE, Penalty::LOSS_SD]
        {
            let core =
                TrainConfig { model: model.clone(), penalty, penalty_weight: 7.0, epochs: 2, ..config() };
            let pooled = TrainConfig { penalty: Penalty::NONE, penalty_weight: 0.0, ..core.clone() };
            assert_eq!(weights(&run(core, &dataset).0), weights(&run(pooled, &dataset).0));
        }
    }
}

#[test]
fn a_seed_gives_the_same_bits_whatever_the_number_of_threads() {
    let dataset = pictures(130);
    for model in models() {
        for (seed, clip_norm) in [(0, None), (1, None), (1, Some(0.5))] {
            let config =
                TrainConfig { model: model.clone(), epochs: 2, batch_size: 50, clip_norm, seed, ..config() };
            let with_threads = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| weights(&run(config.clone(), &dataset).0))
            };
            assert_eq!(with_threads(1), with_threads(2), "{model:?}");
            assert_eq!(with_threads(1), with_threads(3), "{model:?}");
        }
    }
}

#[test]
fn another_seed_gives_another_model() {
    let dataset = plane(60, 10);
    let [a, b] = [0, 1].map(|seed| weights(&run(TrainConfig { seed, ..config() }, &dataset).0));
    assert_ne!(a, b);
}

#[test]
fn ridge_shrinks_weights_and_is_logged_with_its_weight() {
    let dataset = plane(200, 0);
    let [weak, strong] = [0.0, 1.0].map(|ridge| run(TrainConfig { ridge, epochs: 20, ..config() }, &dataset));
    let [weak_norm, strong_norm] = [&weak, &strong].map(|(model, _)| {
        let Predictor::Network(network) = &model.predictor else { unreachable!() };
        half_squared_weights(network)
    });
    assert!(strong_norm < 0.3 * weak_norm, "{strong_norm} {weak_norm}");
    assert_eq!(weak.1[19].ridge, 0.0);
    assert!((strong.1[19].ridge - strong_norm).abs() < 1e-5 * strong_norm);
}

#[test]
fn a_loss_that_is_not_finite_stops_with_epoch_and_batch() {
    // Two steps of this size leave the range of f32.
    let config = TrainConfig { learning_rate: 3e38, ..config() }.check().unwrap();
    let error = failure(&config, &plane(40, 0));
    assert!(matches!(error, TrainError::NotFinite { epoch: 1, batch: 2, .. }), "{error}");
    assert!(error.to_string().ends_with("likely cause: the learning rate 3e38"), "{error}");
    assert!(error.tip().unwrap().contains("the field `learning_rate`"));
}

#[test]
fn a_feature_without_scaling_is_named_as_the_cause() {
    let dataset = plane(40, 10);
    let Inputs::Features(mut features) = dataset.inputs().clone() else { unreachable!() };
    // The variance of the logits squares this.
    features.values.iter_mut().skip(1).step_by(2).for_each(|value| *value *= 1e37);
    let dataset = dataset.edit().inputs(Inputs::Features(features)).check().unwrap();
    let config = TrainConfig { standardise: false, ..config() }.check().unwrap();
    let error = failure(&config, &dataset);
    let TrainError::NotFinite { cause: Cause::UnscaledFeature { name, largest }, .. } = &error else {
        panic!("{error}")
    };
    assert!(name == "x2" && *largest > 1e37, "{error}");
    assert!(error.tip().unwrap().contains("divide `x2` by its standard deviation"), "{error}");
}

#[test]
fn a_penalty_that_outweighs_the_risk_is_named_as_the_cause() {
    let config = TrainConfig { penalty_weight: 1e40, ..config() }.check().unwrap();
    let error = failure(&config, &plane(40, 10));
    assert!(error.to_string().contains("likely cause: the penalty weight 1e40"), "{error}");
    assert!(error.tip().unwrap().starts_with("lower the field `penalty_weight`"), "{error}");
}

/// Keeps every state in memory.
#[derive(Default)]
struct KeepAll(Vec<Snapshot>);

impl CheckpointStore for KeepAll {
    fn earlier(&mut self) -> Option<Snapshot> {
        None
    }

    fn after_step(&mut self) -> AfterStep {
        AfterStep::Keep
    }

    fn keep(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.0.push(snapshot.clone());
        Ok(())
    }

    fn seconds_before(&self) -> f64 {
        0.0
    }
}

#[test]
fn no_state_after_divergence_is_kept() {
    let mut diverging = 0;
    for learning_rate in [1e3, 1e10, 1e20, 1e30, 1e37, 3e38] {
        let config = TrainConfig { learning_rate, epochs: 3, ..config() }.check().unwrap();
        let mut kept = KeepAll::default();
        let end = train_from(&config, &plane(40, 10), &Device::flex(), &mut Quiet::default(), &mut kept);
        diverging += usize::from(matches!(end, Err(TrainError::NotFinite { .. })));
        assert!(kept.0.iter().all(Snapshot::is_finite), "{learning_rate}");
    }
    assert!(diverging >= 3, "{diverging}");
}

#[test]
fn an_empty_train_split_and_a_cnn_on_features_are_refused() {
    let empty = plane(4, 0).edit().split_rows(vec![Split::new("test", 0..4)]).check().unwrap();
    let error = failure(&config().check().unwrap(), &empty);
    assert_eq!(error.to_string(), "plane: the split `train` has no rows");
    let cnn = TrainConfig { model: ModelSpec::Cnn(CnnSpec::default()), ..config() }.check().unwrap();
    let error = failure(&cnn, &plane(4, 0));
    assert_eq!(error.to_string(), "plane: a CNN needs images, but these are features");
}

#[test]
fn regression_finds_the_line() {
    // y = 3 x1 + 1, where x1 is a feature of the plane.
    let dataset = plane(200, 20);
    let Inputs::Features(features) = dataset.inputs() else { unreachable!() };
    let numbers: Vec<f32> = features.values.chunks(2).map(|x| 3.0 * x[0] + 1.0).collect();
    let dataset = dataset.edit().numbers(numbers).check().unwrap();
    let config = TrainConfig { penalty_weight: 0.0, ridge: 0.0, epochs: 150, ..config() };
    let (_, epochs) = run(config, &dataset);
    assert!(epochs.last().unwrap().risk < 1e-3, "{:?}", epochs.last());
}

/// The weights hardly move, so that the epoch's penalty is that of the trained model: also where the group of 50 is cut, up to the
/// known factor of its cuts, on average over epochs.
#[test]
fn the_penalty_of_training_is_that_of_evaluation_for_a_regression() {
    let group = |row: usize| if row < 50 { Some(0) } else { (row < 80).then_some(row / 2) };
    let numbers: Vec<f32> = (0..100).map(|row| ((row * 13) % 29) as f32).collect();
    let dataset = plane(100, 0).edit().numbers(numbers).ids((0..100).map(group)).check().unwrap();
    for (penalty, batch_size) in
        [(Penalty::LOGIT_VARIANCE, 100), (Penalty::LOGIT_SD, 100), (Penalty::LOGIT_VARIANCE, 10)]
    {
        let config = TrainConfig {
            penalty,
            batch_size,
            learning_rate: 1e-12,
            decay: Decay::Constant,
            epochs: if batch_size == 100 { 1 } else { 400 },
            ..config()
        };
        let (model, epochs) = run(config, &dataset);
        let rows = model.rows(&dataset, dataset.train());
        assert_eq!(rows.groups.larger().count(), 16);
        let outputs = model.outputs(&rows).unwrap();
        let losses = crate::evaluate::losses(&outputs, &rows);
        let whole =
            |normalise| crate::evaluate::penalty_value(penalty, &outputs, &losses, &rows, normalise).unwrap();
        let found = epochs.iter().map(|epoch| epoch.penalty).sum::<f64>() / epochs.len() as f64;
        if batch_size == 100 {
            assert!((found / whole(Normalise::Grouped) - 1.0).abs() < 1e-5, "{penalty} {found}");
            continue;
        }
        // Five pieces of ten rows: (50 - 5)/(50 - 1) of the group's own variance.
        let residual = |row: usize| outputs.values[row] - f64::from(rows.number(row).unwrap());
        let mean = (0..50).map(residual).sum::<f64>() / 50.0;
        let own = (0..50).map(|row| (residual(row) - mean).powi(2)).sum::<f64>() / 50.0;
        let expected = whole(Normalise::Grouped) - own / 16.0 * (1.0 - 45.0 / 49.0);
        assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
    }
}

/// Adds `step` times a direction drawn from `seed` to all weights and biases.
struct Nudge {
    rng: ChaCha8Rng,
    step: f32,
}

fn direction<const D: usize>(rng: &mut ChaCha8Rng, like: &Tensor<D>) -> Tensor<D> {
    let values: Vec<f32> = (0..like.shape().num_elements()).map(|_| rng.random_range(-1.0..1.0)).collect();
    Tensor::from_data(TensorData::new(values, like.shape()), &like.device())
}

impl ModuleMapper for Nudge {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let direction = direction(&mut self.rng, &param.val().inner());
        param.map(|value| Tensor::from_inner(value.inner() + direction * self.step).require_grad())
    }
}

/// The slope along the same direction, by the gradients.
struct Slope<'a> {
    rng: ChaCha8Rng,
    grads: &'a GradientsParams,
    slope: f32,
}

impl ModuleVisitor for Slope<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let direction = direction(&mut self.rng, &param.val().inner());
        let gradient = self.grads.get::<D>(param.id).unwrap();
        self.slope += (gradient * direction).sum().into_scalar::<f32>();
    }
}

#[test]
fn gradients_of_every_model_agree_with_finite_differences() {
    let dataset = pictures(12);
    let positions: Vec<usize> = (0..12).collect();
    let rows = Rows::new(&dataset, dataset.train(), 1);
    let device = Device::flex().autodiff();
    let inputs = rows.inputs(&positions, 0, None, &device).unwrap();
    let objective = |model: &Network| {
        let logits = model.forward(inputs.clone());
        let losses = rows.losses(logits.clone(), &positions);
        let risk = losses.clone().mean();
        let outputs = BatchOutputs {
            logits,
            losses,
            numbers: None,
            labels: &rows.labels,
            groups: &rows.groups,
            group_weights: None,
            row_weights: None,
        };
        risk + Penalty::LOGIT_VARIANCE.of(outputs, Normalise::Grouped)
    };
    for spec in models() {
        let model = spec.init(InputShape::of(&dataset), 2, 3, &device);
        let grads = GradientsParams::from_grads(objective(&model).backward(), &model);
        for seed in 0..10 {
            let rng = || ChaCha8Rng::seed_from_u64(seed);
            let mut slope = Slope { rng: rng(), grads: &grads, slope: 0.0 };
            model.visit(&mut slope);
            let at = |step| {
                let nudged = model.clone().map(&mut Nudge { rng: rng(), step });
                objective(&nudged).into_scalar::<f32>()
            };
            // A short step: a long one crosses the kinks of the leaky ReLU.
            let (slope, difference) = (slope.slope, (at(2e-4) - at(-2e-4)) / 4e-4);
            assert!(
                (slope - difference).abs() < 0.02 * (0.5 + slope.abs()),
                "{spec:?}: {slope}, {difference}"
            );
        }
    }
}

#[test]
fn a_stride_that_would_fill_a_map_beyond_memory_is_refused() {
    let data = Dataset::images(ImageShape { height: 6, width: 5, channels: 1 }, vec![0; 60]);
    let data = data.classes(&["a", "b"]).check().unwrap();
    let fits = |stride| {
        let cnn = CnnSpec { channels: vec![2], stride, ..Default::default() };
        check_fit(&TrainConfig { model: ModelSpec::Cnn(cnn), ..Default::default() }, &data).is_ok()
    };
    // 6 + 5 rows and 5 + 5 columns are filled up to one stride: 4096 x 4096 numbers are just allowed.
    assert_eq!([1, 2, 4096, 4097, 20_000, usize::MAX].map(fits), [true, true, true, false, false, false]);
}

#[test]
fn a_class_for_each_of_very_many_rows_is_refused() {
    let rows = 50_000;
    let labels: Vec<String> = (0..rows).map(|row| row.to_string()).collect();
    let data = Dataset::features(["x"], vec![0.0; rows]).classes(&labels).check().unwrap();
    let error =
        check_fit(&TrainConfig { model: ModelSpec::Linear, ..Default::default() }, &data).unwrap_err();
    assert!(matches!(error, TrainError::TooManyOutputs { rows: 50_000, outputs: 50_000 }), "{error}");
    assert!(error.tip().is_some());
}
