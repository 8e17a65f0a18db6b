//! What a rule looks at: a number for each validation row and setting.

use corevar_data::Dataset;

use crate::outputs::{Outputs, log_sum_exp};
use crate::rows::Rows;
use crate::rule::{Rule, SelectError, Units};
use crate::style::{Sds, StyleSpread, StyleSwap};

/// Without folds of their own, validation ids are cut into so many.
const FOLDS: usize = 5;

/// What one training run of a setting says of the validation rows, fold by fold.
pub(super) struct Answers<'a> {
    pub parts: Vec<(&'a Rows<'a>, &'a Outputs)>,
    /// How far a swap of styles moves its outputs; None where the rule does not ask.
    pub swap: Option<StyleSwap>,
}

impl<'a> Answers<'a> {
    /// What each row adds to the criterion of the rule, in the order of the folds.
    pub fn terms(&self, rule: Rule) -> Result<Vec<f64>, SelectError> {
        let terms = match rule {
            Rule::GuardedError { guard } => self.guarded(guard)?,
            Rule::Tolerance { .. } | Rule::StandardError => self.losses(),
        };
        let is_finite = terms.iter().all(|term| term.is_finite());
        is_finite.then_some(terms).ok_or_else(|| SelectError::NotFinite("val".into()))
    }

    /// Every validation row: its fold's rows, its position in them, and its outputs.
    fn rows(&self) -> impl Iterator<Item = (&'a Rows<'a>, usize, &'a [f64])> {
        self.parts.iter().flat_map(|&(rows, outputs)| {
            outputs.rows().enumerate().map(move |(position, row)| (rows, position, row))
        })
    }

    /// None without groups.
    fn shift(&self, guard: Option<f64>) -> Option<Shift<'_>> {
        let spread = StyleSpread::of(self.parts.iter().copied())?;
        Some(Shift { sds: spread.sds(), residual: spread.of_residual(), guard, swap: self.swap.as_ref() })
    }

    /// Half of them wrong as they are, half of them wrong when style has moved, each class counting alike. Of a regression the mean of
    /// the two squared errors.
    fn guarded(&self, guard: Option<f64>) -> Result<Vec<f64>, SelectError> {
        let shift = self.shift(guard).ok_or(SelectError::NoGroups)?;
        let weights = class_weights(self.rows().map(|(rows, position, _)| rows.labels[position]));
        let term = |(rows, position, outputs): (&Rows<'_>, usize, &[f64])| match rows.number(position) {
            Some(number) => {
                let residual = (outputs[0] - f64::from(number)).abs();
                0.5 * (residual.powi(2) + (residual + shift.of_prediction()).powi(2))
            }
            None => {
                let label = rows.labels[position] as usize;
                let [plain, guarded] = shift.is_wrong(outputs, label).map(|wrong| f64::from(u8::from(wrong)));
                weights[label] * 0.5 * (plain + guarded)
            }
        };
        Ok(self.rows().map(term).collect())
    }

    /// Cross-entropy after one temperature; of a regression the squared error.
    fn losses(&self) -> Vec<f64> {
        let scale = self.temperature();
        let of = |(rows, outputs): &(&Rows<'_>, &Outputs)| -> Vec<f64> {
            outputs.rows().enumerate().map(|(position, row)| loss(rows, position, row, scale)).collect()
        };
        self.parts.iter().flat_map(of).collect()
    }

    /// What all logits are multiplied by, so that their loss is the lowest.
    fn temperature(&self) -> f64 {
        let mean = |scale: f64| {
            let of = |(rows, outputs): &(&Rows<'_>, &Outputs)| {
                outputs
                    .rows()
                    .enumerate()
                    .map(|(position, row)| loss(rows, position, row, scale))
                    .sum::<f64>()
            };
            self.parts.iter().map(of).sum::<f64>()
        };
        lowest_between(-10.0, 10.0, |logarithm| mean(logarithm.exp())).exp()
    }

    /// What the style shift that the rule guards against would leave: the guarded error alone.
    pub fn after_shift(&self, guard: Option<f64>) -> Option<AfterShift> {
        let shift = self.shift(guard)?;
        let count = self.rows().count() as f64;
        let number = |rows: &Rows<'_>, position| rows.number(position).map(f64::from);
        let numbers: Vec<f64> =
            self.rows().filter_map(|(rows, position, _)| number(rows, position)).collect();
        if numbers.is_empty() {
            let weights = class_weights(self.rows().map(|(rows, position, _)| rows.labels[position]));
            let wrong = self.rows().map(|(rows, position, outputs)| {
                let label = rows.labels[position] as usize;
                weights[label] * f64::from(u8::from(shift.is_wrong(outputs, label)[1]))
            });
            return Some(AfterShift::Share(wrong.sum::<f64>() / count));
        }
        let mean = numbers.iter().sum::<f64>() / count;
        let squares = self.rows().zip(&numbers).map(|((.., outputs), number)| {
            [(outputs[0] - number).abs() + shift.of_prediction(), number - mean].map(|value| value.powi(2))
        });
        let [error, constant] =
            squares.fold([0.0; 2], |sums, squares| [sums[0] + squares[0], sums[1] + squares[1]]);
        Some(AfterShift::Rms { error: (error / count).sqrt(), constant: (constant / count).sqrt() })
    }

    /// The swap of two classes' styles, in SDs inside groups of their difference of logits.
    pub fn swap_in_sds(&self) -> Option<Vec<(usize, usize, f64)>> {
        let swap = self.swap.as_ref()?;
        let spread = StyleSpread::of(self.parts.iter().copied())?;
        let outputs = spread.outputs();
        if outputs == 1 {
            return Some(vec![(0, 0, swap.between(0, 0) / spread.of_residual())]);
        }
        let sds = spread.sds();
        let pairs = (0..outputs).flat_map(|a| (a + 1..outputs).map(move |b| (a, b)));
        Some(pairs.map(|(a, b)| (a, b, swap.between(a, b) / sds.of(a, b))).collect())
    }
}

/// The error that a style shift could leave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AfterShift {
    /// Share of wrong answers, each class counting alike.
    Share(f64),
    /// Rms error of a regression, and that of the mean label.
    Rms { error: f64, constant: f64 },
}

/// How far style may move each difference of logits.
struct Shift<'a> {
    sds: Sds,
    /// SD of a regression's residual.
    residual: f64,
    /// In SDs; None takes the swap.
    guard: Option<f64>,
    swap: Option<&'a StyleSwap>,
}

impl Shift<'_> {
    /// A swap, but never less than one SD: what is seen inside groups must always be withstood.
    fn of(&self, a: usize, b: usize, sd: f64) -> f64 {
        match self.guard {
            Some(guard) => guard * sd,
            None => self.swap.map_or(0.0, |swap| swap.between(a, b)).max(sd),
        }
    }

    fn of_prediction(&self) -> f64 {
        self.of(0, 0, self.residual)
    }

    /// Whether the answer is wrong as it is, and whether it is when style has moved. A tie is wrong.
    fn is_wrong(&self, logits: &[f64], label: usize) -> [bool; 2] {
        let mut wrong = [false; 2];
        for other in (0..logits.len()).filter(|&other| other != label) {
            let margin = logits[label] - logits[other];
            let is_within = |shift: f64| margin.is_nan() || margin <= shift;
            wrong[0] |= is_within(0.0);
            wrong[1] |= is_within(self.of(label, other, self.sds.of(label, other)));
        }
        wrong
    }
}

/// What a row of each class counts, so that every class counts alike and the weights of all rows have mean 1.
fn class_weights(labels: impl Iterator<Item = u32>) -> Vec<f64> {
    let mut counts: Vec<f64> = Vec::new();
    for label in labels {
        counts.resize(counts.len().max(label as usize + 1), 0.0);
        counts[label as usize] += 1.0;
    }
    let rows: f64 = counts.iter().sum();
    let present = counts.iter().filter(|count| **count > 0.0).count() as f64;
    counts.iter().map(|count| if *count > 0.0 { rows / present / count } else { 0.0 }).collect()
}

fn loss(rows: &Rows, position: usize, outputs: &[f64], scale: f64) -> f64 {
    match rows.number(position) {
        Some(number) => (outputs[0] - f64::from(number)).powi(2),
        None => {
            let logits: Vec<f64> = outputs.iter().map(|logit| scale * logit).collect();
            log_sum_exp(&logits) - logits[rows.labels[position] as usize]
        }
    }
}

/// Where a function with one minimum is lowest, by the golden section.
fn lowest_between(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    const STEPS: usize = 40;
    let golden = 0.5 * (5f64.sqrt() - 1.0);
    let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
    let (mut of_left, mut of_right) = (of(left), of(right));
    for _ in 0..STEPS {
        if of_left <= of_right {
            (high, right, of_right) = (right, left, of_left);
            left = high - golden * (high - low);
            of_left = of(left);
        } else {
            (low, left, of_left) = (left, right, of_right);
            right = low + golden * (high - low);
            of_right = of(right);
        }
    }
    0.5 * (low + high)
}

/// The ids and folds of the validation rows of all folds. A row without an id is a unit of its own.
pub(super) fn units(dataset: &Dataset, folds: &[&[usize]]) -> Units {
    let mut units = Units::default();
    let mut number_of = std::collections::HashMap::new();
    for (fold, rows) in folds.iter().enumerate() {
        for &row in *rows {
            let key = dataset.ids()[row].map_or((None, Some(row)), |id| (Some(id), None));
            let next = number_of.len();
            let unit = *number_of.entry(key).or_insert(next);
            units.ids.push(unit);
            units.folds.push(if folds.len() > 1 { fold } else { unit % FOLDS });
        }
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pairs of class a and b; differences of logits 2, 4 and -1, -3: the SD inside groups is sqrt(2).
    fn pairs() -> Dataset {
        let labels = ["a", "a", "b", "b"];
        Dataset::features(["x"], vec![0.0; 4]).classes(&labels).ids([1, 1, 2, 2].map(Some)).check().unwrap()
    }

    fn answers(differences: [f64; 4]) -> Outputs {
        Outputs { values: differences.iter().flat_map(|d| [0.5 * d, -0.5 * d]).collect(), columns: 2 }
    }

    #[test]
    fn an_answer_is_guarded_if_its_margin_exceeds_the_shift() {
        let (data, outputs) = (pairs(), answers([2.0, 4.0, -1.0, -3.0]));
        let rows = Rows::new(&data, data.train(), 1);
        let answers = Answers { parts: vec![(&rows, &outputs)], swap: None };
        // A shift of one SD, 1.41, turns the third answer only.
        assert_eq!(answers.terms(Rule::default()).unwrap(), [0.0, 0.0, 0.5, 0.0]);
        assert_eq!(answers.after_shift(None), Some(AfterShift::Share(0.25)));
        // Two SDs, 2.83, turn the first as well.
        let two = Rule::GuardedError { guard: Some(2.0) };
        assert_eq!(answers.terms(two).unwrap(), [0.5, 0.0, 0.5, 0.0]);
        assert_eq!(answers.terms(Rule::GuardedError { guard: Some(0.0) }).unwrap(), [0.0; 4]);
    }

    /// Residuals -1, 1 and 2, 0 in two pairs of labels 3 and 7: the SD inside groups is sqrt(2).
    #[test]
    fn a_regression_is_judged_by_its_squared_errors() {
        let data = Dataset::features(["x"], vec![0.0; 4]).numbers(vec![3.0, 3.0, 7.0, 7.0]);
        let data = data.ids([1, 1, 2, 2].map(Some)).check().unwrap();
        let outputs = Outputs { values: vec![2.0, 4.0, 9.0, 7.0], columns: 1 };
        let rows = Rows::new(&data, data.train(), 10);
        let answers = Answers { parts: vec![(&rows, &outputs)], swap: None };
        let sd = 2f64.sqrt();
        let expected =
            [1.0, 1.0, 2.0, 0.0].map(|residual: f64| 0.5 * (residual.powi(2) + (residual + sd).powi(2)));
        let terms = answers.terms(Rule::default()).unwrap();
        assert!(
            terms.iter().zip(expected).all(|(term, expected)| (term - expected).abs() < 1e-12),
            "{terms:?}"
        );
        let Some(AfterShift::Rms { error, constant }) = answers.after_shift(None) else {
            panic!("a regression")
        };
        // The squares (1 + sd)² twice, (2 + sd)² and sd²; the labels are 2 from their mean.
        let squares = 2.0 * (1.0 + sd).powi(2) + (2.0 + sd).powi(2) + 2.0;
        assert!((error - (squares / 4.0).sqrt()).abs() < 1e-12 && constant == 2.0, "{error} {constant}");
    }

    #[test]
    fn scaling_all_logits_changes_nothing() {
        let data = pairs();
        let rows = Rows::new(&data, data.train(), 1);
        for rule in [Rule::default(), Rule::StandardError] {
            let terms = |factor: f64| {
                let outputs = answers([2.0, 4.0, 1.0, -3.0].map(|d| factor * d));
                Answers { parts: vec![(&rows, &outputs)], swap: None }.terms(rule).unwrap()
            };
            let (small, large) = (terms(0.01), terms(1.0));
            assert!(small.iter().zip(large).all(|(a, b)| (a - b).abs() < 1e-4), "{rule:?}: {small:?}");
        }
    }

    #[test]
    fn every_class_counts_alike() {
        // Three rows of class 0 and one of class 2.
        assert_eq!(class_weights([0, 0, 0, 2].into_iter()), [4.0 / 6.0, 0.0, 2.0]);
    }

    #[test]
    fn answers_that_are_no_numbers_choose_nothing() {
        let (data, outputs) = (pairs(), answers([f64::NAN; 4]));
        let rows = Rows::new(&data, data.train(), 1);
        let answers = Answers { parts: vec![(&rows, &outputs)], swap: None };
        assert!(answers.terms(Rule::default()).is_err());
        assert_eq!(answers.terms(Rule::StandardError), Err(SelectError::NotFinite("val".into())));
    }

    #[test]
    fn rows_of_one_id_are_one_unit_in_every_fold() {
        let data = pairs();
        let units = units(&data, &[&[0, 1], &[2, 3]]);
        assert_eq!((units.ids, units.folds), (vec![0, 0, 1, 1], vec![0, 0, 1, 1]));
    }

    #[test]
    fn the_golden_section_finds_the_lowest_point() {
        assert!((lowest_between(-10.0, 10.0, |x| (x - 1.5).powi(2)) - 1.5).abs() < 1e-6);
    }
}
