//! How the rules that choose λ compare, as the tables of `docs/choosing.md`:
//!
//!     choosing PAGE [--only NAME] [--draws N] [--real DIR] [--mnist DIR]
//!
//! The part of PAGE behind its marker is written anew. DIR are folders of `scripts/choosing_data.py` and of the files of MNIST.

mod families;
mod held_back;

use std::path::{Path, PathBuf};
use std::time::Duration;

use corevar::model::ModelSpec;
use corevar::results::{EstimatorResult, Results};
use corevar::study::{Choice, Grid, KeepIn, Start};
use corevar::train::TrainConfig;
use corevar::{Dataset, Rule, Study};

type Failure = Box<dyn std::error::Error>;

const MARKER: &str = "<!-- below: written by `make choosing` -->";

/// Data, how they are learned, and the splits that are judged.
pub struct Subject {
    name: String,
    dataset: Dataset,
    config: TrainConfig,
    /// As training.
    plain: Vec<&'static str>,
    /// Where style has moved.
    shifted: Vec<&'static str>,
}

const RULES: [(&str, Rule); 5] = [
    ("guarded error", Rule::GuardedError { guard: None }),
    ("k = 1", Rule::GuardedError { guard: Some(1.0) }),
    ("k = 3", Rule::GuardedError { guard: Some(3.0) }),
    ("tolerance", Rule::Tolerance { tolerance: 0.15 }),
    ("one SE", Rule::StandardError),
];

/// Errors in percent on plain and shifted splits; NaN where there is no such split.
type Errors = [f64; 2];

/// What became of each way to choose on some data.
struct Judged {
    pooled: Errors,
    /// λ = 1.
    fixed: Errors,
    /// By rule.
    chosen: Vec<(f64, Errors)>,
    /// The λ with the lowest error on the shifted split, else on the plain one.
    oracle: Errors,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let page = PathBuf::from(arguments.get(1).ok_or("which page?")?);
    let option = |name: &str| {
        arguments.iter().position(|word| word == name).and_then(|place| arguments.get(place + 1)).cloned()
    };
    let draws: u64 = option("--draws").map_or(Ok(3), |draws| draws.parse())?;
    let only = option("--only");
    let is_wanted = |name: &str| only.as_ref().is_none_or(|only| only == name);
    let mut text = String::new();
    if is_wanted("families") {
        text += &families_table(draws)?;
    }
    if is_wanted("held-back") {
        let [real, mnist] = ["--real", "--mnist"].map(|name| option(name).map(PathBuf::from));
        text += &held_back_table(&held_back::subjects(real.as_deref(), mnist.as_deref(), 20_261)?)?;
    }
    let before = std::fs::read_to_string(&page)?;
    let kept = before.split(MARKER).next().unwrap_or_default();
    std::fs::write(&page, format!("{kept}{MARKER}\n\n{text}"))?;
    Ok(())
}

fn families_table(draws: u64) -> Result<String, Failure> {
    let mut text = format!(
        "## Families that the rule was designed on\n\nMean error in % over {draws} fresh draws, plain test / shifted test \
         (the styles of the two classes are swapped).\n\n{}",
        head("family")
    );
    let linear = |name: String, dataset: Dataset| Subject {
        name,
        dataset,
        config: TrainConfig { model: ModelSpec::Linear, ..Default::default() },
        plain: vec!["test1"],
        shifted: vec!["test2"],
    };
    for family in families::LINEAR {
        for (bias, size) in families::BIASES {
            let (columns, _, objects, pairs, noise) = family;
            let name =
                format!("linear, {columns} features, {pairs} pairs of {objects}, noise {noise}, bias {bias}");
            let of = |seed| linear(name.clone(), families::linear(family, size, 90_000 + seed));
            text += &mean_row(&name, (0..draws).map(|seed| judge(&of(seed))).collect::<Result<Vec<_>, _>>()?);
        }
    }
    for pairs in [30, 150] {
        for (bias, size) in families::BIASES {
            let name = format!("rings, {pairs} pairs of 600, bias {bias}");
            let model = ModelSpec::Mlp { hidden: vec![32] };
            let config = TrainConfig { model, epochs: 60, learning_rate: 0.01, ..Default::default() };
            let of = |seed| Subject {
                config: config.clone(),
                ..linear(name.clone(), families::nonlinear(pairs, size, 80_000 + seed))
            };
            text += &mean_row(
                &name,
                (0..draws.min(2)).map(|seed| judge(&of(seed))).collect::<Result<Vec<_>, _>>()?,
            );
        }
    }
    Ok(text + "\n")
}

fn held_back_table(subjects: &[Subject]) -> Result<String, Failure> {
    let mut text = format!(
        "## Data that no rule was designed on\n\nError in %, plain test / shifted test; one draw, one run. A missing test is `-`.\n\n{}",
        head("data")
    );
    for subject in subjects {
        text += &mean_row(&subject.name, vec![judge(subject)?]);
    }
    Ok(text)
}

/// Chooses by every rule. Models are kept, so that each is trained once.
fn judge(subject: &Subject) -> Result<Judged, Failure> {
    let folder = std::env::temp_dir().join(format!("corevar-choosing-{}", std::process::id()));
    let outcomes: Vec<Results> =
        RULES.iter().map(|(_, rule)| sweep(subject, *rule, &folder)).collect::<Result<_, _>>()?;
    std::fs::remove_dir_all(&folder)?;
    let errors = |setting: &EstimatorResult| {
        [&subject.plain, &subject.shifted].map(|splits| mean_error(setting, splits))
    };
    let all: Vec<(f64, Errors)> = outcomes
        .iter()
        .flat_map(|results| &results.estimators)
        .map(|setting| (setting.penalty_weight, errors(setting)))
        .collect();
    let judged_by = |errors: &Errors| if errors[1].is_nan() { errors[0] } else { errors[1] };
    let at = |weight: f64| all.iter().find(|one| one.0 == weight).map(|one| one.1).ok_or("no such weight");
    let oracle = all.iter().map(|one| one.1).min_by(|a, b| judged_by(a).total_cmp(&judged_by(b)));
    let chosen = outcomes.iter().map(|results| {
        let core = results.main("core").ok_or("no CoRe")?;
        Ok::<_, Failure>((core.penalty_weight, errors(core)))
    });
    let judged = Judged {
        pooled: at(0.0)?,
        fixed: at(1.0)?,
        chosen: chosen.collect::<Result<_, _>>()?,
        oracle: oracle.ok_or("no settings")?,
    };
    eprintln!("{}: {:?}", subject.name, judged.chosen);
    Ok(judged)
}

fn sweep(subject: &Subject, rule: Rule, folder: &Path) -> Result<Results, Failure> {
    let keep = KeepIn {
        folder: folder.into(),
        start: if folder.join("config.toml").exists() { Start::Resume } else { Start::New },
        config: "rules = \"side by side\"\n".into(),
        checkpoint_every: Duration::from_secs(3600),
    };
    let choice = Choice { grid: Grid::of(&subject.config), rule, folds: None };
    let study = Study::new(&subject.dataset).config(subject.config.clone()).sweep(choice).keep_in(keep);
    let outcome = study.run()?;
    Ok(outcome.results)
}

/// In percent.
fn mean_error(setting: &EstimatorResult, splits: &[&str]) -> f64 {
    let errors: Vec<f64> = splits
        .iter()
        .filter_map(|split| setting.mean.get(*split)?.error)
        .map(|error| 100.0 * error)
        .collect();
    errors.iter().sum::<f64>() / errors.len() as f64
}

fn head(first: &str) -> String {
    let rules: Vec<&str> = RULES.iter().map(|(name, _)| *name).collect();
    format!(
        "| {first} | pooled | λ = 1 | {} | best λ with hindsight | λ by guarded error |\n|---{}|\n",
        rules.join(" | "),
        "|---".repeat(RULES.len() + 4)
    )
}

/// Means over draws.
fn mean_row(name: &str, draws: Vec<Judged>) -> String {
    let cell = |of: &dyn Fn(&Judged) -> Errors| {
        let mean = |side: usize| draws.iter().map(|draw| of(draw)[side]).sum::<f64>() / draws.len() as f64;
        let show = |value: f64| if value.is_nan() { "-".into() } else { format!("{value:.1}") };
        format!("{} / {}", show(mean(0)), show(mean(1)))
    };
    let rules: Vec<String> = (0..RULES.len()).map(|rule| cell(&|draw| draw.chosen[rule].1)).collect();
    let weights: Vec<String> = draws.iter().map(|draw| draw.chosen[0].0.to_string()).collect();
    format!(
        "| {name} | {} | {} | {} | {} | {} |\n",
        cell(&|draw| draw.pooled),
        cell(&|draw| draw.fixed),
        rules.join(" | "),
        cell(&|draw| draw.oracle),
        weights.join(", ")
    )
}
