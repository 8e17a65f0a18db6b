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
    let mut rows = String::new();
    let mut all: Vec<(&str, Judged)> = Vec::new();
    for (name, bias, subjects) in family_subjects(draws) {
        let judged = subjects.iter().map(judge).collect::<Result<Vec<_>, _>>()?;
        rows += &mean_row(&name, &judged);
        all.extend(judged.into_iter().map(|draw| (bias, draw)));
    }
    let mut text = String::from(
        "## Families that the rule was designed on\n\nIn the shifted test the styles of the two classes are swapped. Means over all \
         families and draws, in percentage points: how much worse than the best λ with hindsight on the shifted test / how much worse \
         than the pooled model on the plain test; in brackets how often worse than it by more than 2 points.\n\n",
    );
    text += &summary_head();
    for (bias, _) in families::BIASES {
        let of_bias: Vec<&Judged> = all.iter().filter(|draw| draw.0 == bias).map(|draw| &draw.1).collect();
        text += &summary_row(bias, &of_bias);
    }
    text += &format!(
        "\nEach family: mean error in % over {draws} draws (2 at most for rings), plain test / shifted test. `linear 40, 200/400, 0.5`: 40 \
         features, 200 of 400 objects seen twice, noise with an SD of 0.5 in every feature. `rings`: the radius tells the classes apart, the \
         angle is style; a network with 32 hidden units.\n\n{}{rows}\n",
        head("family, bias")
    );
    Ok(text)
}

/// Name, bias and draws of every family.
fn family_subjects(draws: u64) -> Vec<(String, &'static str, Vec<Subject>)> {
    let subject = |config: &TrainConfig, dataset: Dataset| Subject {
        name: String::new(),
        dataset,
        config: config.clone(),
        plain: vec!["test1"],
        shifted: vec!["test2"],
    };
    let linear = TrainConfig { model: ModelSpec::Linear, ..Default::default() };
    let rings = TrainConfig {
        model: ModelSpec::Mlp { hidden: vec![32] },
        epochs: 60,
        learning_rate: 0.01,
        ..Default::default()
    };
    let mut all = Vec::new();
    for family in families::LINEAR {
        for (bias, size) in families::BIASES {
            let (columns, _, objects, pairs, noise) = family;
            let draw = |seed| subject(&linear, families::linear(family, size, 90_000 + seed));
            let name = format!("linear {columns}, {pairs}/{objects}, {noise}; {bias}");
            all.push((name, bias, (0..draws).map(draw).collect()));
        }
    }
    for pairs in [30, 150] {
        for (bias, size) in families::BIASES {
            let draw = |seed| subject(&rings, families::nonlinear(pairs, size, 80_000 + seed));
            all.push((format!("rings, {pairs}/600; {bias}"), bias, (0..draws.min(2)).map(draw).collect()));
        }
    }
    all
}

fn held_back_table(subjects: &[Subject]) -> Result<String, Failure> {
    let mut text = format!(
        "## Data that no rule was designed on\n\nError in %, plain test / shifted test; one draw, one run. A missing test is `-`.\n\n{}",
        head("data")
    );
    for subject in subjects {
        text += &mean_row(&subject.name, &[judge(subject)?]);
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
    let errors: Vec<f64> =
        splits.iter().filter_map(|split| setting.mean.get(split)?.error).map(|error| 100.0 * error).collect();
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

fn summary_head() -> String {
    let rules: Vec<&str> = RULES.iter().map(|(name, _)| *name).collect();
    format!("| bias | pooled | λ = 1 | {} |\n|---{}|\n", rules.join(" | "), "|---".repeat(RULES.len() + 2))
}

fn summary_row(bias: &str, draws: &[&Judged]) -> String {
    let cell = |of: &dyn Fn(&Judged) -> Errors| {
        let mean = |value: &dyn Fn(&Judged) -> f64| {
            draws.iter().map(|draw| value(draw)).sum::<f64>() / draws.len() as f64
        };
        let cost = |draw: &Judged| of(draw)[0] - draw.pooled[0];
        let worse = draws.iter().filter(|draw| cost(draw) > 2.0).count();
        let regret = mean(&|draw| of(draw)[1] - draw.oracle[1]);
        format!("{regret:.1} / {:+.1} ({worse} of {})", mean(&cost), draws.len())
    };
    let rules: Vec<String> = (0..RULES.len()).map(|rule| cell(&|draw| draw.chosen[rule].1)).collect();
    format!(
        "| {bias} | {} | {} | {} |\n",
        cell(&|draw| draw.pooled),
        cell(&|draw| draw.fixed),
        rules.join(" | ")
    )
}

/// Means over draws.
fn mean_row(name: &str, draws: &[Judged]) -> String {
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
