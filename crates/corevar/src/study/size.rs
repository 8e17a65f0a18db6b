//! How long the records of a study can become, before anything is trained: what is written must be read again, and no study
//! trains for hours to find out at its end.
//!
//! The sizes are upper bounds: every number is taken to have all its digits, every name the length that JSON gives it. The test
//! below holds them against what is written.

use corevar_data::bounded::{LARGEST_METRICS, LARGEST_RECORD};
use corevar_data::{Dataset, Labels};

use super::error::StudyError;
use super::estimator::Estimator;
use super::layout;
use crate::evaluate::MOST_LEVELS;

/// Numbers of a run on a split, and their names; their means; of a class there; of an epoch, alone and with its setting.
const SPLIT: usize = 2_000;
const MEANS: usize = 800;
const CLASS: usize = 400;
const EPOCH: usize = 160;
const EPOCH_LINE: usize = 320;
/// Intervals, reliability and curves of a model on a split; the guarded error of a class there; a level of an attribute.
const SPLIT_EVIDENCE: usize = 7_000;
const CLASS_EVIDENCE: usize = 220;
const LEVEL: usize = 160;
/// A confusion matrix of at most 40 classes, or as many pairs of more.
const CONFUSED: usize = 40;
const COUNT: usize = 12;
/// Features of a linear model that are shown, with a weight for each class; a map of the plane of two features.
const FEATURES: usize = 60;
const WEIGHT: usize = 26;
const MAP: usize = 96 * 72 * 16;
/// A line of `inspect`, which has a few for the data and for each attribute and split.
const LINE: usize = 400;
/// Pictures, points and whatever there is once.
const ONCE: usize = 4 << 20;

/// Upper bounds of the lengths of the records, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sizes {
    results: usize,
    evidence: usize,
    record: usize,
    metrics: usize,
}

/// Refuses a study whose records could not be read again.
pub(super) fn check(dataset: &Dataset, estimators: &[Estimator], runs: usize) -> Result<(), StudyError> {
    let sizes = Sizes::of(dataset, estimators, runs);
    let files = [
        (layout::RESULTS, sizes.results, LARGEST_RECORD),
        (layout::EVIDENCE, sizes.evidence, LARGEST_RECORD),
        (layout::RUNS, sizes.record, LARGEST_RECORD),
        (layout::METRICS, sizes.metrics, LARGEST_METRICS),
    ];
    match files.into_iter().find(|(_, bytes, most)| *bytes as u64 > *most) {
        None => Ok(()),
        Some((file, bytes, most)) => Err(StudyError::RecordsTooLarge {
            file,
            megabytes: bytes >> 20,
            most: most >> 20,
            settings: estimators.len(),
            runs,
            splits: dataset.splits().len(),
            classes: class_names(dataset).len(),
            epochs: estimators.iter().map(|one| one.config.epochs).max().unwrap_or(0),
        }),
    }
}

impl Sizes {
    fn of(dataset: &Dataset, estimators: &[Estimator], runs: usize) -> Self {
        let classes = Names::of(class_names(dataset));
        let splits = Names::of(dataset.splits().iter().map(|split| &*split.name));
        let of_splits = |each: usize| sum([splits.bytes, product(&[splits.count, each])]);
        let of_classes = |each: usize| sum([classes.bytes, product(&[classes.count, each])]);
        let (settings, epochs) =
            (estimators.len(), estimators.iter().map(|one| one.config.epochs).max().unwrap_or(0));
        let of_run = of_splits(sum([SPLIT, of_classes(CLASS)]));
        // The means and their standard errors.
        let of_means = product(&[2, of_splits(MEANS)]);
        let once = sum([ONCE, of_classes(0), of_splits(LINE)]);
        let evidence =
            sum([SPLIT_EVIDENCE, confusion(&classes), of_classes(CLASS_EVIDENCE), attributes(dataset)]);
        let features = product(&[FEATURES, sum([feature(dataset), product(&[classes.count, WEIGHT]), 200])]);
        Self {
            results: sum([once, product(&[settings, sum([product(&[runs, of_run]), of_means, SPLIT])])]),
            evidence: sum([
                once,
                attributes(dataset),
                product(&[settings, sum([of_splits(evidence), features, MAP])]),
            ]),
            record: sum([of_run, product(&[epochs, EPOCH]), SPLIT]),
            metrics: product(&[settings, runs, epochs, EPOCH_LINE]),
        }
    }
}

/// Names as JSON writes them.
struct Names {
    count: usize,
    bytes: usize,
    longest: usize,
}

impl Names {
    fn of<'a>(names: impl IntoIterator<Item = impl AsRef<str> + 'a>) -> Self {
        let start = Self { count: 0, bytes: 0, longest: 0 };
        names.into_iter().fold(start, |names, name| {
            let length = written(name.as_ref());
            Self {
                count: names.count + 1,
                bytes: sum([names.bytes, length]),
                longest: names.longest.max(length),
            }
        })
    }
}

/// Length of a name in JSON.
fn written(name: &str) -> usize {
    serde_json::to_string(name).map_or(usize::MAX, |text| text.len())
}

fn confusion(classes: &Names) -> usize {
    match classes.count {
        count @ 0..=CONFUSED => count * count * COUNT,
        _ => product(&[CONFUSED, sum([product(&[2, classes.longest]), 100])]),
    }
}

fn class_names(dataset: &Dataset) -> &[String] {
    match dataset.labels() {
        Labels::Classes { names, .. } => names,
        _ => &[],
    }
}

/// Errors by the levels of attributes, of one model on one split.
fn attributes(dataset: &Dataset) -> usize {
    let usable = dataset.attributes().iter().filter(|attribute| attribute.levels.len() <= MOST_LEVELS);
    usable.fold(0, |bytes, attribute| {
        let levels = Names::of(&attribute.levels);
        sum([bytes, written(&attribute.name), LINE, levels.bytes, product(&[levels.count, LEVEL])])
    })
}

/// The longest name of a feature.
fn feature(dataset: &Dataset) -> usize {
    dataset.inputs().as_features().map_or(0, |features| Names::of(&features.names).longest)
}

/// Of numbers that may be anything: what is too much stays too much.
fn sum<const N: usize>(terms: [usize; N]) -> usize {
    terms.into_iter().fold(0, usize::saturating_add)
}

fn product(factors: &[usize]) -> usize {
    factors.iter().copied().fold(1, usize::saturating_mul)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::time::Duration;

    use corevar_data::{Split, bounded};
    use rand::rngs::ChaCha8Rng;
    use rand::seq::IndexedRandom;
    use rand::{RngExt, SeedableRng};

    use super::super::folder::RunRecord;
    use super::super::{KeepIn, Start, Study};
    use super::*;
    use crate::evidence::Evidence;
    use crate::model::ModelSpec;
    use crate::results::Results;
    use crate::train::TrainConfig;

    /// Names that JSON writes with up to six letters for one.
    fn name(rng: &mut ChaCha8Rng, number: usize) -> String {
        let letters = ['a', '"', '\\', '\u{1}', '\n', 'é', '\u{202e}', '𝄞'];
        let longest = *[3, 30, 400].choose(rng).unwrap();
        let length = rng.random_range(0..longest);
        (0..length).map(|_| *letters.choose(rng).unwrap()).chain(number.to_string().chars()).collect()
    }

    /// Rows of random classes, ids, attributes and splits; every class is in every split.
    fn data(rng: &mut ChaCha8Rng) -> Dataset {
        let classes = *[2, 5, 39, 45].choose(rng).unwrap();
        let splits = rng.random_range(2..9usize);
        let rows = 4 * classes * splits;
        let class_names: Vec<String> = (0..classes).map(|class| name(rng, class)).collect();
        let labels: Vec<&str> = (0..rows).map(|row| class_names[row % classes].as_str()).collect();
        let names = ["train".into()].into_iter().chain((1..splits).map(|split| name(rng, split)));
        let names: Vec<String> = names.collect();
        let features = rng.random_range(1..5usize);
        let values = (0..rows * features).map(|_| rng.random_range(-1.0..1.0f32)).collect();
        let feature_names: Vec<String> = (0..features).map(|feature| name(rng, feature)).collect();
        let mut data = Dataset::features(feature_names, values)
            .classes(&labels)
            .ids((0..rows).map(|row| Some(row / (2 * classes) * classes + row % classes)))
            .split_rows(
                names
                    .iter()
                    .enumerate()
                    .map(|(split, name)| {
                        let first = split * 4 * classes;
                        Split::new(name.as_str(), first..first + 4 * classes)
                    })
                    .collect(),
            );
        for attribute in 0..rng.random_range(0..6) {
            let levels: Vec<String> = (0..rng.random_range(1..25)).map(|level| name(rng, level)).collect();
            let of_row: Vec<&str> = (0..rows).map(|row| levels[row % levels.len()].as_str()).collect();
            data = data.attribute(&name(rng, 100 + attribute), &of_row);
        }
        data.check().unwrap()
    }

    fn keep_in(folder: &Path) -> KeepIn {
        let (folder, start, config) = (folder.into(), Start::New, String::new());
        KeepIn { folder, start, config, checkpoint_every: Duration::MAX }
    }

    fn length(path: &Path) -> usize {
        fs::metadata(path).unwrap().len() as usize
    }

    #[test]
    fn what_a_study_writes_is_no_longer_than_was_said_and_is_read_again() {
        for seed in 0..12 {
            let rng = &mut ChaCha8Rng::seed_from_u64(seed);
            let dataset = data(rng);
            let model = if seed % 3 == 0 { ModelSpec::Mlp { hidden: vec![2] } } else { ModelSpec::Linear };
            let config = TrainConfig { model, epochs: 3, batch_size: 500, ..Default::default() };
            let parent = tempfile::tempdir().unwrap();
            let folder = parent.path().join("run");
            let keep = keep_in(&folder);
            let runs = if seed % 3 == 0 { 2 } else { 1 };
            let outcome = Study::new(&dataset).config(config.clone()).runs(runs).keep_in(keep).run().unwrap();
            let estimators = Estimator::side_by_side(&config.check().unwrap(), false).unwrap();
            let sizes = Sizes::of(&dataset, &estimators, runs);
            let record = fs::read_dir(folder.join(layout::RUNS)).unwrap().next().unwrap().unwrap().path();
            let written = Sizes {
                results: length(&folder.join(layout::RESULTS)),
                evidence: length(&folder.join(layout::EVIDENCE)),
                record: length(&record),
                metrics: length(&folder.join(layout::METRICS)),
            };
            let fits =
                |said: usize, written: usize| assert!(written <= said, "seed {seed}: {sizes:?} {written}");
            // Without what is there once, which hides the rest in data as small as these.
            fits(sizes.results - ONCE, written.results);
            fits(sizes.evidence - ONCE, written.evidence);
            fits(sizes.record, written.record);
            fits(sizes.metrics, written.metrics);
            let read = |name: &str| bounded::read(&folder.join(name), LARGEST_RECORD).unwrap();
            assert_eq!(serde_json::from_slice::<Results>(&read(layout::RESULTS)).unwrap(), outcome.results);
            assert_eq!(
                serde_json::from_slice::<Evidence>(&read(layout::EVIDENCE)).unwrap(),
                outcome.evidence
            );
            serde_json::from_slice::<RunRecord>(&fs::read(record).unwrap()).unwrap();
        }
    }

    #[test]
    fn twenty_thousand_splits_are_refused_before_anything_is_trained() {
        let rows = 40_000;
        let labels: Vec<&str> = (0..rows).map(|row| ["a", "b"][row % 2]).collect();
        let splits = (0..20_000).map(|split| match split {
            0 => Split::new("train", 0..2),
            split => Split::new(format!("s{split}").as_str(), 2 * split..2 * split + 2),
        });
        let dataset = Dataset::features(["x"], (0..rows).map(|row| row as f32).collect())
            .classes(&labels)
            .split_rows(splits.collect())
            .check()
            .unwrap();
        let parent = tempfile::tempdir().unwrap();
        let keep = keep_in(&parent.path().join("run"));
        let study = Study::new(&dataset).with(|config| config.penalty = crate::Penalty::NONE).one();
        let error = study.keep_in(keep).run().unwrap_err();
        let StudyError::RecordsTooLarge { splits, most, .. } = error else { panic!("{error}") };
        assert_eq!((splits, most), (20_000, 64));
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
