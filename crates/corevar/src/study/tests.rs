//! Small studies whose outcome is known.

use std::sync::atomic::{AtomicUsize, Ordering};

use corevar_data::synthetic::{Sizes, find};

use super::*;
use crate::penalty::Penalty;
use crate::results::EstimatorResult;
use crate::train::{EpochRecord, Log, TrainError};

fn linear() -> Dataset {
    find("linear").unwrap().generate(&Sizes { rows: 400, groups: 60, test_rows: 100 }, 1).unwrap()
}

fn keep_in(folder: &Path, start: Start) -> KeepIn {
    KeepIn { folder: folder.into(), start, config: "a = 1\n".into(), checkpoint_every: Duration::ZERO }
}

#[test]
fn the_usual_study_compares_pooled_and_core() {
    let data = linear();
    let outcome = Study::new(&data).run().unwrap();
    let names: Vec<&str> = outcome.results.estimators.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["pooled", "core"]);
    assert_eq!(outcome.results.estimators[0].runs.len(), 1);
    let error = |name: &str| outcome.results.main(name).unwrap().mean["test2"].error.unwrap();
    assert!(error("core") < error("pooled"), "{} {}", error("core"), error("pooled"));
    assert!(outcome.verdict()[0].starts_with("CoRe helps"));
    assert!(outcome.model().unwrap().linear().is_some());
}

#[test]
fn a_choice_is_made_on_held_out_rows_and_the_refit_on_all() {
    let data = linear();
    let outcome = Study::new(&data).choose(Rule::default()).run().unwrap();
    let chosen = outcome.results.selection.as_ref().unwrap().chosen;
    let path = outcome.path.as_ref().unwrap();
    assert_eq!(path.data.splits["val"] + path.data.splits["train"], 400);
    // With 60 groups every id is held out once.
    assert_eq!(path.selection.as_ref().unwrap().folds, 5);
    assert_eq!(path.estimators[0].runs.len(), 5);
    assert!(path.estimators.len() > Grid::PENALTY_WEIGHTS.len());
    assert_eq!(outcome.results.data.splits["train"], 400);
    assert_eq!(outcome.results.main("core").unwrap().penalty_weight, chosen);
}

/// Style moves with the label in training, and against it in the test.
#[test]
fn the_weight_of_a_regression_is_chosen_too() {
    let noise = |number: usize| (number.wrapping_mul(2_654_435_761) >> 7 & 1023) as f32 / 512.0 - 1.0;
    let number = |row: usize| 3.0 * noise(7 * (row / 2));
    let is_test = |row: usize| row >= 400;
    let values = (0..600).flat_map(|row| {
        let side = if is_test(row) { -1.0 } else { 1.0 };
        [number(row) + noise(row / 2 + 5000), side * number(row) + noise(row + 9000)]
    });
    let data = Dataset::features(["core", "style"], values.collect::<Vec<f32>>())
        .numbers((0..600).map(number).collect::<Vec<f32>>())
        .ids((0..600).map(|row| Some(row / 2)))
        .splits((0..600).map(|row| if is_test(row) { "test" } else { "train" }))
        .check()
        .unwrap();
    for rule in [Rule::default(), Rule::GuardedError { guard: Some(2.0) }, Rule::StandardError] {
        let outcome = Study::new(&data).choose(rule).run().unwrap();
        let selection = outcome.results.selection.as_ref().unwrap();
        let error = |name: &str| outcome.results.main(name).unwrap().mean["test"].error.unwrap();
        if rule.is_guarded() {
            assert!(selection.chosen > 0.0 && error("core") < 0.8 * error("pooled"), "{selection:?}");
        }
        let said = outcome.verdict().concat();
        assert!(said.contains("Penalty weight λ = "), "{said}");
        // A guarded rms error that grows with k.
        let guarded =
            outcome.results.main("core").unwrap().runs[0].splits["test"].guarded_error.clone().unwrap();
        assert!(guarded.len() == 7 && guarded.windows(2).all(|pair| pair[0] < pair[1]), "{guarded:?}");
        assert!((guarded[0] - error("core")).abs() < 1e-9, "{guarded:?}");
    }
}

#[test]
fn the_refit_has_the_ridge_and_the_penalty_that_were_chosen() {
    let data = linear();
    let grid = Grid {
        penalty_weights: vec![0.1, 10.0],
        ridges: vec![0.1, 0.01],
        penalties: vec![Penalty::LOSS_VARIANCE, Penalty::LOGIT_SD],
        grows: false,
    };
    let choice = Choice { grid, rule: Rule::Tolerance { tolerance: 0.15 }, folds: Some(1) };
    let outcome = Study::new(&data).choose_from(choice).run().unwrap();
    let path = outcome.path.as_ref().unwrap();
    let chosen = path.estimators.iter().find(|one| one.chosen && one.name == "core").unwrap();
    let refit = outcome.results.main("core").unwrap();
    let setting = |one: &EstimatorResult| (one.penalty.clone(), one.penalty_weight, one.ridge);
    assert_eq!(setting(refit), setting(chosen));
}

#[test]
fn listed_networks_on_features_are_trained_as_often_as_asked() {
    let data = linear();
    let config = TrainConfig { model: ModelSpec::Mlp { hidden: vec![2] }, epochs: 1, ..Default::default() };
    let listed = vec![Estimator::new(config.check().unwrap())];
    let outcome = Study::new(&data).listed(listed).runs(2).run().unwrap();
    assert_eq!(outcome.results.estimators[0].runs.len(), 2);
}

#[test]
fn settings_are_changed_one_by_one() {
    let data = linear();
    let outcome = Study::new(&data).with(|config| config.penalty_weight = 3.0).run().unwrap();
    let core = outcome.results.main("core").unwrap();
    assert_eq!((core.penalty_weight, core.runs.len()), (3.0, 1));
    assert!(outcome.model().unwrap().linear().is_some());
}

#[test]
fn no_runs_at_all_are_refused() {
    let data = linear();
    let error = Study::new(&data).runs(0).run().unwrap_err();
    assert_eq!(error.to_string(), "the field `runs` is 0, but must be from 1 to 10000");
}

#[test]
fn one_standard_error_is_over_folds_and_needs_no_second_run() {
    let data = linear();
    let outcome = Study::new(&data).choose(Rule::StandardError).run().unwrap();
    assert!(outcome.results.selection.unwrap().limit.is_some());
}

#[test]
fn without_a_bias_the_pooled_model_may_win_and_core_is_trained_with_weight_0() {
    // Style, the second feature, says nothing about the label; the core says all.
    let noise = |row: usize| (row.wrapping_mul(2_654_435_761) >> 7 & 1023) as f32 / 512.0 - 1.0;
    let side = |row: usize| if (row / 2).is_multiple_of(2) { 1.0 } else { -1.0 };
    let values = (0..240).flat_map(|row| [3.0 * side(row), 0.1 * noise(row)]).collect();
    let labels: Vec<&str> = (0..240).map(|row| if side(row) > 0.0 { "a" } else { "b" }).collect();
    let ids = (0..240).map(|row| Some(row / 2));
    let data = Dataset::features(["core", "style"], values).classes(&labels).ids(ids).check().unwrap();
    let choice = |grows| Choice {
        grid: Grid { grows, ..Grid::of(&TrainConfig { model: ModelSpec::Linear, ..Default::default() }) },
        rule: Rule::default(),
        folds: None,
    };
    let outcome = Study::new(&data).sweep(choice(false)).run().unwrap();
    assert_eq!(outcome.results.selection.as_ref().unwrap().chosen, 0.0);
    let core = outcome.results.main("core").unwrap();
    assert_eq!((core.penalty_weight, core.chosen), (0.0, true));
    let pooled = outcome.results.main("pooled").unwrap();
    assert_eq!(core.mean, pooled.mean);
}

#[test]
fn the_grid_grows_until_the_criterion_has_turned() {
    let data = linear();
    let outcome = Study::new(&data).choose(Rule::Tolerance { tolerance: 1.0 }).run().unwrap();
    // Every weight costs less than all that there is to lose.
    let selection = outcome.results.selection.unwrap();
    assert_eq!(selection.chosen, 1000.0);
    assert!(
        selection.cautions.iter().any(|caution| caution.contains("largest weight that was tried")),
        "{selection:?}"
    );
}

#[test]
fn a_sweep_marks_what_its_rule_chooses() {
    let data = linear();
    let config = TrainConfig { model: ModelSpec::Linear, ..Default::default() };
    let grid = Grid {
        penalty_weights: vec![0.1, 10.0],
        ridges: vec![0.01, 0.001],
        penalties: vec![Penalty::LOGIT_VARIANCE],
        grows: false,
    };
    let choice = Choice { grid, rule: Rule::Tolerance { tolerance: 0.15 }, folds: Some(1) };
    let outcome = Study::new(&data).config(config).sweep(choice).run().unwrap();
    assert_eq!(outcome.results.estimators.len(), 2 + 4);
    assert_eq!(outcome.results.estimators.iter().filter(|one| one.chosen && one.name == "core").count(), 1);
    assert_eq!(outcome.evidence.models.len(), 6);
}

#[test]
fn data_without_groups_are_refused_unless_only_the_pooled_estimator_is_asked_for() {
    let data = linear();
    let data = data.edit().ids([None::<u32>; 600]).check().unwrap();
    let error = Study::new(&data).run().unwrap_err();
    assert!(matches!(error, StudyError::NoGroups { .. }), "{error}");
    let pooled = TrainConfig {
        penalty: Penalty::NONE,
        penalty_weight: 0.0,
        model: ModelSpec::Linear,
        ..Default::default()
    };
    assert!(Study::new(&data).config(pooled).one().run().is_ok());
}

/// Stops all runs after so many steps, each of which takes its time.
struct StopAfter(AtomicUsize);

struct Slow;

impl Log for Slow {
    fn step(&mut self, _: usize, _: usize) {
        std::thread::sleep(Duration::from_millis(20));
    }

    fn epoch(&mut self, _: EpochRecord) {}
}

impl Observer for StopAfter {
    fn started(&self, _: &str, _: usize) -> Box<dyn Log> {
        Box::new(Slow)
    }

    fn is_interrupted(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn a_study_that_was_stopped_goes_on_and_its_time_counts_whole() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("run");
    let data =
        find("nonlinear").unwrap().generate(&Sizes { rows: 240, groups: 20, test_rows: 20 }, 1).unwrap();
    let config = TrainConfig {
        model: ModelSpec::Mlp { hidden: vec![4] },
        epochs: 3,
        batch_size: 60,
        ..Default::default()
    };
    let study =
        |start| Study::new(&data).config(config.clone()).one().threads(1).keep_in(keep_in(&folder, start));
    let error = study(Start::New).observe(&StopAfter(AtomicUsize::new(8))).run().unwrap_err();
    assert!(error.is_interruption(), "{error}");
    let StudyError::Train { cause, .. } = &error else { panic!("{error}") };
    assert!(matches!(**cause, TrainError::Interrupted { .. }));
    let resumed = study(Start::Resume).run().unwrap();
    let whole = Study::new(&data).config(config.clone()).one().run().unwrap();
    let numbers = |outcome: &Outcome| outcome.results.estimators[0].mean.clone();
    assert_eq!(numbers(&resumed), numbers(&whole));
    // Seven slow steps before the stop, none after it.
    let seconds = resumed.results.estimators[0].runs[0].seconds;
    assert!(seconds > 0.13, "{seconds}");
    assert!(folder.join(layout::RESULTS).exists() && folder.join(layout::MODEL).exists());
    resumed.finish().unwrap();
    assert!(!folder.join(layout::STATES).exists());
}

#[test]
fn what_is_finished_is_not_trained_again() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("run");
    let data = linear();
    let first = Study::new(&data).keep_in(keep_in(&folder, Start::New)).run().unwrap();
    let results = first.results.clone();
    drop(first);
    struct NothingNew;
    impl Observer for NothingNew {
        fn started(&self, run: &str, _: usize) -> Box<dyn Log> {
            panic!("{run} is trained again")
        }
    }
    let again =
        Study::new(&data).keep_in(keep_in(&folder, Start::Resume)).observe(&NothingNew).run().unwrap();
    assert_eq!(again.results, results);
    let other =
        Study::new(&data).keep_in(KeepIn { config: "a = 2\n".into(), ..keep_in(&folder, Start::Resume) });
    drop(again);
    assert!(other.run().unwrap_err().to_string().contains("a = 1, not 2"));
}

/// Stops the study once so many linear fits have begun, or so many runs are kept.
#[derive(Default)]
struct StopWhen {
    begun: Option<usize>,
    kept: Option<usize>,
    counts: [AtomicUsize; 2],
}

impl Observer for StopWhen {
    fn started(&self, _: &str, _: usize) -> Box<dyn Log> {
        self.counts[0].fetch_add(1, Ordering::Relaxed);
        Box::new(crate::train::Quiet::default())
    }

    fn finished(&self, _: &str, _: f64) {
        self.counts[1].fetch_add(1, Ordering::Relaxed);
    }

    fn is_interrupted(&self) -> bool {
        let [begun, kept] = [0, 1].map(|place: usize| self.counts[place].load(Ordering::Relaxed));
        self.begun.is_some_and(|most| begun >= most) || self.kept.is_some_and(|most| kept >= most)
    }
}

#[test]
fn a_linear_fit_stops_when_it_is_asked_to_and_goes_on_later() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("run");
    let data = linear();
    let study = |start| Study::new(&data).threads(1).keep_in(keep_in(&folder, start));
    // The pooled fit is kept; that of CoRe has begun.
    let error =
        study(Start::New).observe(&StopWhen { begun: Some(2), ..Default::default() }).run().unwrap_err();
    assert!(error.is_interruption(), "{error}");
    assert_eq!(error.to_string(), "core, run 1: interrupted in the linear fit");
    let kept = |folder: &Path| std::fs::read_dir(folder.join(layout::RUNS)).unwrap().count();
    assert_eq!(kept(&folder), 1);
    let resumed = study(Start::Resume).run().unwrap();
    assert_eq!(kept(&folder), 2);
    let whole = Study::new(&data).run().unwrap();
    let weights = |outcome: &Outcome| outcome.model().unwrap().linear().unwrap().weights.clone();
    assert_eq!(weights(&resumed), weights(&whole));
}

#[test]
fn evidence_stops_when_it_is_asked_to_and_all_runs_are_kept() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("run");
    let data = linear();
    let study = |start| Study::new(&data).threads(1).keep_in(keep_in(&folder, start));
    let error =
        study(Start::New).observe(&StopWhen { kept: Some(2), ..Default::default() }).run().unwrap_err();
    assert!(matches!(error, StudyError::Interrupted) && error.is_interruption(), "{error}");
    assert!(!folder.join(layout::EVIDENCE).exists());
    let resumed = study(Start::Resume).run().unwrap();
    assert_eq!(resumed.results.estimators.len(), 2);
    assert!(folder.join(layout::EVIDENCE).exists());
}
