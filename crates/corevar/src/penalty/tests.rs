//! Against a naive implementation in f64, finite differences, and the properties that define a variance.

use std::collections::BTreeMap;

use burn::tensor::{Device, Tensor, TensorData};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::loss::cross_entropy;
use corevar_data::Groups;

const LOGIT_VARIANCE: ConditionalVariance = within_groups(Varying::Logits, Power::Variance);
const LOGIT_SD: ConditionalVariance = within_groups(Varying::Logits, Power::Sd);
const LOSS_VARIANCE: ConditionalVariance = within_groups(Varying::Loss, Power::Variance);
const LOSS_SD: ConditionalVariance = within_groups(Varying::Loss, Power::Sd);
const WITHIN_GROUPS: [ConditionalVariance; 4] = [LOGIT_VARIANCE, LOGIT_SD, LOSS_VARIANCE, LOSS_SD];
const BOTH: [Normalise; 2] = [Normalise::Grouped, Normalise::All];

const fn within_groups(varying: Varying, power: Power) -> ConditionalVariance {
    ConditionalVariance { varying, power, given: Given::LabelAndId }
}

/// Every combination, with a name or without, for the tests of all that read it.
pub(crate) fn combinations() -> impl Iterator<Item = ConditionalVariance> {
    let given = [Given::LabelAndId, Given::Label, Given::Nothing];
    WITHIN_GROUPS
        .into_iter()
        .flat_map(move |variance| given.map(|given| ConditionalVariance { given, ..variance }))
}

/// Random logits, labels and ids; about half of the rows share an id with others.
struct Case {
    logits: Vec<f32>,
    classes: usize,
    labels: Vec<u32>,
    ids: Vec<Option<u32>>,
}

impl Case {
    fn random(seed: u64, rows: usize, classes: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Self {
            logits: (0..rows * classes).map(|_| rng.random_range(-2.0..2.0)).collect(),
            classes,
            labels: (0..rows).map(|_| rng.random_range(0..classes as u32)).collect(),
            ids: (0..rows).map(|_| rng.random_bool(0.6).then(|| rng.random_range(0..4))).collect(),
        }
    }

    fn rows(&self) -> usize {
        self.labels.len()
    }

    fn penalty(&self, penalty: ConditionalVariance, normalise: Normalise) -> f64 {
        let logits = self.tensor(&Device::flex());
        f64::from(self.of(penalty, normalise, logits).into_scalar::<f32>())
    }

    fn gradient(&self, penalty: ConditionalVariance, normalise: Normalise) -> Vec<f32> {
        let logits = self.tensor(&Device::flex().autodiff()).require_grad();
        let grads = self.of(penalty, normalise, logits.clone()).backward();
        logits.grad(&grads).unwrap().into_data().try_to_vec().unwrap()
    }

    fn tensor(&self, device: &Device) -> Tensor<2> {
        Tensor::from_data(TensorData::new(self.logits.clone(), [self.rows(), self.classes]), device)
    }

    fn of(&self, penalty: ConditionalVariance, normalise: Normalise, logits: Tensor<2>) -> Tensor<1> {
        let (losses, groups) = (self.losses(logits.clone()), Groups::new(&self.labels, &self.ids));
        let outputs = BatchOutputs {
            logits,
            losses,
            numbers: None,
            labels: &self.labels,
            groups: &groups,
            group_weights: None,
            row_weights: None,
        };
        penalty.of(outputs, normalise)
    }

    fn losses(&self, logits: Tensor<2>) -> Tensor<1> {
        let labels: Vec<i32> = self.labels.iter().map(|&label| label as i32).collect();
        let targets = Tensor::from_data(labels.as_slice(), &logits.device());
        cross_entropy(logits, targets)
    }

    /// Each pair of rows asked in turn whether they belong together; two passes for each variance.
    fn naive(&self, penalty: ConditionalVariance, normalise: Normalise) -> f64 {
        let logits = |i: usize| &self.logits[i * self.classes..(i + 1) * self.classes];
        let loss = |i: usize| {
            let total: f64 = logits(i).iter().map(|&logit| f64::from(logit).exp()).sum();
            total.ln() - f64::from(logits(i)[self.labels[i] as usize])
        };
        let values = |i: usize| match penalty.varying {
            Varying::Loss => vec![loss(i)],
            Varying::Logits => logits(i).iter().map(|&logit| f64::from(logit)).collect(),
        };
        let together = |i: usize, j: usize| match penalty.given {
            Given::Nothing => true,
            Given::Label => self.labels[i] == self.labels[j],
            Given::LabelAndId => {
                i == j
                    || (self.labels[i] == self.labels[j]
                        && self.ids[i].is_some()
                        && self.ids[i] == self.ids[j])
            }
        };
        let power = if penalty.power == Power::Sd { 0.5 } else { 1.0 };

        let (mut sum, mut larger, mut all) = (0.0, 0, 0);
        for first in 0..self.rows() {
            let members: Vec<usize> = (0..self.rows()).filter(|&i| together(first, i)).collect();
            if members[0] != first {
                continue;
            }
            all += 1;
            if members.len() > 1 {
                larger += 1;
                sum += naive_variance(&members.iter().map(|&i| values(i)).collect::<Vec<_>>()).powf(power);
            }
        }
        match normalise {
            _ if larger == 0 => 0.0,
            Normalise::Grouped | Normalise::Batch => sum / f64::from(larger),
            Normalise::All => sum / f64::from(all),
        }
    }
}

fn naive_variance(rows: &[Vec<f64>]) -> f64 {
    let count = rows.len() as f64;
    (0..rows[0].len())
        .map(|k| {
            let mean = rows.iter().map(|row| row[k]).sum::<f64>() / count;
            rows.iter().map(|row| (row[k] - mean).powi(2)).sum::<f64>() / count
        })
        .sum()
}

fn assert_close(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= 1e-4 * (1.0 + expected.abs()),
        "{what}: {found}, expected {expected}"
    );
}

fn cases() -> impl Iterator<Item = Case> {
    (0..30).map(|seed| Case::random(seed, 1 + (seed as usize * 7) % 40, 2 + seed as usize % 5))
}

#[test]
fn every_combination_agrees_with_the_naive_one() {
    for case in cases() {
        for penalty in combinations() {
            for normalise in BOTH {
                let what = format!("{penalty:?} {normalise:?} of {} rows", case.rows());
                assert_close(case.penalty(penalty, normalise), case.naive(penalty, normalise), &what);
            }
        }
    }
}

#[test]
fn gradients_agree_with_finite_differences() {
    let step = 1e-2;
    for penalty in combinations() {
        let mut case = Case::random(6, 16, 3);
        let gradient = case.gradient(penalty, Normalise::Grouped);
        for (i, &slope) in gradient.iter().enumerate() {
            let mut at = |offset: f32| {
                let old = case.logits[i];
                case.logits[i] = old + offset;
                let value = case.naive(penalty, Normalise::Grouped);
                case.logits[i] = old;
                value
            };
            let difference = (at(step) - at(-step)) / (2.0 * f64::from(step));
            assert!(
                (f64::from(slope) - difference).abs() < 2e-3,
                "{penalty:?}, logit {i}: {slope}, {difference}"
            );
        }
    }
}

#[test]
fn a_constant_added_to_a_group_changes_nothing() {
    let mut case = Case::random(5, 20, 3);
    let before = case.penalty(LOGIT_VARIANCE, Normalise::Grouped);
    for i in 0..case.rows() {
        for k in 0..case.classes {
            case.logits[i * case.classes + k] += case.labels[i] as f32 * 10.0 + k as f32;
        }
    }
    assert_close(case.penalty(LOGIT_VARIANCE, Normalise::Grouped), before, "shifted");
}

#[test]
fn scaling_by_a_multiplies_the_variance_by_a_squared_and_the_sd_by_a() {
    let mut case = Case::random(6, 20, 3);
    let [variance, sd] = [LOGIT_VARIANCE, LOGIT_SD].map(|penalty| case.penalty(penalty, Normalise::All));
    case.logits.iter_mut().for_each(|logit| *logit *= 3.0);
    assert_close(case.penalty(LOGIT_VARIANCE, Normalise::All), 9.0 * variance, "variance");
    assert_close(case.penalty(LOGIT_SD, Normalise::All), 3.0 * sd, "sd");
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let case = Case::random(7, 25, 2);
    let reversed = Case {
        logits: case.logits.chunks(2).rev().flatten().copied().collect(),
        classes: 2,
        labels: case.labels.iter().rev().copied().collect(),
        ids: case.ids.iter().rev().copied().collect(),
    };
    for penalty in WITHIN_GROUPS {
        let [a, b] = [&case, &reversed].map(|case| case.penalty(penalty, Normalise::Grouped));
        assert_close(a, b, &format!("{penalty:?}"));
    }
}

#[test]
fn without_a_group_every_conditional_penalty_and_its_gradient_are_zero() {
    let case = Case { ids: vec![None; 10], ..Case::random(8, 10, 2) };
    for penalty in WITHIN_GROUPS {
        for normalise in BOTH {
            assert_eq!(case.penalty(penalty, normalise), 0.0);
        }
    }
}

#[test]
fn a_group_that_does_not_vary_has_a_finite_gradient_under_the_square_root() {
    let case = Case { logits: vec![1.5; 8], classes: 2, labels: vec![0; 4], ids: vec![Some(1); 4] };
    for penalty in [LOGIT_SD, LOSS_SD] {
        assert_eq!(case.penalty(penalty, Normalise::Grouped), 0.0);
        assert!(case.gradient(penalty, Normalise::Grouped).iter().all(|&slope| slope == 0.0));
    }
}

#[test]
fn groups_cut_across_two_batches_give_the_same_sums() {
    // Two pairs in one batch, or a pair in each of two: the mean over the batches is the same.
    let whole = Case {
        logits: vec![1.0, 0.0, 3.0, 0.0, 0.0, 5.0, 0.0, 9.0],
        classes: 2,
        labels: vec![0, 0, 1, 1],
        ids: vec![Some(1), Some(1), Some(2), Some(2)],
    };
    let half = |range: std::ops::Range<usize>| Case {
        logits: whole.logits[range.start * 2..range.end * 2].to_vec(),
        classes: 2,
        labels: whole.labels[range.clone()].to_vec(),
        ids: whole.ids[range].to_vec(),
    };
    let of = |case: &Case| case.penalty(LOGIT_VARIANCE, Normalise::Grouped);
    assert_close(of(&whole), 2.5, "variances 1 and 4");
    assert_close((of(&half(0..2)) + of(&half(2..4))) / 2.0, of(&whole), "halves");
}

#[test]
fn names_are_read_back() {
    for penalty in Penalty::ALL {
        assert_eq!(penalty.name().parse(), Ok(penalty));
        assert_eq!(serde_json::to_value(penalty).unwrap(), penalty.name());
    }
}

/// In flags, in JSON and in TOML.
#[test]
fn a_wrong_name_is_refused_with_the_list_of_names() {
    let names = "logit-variance, logit-sd, loss-variance, loss-sd, label-variance, total-variance, none";
    let flag = "variance".parse::<Penalty>().unwrap_err();
    assert_eq!(flag, format!("no penalty `variance`; there are {names}"));
    let names = format!("`{}`", names.replace(", ", "`, `"));
    let json = serde_json::from_str::<Penalty>("\"variance\"").unwrap_err().to_string();
    assert_eq!(json, format!("unknown variant `variance`, expected one of {names} at line 1 column 10"));
    let toml = toml::from_str::<BTreeMap<String, Penalty>>("penalty = \"variance\"").unwrap_err();
    assert_eq!(toml.message(), format!("unknown variant `variance`, expected one of {names}"));
    assert_eq!(toml.span(), Some(10..20));
}

#[test]
fn names_and_functions_are_those_of_the_same_formula() {
    let case = Case::random(9, 30, 3);
    let groups = Groups::new(&case.labels, &case.ids);
    let logits = case.tensor(&Device::flex());
    let losses = case.losses(logits.clone());
    for normalise in BOTH {
        let by_function = [
            logit_variance(logits.clone(), &groups, normalise),
            logit_sd(logits.clone(), &groups, normalise),
            loss_variance(losses.clone(), &groups, normalise),
            loss_sd(losses.clone(), &groups, normalise),
            label_variance(logits.clone(), &case.labels, normalise),
            total_variance(logits.clone()),
        ];
        for (penalty, by_function) in Penalty::ALL.into_iter().zip(by_function) {
            let found = case.penalty(penalty.variance().unwrap(), normalise);
            assert_eq!(found, f64::from(by_function.into_scalar::<f32>()), "{penalty}");
        }
    }
}

#[test]
fn the_penalties_within_groups_are_those_of_core() {
    for penalty in Penalty::ALL {
        assert_eq!(penalty.needs_groups(), penalty.estimator_name() == "core", "{penalty}");
    }
}

/// Logits 1 and 3 of one group, of weights 1 and 3: mean 2.5, variance (1 · 2.25 + 3 · 0.25) / 4. The other group has a third weight
/// only: one row does not vary.
#[test]
fn rows_count_by_their_weights_inside_a_group() {
    let device = Device::flex();
    let logits = Tensor::<2>::from_floats([[1., 0.], [3., 0.], [9., 0.]], &device);
    let groups = Groups::new(&[0, 0, 0], &[Some(7), Some(7), None]);
    let of = |row_weights: Option<&[f32]>| {
        let outputs = BatchOutputs {
            losses: logits.clone().sum_dim(1).squeeze_dim(1),
            logits: logits.clone(),
            numbers: None,
            labels: &[0, 0, 0],
            groups: &groups,
            group_weights: None,
            row_weights,
        };
        Penalty::LOGIT_VARIANCE.of(outputs, Normalise::Grouped).into_scalar::<f32>()
    };
    assert_eq!((of(None), of(Some(&[1., 3., 5.]))), (1.0, 0.75));
    assert_eq!(of(Some(&[2., 2., 9.])), 1.0);
}
