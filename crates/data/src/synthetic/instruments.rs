//! Spectra of samples on several instruments: what is in the sample is core, how an instrument shows it is style.
//!
//! A spectrum is `gain A(w + shift) + offset + curvature (2 w - 1)² + noise` at the wavelengths `w` from 0 to 1, where
//! `A(w) = Σ concentration · band(w)` is the absorbance of the sample. Samples of high concentration were mostly measured on other
//! instruments than those of low concentration. The split `new-instrument` was measured on one that no other row has seen, with
//! settings two to three times as far off as those of the others usually are.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt};
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::plan::{Plan, Row};
use super::{Generator, Sizes};
use crate::{Attribute, DataError, Dataset, Features, Inputs, Labels, random};

/// Wavelengths of a spectrum.
const CHANNELS: usize = 100;
/// Centre and width of the bands: first that of the substance that is asked for, then those of three others.
const BANDS: [(f64, f64); 4] = [(0.40, 0.05), (0.28, 0.09), (0.55, 0.08), (0.80, 0.12)];
/// Instruments that training rows were measured on; the new one comes behind them.
const KNOWN: usize = 4;
const NAMES: [&str; KNOWN + 1] = ["A", "B", "C", "D", "new"];
const NEW_SPLIT: usize = 3;
/// Share of the samples that are measured on the instruments that their concentration is usually measured on.
const BIAS: f64 = 0.8;
/// SD of gain, offset, shift and curvature over the instruments.
const SPREAD: [f64; 4] = [0.08, 0.06, 0.006, 0.06];
const NOISE: f64 = 0.01;
/// Between the classes.
const MIDDLE: f64 = 0.5;
/// From the middle to the nearest and to the farthest concentration of a class.
const DISTANCE: (f64, f64) = (0.04, 0.35);

const SPLITS: [&str; 4] = ["train", "val", "test", "new-instrument"];
const USUAL: Sizes = Sizes { rows: 600, groups: 150, test_rows: 400 };

/// Core: low or high concentration. Style: the instrument.
pub(super) struct Instruments;

/// The same spectra with the concentration itself as the label.
pub(super) struct Concentrations;

impl Generator for Instruments {
    fn name(&self) -> &'static str {
        "instruments"
    }

    fn summary(&self) -> &'static str {
        "spectra of samples on four instruments; the concentration is core, the instrument is style, and a fifth is new"
    }

    fn default_sizes(&self) -> Sizes {
        USUAL
    }

    fn splits(&self) -> &'static [&'static str] {
        &SPLITS
    }

    fn generate(&self, sizes: &Sizes, seed: u64) -> Result<Dataset, DataError> {
        let (plan, spectra) = draw(self.name(), sizes, seed)?;
        let (inputs, instrument) = spectra.into_parts();
        plan.into_dataset(self.name(), ["high", "low"], inputs, vec![instrument])
    }
}

impl Generator for Concentrations {
    fn name(&self) -> &'static str {
        "instruments-regression"
    }

    fn summary(&self) -> &'static str {
        "the same spectra with the concentration as a number to predict"
    }

    fn default_sizes(&self) -> Sizes {
        USUAL
    }

    fn splits(&self) -> &'static [&'static str] {
        &SPLITS
    }

    fn generate(&self, sizes: &Sizes, seed: u64) -> Result<Dataset, DataError> {
        let (plan, spectra) = draw(self.name(), sizes, seed)?;
        let labels = Labels::Numbers(spectra.concentrations.clone());
        let (inputs, instrument) = spectra.into_parts();
        plan.into_labelled(self.name(), labels, inputs, vec![instrument])
    }
}

struct Spectra {
    values: Vec<f32>,
    concentrations: Vec<f32>,
    instruments: Vec<u32>,
}

impl Spectra {
    fn into_parts(self) -> (Inputs, Attribute) {
        let names = (1..=CHANNELS).map(|channel| format!("x{channel}")).collect();
        let levels = NAMES.map(String::from).to_vec();
        let instrument = Attribute { name: "instrument".into(), levels, of_row: self.instruments };
        (Inputs::Features(Features { names, values: self.values }), instrument)
    }
}

fn draw(name: &'static str, sizes: &Sizes, seed: u64) -> Result<(Plan, Spectra), DataError> {
    let plan = Plan::new(name, sizes, &SPLITS)?;
    let instruments: Vec<Instrument> = (0..=KNOWN).map(|number| Instrument::draw(number, seed)).collect();
    let rows: Vec<(Vec<f32>, f32, u32)> = plan
        .rows
        .par_iter()
        .map(|row| {
            let sample = Sample::draw(row, seed);
            let mut rng = row.view_rng(seed);
            let number = instrument_of(row, seed, &mut rng);
            (instruments[number].spectrum(&sample, &mut rng), sample.0[0] as f32, number as u32)
        })
        .collect();
    let mut spectra = Spectra { values: Vec::new(), concentrations: Vec::new(), instruments: Vec::new() };
    for (values, concentration, instrument) in rows {
        spectra.values.extend(values);
        spectra.concentrations.push(concentration);
        spectra.instruments.push(instrument);
    }
    Ok((plan, spectra))
}

/// Concentration of the substance that is asked for, then of the three others.
struct Sample([f64; BANDS.len()]);

impl Sample {
    fn draw(row: &Row, seed: u64) -> Self {
        let mut rng = row.person_rng(seed);
        let sign = if row.class == 0 { 1.0 } else { -1.0 };
        let mut others = || rng.random_range(0.2..1.0);
        let others = [others(), others(), others()];
        let wanted = MIDDLE + sign * rng.random_range(DISTANCE.0..DISTANCE.1);
        Self([wanted, others[0], others[1], others[2]])
    }

    fn absorbance(&self, wavelength: f64) -> f64 {
        let band = |(centre, width): (f64, f64)| (-0.5 * ((wavelength - centre) / width).powi(2)).exp();
        self.0.iter().zip(BANDS).map(|(concentration, at)| concentration * band(at)).sum()
    }
}

/// The second view of a pair is on any other known instrument than the first; in `new-instrument` both views, and in the other
/// splits the first one follows the bias.
fn instrument_of(row: &Row, seed: u64, rng: &mut ChaCha8Rng) -> usize {
    if row.split == NEW_SPLIT {
        return KNOWN;
    }
    if row.view == 0 {
        return biased(row.class, rng);
    }
    let first = Row { view: 0, ..row.clone() };
    let first = biased(row.class, &mut first.view_rng(seed));
    (first + rng.random_range(1..KNOWN)) % KNOWN
}

/// A and B for high concentrations, C and D for low ones, or the other way round.
fn biased(class: u32, rng: &mut impl Rng) -> usize {
    let usual = rng.random_bool(BIAS);
    let pair = if usual { class as usize } else { 1 - class as usize };
    2 * pair + rng.random_range(0..2)
}

/// How an instrument shows a sample.
struct Instrument {
    gain: f64,
    offset: f64,
    shift: f64,
    curvature: f64,
}

impl Instrument {
    fn draw(number: usize, seed: u64) -> Self {
        // No row has a split of this number.
        let mut rng = random::stream([seed, u64::MAX, number as u64, 0]);
        let mut off = |sd: f64| {
            let usual: f64 = rng.sample(StandardNormal);
            let (sign, far) = (rng.random_bool(0.5), rng.random_range(2.0..3.0));
            sd * if number == KNOWN { if sign { far } else { -far } } else { usual }
        };
        let [gain, offset, shift, curvature] = SPREAD.map(&mut off);
        Self { gain: 1.0 + gain, offset, shift, curvature }
    }

    fn spectrum(&self, sample: &Sample, rng: &mut impl Rng) -> Vec<f32> {
        let mut at = |channel: usize| {
            let wavelength = channel as f64 / (CHANNELS - 1) as f64;
            let baseline = self.offset + self.curvature * (2.0 * wavelength - 1.0).powi(2);
            let noise = NOISE * rng.sample::<f64, _>(StandardNormal);
            (self.gain * sample.absorbance(wavelength + self.shift) + baseline + noise) as f32
        };
        (0..CHANNELS).map(&mut at).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes { rows: 400, groups: 100, test_rows: 100 };

    #[test]
    fn pairs_are_one_sample_on_two_known_instruments() {
        let data = Concentrations.generate(&SIZES, 3).unwrap();
        let instruments = &data.attributes()[0].of_row;
        let numbers = data.labels().numbers().unwrap();
        for pair in data.train()[..200].chunks(2) {
            assert_eq!(numbers[pair[0]], numbers[pair[1]]);
            assert_ne!(instruments[pair[0]], instruments[pair[1]]);
        }
        assert!(data.train().iter().all(|row| instruments[*row] < KNOWN as u32));
        assert!(data.split("new-instrument").unwrap().iter().all(|row| instruments[*row] == KNOWN as u32));
    }

    #[test]
    fn the_instrument_predicts_the_class_in_train_and_test() {
        let data = Instruments.generate(&SIZES, 3).unwrap();
        let (classes, instruments) = (data.labels().classes().unwrap(), &data.attributes()[0].of_row);
        for split in ["train", "test"] {
            // Rows without a pair.
            let rows = &data.split(split).unwrap()[if split == "train" { 200 } else { 50 }..];
            let usual = rows.iter().filter(|row| (instruments[**row] >= 2) == (classes[**row] == 1)).count();
            let share = usual as f64 / rows.len() as f64;
            assert!((0.65..0.95).contains(&share), "{split}: {share}");
        }
    }

    #[test]
    fn both_tasks_show_the_same_spectra_and_classes_are_high_and_low_numbers() {
        let classes = Instruments.generate(&SIZES, 7).unwrap();
        let numbers = Concentrations.generate(&SIZES, 7).unwrap();
        assert_eq!(classes.inputs().as_features().unwrap(), numbers.inputs().as_features().unwrap());
        let of_class = classes.labels().classes().unwrap().iter();
        let agrees = |(class, number): (&u32, &f32)| (*class == 0) == (f64::from(*number) > MIDDLE);
        assert!(of_class.zip(numbers.labels().numbers().unwrap()).all(agrees));
    }

    #[test]
    fn a_seed_draws_the_same_and_more_rows_only_add() {
        let first = Instruments.generate(&SIZES, 5).unwrap();
        let more = Instruments.generate(&Sizes { rows: 500, ..SIZES }, 5).unwrap();
        let spectrum = |data: &Dataset, row: usize| {
            data.inputs().as_features().unwrap().values[row * CHANNELS..(row + 1) * CHANNELS].to_vec()
        };
        assert_eq!(spectrum(&first, 0), spectrum(&more, 0));
        assert_eq!(spectrum(&first, 399), spectrum(&more, 399));
        assert_ne!(spectrum(&first, 0), spectrum(&Instruments.generate(&SIZES, 6).unwrap(), 0));
    }

    #[test]
    fn without_noise_an_instrument_of_no_fault_shows_the_absorbance() {
        let sample = Sample([1.0, 0.0, 0.0, 0.0]);
        assert!((sample.absorbance(0.40) - 1.0).abs() < 1e-12);
        assert!((sample.absorbance(0.45) - (-0.5f64).exp()).abs() < 1e-12);
    }
}
