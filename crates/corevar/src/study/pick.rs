//! The one model that a run stands for, or several runs of it.

use std::cmp::Ordering;
use std::path::Path;

use super::{FoundModel, find_models, layout};
use crate::model::ModelError;
use crate::results::{Results, main};

use super::models::json;

/// Which models of a run folder are meant. The default is what the run stands for: the chosen, else the first CoRe model (the
/// first of all where there is none), first run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pick {
    /// Name of the estimator, such as `pooled`.
    pub estimator: Option<String>,
    /// Which of its runs.
    pub runs: PickRuns,
}

/// Which runs of an estimator are meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PickRuns {
    /// The one with the lowest seed.
    #[default]
    First,
    /// This one, counted from 1 in the order of their seeds.
    Only(usize),
    /// Every run.
    All,
}

/// Reads the models that are meant: from a run folder, or from a model file, which holds one only. Never empty; several runs are
/// in the order of their seeds.
pub fn pick_models(path: &Path, pick: &Pick) -> Result<Vec<FoundModel>, ModelError> {
    let mut models = find_models(path)?;
    if path.is_dir() {
        let results = json::<Results>(&path.join(layout::RESULTS))?;
        models.sort_by(|a, b| in_order_of(results.as_ref(), a, b));
    }
    let name = pick.estimator.as_deref();
    let named = |wanted: &str| main(&models, |one| (one.setting.name == wanted, one.setting.chosen));
    let picked = match name {
        Some(name) => named(name),
        None => named("core").or(models.first()),
    };
    let Some(setting) = picked.map(|one| one.setting.clone()) else {
        return Err(ModelError::NoSuchEstimator {
            path: path.display().to_string(),
            wanted: name.unwrap_or_default().into(),
            present: names(&models),
        });
    };
    models.retain(|one| one.setting.is_run_of(&setting));
    let there = models.len();
    match pick.runs {
        PickRuns::All => Ok(models),
        PickRuns::First => Ok(models.into_iter().take(1).collect()),
        PickRuns::Only(run) if (1..=there).contains(&run) => Ok(vec![models.swap_remove(run - 1)]),
        PickRuns::Only(run) => {
            Err(ModelError::NoSuchRun { path: path.display().to_string(), wanted: run, present: there })
        }
    }
}

/// As the results list the settings, and the runs of each by seed; what they do not list comes last.
fn in_order_of(results: Option<&Results>, a: &FoundModel, b: &FoundModel) -> Ordering {
    let place = |found: &FoundModel| {
        let estimators = results.map_or(&[][..], |results| &results.estimators);
        estimators.iter().position(|one| found.setting.is_of(one)).unwrap_or(usize::MAX)
    };
    (place(a), a.setting.seed).cmp(&(place(b), b.setting.seed))
}

/// Each name once.
fn names(models: &[FoundModel]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for model in models {
        if !names.contains(&model.setting.name) {
            names.push(model.setting.name.clone());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use corevar_data::synthetic::{Sizes, find};

    use super::*;
    use crate::Study;
    use crate::model::ModelSpec;
    use crate::study::{KeepIn, Start};
    use crate::train::TrainConfig;

    /// Two runs of the pooled and the CoRe estimator in a folder.
    fn run_folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let data =
            find("linear").unwrap().generate(&Sizes { rows: 60, groups: 10, test_rows: 10 }, 1).unwrap();
        let config =
            TrainConfig { model: ModelSpec::Mlp { hidden: vec![2] }, epochs: 1, ..Default::default() };
        let keep = KeepIn {
            folder: folder.path().join("run"),
            start: Start::New,
            config: "a = 1\n".into(),
            checkpoint_every: Duration::ZERO,
        };
        Study::new(&data).config(config).runs(2).keep_in(keep).run().unwrap().finish().unwrap();
        folder
    }

    fn picked(path: &Path, estimator: Option<&str>, runs: PickRuns) -> Result<Vec<(String, u64)>, String> {
        let pick = Pick { estimator: estimator.map(Into::into), runs };
        let models = pick_models(path, &pick).map_err(|error| error.to_string())?;
        Ok(models.into_iter().map(|one| (one.setting.name, one.setting.seed)).collect())
    }

    #[test]
    fn a_run_stands_for_the_first_run_of_its_core_model() {
        let folder = run_folder();
        let run = &folder.path().join("run");
        assert_eq!(picked(run, None, PickRuns::First).unwrap(), [("core".into(), 0)]);
        assert_eq!(picked(run, Some("pooled"), PickRuns::Only(2)).unwrap(), [("pooled".into(), 1)]);
        assert_eq!(picked(run, None, PickRuns::All).unwrap(), [("core".into(), 0), ("core".into(), 1)]);
    }

    #[test]
    fn what_is_not_there_is_named_beside_what_is() {
        let folder = run_folder();
        let run = &folder.path().join("run");
        let error = picked(run, Some("robust"), PickRuns::First).unwrap_err();
        assert!(
            error.ends_with("there is no estimator robust; there are core, pooled")
                || error.ends_with("there is no estimator robust; there are pooled, core"),
            "{error}"
        );
        let error = picked(run, None, PickRuns::Only(3)).unwrap_err();
        assert!(error.ends_with("there is no run 3: the estimator was trained 2 times"), "{error}");
    }
}
