//! What each way to choose takes on some data. A file per data set and draw, so that a stopped run goes on where it was.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use corevar::results::{EstimatorResult, Results};
use corevar::study::{Choice, Grid, KeepIn, Start};
use corevar::{Dataset, Rule, Study};
use serde::{Deserialize, Serialize};

use super::{Failure, Subject};

pub const RULES: [(&str, Rule); 5] = [
    ("guarded error", Rule::GuardedError { guard: None }),
    ("k = 1", Rule::GuardedError { guard: Some(1.0) }),
    ("k = 3", Rule::GuardedError { guard: Some(3.0) }),
    ("tolerance", Rule::Tolerance { tolerance: 0.15 }),
    ("one SE", Rule::StandardError),
];

/// Errors in percent; None where there is no such split.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Errors {
    pub plain: Option<f64>,
    pub shifted: Option<f64>,
}

/// A penalty weight and the errors of the model that was trained with it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Trained {
    pub penalty_weight: f64,
    pub errors: Errors,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Judged {
    pub name: String,
    /// Every weight that any rule looked at; 0 is the pooled model.
    pub all: Vec<Trained>,
    /// By rule, in the order of [`RULES`].
    pub chosen: Vec<Trained>,
    pub seconds: f64,
}

impl Judged {
    pub fn at(&self, penalty_weight: f64) -> Errors {
        let nothing = Errors { plain: None, shifted: None };
        self.all.iter().find(|one| one.penalty_weight == penalty_weight).map_or(nothing, |one| one.errors)
    }

    /// The weight with the lowest of these errors.
    pub fn best(&self, of: impl Fn(&Errors) -> Option<f64>) -> Option<Errors> {
        let with = self.all.iter().filter_map(|one| Some((of(&one.errors)?, one.errors)));
        with.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, errors)| errors)
    }
}

/// Records of what is judged already.
pub struct Records {
    folder: PathBuf,
}

impl Records {
    pub fn new(folder: PathBuf) -> Result<Self, Failure> {
        std::fs::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    pub fn of(&self, subject: &Subject) -> Option<Judged> {
        serde_json::from_slice(&std::fs::read(self.file(subject)).ok()?).ok()
    }

    fn file(&self, subject: &Subject) -> PathBuf {
        let letter = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' };
        self.folder.join(format!("{}.json", subject.key.chars().map(letter).collect::<String>()))
    }

    /// Chooses by every rule, unless that is done. Models are kept in a folder meanwhile: each is trained once, and a stopped run
    /// trains on.
    pub fn judge(&self, subject: &Subject) -> Result<Judged, Failure> {
        if let Some(judged) = self.of(subject) {
            return Ok(judged);
        }
        let file = self.file(subject);
        let runs = file.with_extension("runs");
        let begin = Instant::now();
        let dataset = (subject.data)()?;
        let outcomes: Vec<Results> =
            RULES.iter().map(|(_, rule)| sweep(subject, &dataset, *rule, &runs)).collect::<Result<_, _>>()?;
        let judged = judged(subject, &outcomes, begin.elapsed())?;
        let temporary = file.with_extension("part");
        std::fs::write(&temporary, serde_json::to_vec_pretty(&judged)?)?;
        std::fs::rename(temporary, file)?;
        std::fs::remove_dir_all(&runs)?;
        eprintln!("{}: {:.0} s, {:?}", subject.key, judged.seconds, judged.chosen);
        Ok(judged)
    }
}

fn judged(subject: &Subject, outcomes: &[Results], took: Duration) -> Result<Judged, Failure> {
    let trained = |setting: &EstimatorResult| Trained {
        penalty_weight: setting.penalty_weight,
        errors: Errors {
            plain: mean_error(setting, &subject.plain),
            shifted: mean_error(setting, &subject.shifted),
        },
    };
    let mut all: Vec<Trained> =
        outcomes.iter().flat_map(|results| &results.estimators).map(trained).collect();
    all.sort_by(|a, b| a.penalty_weight.total_cmp(&b.penalty_weight));
    all.dedup_by_key(|one| one.penalty_weight);
    let chosen = outcomes.iter().map(|results| results.main("core").map(trained).ok_or("no CoRe"));
    Ok(Judged {
        name: subject.name.clone(),
        all,
        chosen: chosen.collect::<Result<_, _>>()?,
        seconds: took.as_secs_f64(),
    })
}

fn sweep(subject: &Subject, dataset: &Dataset, rule: Rule, folder: &Path) -> Result<Results, Failure> {
    let keep = KeepIn {
        folder: folder.into(),
        start: if folder.join("config.toml").exists() { Start::Resume } else { Start::New },
        config: "rules = \"side by side\"\n".into(),
        checkpoint_every: Duration::from_secs(3600),
    };
    let choice = Choice { grid: Grid::of(&subject.config), rule, folds: None };
    let study = Study::new(dataset).config(subject.config.clone()).sweep(choice).keep_in(keep);
    Ok(study.run()?.results)
}

/// In percent, the mean over the splits.
fn mean_error(setting: &EstimatorResult, splits: &[&str]) -> Option<f64> {
    let errors: Vec<f64> =
        splits.iter().filter_map(|split| setting.mean.get(split)?.error).map(|error| 100.0 * error).collect();
    (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64)
}
