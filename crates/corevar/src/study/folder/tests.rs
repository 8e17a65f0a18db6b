//! Folders that are taken, left, resumed and fought over.

use super::*;
use burn::tensor::Device;
use corevar_data::Dataset;

use crate::evaluate::Measure;
use crate::model::ModelSpec;
use crate::penalty::{Normalise, Penalty};
use crate::results::RunResult;
use crate::train::{EpochRecord, Quiet, TrainConfig, train};

fn create(path: &Path, start: Start, config: &str) -> Result<RunFolder, RunFolderError> {
    RunFolder::create(path, start, config, true)
}

#[test]
fn a_folder_with_a_run_is_refused_unless_overwritten() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    create(&path, Start::New, "a = 1\n").unwrap();
    assert!(matches!(create(&path, Start::New, ""), Err(RunFolderError::HoldsARun(_))));
    fs::write(path.join("notes.txt"), "mine").unwrap();
    create(&path, Start::Overwrite, "a = 2\n").unwrap();
    assert_eq!(fs::read_to_string(path.join("config.toml")).unwrap(), "# A run of corevar.\na = 2\n");
    assert_eq!(fs::read_to_string(path.join("notes.txt")).unwrap(), "mine");
}

#[test]
fn a_folder_with_other_files_is_refused_even_to_overwrite() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("thesis.tex"), "").unwrap();
    fs::write(folder.path().join("config.toml"), "mine = true\n").unwrap();
    let refused = create(folder.path(), Start::Overwrite, "");
    assert!(matches!(refused, Err(RunFolderError::HoldsOtherFiles(_))));
    let refused = create(folder.path(), Start::Resume, "");
    assert!(matches!(refused, Err(RunFolderError::NothingToResume(_))));
}

#[test]
fn what_a_killed_process_left_unfinished_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join(".unfinished-a1b2");
    fs::write(&left, "half a conf").unwrap();
    create(folder.path(), Start::New, "a = 1\n").unwrap();
    assert!(!left.exists());
}

#[test]
fn a_second_process_is_refused_while_the_first_lives() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let first = create(&path, Start::New, "").unwrap();
    assert!(matches!(create(&path, Start::Resume, ""), Err(RunFolderError::Busy(_))));
    drop(first);
    create(&path, Start::Resume, "").unwrap();
}

fn record() -> (Model, RunRecord) {
    let data = Dataset::features(["x"], vec![0.0, 1.0, 2.0]).numbers([0.0, 1.0, 3.0]).check().unwrap();
    let linear = TrainConfig { model: ModelSpec::Linear, ..Default::default() }.check().unwrap();
    let model = train(&linear, &data, &Device::flex(), &mut Quiet::default()).unwrap();
    let config = TrainConfig { penalty_weight: f64::INFINITY, ..Default::default() };
    let measure = Measure { penalty: Penalty::LOGIT_VARIANCE, normalise: Normalise::Grouped, label_bins: 1 };
    let result = RunResult { seed: 7, seconds: 1.5, splits: Default::default(), notes: Vec::new() };
    let epochs = vec![EpochRecord { epoch: 1, risk: 0.5, penalty: 0.25, ridge: 0.0 }];
    (model, RunRecord::new("data".into(), config, measure, result, epochs))
}

#[test]
fn a_run_that_was_kept_is_there_after_a_resume() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let (model, record) = record();
    create(&path, Start::New, "").unwrap().keep("core-7", &model, record.clone()).unwrap();
    let folder = create(&path, Start::Resume, "").unwrap();
    let kept = folder.kept("core-7").unwrap().unwrap().0;
    assert_eq!(RunRecord { model_digest: None, ..kept }, record);
    assert!(folder.kept("core-8").unwrap().is_none());
    // Without its model a run is done again.
    fs::remove_file(folder.model_path("core-7")).unwrap();
    assert!(folder.kept("core-7").unwrap().is_none());
}

#[test]
fn a_model_that_is_not_that_of_its_record_is_an_error_that_names_it() {
    let parent = tempfile::tempdir().unwrap();
    let (model, record) = record();
    let folder = create(&parent.path().join("run"), Start::New, "").unwrap();
    folder.keep("core-7", &model, record.clone()).unwrap();
    let path = folder.model_path("core-7");
    let whole = fs::read(&path).unwrap();
    let mut other = whole.clone();
    // The last bit of the last weight: a model all the same.
    other[whole.len() - 8] ^= 1;
    Model::from_bytes(&other, &path).unwrap();
    for changed in [&other, &b"half a mod".to_vec()] {
        fs::write(&path, changed).unwrap();
        let error = folder.kept("core-7").unwrap_err();
        assert!(matches!(&error, RunFolderError::OtherModel { path: named } if *named == path), "{error}");
    }
    // Of records of earlier versions nobody knows.
    let without = serde_json::to_vec(&record).unwrap();
    fs::write(folder.record_path("core-7"), without).unwrap();
    fs::write(&path, &other).unwrap();
    assert!(folder.kept("core-7").unwrap().is_some());
}

#[test]
fn a_run_that_is_trained_again_never_has_the_record_of_another_model() {
    let parent = tempfile::tempdir().unwrap();
    let (model, record) = record();
    let folder = create(&parent.path().join("run"), Start::New, "").unwrap();
    folder.keep("core-7", &model, record.clone()).unwrap();
    // The model cannot be written: its name is taken by a folder.
    fs::remove_file(folder.model_path("core-7")).unwrap();
    fs::create_dir(folder.model_path("core-7")).unwrap();
    folder.keep("core-7", &model, record).unwrap_err();
    assert!(!folder.record_path("core-7").exists());
}

#[test]
fn a_slow_second_start_does_not_touch_the_run_that_was_made_meanwhile() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let (model, record) = record();
    let first = || {
        let folder = create(&path, Start::New, "a = 1\n").unwrap();
        folder.keep("core-7", &model, record.clone()).unwrap();
    };
    let second = RunFolder::create_when(&path, Start::New, "a = 2\n", true, first);
    assert!(matches!(second, Err(RunFolderError::HoldsARun(_))), "{second:?}");
    let folder = create(&path, Start::Resume, "a = 1\n").unwrap();
    assert!(folder.kept("core-7").unwrap().is_some());
}

#[test]
fn settings_that_were_changed_between_the_look_and_the_lock_are_noticed() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    create(&path, Start::New, "a = 1\n").unwrap();
    let replaced = || drop(create(&path, Start::Overwrite, "a = 2\n").unwrap());
    let second = RunFolder::create_when(&path, Start::Resume, "a = 1\n", true, replaced);
    assert!(matches!(second, Err(RunFolderError::OtherSettings { .. })), "{second:?}");
    assert_eq!(fs::read_to_string(path.join("config.toml")).unwrap(), "# A run of corevar.\na = 2\n");
}

#[test]
fn settings_too_long_to_be_read_again_are_refused_before_anything_is_written() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let long = format!("a = \"{}\"\n", "x".repeat(LARGEST_SETTINGS as usize));
    let refused = create(&path, Start::New, &long);
    assert!(matches!(refused, Err(RunFolderError::SettingsTooLarge { .. })), "{refused:?}");
    assert!(!path.exists());
}

#[test]
fn what_is_left_of_an_overwritten_run_is_still_a_run() {
    // By its settings: they are removed last.
    assert_eq!(layout::ALL.last(), Some(&layout::CONFIG));
}

#[test]
fn an_epoch_is_a_line_that_names_its_setting() {
    let parent = tempfile::tempdir().unwrap();
    let folder = create(&parent.path().join("run"), Start::New, "").unwrap();
    let (_, record) = record();
    let line = EpochLine::new("core", &record.config, 7, &record.epochs[0]);
    folder.write_metrics(&[line]).unwrap();
    let text = fs::read_to_string(folder.path().join("metrics.jsonl")).unwrap();
    assert_eq!(
        text,
        "{\"estimator\":\"core\",\"setting\":{\"penalty\":\"logit-variance\",\"penalty_weight\":\"inf\",\
         \"ridge\":0.001,\"model\":\"cnn\"},\"seed\":7,\"epoch\":1,\"risk\":0.5,\"penalty\":0.25,\"ridge\":0.0}\n"
    );
}
