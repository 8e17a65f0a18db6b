//! The state of a training run on disk, in two files that take turns: one of them is whole at any moment.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use corevar_data::bounded;
use serde::{Deserialize, Serialize};

use super::observer::Observer;
use crate::files::write_within;
use crate::model::LARGEST_FILE;
use crate::train::{AfterStep, CheckpointStore, Snapshot, SnapshotError, TrainConfig};

/// Keeps the state of one run.
pub(crate) struct Checkpoint<'a> {
    files: [PathBuf; 2],
    owner: Owner,
    every: Duration,
    observer: &'a dyn Observer,
    start: Instant,
    last: Instant,
    /// Of the state that the run went on from.
    seconds_before: f64,
}

/// Whose state a file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Owner {
    /// Fingerprint of the data.
    data: String,
    config: TrainConfig,
    /// Counts the states that were kept: the larger is the later.
    turn: u64,
    /// Training time up to this state, that of earlier commands included; 0 in states of earlier versions.
    #[serde(default)]
    seconds: f64,
}

impl<'a> Checkpoint<'a> {
    /// Of the run `key` in `folder`, kept at most so often, and when the observer stops it.
    pub fn new(
        folder: &Path,
        key: &str,
        data: &str,
        config: &TrainConfig,
        every: Duration,
        observer: &'a dyn Observer,
    ) -> Self {
        let now = Instant::now();
        Self {
            files: ["a", "b"].map(|turn| folder.join(format!("{key}.{turn}.state"))),
            owner: Owner { data: data.into(), config: config.clone(), turn: 0, seconds: 0.0 },
            every,
            observer,
            start: now,
            last: now,
            seconds_before: 0.0,
        }
    }

    /// Removes the files: the run is finished and kept otherwise.
    pub fn remove(&self) {
        for file in &self.files {
            // A file that stays is only in the way of nobody: the record of the run goes before it.
            let _ = fs::remove_file(file);
        }
    }

    /// The later of the states that are whole and of this very run.
    fn latest(&self) -> Option<(Snapshot, Owner)> {
        let read = |file: &PathBuf| {
            let (snapshot, owner) =
                Snapshot::from_bytes::<Owner>(&bounded::read(file, LARGEST_FILE).ok()?).ok()?;
            let same = owner.data == self.owner.data && owner.config == self.owner.config;
            same.then_some((snapshot, owner))
        };
        self.files.iter().filter_map(read).max_by_key(|(_, owner)| owner.turn)
    }
}

impl CheckpointStore for Checkpoint<'_> {
    fn earlier(&mut self) -> Option<Snapshot> {
        let (snapshot, owner) = self.latest()?;
        self.seconds_before = owner.seconds;
        self.owner = owner;
        Some(snapshot)
    }

    fn after_step(&mut self) -> AfterStep {
        if self.observer.is_interrupted() {
            AfterStep::Stop
        } else if self.last.elapsed() >= self.every {
            AfterStep::Keep
        } else {
            AfterStep::GoOn
        }
    }

    fn keep(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        self.owner.turn += 1;
        self.owner.seconds = self.seconds_before + self.start.elapsed().as_secs_f64();
        let file = &self.files[(self.owner.turn % 2) as usize];
        write_within(file, &snapshot.to_bytes(&self.owner), LARGEST_FILE)?;
        self.last = Instant::now();
        Ok(())
    }

    fn seconds_before(&self) -> f64 {
        self.seconds_before
    }
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use corevar_data::Dataset;
    use corevar_data::synthetic::{Sizes, find};

    use super::*;
    use crate::model::{CnnSpec, Model, ModelSpec};
    use crate::study::Unobserved;
    use crate::train::{CheckedTrainConfig, Quiet, TrainError, train, train_from};

    fn data() -> Dataset {
        find("stickmen").unwrap().generate(&Sizes { rows: 60, groups: 10, test_rows: 5 }, 1).unwrap()
    }

    fn config() -> CheckedTrainConfig {
        let cnn = CnnSpec { channels: vec![3, 4], ..Default::default() };
        let config = TrainConfig {
            model: ModelSpec::Cnn(cnn),
            epochs: 3,
            batch_size: 20,
            clip_norm: Some(1.0),
            ..Default::default()
        };
        config.check().unwrap()
    }

    /// Stops after so many steps, keeping its state.
    struct StopAfter<'a>(usize, Checkpoint<'a>);

    impl CheckpointStore for StopAfter<'_> {
        fn earlier(&mut self) -> Option<Snapshot> {
            self.1.earlier()
        }

        fn after_step(&mut self) -> AfterStep {
            self.0 -= 1;
            if self.0 == 0 { AfterStep::Stop } else { AfterStep::Keep }
        }

        fn keep(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
            self.1.keep(snapshot)
        }

        fn seconds_before(&self) -> f64 {
            self.1.seconds_before()
        }
    }

    fn checkpoint(folder: &Path) -> Checkpoint<'static> {
        Checkpoint::new(folder, "core-0", "data", &config(), Duration::MAX, &Unobserved)
    }

    fn weights(model: &Model) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        model.save(&path).unwrap();
        fs::read(path).unwrap()
    }

    #[test]
    fn a_run_that_was_stopped_anywhere_ends_as_one_that_was_not() {
        let (dataset, config) = (data(), config());
        let mut log = Quiet::default();
        let whole = train(&config, &dataset, &Device::flex(), &mut log).unwrap();
        // Three epochs of three batches: inside an epoch, at its end, just before the end of all.
        for steps in [1, 3, 4, 8] {
            let folder = tempfile::tempdir().unwrap();
            let mut stopping = StopAfter(steps, checkpoint(folder.path()));
            let error = train_from(&config, &dataset, &Device::flex(), &mut Quiet::default(), &mut stopping)
                .unwrap_err();
            assert!(matches!(error, TrainError::Interrupted { .. }), "{error}");
            let mut again = Quiet::default();
            let resumed =
                train_from(&config, &dataset, &Device::flex(), &mut again, &mut checkpoint(folder.path()))
                    .unwrap();
            assert_eq!(weights(&resumed), weights(&whole), "after {steps} steps");
            assert_eq!(again.0, log.0, "after {steps} steps");
        }
    }

    #[test]
    fn a_damaged_state_gives_way_to_the_one_before_it() {
        let (dataset, config) = (data(), config());
        let whole = train(&config, &dataset, &Device::flex(), &mut Quiet::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut stopping = StopAfter(4, checkpoint(folder.path()));
        train_from(&config, &dataset, &Device::flex(), &mut Quiet::default(), &mut stopping).unwrap_err();
        let latest = checkpoint(folder.path()).latest().unwrap();
        assert_eq!((latest.0.position.epoch, latest.0.position.step, latest.1.turn), (1, 1, 4));
        // Turn 4 is in the first file.
        let file = folder.path().join("core-0.a.state");
        let mut bytes = fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&file, bytes).unwrap();
        assert_eq!(checkpoint(folder.path()).latest().unwrap().1.turn, 3);
        let resumed = train_from(
            &config,
            &dataset,
            &Device::flex(),
            &mut Quiet::default(),
            &mut checkpoint(folder.path()),
        )
        .unwrap();
        assert_eq!(weights(&resumed), weights(&whole));
    }

    #[test]
    fn the_time_of_a_run_goes_on_where_it_was_stopped() {
        let (dataset, config) = (data(), config());
        let folder = tempfile::tempdir().unwrap();
        let part = |steps: usize| {
            let mut stopping = StopAfter(steps, checkpoint(folder.path()));
            train_from(&config, &dataset, &Device::flex(), &mut Quiet::default(), &mut stopping).unwrap_err();
            checkpoint(folder.path()).latest().unwrap().1.seconds
        };
        let (first, second) = (part(4), part(2));
        assert!(0.0 < first && first < second, "{first} {second}");
        let mut last = checkpoint(folder.path());
        assert_eq!(last.seconds_before(), 0.0);
        train_from(&config, &dataset, &Device::flex(), &mut Quiet::default(), &mut last).unwrap();
        assert_eq!(last.seconds_before(), second);
    }

    #[test]
    fn a_state_of_another_run_is_not_taken() {
        let (dataset, config) = (data(), config());
        let folder = tempfile::tempdir().unwrap();
        let mut stopping = StopAfter(2, checkpoint(folder.path()));
        train_from(&config, &dataset, &Device::flex(), &mut Quiet::default(), &mut stopping).unwrap_err();
        let other = config.with_seed(9);
        let of = |data: &str, config: &TrainConfig| {
            Checkpoint::new(folder.path(), "core-0", data, config, Duration::MAX, &Unobserved)
                .latest()
                .is_some()
        };
        assert!(of("data", &config) && !of("other data", &config) && !of("data", &other));
    }

    #[test]
    fn no_cut_or_changed_file_is_taken_for_a_state() {
        let (dataset, config) = (data(), config());
        let folder = tempfile::tempdir().unwrap();
        let mut stopping = StopAfter(1, checkpoint(folder.path()));
        train_from(&config, &dataset, &Device::flex(), &mut Quiet::default(), &mut stopping).unwrap_err();
        let whole = fs::read(folder.path().join("core-0.b.state")).unwrap();
        assert!(Snapshot::from_bytes::<Owner>(&whole).is_ok());
        for length in (0..whole.len()).step_by(97) {
            assert!(Snapshot::from_bytes::<Owner>(&whole[..length]).is_err(), "{length} bytes");
        }
        for place in (0..whole.len()).step_by(101) {
            let mut changed = whole.clone();
            changed[place] ^= 0x40;
            assert!(Snapshot::from_bytes::<Owner>(&changed).is_err(), "byte {place}");
        }
    }
}
